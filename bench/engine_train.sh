# A training step against PyTorch's, the processor's peak, and the best sgemm of the same threads.
. bench/peers.sh
goal() { # SIZE THREADS
    case $1$2 in S1) echo 2.4 ;; M1) echo 1.35 ;; L1) echo 1.15 ;; XL1) echo 1.05 ;;
        S2) echo 3.6 ;; M2) echo 1.75 ;; L2) echo 1.3 ;; XL2) echo 1.13 ;; esac
}
share() {
    case $1 in S) echo 80 ;; M) echo 86 ;; L) echo 93 ;; *) echo 95 ;; esac
}
gemm=$("$ENGINE" gemm 1 3)
row "best sgemm, 1 thread" 3 "$gemm" - "GFLOP/s" -
peak_goal() {
    case $1 in L | XL) echo 80 ;; *) echo - ;; esac
}
# engine share prints "share milliseconds peak".
for size in ${SIZES:-S M L XL}; do
    tries=$((ROUNDS * $(count_of $size)))
    row "training step $size, 1 thread, share of the processor's peak" "$tries" \
        "$("$ENGINE" share $size "$tries" | cut -d ' ' -f 1)" - "%" "$(peak_goal $size)"
done
for threads in ${THREADS:-1 2}; do
    for size in ${SIZES:-S M L XL}; do
        compare "training step $size, $threads thread(s)" $size $threads "$(goal $size $threads)" \
            "$(count_of $size)" "'$ENGINE' step $size $threads $(count_of $size)" "step step-lean"
        [ $threads = 1 ] || continue
        row "training step $size, share of sgemm" "$ROUNDS" \
            "$(awk -v f="$("$ENGINE" flops $size)" -v ms="$(median <"$WORK/ours")" -v g="$gemm" \
                'BEGIN { printf "%.1f", 100 * f / (ms / 1e3) / g }')" - "%" "$(share $size)"
    done
done
