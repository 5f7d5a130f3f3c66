# The training step on two threads where BLAS may choose AVX-512: without the environment's settings,
# for both sides.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
. bench/peers.sh
goal() {
    case $1 in S) echo 5.5 ;; M) echo 2.1 ;; L) echo 1.5 ;; *) echo 1.22 ;; esac
}
for size in ${SIZES:-S M L XL}; do
    compare "training step $size, 2 threads, BLAS free to choose" $size 2 "$(goal $size)" \
        "$(count_of $size)" "'$ENGINE' step $size 2 $(count_of $size)" "step step-lean"
done
