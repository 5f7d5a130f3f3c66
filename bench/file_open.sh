#!/bin/sh
# Attention of another program, 12 layers x 12 heads x 512 tokens of float32 (151 MB): from exec to
# the end of the program, which has written a sheet of all heads; and the most memory it held. Then
# one head of the file alone. The file is in the page cache.
# Needs: /usr/bin/time
. "$(dirname "$0")/lib.sh"
file=$work/attention.npy

# times_of ROUNDS ARGUMENT...: milliseconds from exec to the end, a line each.
times_of() {
    rounds=$1
    shift
    for round in $(seq "$rounds"); do
        "$TOOLS/took" "$HEADSCOPE" export "$@" 2>/dev/null
    done | awk '{ print $1 }'
}

"$TOOLS/make_attention" "$file" 12 12 512
times_of 21 "$file" -o "$work/sheet.png" | row_times 'a sheet of 12x12 heads x 512 tokens' 500
for round in 1 2 3; do
    /usr/bin/time -f %M -o "$work/time" "$HEADSCOPE" export "$file" -o "$work/sheet.png" 2>/dev/null
    tail -n 1 "$work/time"
done | awk '{ print $1 / 1000 }' | percentile 100 >"$work/memory"
memory=$(cat "$work/memory")
row '  the most memory resident' 3 "$memory" - MB 'at most 150 MB' "$(met "$memory" 150)"
times_of 7 "$file" --layer 11 --head 11 -o "$work/head.png" | row_times '  one head of it' -
