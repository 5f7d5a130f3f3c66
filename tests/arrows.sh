#!/bin/sh
# Which folder may include which: an include line is an arrow. Prints each forbidden one.
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
forbid "$(ls viz/*.[ch] | grep -v '^viz/font')" '#include ["<](ft2build|hb|fontconfig)|#include FT_' 'only viz/font* knows the libraries of fonts'
forbid "$(ls model/*.c model/analysis/*.c data/*.c viz/*.c app/*.c 2>/dev/null | grep -v '^app/main.c$')" '(^|[^_a-z])_?exit\(' 'only main exits'

[ $bad = 0 ] && echo "arrows: all includes allowed"
exit $bad
