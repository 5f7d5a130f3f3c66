#!/bin/sh
# circles.sh OBJECTS...: files that need each other. File A needs B where A's object takes a symbol that
# B's defines; prints each circle of files and fails. Objects of one source (kernels for several
# instruction sets, libraries opened late) count as one file.
#     make circles
set -u
NM=${NM:-nm}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Lines "D symbol file" and "U symbol file".
for object in "$@"; do
    file=$(echo "$object" | sed -E 's,^build/[^/]*/,,; s,(\.[a-z0-9]+)?\.o$,.c,')
    "$NM" "$object" | awk -v file="$file" '
        $(NF-1) ~ /^[BCDRT]$/ { print "D", $NF, file }
        $(NF-1) == "U" { print "U", $NF, file }'
done >"$folder/symbols" || exit 1
[ -s "$folder/symbols" ] || { echo "circles: no objects; build the program first"; exit 1; }

awk '$1 == "D" { defined[$2] = $3 }
     $1 == "U" { symbol[++count] = $2; user[count] = $3 }
     END {
         for (i = 1; i <= count; i++)
             if (symbol[i] in defined && defined[symbol[i]] != user[i])
                 print user[i], defined[symbol[i]]
     }' "$folder/symbols" | sort -u >"$folder/needs"

if tsort "$folder/needs" >/dev/null 2>"$folder/loops"; then
    echo "circles: none among the files of $# objects"
else
    sed -e 's/^tsort: .*loop.*/these files need each other:/' -e 's/^tsort: /    /' "$folder/loops"
    exit 1
fi
