# Greedy decoding and the forward pass of one example, one thread, against PyTorch.
. bench/peers.sh
decoding() { case $1 in S) echo 23 ;; M) echo 8 ;; L) echo 5.2 ;; *) echo 2.9 ;; esac; }
capture() { case $1 in S) echo 6 ;; M) echo 2 ;; L) echo 1.27 ;; *) echo 1.1 ;; esac; }
repeats() { case $1 in S) echo 100 ;; M) echo 50 ;; L) echo 20 ;; *) echo 5 ;; esac; }
for size in ${SIZES:-S M L XL}; do
    n=$(repeats $size)
    compare "greedy decoding $size" $size 1 "$(decoding $size)" "$n" "'$ENGINE' decode $size $n" decode
    compare "forward with all maps $size" $size 1 "$(capture $size)" "$n" "'$ENGINE' capture $size $n" capture
    : >"$WORK/cost"
    for round in $(seq "$ROUNDS"); do
        "$ENGINE" capture-cost $size $((10 * n)) >>"$WORK/cost"
    done
    cost=$(printf %.1f "$(median <"$WORK/cost")")
    printf 'capturing the maps %s costs\t%s\t%s\t-\t%% of a forward pass\tat most 3\t%s\n' $size "$ROUNDS" "$cost" \
        "$(awk -v c="$cost" 'BEGIN { print c <= 3 ? "yes" : "no" }')"
done
