#!/bin/sh
# Runs each benchmark given (all: bench/*_*.sh), prints its table, and appends it to
# bench/RESULTS.md, or to the file that RESULTS names. Called by `make bench`, which builds what
# they need. One that lacks a program which its line "# Needs:" names is left out; one that fails
# does not stop the others.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build/release}
export HEADSCOPE="$PWD/$BUILD/headscope" TOOLS="$PWD/$BUILD/bench" ASSETS="$PWD/assets"
[ $# -gt 0 ] || set -- bench/*_*.sh
results=${RESULTS:-bench/RESULTS.md}
run=$(mktemp) rows=$(mktemp)
trap 'rm -f "$run" "$rows"' EXIT
failed='' times=''

load() {
    cut -d ' ' -f 1 /proc/loadavg
}
commit() {
    printf '%s%s' "$(git rev-parse --short HEAD)" \
        "$([ -z "$(git status --porcelain --untracked-files=no -- ':!bench/RESULTS.md')" ] || echo ' and changes')"
}
xvfb() {
    command -v Xvfb >/dev/null || { echo "no Xvfb"; return; }
    echo "Xvfb $(dpkg-query -W -f '${Version}' xvfb 2>/dev/null || rpm -q xorg-x11-server-Xvfb 2>/dev/null || echo unknown)"
}
# peer NAME MODULE: its version in Debian's own Python.
peer() {
    version=$(/usr/bin/python3 -c "import $2; print($2.__version__)" 2>/dev/null) &&
        echo "$1 $version" || echo "no $1"
}
missing() {
    for tool in $(sed -n 's/^# Needs: //p' "$1"); do
        command -v "$tool" >/dev/null || printf ' %s' "$tool"
    done
}
# note WHAT: a row without numbers.
note() {
    echo "| $1 | - | - | - | - | - | - | $(load) |" | tee -a "$run"
}

{
    echo
    echo "## $(date -u +'%Y-%m-%d %H:%M') UTC, commit $(commit)"
    echo
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores;" \
        "$("${CC:-cc}" --version | head -1);" \
        "$("$TOOLS/machine"), OPENBLAS_CORETYPE ${OPENBLAS_CORETYPE:-unset}," \
        "OPENBLAS_L2_SIZE ${OPENBLAS_L2_SIZE:-unset};" \
        "peers: $(peer PyTorch torch), $(peer matplotlib matplotlib); $(xvfb)." \
        "Threads are named in the rows. Load is the average of one minute when a benchmark began."
    echo
    echo '| what | n | median | p95 | unit | goal | met | load |'
    echo '|---|--:|--:|--:|---|---|---|--:|'
} >"$run"
cat "$run"
for benchmark; do
    name=$(basename "$benchmark" .sh)
    missing=$(missing "$benchmark")
    if [ -n "$missing" ]; then
        note "$name is left out: it needs$missing"
        continue
    fi
    load=$(load) began=$(date +%s)
    if ! sh "$benchmark" >"$rows"; then
        failed="$failed $name"
        note "$name failed; what it had found:"
    fi
    times="$times, $name $(($(date +%s) - began))"
    awk -F'\t' -v at="$load" '{
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, at
    }' "$rows" | tee -a "$run"
done
printf '\nSeconds that it took: %s.\n' "${times#, }" | tee -a "$run"
cat "$run" >>$results
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
