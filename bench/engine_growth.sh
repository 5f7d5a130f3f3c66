# Time of a training step against width, tokens and heads, one thread: exponents fitted by least
# squares over logarithms, and between neighbours, each beside that of the operations (2mnk).
. bench/rows.sh

# measure SIZE...: the sizes in turn, ROUNDS times; $WORK/times gets "first-number milliseconds flops"
# of each, $1 (a field of SIZE) being what is varied.
measure() {
    field=$1
    shift
    for size in "$@"; do : >"$WORK/$size"; done
    for round in $(seq "$ROUNDS"); do
        for size in "$@"; do
            count=$("$ENGINE" flops $size | awk '{ n = int(20 / $1); print (n < 1 ? 1 : n > 40 ? 40 : n) }')
            "$ENGINE" step $size 1 "$count" >>"$WORK/$size"
        done
    done
    for size in "$@"; do
        echo "$(echo $size | cut -d , -f $field) $(median <"$WORK/$size") $("$ENGINE" flops $size)"
    done >"$WORK/times"
}

# exponents WHAT WHY: the rows of $WORK/times.
exponents() {
    awk -v what="$1" -v why="$2" -v rounds="$ROUNDS" '
        function put(name, value, unit) { printf "%s\t%s\t%s\t-\t%s\t-\t-\n", name, rounds, value, unit }
        {
            x[++n] = log($1); y[n] = log($2); f[n] = log($3); at[n] = $1
            sx += x[n]; sxx += x[n] ^ 2; sy += y[n]; sxy += x[n] * y[n]; sf += f[n]; sxf += x[n] * f[n]
            put("training step, " what " " $1 ", 1 thread", sprintf("%.2f", $2), "ms")
        }
        END {
            below = n * sxx - sx ^ 2
            put("training step against " what ": exponent", sprintf("%.2f", (n * sxy - sx * sy) / below),
                sprintf("fitted; operations %.2f", (n * sxf - sx * sf) / below))
            for (i = 1; i < n; i++) {
                slope[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
                put("  from " at[i] " to " at[i + 1], sprintf("%.2f", slope[i]),
                    sprintf("operations %.2f", (f[i + 1] - f[i]) / (x[i + 1] - x[i])))
                bend = slope[i] - slope[i - 1]
                if (i > 1 && (bend < 0 ? -bend : bend) > most) { most = bend < 0 ? -bend : bend; where = i }
            }
            put("  bends most at", at[where], sprintf("by %+.2f", slope[where] - slope[where - 1]))
            put("  why it bends: " why, "-", "-")
        }' "$WORK/times"
}

# Heads of 16, as in M, so that width alone grows; then M's model, and its width with other heads.
measure 1 32,2,3,64,24 64,4,3,64,24 128,8,3,64,24 256,16,3,64,24 512,32,3,64,24
exponents width "narrow ones spend most on what grows as the width (softmax, norms, activations), wide ones on products, which grow as its square; past the cache, memory counts"
measure 5 128,8,3,16,8 128,8,3,16,16 128,8,3,16,32 128,8,3,16,64 128,8,3,16,128 128,8,3,16,256 128,8,3,16,512
exponents tokens "few tokens leave Adam and the sums of gradients, which do not depend on them; many make the maps, which grow as their square, larger than the cache"
measure 2 128,1,3,64,24 128,2,3,64,24 128,4,3,64,24 128,8,3,64,24 128,16,3,64,24
exponents heads "the products are as many whatever the heads; maps grow with them, and products of few columns run slower"
row_most "training step, width 128: most over least for 1 to 16 heads" "$ROUNDS" \
    "$(awk '{ if (!least || $2 < least) least = $2; if ($2 > most) most = $2 } END { printf "%.2f", most / least }' \
        "$WORK/times")" "times" 1.5
