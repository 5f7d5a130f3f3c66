#!/bin/sh
# Trains a model with each silent mistake, evaluates it with the mistake and with the attention put
# right, and writes the table between its marks in docs/lessons.md (or in the file named). Takes about
# ten minutes on two cores; STEPS and COUNT make it shorter for a trial.
set -eu
cd "$(dirname "$0")/.."
. assets/between.sh
page=${1:-docs/lessons.md}
program=${HEADSCOPE:-./headscope}
steps=${STEPS:-1000}
count=${COUNT:-2000}
begin='<!-- the table of trained traps: make trap-table -->'
end='<!-- its end -->'

grep -qxF "$begin" "$page" || { echo "$page: lacks the line $begin" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# The traps that can be switched on, and none, as the program lists them.
names=$("$program" train reverse --trap '?' -o "$folder/none" 2>&1 | sed 's/.*there are //; s/,//g')
for name in $names; do
    case $name in empty-*) continue ;; esac # the task has no row that sees nothing
    model=$folder/$name.safetensors
    "$program" train reverse --steps "$steps" --trap $name -o "$model" --log "$folder/$name.csv" \
        >"$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
    loss=$(awk -F, '$1 == "step" { for (i = 1; i <= NF; i++) if ($i == "loss") column = i; next }
                    { loss = $column } END { printf "%.4f", loss }' "$folder/$name.csv")
    wrong=$(exact_match 1 "$model")
    right=$(exact_match 1 "$model" --trap none)
    echo "$name: loss $loss, exact match $wrong, put right $right" >&2
    echo "$name|$loss|$wrong|$right" >>"$folder/rows"
done

{
    echo "| trap | loss of the last step | exact match of $count held-out examples with it | the same weights, put right |"
    echo "|---|--:|--:|--:|"
    grep '^none|' "$folder/rows" # the right one first, then by what they reach
    grep -v '^none|' "$folder/rows" | sort -t'|' -k3,3nr -k4,4nr -k1,1
} | awk -F'|' 'NR <= 2 { print; next } { print "| " $1 " | " $2 " | " $3 " | " $4 " |" }' \
    >"$folder/table"
write_between "$page" "$begin" "$end" "$folder/table"
