#!/bin/sh
# What `make run` shows: the window. Where no display can be used, the same window and every head of the
# shipped dates model on a sample sentence, as pictures.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; then
    if ./headscope; then exit 0; fi # else it said why: mostly a display that cannot be used
fi
input='3 May 2021'
mkdir -p out
./headscope shot assets/dates.safetensors --input "$input" -o out/window.png
./headscope export assets/dates.safetensors --input "$input" -o out/sheet.png
echo "input   $input"
printf 'output  '
./headscope run assets/dates.safetensors --input "$input"
echo "window  $(pwd)/out/window.png (no display: on one, make run opens it)"
echo "heads   $(pwd)/out/sheet.png"
