#!/bin/sh
# What `make run` shows: every head of the shipped dates model on a sample sentence.
set -eu
cd "$(dirname "$0")/.."
input='3 May 2021'
mkdir -p out
./headscope export assets/dates.safetensors --input "$input" -o out/sheet.png
echo "input   $input"
printf 'output  '
./headscope run assets/dates.safetensors --input "$input"
echo "heads   $(pwd)/out/sheet.png"
