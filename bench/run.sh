#!/bin/sh
# Runs each benchmark given (all: bench/*_*.sh), prints its table, and appends it to
# bench/RESULTS.md. Called by `make bench`, which builds what they need.
set -eu
cd "$(dirname "$0")/.."
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "make bench needs $tool: apt-get install xvfb xdotool" >&2; exit 1; }
done
BUILD=${BUILD:-build/release}
export HEADSCOPE="$PWD/$BUILD/headscope" TOOLS="$PWD/$BUILD/bench" ASSETS="$PWD/assets"
[ $# -gt 0 ] || set -- bench/*_*.sh
results=bench/RESULTS.md
run=$(mktemp) rows=$(mktemp)
trap 'rm -f "$run" "$rows"' EXIT

load() {
    cut -d ' ' -f 1 /proc/loadavg
}
commit() {
    printf '%s%s' "$(git rev-parse --short HEAD)" \
        "$([ -z "$(git status --porcelain --untracked-files=no -- ':!bench/RESULTS.md')" ] || echo ' and changes')"
}
xvfb() {
    dpkg-query -W -f '${Version}' xvfb 2>/dev/null || rpm -q xorg-x11-server-Xvfb 2>/dev/null || echo unknown
}

{
    echo
    echo "## $(date -u +'%Y-%m-%d %H:%M') UTC, commit $(commit)"
    echo
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores;" \
        "$("$TOOLS/machine"); Xvfb $(xvfb). Load is the average of one minute when a benchmark began."
    echo
    echo '| what | n | median | p95 | unit | goal | met | load |'
    echo '|---|--:|--:|--:|---|---|---|--:|'
} >"$run"
cat "$run"
for benchmark; do
    load=$(load)
    sh "$benchmark" >"$rows"
    awk -F'\t' -v load="$load" '{
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, load
    }' "$rows" | tee -a "$run"
done
cat "$run" >>$results
