#!/bin/sh
# Attention of another program, 12 layers x 12 heads x 512 tokens of float32 (151 MB): from exec to
# the end of the program, which has written a sheet of all heads; and the most memory it held. The
# file is in the page cache.
# Needs: /usr/bin/time
. "$(dirname "$0")/lib.sh"
file=$work/attention.npy
"$TOOLS/make_attention" "$file" 12 12 512
for round in 1 2 3 4 5 6 7; do
    /usr/bin/time -f '%e %M' -o "$work/time" "$HEADSCOPE" export "$file" -o "$work/sheet.png" 2>/dev/null
    tail -n 1 "$work/time" >>"$work/times"
done
awk '{ print $1 * 1000 }' "$work/times" | row_times 'a sheet of 12x12 heads x 512 tokens' 500
memory=$(awk '{ print $2 / 1000 }' "$work/times" | percentile 100)
row '  the most memory resident' 7 "$memory" - MB 'at most 150 MB' "$(met "$memory" 150)"
