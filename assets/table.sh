#!/bin/sh
# Evaluates the shipped models and writes the two tables between their marks in assets/README.md (or in
# the file named): each model's own command and its exact match, and that of the snapshots.
set -eu
cd "$(dirname "$0")/.."
. assets/between.sh
page=${1:-assets/README.md}
program=${HEADSCOPE:-./headscope}
count=${COUNT:-2000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# The JSON texts at the beginning of a safetensors file.
header() {
    head -c 20000 "$1" | LC_ALL=C tr -c '[:print:]' ' '
}

{
    echo '| model | made by | exact match |'
    echo '|---|---|---|'
    for name in copy reverse sort add dates forming; do
        model=assets/$name.safetensors
        command=$(header $model | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
        exact=$(exact_match 2 "$model")
        echo "$name: $exact" >&2
        echo "| $name.safetensors | \`$command\` | $exact |"
    done
} >"$folder/models"
write_between "$page" '<!-- the table of models: make model-table -->' '<!-- its end -->' "$folder/models"

header assets/forming.snapshots.safetensors | grep -o '{\\"step\\":[^}]*}' |
    awk -F'[:,}]' '
        { value = sprintf("%.4g", 100 * $6)
          if (NR > 1 && value == last) { ends = $2; next }
          if (NR > 1) add()
          begins = ends = $2; last = value }
        function add() {
            steps = steps (begins == ends ? begins : begins " to " ends) " | "
            values = values last " | "
            rule = rule "---|" }
        END { add(); print "| step | " steps; print "|---|" rule; print "| % | " values }' |
    sed 's/ *$//' >"$folder/snapshots"
write_between "$page" '<!-- the table of snapshots -->' '<!-- its end -->' "$folder/snapshots"
