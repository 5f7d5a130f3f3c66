#!/bin/sh
# Which folder may include which: an include line is an arrow. Prints each forbidden one, and each
# name of ours that belongs to a library.
set -u
cd "$(dirname "$0")/.."
bad=0

# forbid FILES PATTERN WHY
forbid() {
    found=$(grep -nE "$2" $1 2>/dev/null)
    [ -z "$found" ] && return
    echo "$found" | sed "s|\$|    <- $3|"
    bad=1
}

forbid "model/*.[ch] model/analysis/*.[ch]" '#include ["<](data/|viz/|app/|SDL|cjson|zip|zlib|fontconfig)' 'model/ knows libc, libm and BLAS alone'
forbid "$(ls model/*.[ch] model/analysis/*.[ch] | grep -v '^model/blas.c$')" '#include <.*blas' 'only model/blas.c includes BLAS'
forbid "model/analysis/*.[ch]" '#include "model/(transformer|block|multihead|linear|layernorm|embedding|feedforward|trainer|team|adam|decode|batch|params|kernels)' 'analysis knows traces and the plain attention, not the network'
forbid "data/*.[ch]" '#include ["<](viz/|app/|SDL)' 'data/ knows neither pictures nor the program'
forbid "data/*.[ch]" '#include "model/(transformer|block|multihead|attention|linear|decode|kernels|analysis)' 'data/ knows batches, parameters and traces, not the network'
forbid "viz/*.[ch]" '#include "(data/|app/)' 'viz/ knows neither files nor the program'
forbid "viz/*.[ch]" '#include "model/([^tel]|t[^r]|e[^r]|l[^a]|lay|tra[^c]|transformer)' 'viz/ knows, of model/, the trace, errors and large memory'
forbid "viz/*.[ch]" '#include ["<](SDL|X11)' 'viz/ draws into memory and knows no window'
forbid "$(ls viz/*.[ch] | grep -v '^viz/font')" '#include ["<](ft2build|fontconfig)|#include FT_' 'only viz/font* knows the libraries of fonts'
forbid "$(ls viz/*.[ch] | grep -v '^viz/font' | grep -v '^viz/script.c$')" '#include ["<]hb' 'only viz/font* and viz/script.c know HarfBuzz'
forbid "$(ls */*.[ch] model/analysis/*.[ch] | grep -v '^viz/bidi.c$')" '#include ["<]fribidi' 'only viz/bidi.c knows FriBidi'
forbid "$(ls */*.[ch] model/analysis/*.[ch] | grep -v '^viz/picture_stb.c$')" '#include ["<](stb/)?stb_' 'only viz/picture_stb.c knows stb_image_write'
forbid "$(ls model/*.c model/analysis/*.c data/*.c viz/*.c app/*.c 2>/dev/null | grep -v '^app/main.c$')" '(^|[^_a-z])_?exit\(' 'only main exits'

# Functions, types and macros defined at the start of a line, by the prefixes of the libraries that we
# use. Files that open a library late define its functions (model/late.h).
libraries='png|stbi|stbiw|SDL|X|hb|FT|FTC|Fc|raqm|fribidi|FRIBIDI|cJSON|zip|libdeflate|deflate|inflate|gz|cblas|openblas'
ours=$(ls model/*.[ch] model/analysis/*.[ch] data/*.[ch] viz/*.[ch] app/*.[ch] tests/*/*.[ch] | grep -v '^data/zip_library.h$')
forbid "$(grep -L '#include "model/.*late.h"' $ours)" "^([A-Za-z][^(]*[ *])?($libraries)_[A-Za-z0-9_]*(\\(.*[^;]|\\(.*\\);)\$|^#define ($libraries)_|^(typedef|struct|enum|union) [^(]*($libraries)_[A-Za-z0-9_]*( \\{|;)\$" 'a name that belongs to a library'

[ $bad = 0 ] && echo "arrows: all includes allowed"
exit $bad
