# Sourced by the scripts that write tables into pages.

# write_between PAGE BEGIN END TABLE: puts the file TABLE between two lines of PAGE.
write_between() {
    grep -qxF "$2" "$1" || { echo "$1: lacks the line $2" >&2; exit 1; }
    awk -v begin="$2" -v end="$3" -v table="$4" '
        $0 == begin { print; while ((getline line < table) > 0) print line; skips = 1; next }
        skips && $0 == end { skips = 0 }
        !skips { print }' "$1" >"$4.page"
    cat "$4.page" >"$1"
    echo "$1: the table is written"
}

# exact_match DIGITS MODEL [OPTION...]: "97.50 %" of $count held-out examples, by $program.
exact_match() {
    digits=$1
    shift
    "$program" eval "$@" --count "$count" --json |
        awk -F'[:,]' -v digits="$digits" '/"exact_match"/ { printf "%.*f %%", digits, 100 * $2 }'
}
