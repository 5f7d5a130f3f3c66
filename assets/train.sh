#!/bin/sh
# Trains the shipped models anew, each with the defaults of its task.
set -eu
cd "$(dirname "$0")/.."
for task in copy reverse sort add dates; do
    ./headscope train $task -o assets/$task.safetensors
done
