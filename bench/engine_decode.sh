# Decoding with cached keys and values: the same tokens as without, and a step's cost against its
# position, which is to grow linearly.
. bench/rows.sh
for size in ${SIZES:-S M L XL}; do
    with=$("$ENGINE" decode $size 1) anew=$("$ENGINE" decode-anew $size 1)
    same=$([ "${with#* }" = "${anew#* }" ] && echo yes || echo NO)
    printf 'decoding %s: the same tokens with a cache\t1\t%s\t-\t-\tyes\t%s\n' $size $same $same
    row "decoding $size: the cache makes it" 1 \
        "$(awk -v a="${anew%% *}" -v b="${with%% *}" 'BEGIN { printf "%.1f", a / b }')" - "times faster" -
done

# Milliseconds of each of 512 steps; of each 16 the median, so that a moment of another program's
# does not count. Fitted: a + b position, and a + b position^c, where c is searched.
"$ENGINE" decode-steps 128,8,3,1,512 "$((4 * ROUNDS + 1))" >"$WORK/steps"
awk '{ print int(($1 - 1) / 16), $1, $2 }' "$WORK/steps" | sort -k 1,1n -k 3,3g | awk '
    { bin[$1] += $2; n[$1]++; if (n[$1] == 8) middle[$1] = $3; bins = $1 }
    END { for (i = 0; i <= bins; i++) print bin[i] / n[i], middle[i] }' >"$WORK/bins"
fit=$(awk '
    function fit(c,   i, x, sx, sy, sxx, sxy) { # least squares of y = a + b x^c: the squares left
        sx = sy = sxx = sxy = 0
        for (i = 1; i <= n; i++) {
            x = p[i] ^ c; sx += x; sy += y[i]; sxx += x * x; sxy += x * y[i]
        }
        b = (n * sxy - sx * sy) / (n * sxx - sx * sx); a = (sy - b * sx) / n
        left = most = 0
        for (i = 1; i <= n; i++) {
            r = y[i] - a - b * p[i] ^ c; left += r * r
            if (r < 0) r = -r
            if (r > most) most = r
        }
        return left
    }
    { p[++n] = $1; y[n] = $2 }
    END {
        fit(1); a1 = a; b1 = b; most1 = most; best = -1
        for (c = 0.3; c <= 2.5; c += 0.01) if (best < 0 || fit(c) < best) { best = left; at = c }
        printf "%.4f %.3f %.1f %.2f\n", a1, 1000 * b1, 100 * most1 / (a1 + b1 * p[n]), at
    }' "$WORK/bins")
set -- $fit
row "a step of decoding, width 128, 3 layers: fixed" 1 "$1" - ms -
row "  more for each position before it" 1 "$2" - "µs" -
row_most "  largest residual of that line over 512 positions" 1 "$3" "% of the last step" 10
printf '  exponent of the part that grows\t1\t%s\t-\tfitted\tabout 1 (0.7 to 1.3)\t%s\n' "$4" \
    "$(awk -v c="$4" 'BEGIN { print (c >= 0.7 && c <= 1.3 ? "yes" : "no") }')"
