#!/bin/sh
# Needs: Xvfb xdotool
# From the exec of the program to the end of presenting the first picture: the dates model, its file
# in the page cache. A first start also looks for the head that matters most.
. "$(dirname "$0")/lib.sh"
open_display

first_picture() {
    sed -n 2p "$frames" | cut -f 9 | awk -v from="$(cat "$work/launched")" '{ print $1 - from }'
}

measure() {
    i=0
    : >"$work/starts"
    while [ $i -lt 10 ]; do
        [ "$2" = known ] || new_home
        open_window "$ASSETS/dates.safetensors" --size 1280x800
        first_picture >>"$work/starts"
        close_window
        i=$((i + 1))
    done
    median=$(percentile 50 <"$work/starts" | round)
    row "$1" 10 "$median" "$(percentile 95 <"$work/starts" | round)" ms \
        'median at most 250 ms' "$(met "$median" 250)"
}

open_window "$ASSETS/dates.safetensors" # warms the cache
close_window
measure 'start to first picture' known
measure 'the very first start' new
