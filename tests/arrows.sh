#!/bin/sh
# Which room may include which: an include line is an arrow. Prints each forbidden arrow, and each name
# of ours that belongs to a library.
set -u
cd "$(dirname "$0")/.."
bad=0

# A room, and the rooms it may include; "model" stands for all rooms of model/. A room may include only
# rooms that stand above it in the table, so no circle of files reaches across rooms.
rooms='
model/base
model/kernels    model/base
model/trace      model/base
model/analysis   model/base model/kernels model/trace
model/doctor     model/base model/kernels model/trace
model/network    model/base model/kernels model/trace
model/training   model/base model/kernels model/network
model/decoding   model/base model/kernels model/network
model/explain    model/base model/kernels model/network model/doctor
data/files       model/base model/trace
data/arrays      model/base data/files
data/attention   model/base model/trace data/files data/arrays
data/tasks       model/base model/network data/files
data/models      model/base model/network model/training data/files data/arrays data/tasks
viz/text         model/base
viz/canvas       model/base model/trace viz/text
viz/scene        model/base model/trace viz/canvas
viz/layout       model/base model/trace viz/text viz/canvas viz/scene
viz/draw         model/base model/trace viz/text viz/canvas viz/scene viz/layout
app/cli          model data viz
app/pass         model data viz app/cli
app/export       model data viz app/cli app/pass
app/training     model data app/cli app/pass
app/page         model data viz app/cli app/pass app/export
app/check        model data viz app/cli app/page
app/lessons      model data viz app/cli app/pass app/page app/check
app/session      model data viz app/cli app/pass app/page app/lessons
app/screen       model data viz app/cli app/pass app/lessons app/session
app/window       model data viz app/cli app/pass app/export app/training app/session app/screen
app/commands     model data viz app
app              model app/cli app/commands app/lessons
'

# Prints the arrows of ours that the table does not allow, and faults of the table itself.
forbidden_arrows() {
    grep -n '^#include "' $(ls model/*.[ch] data/*.[ch] viz/*.[ch] app/*.[ch] */*/*.[ch] 2>/dev/null |
                            grep -E '^(model|data|viz|app)/') /dev/null |
        ROOMS=$rooms awk '
        function room_of(path) { sub("/[^/]*$", "", path); return path }
        BEGIN {
            lines = split(ENVIRON["ROOMS"], line, "\n")
            for (i = 1; i <= lines; i++) {
                count = split(line[i], word, " ")
                for (j = 2; j <= count; j++) {
                    may[word[1], word[j]] = 1
                    if (!((word[j]) in known) && word[j] ~ "/")
                        print "tests/arrows.sh: " word[1] " includes " word[j] ", which stands below it"
                }
                if (count) { known[word[1]] = 1 }
            }
        }
        {
            split($0, part, ":")
            split($0, quoted, "\"")
            from = room_of(part[1]); to = room_of(quoted[2]); whole = to; sub("/.*", "", whole)
            if (!(from in known)) print part[1] ": the room " from " is not in the table of tests/arrows.sh"
            else if (from != to && !((from, to) in may) && !((from, whole) in may))
                print $0 "    <- " from " may not include " to
        }'
}

found=$(forbidden_arrows)
[ -z "$found" ] || { echo "$found"; bad=1; }

sources=$(ls */*.[ch] */*/*.[ch] | grep -E '^(model|data|viz|app)/')

# forbid FILES PATTERN WHY
forbid() {
    found=$(grep -nE "$2" $1 2>/dev/null)
    [ -z "$found" ] && return
    echo "$found" | sed "s|\$|    <- $3|"
    bad=1
}

# but PATTERN, only PATTERN: the sources whose path does not match, and those whose path does
but() {
    echo "$sources" | grep -vE "$1"
}
only() {
    echo "$sources" | grep -E "$1"
}

# What the table of rooms cannot say.
forbid "$(but '^(data|viz|app)/')" '#include <(SDL|X11|cjson|zip|zlib|fontconfig)' 'model/ knows libc, libm and BLAS alone'
forbid "$(only '^model/(analysis|doctor)/')" '#include "model/(kernels/(kernels|attention|blas|dropout)|base/thread)\.h"' 'analysis and doctor know traces and the plain attention, not the fast kernels'
forbid "$(only '^data/')" '#include "model/network/(transformer|block|multihead|layers|embedding|loss|attention_by_rule|ablation)' 'data/ knows batches, configs and parameters, not the layers of the network'
forbid "$(but '^model/kernels/blas.c$')" '#include <.*blas' 'only model/kernels/blas.c includes BLAS'
forbid "$(but '^app/')" '#include <(SDL|X11)' 'only app/ knows SDL and X11'
forbid "$(but '^viz/text/font')" '#include <(ft2build|fontconfig)|#include FT_' 'only viz/text/font* knows the libraries of fonts'
forbid "$(but '^viz/text/(font|script.c)')" '#include <hb' 'only viz/text/font* and viz/text/script.c know HarfBuzz'
forbid "$(but '^viz/text/bidi.c$')" '#include <fribidi' 'only viz/text/bidi.c knows FriBidi'
forbid "$(but '^viz/canvas/picture_png.c$')" '#include ["<](stb/)?stb_' 'only viz/canvas/picture_png.c knows stb_image_write'
forbid "$(but '^app/main.c$' | grep '\.c$')" '(^|[^_a-z])_?exit\(' 'only main exits'

# Functions, types and macros defined at the start of a line, by the prefixes of the libraries that we
# use. Files that open a library late define its functions (model/base/late.h).
libraries='png|stbi|stbiw|SDL|X|hb|FT|FTC|Fc|raqm|fribidi|FRIBIDI|cJSON|zip|libdeflate|deflate|inflate|gz|cblas|openblas'
ours=$(echo "$sources" | grep -v '^data/files/zip_library.h$'; ls tests/*/*.[ch])
forbid "$(grep -L '#include "model/base/late.h"' $ours)" "^([A-Za-z][^(]*[ *])?($libraries)_[A-Za-z0-9_]*(\\(.*[^;]|\\(.*\\);)\$|^#define ($libraries)_|^(typedef|struct|enum|union) [^(]*($libraries)_[A-Za-z0-9_]*( \\{|;)\$" 'a name that belongs to a library'

[ $bad = 0 ] && echo "arrows: all includes allowed"
exit $bad
