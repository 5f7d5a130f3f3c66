#!/bin/sh
# digests.sh: a digest of each of ninety pictures and texts that the program makes from its shipped
# models. Equal digests before and after a change show that nothing visible changed:
#     sh tests/digests.sh > before; ...; sh tests/digests.sh | diff before -
# HEADSCOPE names the program (./headscope). KEEP names a folder that keeps what was made.
set -eu
cd "$(dirname "$0")/.."
headscope=${HEADSCOPE:-./headscope}
folder=${KEEP:-$(mktemp -d)}
mkdir -p "$folder"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$folder"' EXIT

digest() { printf '%s  %s\n' "$(sha256sum < "$folder/$1" | cut -c1-16)" "$1"; }

# picture NAME COMMAND...: what `COMMAND -o FILE` draws
picture() {
    name=$1; shift
    "$headscope" "$@" -o "$folder/$name" >/dev/null 2>"$folder/$name.err" || echo "failed: $*"
    digest "$name"
}
# page NAME COMMAND...: the same for lessons and check, which take --picture
page() {
    name=$1; shift
    "$headscope" "$@" --picture "$folder/$name" >/dev/null 2>"$folder/$name.err" || [ $? = 1 ] || echo "failed: $*"
    digest "$name"
}
# text NAME COMMAND...: standard output
text() {
    name=$1; shift
    "$headscope" "$@" >"$folder/$name" 2>"$folder/$name.err" </dev/null || [ $? -le 2 ] || echo "failed: $*"
    digest "$name"
}

dates=assets/dates.safetensors
for theme in light dark; do
    for size in 900x600 1280x800 1920x1080; do
        picture window-$theme-$size.png shot $dates --theme $theme --size $size --do "hover cross.1.3 3 9; select cross.1.3"
    done
    picture compare-$theme.png shot $dates --theme $theme --do "compare cross.1.0 cross.1.3"
    picture focus-$theme.png shot $dates --theme $theme --do "select cross.1.2; focus on; cell 5 5"
    picture lines-$theme.png shot $dates --theme $theme --do "select cross.1.2; focus on; lines on"
    picture train-$theme.png shot assets/forming.safetensors --theme $theme --do "page train; snapshot 8"
    for lesson in provenance shapes traps acceptance quiz; do
        picture lesson-$lesson-$theme.png shot $dates --theme $theme --do "lesson $lesson"
    done
    picture explain-$theme.png shot $dates --theme $theme --do "lesson explain cross.1.2 5 5; scroll 200"
    picture sheet-$theme.png export $dates --input "3 May 2021" --theme $theme
done
n=0
while IFS= read -r actions; do
    n=$((n + 1))
    picture "state-$n.png" shot $dates --do "$actions"
done <<'ACTIONS'
input 4 June 1999; step 4
ablate cross.1.2; difference on
enc_len 6; against plain; difference on
causal off; select decoder.1.1
companion 12 September 1999; example 0; select cross.1.0
trap one-reshape
help on
present on; select cross.1.3
against input 12 September 1999
input 3 May 2021; target 2021-06-03
pin source 3; select cross.0.1
dec_len 3; layer 1; site decoder
scale largest; colormap grey; text_scale 1.5
ACTIONS
for model in copy reverse sort add; do
    case $model in add) input=58+967 ;; *) input=dcab ;; esac
    picture sheet-$model.svg export assets/$model.safetensors --input $input
    text heads-$model.txt heads assets/$model.safetensors --count 20
done
picture figure.svg export $dates --input "3 May 2021" --heads cross.1.2,cross.0.3 --width 8cm --font-size 8pt
for ending in csv json npz safetensors; do
    "$headscope" export $dates --input "3 May 2021" --data "$folder/weights.$ending" >/dev/null 2>&1 || echo "failed: $ending"
    digest weights.$ending
done
text heads.csv heads $dates --count 20 --ablate --csv
text heads.json heads $dates --count 20 --json
text run.json run assets/add.safetensors --input 58+967 --json
text eval.txt eval assets/add.safetensors --count 200
text tasks.txt tasks
text help.txt --help
text actions.txt view --actions
for command in view shot tasks train run eval heads ablate export check toy provenance shapes cost traps explain quiz acceptance; do
    text help-$command.txt $command --help
done
for lesson in provenance shapes traps quiz acceptance; do
    page $lesson.svg $lesson
    case $lesson in quiz) text quiz.txt quiz --seed 1;; *) text $lesson.txt $lesson;; esac
done
text explain.txt explain $dates --input "3 May 2021" cross.1.2 5 5
"$headscope" toy --preset d2l -o "$folder/toy.npz" >/dev/null
digest toy.npz
