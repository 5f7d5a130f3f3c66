# What the benchmarks of the engine share: sourced, not run. $ENGINE is ours, peer the other side.
. bench/rows.sh

# PyTorch from Debian by Debian's own python3, over the OpenMP build of OpenBLAS, its fastest here:
# installed, or unpacked beside our build without being installed (it would become the default).
find_openmp() {
    for folder in /usr/lib/*/openblas-openmp build/openblas-openmp/usr/lib/*/openblas-openmp; do
        [ -e "$folder/libopenblas.so.0" ] && { cd "$folder" && pwd; return; }
    done
}
unpack_openmp() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 0
    (mkdir -p build/openblas-openmp && cd build/openblas-openmp &&
        apt-get download -qq libopenblas0-openmp >/dev/null 2>&1 && dpkg -x libopenblas0-openmp*.deb .) || true
}
[ -n "$(find_openmp)" ] || unpack_openmp
OPENMP=$(find_openmp)
has_peer() {
    "$PYTHON" -c 'import torch' 2>/dev/null
}

# peer WHAT SIZE THREADS COUNT: "milliseconds check".
peer() {
    LD_LIBRARY_PATH="$OPENMP" OMP_NUM_THREADS=$3 OPENBLAS_NUM_THREADS=$3 \
        "$PYTHON" bench/peer.py "$1" "$2" "$3" "$4" "$WORK/$2.safetensors"
}

# How often something is timed in one round, so that a round takes about a second.
count_of() {
    case $1 in S) echo 30 ;; M) echo 9 ;; L) echo 3 ;; *) echo 2 ;; esac
}

# compare WHAT-IN-WORDS SIZE THREADS GOAL COUNT "OURS" "PEER..." : ours and each peer in turn, ROUNDS
# times; the ratio to the faster peer of each round. The checks must agree.
compare() {
    : >"$WORK/ours" >"$WORK/best" >"$WORK/ratio"
    for round in $(seq "$ROUNDS"); do
        ours=$(eval "$6")
        best=
        if has_peer; then
            for what in $7; do
                theirs=$(peer "$what" "$2" "$3" "$5")
                awk -v a="${ours#* }" -v b="${theirs#* }" 'BEGIN {
                    d = a - b; exit !((d < 0 ? -d : d) <= 1e-5 * (1 + (a < 0 ? -a : a))) }' ||
                    { echo "$1: ours gives ${ours#* }, PyTorch ${theirs#* }" >&2; exit 1; }
                best=$(printf '%s\n%s\n' "${theirs%% *}" "$best" | grep . | sort -g | head -1)
            done
            echo "$best" >>"$WORK/best"
            awk -v a="${ours%% *}" -v b="$best" 'BEGIN { print b / a }' >>"$WORK/ratio"
        fi
        echo "${ours%% *}" >>"$WORK/ours"
    done
    row "$1" "$ROUNDS" "$(printf %.3f "$(median <"$WORK/ours")")" - ms -
    [ -s "$WORK/ratio" ] || return 0
    row "$1, PyTorch" "$ROUNDS" "$(printf %.3f "$(median <"$WORK/best")")" - ms -
    row "$1, ratio" "$ROUNDS" "$(printf %.2f "$(median <"$WORK/ratio")")" \
        "$(printf %.2f "$(sort -g "$WORK/ratio" | head -1)")" "times faster" "$4"
}

for size in S M L XL; do
    "$ENGINE" model $size "$WORK/$size.safetensors"
done
