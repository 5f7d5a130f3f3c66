#!/bin/sh
# soname.sh PACKAGE NAME: the soname of libNAME.so, which the pkg-config PACKAGE brings: what a program
# that is linked with it asks for. Nothing where there is no shared library.
set -u
folder=$(${PKG_CONFIG:-pkg-config} --variable=libdir "$1" 2>/dev/null)
library=$folder/lib$2.so
[ -e "$library" ] || library=$(${CC:-cc} -print-file-name="lib$2.so" 2>/dev/null)
[ -e "$library" ] || exit 0
LC_ALL=C readelf -d "$library" 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'
