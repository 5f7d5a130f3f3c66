# What the benchmarks of the window share; read by `.` from each of them. HEADSCOPE is the program,
# TOOLS the folder with the programs built from bench/*.c.
set -eu
work=$(mktemp -d)
display_pid='' window_pid=''

end() {
    [ -z "$window_pid" ] || kill -KILL "$window_pid" 2>/dev/null || true
    [ -z "$display_pid" ] || kill "$display_pid" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# wait_for COMMAND...: until it succeeds, 10 seconds at most.
wait_for() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "waited in vain for: $*"
        sleep 0.05
    done
}

# open_display: an X server of our own, on a number that is free.
open_display() {
    # Without -noreset it begins anew when its last client leaves, and loses who comes meanwhile.
    Xvfb -noreset -displayfd 3 -screen 0 2560x1440x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
    display_pid=$!
    wait_for test -s "$work/display"
    DISPLAY=:$(cat "$work/display")
    export DISPLAY SDL_VIDEODRIVER=x11
    new_home
    # Not at the place where it starts, so that the first move is one.
    xdotool mousemove 2500 1400
}

# A person who has never started headscope.
new_home() {
    rm -rf "$work/home"
    mkdir "$work/home"
    export XDG_CONFIG_HOME="$work/home/config" XDG_STATE_HOME="$work/home/state"
}

# open_window ARGUMENT...: headscope view, until its first picture is there; its times are in
# $frames, the moment before it was started in $work/launched.
frames=$work/frames
open_window() {
    rm -f "$frames"
    "$TOOLS/launch" "$work/launched" "$HEADSCOPE" view --frames "$frames" "$@" &
    window_pid=$!
    wait_for has_frames 1
    wait_for xdotool search --onlyvisible --name headscope
    window=$(xdotool search --onlyvisible --name headscope)
}

has_frames() {
    [ "$(wc -l <"$frames")" -gt "$1" ]
}

close_window() {
    kill "$window_pid" 2>/dev/null || true
    wait "$window_pid" 2>/dev/null || true
    window_pid=''
}

# play PLAN: sends its lines (see send.c); $work/sent is what was sent and when, $work/answers the
# pictures since, without the heading.
play() {
    before=$(wc -l <"$frames")
    "$TOOLS/send" <"$1" >"$work/sent"
    sleep 0.5
    tail -n +$((before + 1)) "$frames" >"$work/answers"
}

# percentile P: of the numbers in standard input, one a line (nearest rank).
percentile() {
    sort -n | awk -v p="$1" '{ v[NR] = $1 }
        END { i = int(p * NR / 100 + 0.999999); if (i < 1) i = 1; print NR ? v[i] : "nan" }'
}

# column N KINDS: that column of the answers which were to such events (a pattern).
column() {
    awk -F'\t' -v n="$1" -v kinds="^($2)\$" '$1 ~ kinds { print $n }' "$work/answers"
}

# from_outside: for each key that was sent, milliseconds from then until the next picture was there.
from_outside() {
    cut -f 9 "$work/answers" | awk -F'\t' '
        NR == FNR { at[++n] = $1; next }
        { while (i < n && at[i + 1] <= $1) i++; if (i < n) print at[i + 1] - $1 }' - "$work/sent"
}

# row WHAT COUNT MEDIAN P95 UNIT GOAL MET: one line of the results.
row() {
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@"
}

# row_times WHAT GOAL: the numbers of standard input, milliseconds, of which 95 % are to be at most
# GOAL (`-`: no goal).
row_times() {
    cat >"$work/numbers"
    count=$(wc -l <"$work/numbers")
    p95=$(percentile 95 <"$work/numbers")
    row "$1" "$count" "$(percentile 50 <"$work/numbers" | round)" "$(echo "$p95" | round)" ms \
        "$([ "$2" = - ] && echo - || echo "p95 at most $2 ms")" "$(met "$p95" "$2")"
}

# row_rate WHAT: the same, for pictures that are to come 60 times a second or more.
row_rate() {
    cat >"$work/numbers"
    count=$(wc -l <"$work/numbers")
    [ "$count" -gt 0 ] || fail "$1: no picture came"
    p95=$(percentile 95 <"$work/numbers")
    row "$1" "$count" "$(percentile 50 <"$work/numbers" | per_second)" \
        "$(echo "$p95" | per_second)" "frames/s" "60 frames/s" "$(met "$p95" 16.667)"
}

round() {
    awk '{ printf "%.2f\n", $1 }'
}
per_second() {
    awk '{ printf "%.0f\n", 1000 / $1 }'
}

# met VALUE MOST: yes, NO, or - where there is no goal.
met() {
    awk -v value="$1" -v most="$2" 'BEGIN { print most == "-" ? "-" : value <= most ? "yes" : "NO" }'
}
