# Rows of the results and what they are made of: sourced by the benchmarks that need no window.
set -eu
ENGINE=$TOOLS/engine
# Debian's own, for which PyTorch and matplotlib are installed.
PYTHON=/usr/bin/python3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# ROUNDS=1 for a quick look.
ROUNDS=${ROUNDS:-5}

# The median of numbers, one a line.
median() {
    sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row WHAT N MEDIAN LEAST UNIT GOAL: the goal is a least number, or `-`.
row() {
    awk -v what="$1" -v n="$2" -v m="$3" -v least="$4" -v unit="$5" -v goal="$6" 'BEGIN {
        met = goal == "-" ? "-" : m >= goal ? "yes" : "no"
        printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", what, n, m, least, unit, goal == "-" ? "-" : "at least " goal, met
    }'
}

# row_most WHAT N VALUE UNIT GOAL: the goal is a greatest number.
row_most() {
    printf '%s\t%s\t%s\t-\t%s\tat most %s\t%s\n' "$1" "$2" "$3" "$4" "$5" \
        "$(awk -v v="$3" -v g="$5" 'BEGIN { print v <= g ? "yes" : "no" }')"
}
