# Memory of training: the process at its peak, and what --dry-run computes before any of it is made.
. bench/rows.sh
for threads in 1 2; do
    set -- $("$ENGINE" memory M $threads)
    row_most "training at M, $threads thread(s), resident at its peak" 1 "$1" MB 100
    row "training at M, $threads thread(s), computed before it is made" 1 "$2" - MB -
done
# The same of the program: M's model on the dates, whose sources and targets are a little longer.
dry=$("$HEADSCOPE" train dates --width 128 --heads 8 --encoder-layers 3 --decoder-layers 3 --threads 2 \
    --dry-run |
    awk '/^memory/ { print $2 }')
row "headscope train dates at M's width, by --dry-run" 1 "$dry" - MB -
