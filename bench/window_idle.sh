#!/bin/sh
# Needs: Xvfb xdotool
# What the window costs while nothing happens, with the pointer at rest on a cell: processor time of
# all threads, pictures, and how often it woke up, over 10 seconds.
. "$(dirname "$0")/lib.sh"
open_display
open_window "$ASSETS/dates.safetensors" --size 1280x800
xdotool mousemove --window "$window" 640 300
sleep 4 # hint and tooltip come and go, the state is written down

ticks() {
    sed 's/.*) //' "/proc/$window_pid/stat" | awk '{ print $12 + $13 }'
}
woken() {
    awk '/ctxt_switches/ { n += $2 } END { print n }' /proc/"$window_pid"/task/*/status
}
pictures=$(wc -l <"$frames") ticks=$(ticks) woken=$(woken)
sleep 10
pictures=$(($(wc -l <"$frames") - pictures)) ticks=$(($(ticks) - ticks)) woken=$(($(woken) - woken))
share=$(awk -v ticks=$ticks -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", 10 * ticks / hz }')

row 'idle for 10 s: processor time' 1 "$share" - '% of a core' 'under 1' "$(met "$share" 0.99)"
row 'idle for 10 s: pictures' 1 "$pictures" - pictures 0 "$(met "$pictures" 0)"
row 'idle for 10 s: woken' 1 "$woken" - times - -
