# A labelled sheet by `headscope export` against matplotlib's picture of the same maps and of as many
# pixels, process start included for both. Our side runs the model as well; the peer is given the maps
# and draws them as D2L's show_heatmaps does, and a second time with the tokens at each map, which ours
# has.
. bench/rows.sh
PEER="$PYTHON -B bench/peer_matplotlib.py"
has_peer() {
    "$PYTHON" -c 'import matplotlib' 2>/dev/null
}
size_of() {
    wc -c <"$1"
}
# pixels FILE: "width height" of a PNG.
pixels() {
    od -A n -t u1 -j 16 -N 8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4,
                                           $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'
}
# export_sheet OPTION...
export_sheet() {
    "$TOOLS/took" "$HEADSCOPE" export "$WORK/model.safetensors" --site encoder --input "$text" "$@"
}
# against NAME-OF-PEER GOAL SIZE-GOAL: rows of its times in $WORK/theirs and its picture.
against() {
    row "$what, $1" "$rounds" "$(median <"$WORK/theirs" | awk '{ printf "%.0f", $1 }')" - ms -
    paste "$WORK/ours" "$WORK/theirs" | awk '{ print $3 / $1 }' >"$WORK/ratio"
    row "$what, ours against $1" "$rounds" "$(printf %.1f "$(median <"$WORK/ratio")")" \
        "$(printf %.1f "$(sort -g "$WORK/ratio" | head -1)")" "times faster" "$2"
    paste "$WORK/ours" "$WORK/theirs" | awk '{ print $4 / $2 }' >"$WORK/ratio"
    row "  the same in processor time" "$rounds" "$(printf %.1f "$(median <"$WORK/ratio")")" \
        "$(printf %.1f "$(sort -g "$WORK/ratio" | head -1)")" "times less" -
    row_most "  bytes of the PNG to its" 1 "$(awk -v a="$(size_of "$WORK/ours.png")" \
        -v b="$(size_of "$WORK/theirs.png")" 'BEGIN { printf "%.2f", a / b }')" times "$3"
}

# compare WHAT GOAL ROUNDS SCALE TEXT MODEL-NUMBERS...: see make_model.

compare() {
    what=$1 goal=$2 rounds=$3 scale=$4 text=$5
    shift 5
    "$TOOLS/make_model" "$WORK/model.safetensors" "$@"
    export_sheet --data "$WORK/maps.safetensors" >/dev/null
    export_sheet -o "$WORK/ours.png" --scale "$scale" >/dev/null
    set -- $(pixels "$WORK/ours.png")
    : >"$WORK/ours" >"$WORK/bare" >"$WORK/tokens"
    for round in $(seq "$rounds"); do
        export_sheet -o "$WORK/ours.png" --scale "$scale" >>"$WORK/ours"
        has_peer || continue
        "$TOOLS/took" $PEER "$WORK/maps.safetensors" "$WORK/bare.png" $1 $2 >>"$WORK/bare"
        "$TOOLS/took" $PEER "$WORK/maps.safetensors" "$WORK/tokens.png" $1 $2 tokens >>"$WORK/tokens"
    done
    row "$what, $1x$2 pixels" "$rounds" "$(median <"$WORK/ours" | awk '{ printf "%.0f", $1 }')" - ms -
    has_peer || return 0
    mv "$WORK/tokens" "$WORK/theirs"
    mv "$WORK/tokens.png" "$WORK/theirs.png"
    against "matplotlib with the tokens" "$goal" 1.3
    mv "$WORK/bare" "$WORK/theirs"
    mv "$WORK/bare.png" "$WORK/theirs.png"
    against "D2L's plot, without tokens" "$goal" 1.3
}

# matplotlib's very first start looks for fonts.
! has_peer || "$PYTHON" -c 'import matplotlib.pyplot' 2>/dev/null
compare "sheet of 2x4 maps of 12x12" 20 "$((2 * ROUNDS))" 1 abcdefghijk 32 4 2 1 12 1
compare "sheet of 12x12 maps of 32x32" 80 "$(((ROUNDS + 1) / 2))" 0.5 \
    abcdefghijklmnopqrstuvwxyzabcde 24 12 12 1 32 1
