#!/bin/sh
# Needs: Xvfb xdotool
# 6 layers x 8 heads x 3 sites on one screen, 64 source and 64 target tokens: moving the pointer
# over cells, dragging a large head, and changing the window's size. Frames a second that the window
# could show: 1000 / (ms from the event's time stamp to its picture). `flood` is how many it did
# show while the pointer moved every 2 ms.
. "$(dirname "$0")/lib.sh"
text=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk
"$TOOLS/make_model" "$work/large.safetensors"
open_display

# Each move comes to another cell of the first panel, whose cells lie there in a window of that size.
hover() { # COUNT MS
    case $size in
    1280x800) cells='302 290 102 102' ;;
    1920x1080) cells='382 263 200 200' ;;
    esac
    echo "$cells" | awk -v n="$1" -v ms="$2" -v window="$window" '{
        for (i = 0; i < n; i++)
            printf "%d mousemove --window %s %d %d\n", ms, window, $1 + i * 7 % $3, $2 + i * 5 % $4
    }'
}
drag() { # COUNT MS: to and fro in the middle
    echo "20 mousemove --window $window $((width / 2)) $((height / 2))"
    echo '50 mousedown 1'
    awk -v n="$1" -v ms="$2" 'BEGIN {
        for (i = 0; i < n; i++) {
            way = int(i / 20) % 2 ? -1 : 1
            printf "%d mousemove_relative -- %d %d\n", ms, 5 * way, 3 * way
        }
    }'
    echo '20 mouseup 1'
}
resize() { # COUNT MS
    awk -v n="$1" -v ms="$2" -v w=$width -v h=$height -v window="$window" 'BEGIN {
        for (i = 0; i < n; i++) {
            by = i % 40 < 20 ? i % 20 : 20 - i % 20
            printf "%d windowsize %s %d %d\n", ms, window, w - 10 * by, h - 6 * by
        }
    }'
}
parts() {
    for part in 3:events 5:screen 6:draw 7:present; do
        column "${part%:*}" "$1" | row_times "  of which ${part#*:}" -
    done
}
# Most moves must have brought a picture, or they did not go where they should.
moves() {
    play "$work/plan"
    [ "$(column 8 move | wc -l)" -ge $(($(wc -l <"$work/sent") * 8 / 10)) ] ||
        fail "$1: fewer pictures than moves"
    column 8 move | row_rate "$1"
}
flood() {
    play "$work/plan"
    shown=$(column 9 move | awk '{ if (NR == 1) a = $1; b = $1 } END { print (NR - 1) * 1000 / (b - a) }')
    row "$1, flood" "$(wc -l <"$work/answers")" "$(echo "$shown" | awk '{ printf "%.0f", $1 }')" - \
        frames/s '60 frames/s' "$(met 60 "$shown")"
}

for size in 1280x800 1920x1080; do
    width=${size%x*} height=${size#*x}
    new_home
    open_window "$work/large.safetensors" --size $size --input "$text" --do "target $text; select cross.0.0"
    sleep 2
    hover 200 25 >"$work/plan"
    moves "hover, $size"
    parts move
    hover 1000 2 >"$work/plan"
    flood "hover, $size"
    resize 80 40 >"$work/plan"
    play "$work/plan"
    column 8 'resize|show' | row_rate "resize, $size"
    parts 'resize|show'
    xdotool windowsize --sync "$window" $width $height key Return key plus key plus
    sleep 1
    drag 200 25 >"$work/plan"
    moves "pan, $size"
    parts move
    drag 1000 2 >"$work/plan"
    flood "pan, $size"
    close_window
done
