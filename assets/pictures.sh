#!/bin/sh
# Draws the pictures of README.md and docs/ anew, each by the very command that stands under it there.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
ln -s "$(realpath "${HEADSCOPE:-./headscope}")" "$folder/headscope"
PATH=$folder:$PATH

# Code spans that write a picture into assets/; a caption may go over two lines.
awk 'BEGIN { RS = "`" }
    /^headscope .*(-o|--picture)[ \n]+assets\/[^ ]*\.png/ { gsub(/\n/, " "); print }' \
    README.md docs/*.md assets/README.md | sort -u >"$folder/commands"
while read -r command; do
    echo "$command"
    sh -c "$command" </dev/null >/dev/null
done <"$folder/commands"
