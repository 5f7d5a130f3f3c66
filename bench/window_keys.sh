#!/bin/sh
# Needs: Xvfb xdotool
# From a key press to its picture: the dates model, 1280x800. Letters typed into the source run the
# model again; arrows choose another head; `a` knocks it out and puts it back.
. "$(dirname "$0")/lib.sh"
open_display
open_window "$ASSETS/dates.safetensors" --size 1280x800
xdotool mousemove --window "$window" 640 300
sleep 1

repeat() {
    n=$1
    shift
    while [ "$n" -gt 0 ]; do
        for key in "$@"; do echo "50 key $key"; done
        n=$((n - 1))
    done
}

measure() {
    play "$work/plan"
    # On a busy machine one picture may answer two keys; many fewer mean that keys did nothing.
    [ "$(wc -l <"$work/answers")" -ge $(($(wc -l <"$work/sent") * 8 / 10)) ] ||
        fail "$1: fewer pictures than keys"
    column 8 'key|text' | row_times "$1, in the window" 16
    from_outside | row_times "$1, with xdotool and X" 16
    for part in 3:events 4:model 5:screen 6:draw 7:present; do
        column "${part%:*}" 'key|text' | row_times "  of which ${part#*:}" -
    done
}

xdotool key i
sleep 0.5
repeat 12 BackSpace 1 BackSpace BackSpace 2 1 BackSpace 9 0 BackSpace >"$work/plan"
measure 'typing into the source'
xdotool key Escape
sleep 0.5
repeat 15 Right Down Tab Left Up Right >"$work/plan"
measure 'arrows and Tab'
repeat 30 a a Right >"$work/plan"
measure 'knocking a head out'
