# The training step on two threads where BLAS may choose AVX-512: without the environment's settings,
# for both sides.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
. bench/peers.sh
# The machine's limit: a step of ours against the best product of a BLAS that chooses for itself.
gemm=$("$ENGINE" gemm 1 3)
row "best sgemm, 1 thread, BLAS free to choose" 3 "$gemm" - "GFLOP/s" -
for size in ${SIZES:-S M L XL}; do
    : >"$WORK/ours"
    for round in $(seq "$ROUNDS"); do
        "$ENGINE" step $size 1 "$(count_of $size)" >>"$WORK/ours"
    done
    row "training step $size, share of that sgemm" "$ROUNDS" \
        "$(awk -v f="$("$ENGINE" flops $size)" -v ms="$(median <"$WORK/ours")" -v g="$gemm" \
            'BEGIN { printf "%.1f", 100 * f / (ms / 1e3) / g }')" - "%" -
done
goal() {
    case $1 in S) echo 5.5 ;; M) echo 2.1 ;; L) echo 1.5 ;; *) echo 1.22 ;; esac
}
for size in ${SIZES:-S M L XL}; do
    compare "training step $size, 2 threads, BLAS free to choose" $size 2 "$(goal $size)" \
        "$(count_of $size)" "'$ENGINE' step $size 2 $(count_of $size)" "step step-lean"
done
