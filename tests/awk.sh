#!/bin/sh
# Runs what the benchmarks share with each awk that is installed: what one takes for a name is a
# keyword of another, and then a table has no rows. Prints what is wrong.
set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 tried=''

# One row with a goal, and one of numbers.
cat >"$work/made_rows.sh" <<'END'
. bench/rows.sh
row "a name" 5 12.5 11 ms 10
row_most "another" 1 3 MB 2
row "the median" 3 "$(printf '3\n1\n2\n' | median)" - ms -
END
cat >"$work/expected" <<'END'
| a name | 5 | 12.5 | 11 | ms | at least 10 | yes |
| another | 1 | 3 | - | MB | at most 2 | no |
| the median | 3 | 2 | - | ms | - | - |
END

try() { # NAME PROGRAM [ARGUMENT]
    mkdir -p "$work/$1"
    printf '#!/bin/sh\nexec %s "$@"\n' "$2${3:+ $3}" >"$work/$1/awk"
    chmod +x "$work/$1/awk"
    tried="$tried $1"
    # The names that scripts give their variables from outside.
    for name in $(grep -oh -e '-v [A-Za-z_]*=' bench/*.sh tests/*.sh tools/*.sh assets/*.sh |
        sed 's/-v //; s/=//' | sort -u); do
        "$work/$1/awk" -v "$name=1" 'BEGIN { }' 2>"$work/err" </dev/null || {
            echo "$1: a variable cannot be named $name: $(head -1 "$work/err")"
            bad=1
        }
    done
    rm -f "$work/results"
    PATH="$work/$1:$PATH" RESULTS="$work/results" sh bench/run.sh "$work/made_rows.sh" >"$work/out" 2>&1
    # But for the last column, the load.
    grep -E '^\| (a name|another|the median) ' "$work/results" | sed 's/ [^|]*|$//' >"$work/rows"
    cmp -s "$work/expected" "$work/rows" || {
        echo "$1: bench/run.sh prints other rows:"
        diff "$work/expected" "$work/rows"
        grep -i awk "$work/out"
        bad=1
    }
}

for name in awk gawk mawk original-awk; do
    path=$(command -v $name) && try $name "$path"
done
path=$(command -v gawk) && try gawk-posix "$path" --posix
path=$(command -v busybox) && try busybox "$path" awk

[ $bad = 0 ] && echo "awk: the same rows by$tried"
exit $bad
