#!/bin/sh
# deb.sh: makes the Debian package, in build/, of a copy of the sources as they lie here. VERSION and
# DATE are the Makefile's. The same sources give the same bytes.
set -eu
cd "$(dirname "$0")/.."

packaged=$(sed -n '1s/^headscope (\(.*\)-[^-]*).*/\1/p' debian/changelog)
[ "$packaged" = "$VERSION" ] || {
    echo "debian/changelog begins with version $packaged, the Makefile says $VERSION" >&2
    exit 1
}
folder=build/deb/headscope-$VERSION
rm -rf build/deb
mkdir -p "$folder"
tar -cf - --exclude=./build --exclude=./out --exclude=./.git --exclude=./headscope . |
    tar -xf - -C "$folder"
# What it is built with, by apt; dpkg-checkbuilddeps itself is among it.
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
if ! (cd "$folder" && dpkg-checkbuilddeps -P nocheck) 2>/dev/null; then
    command -v apt-get >/dev/null 2>&1 || {
        echo "make deb needs dpkg-dev, debhelper and the packages of debian/control" >&2
        exit 1
    }
    echo "installing what debian/control says that the build needs" >&2
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get build-dep -y -qq --no-install-recommends \
        -P nocheck "./$folder" >/dev/null
fi

echo "building in $folder; what it says stands in build/deb/log"
(
    cd "$folder"
    DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck parallel=$(getconf _NPROCESSORS_ONLN)" MAKEFLAGS='' MFLAGS='' \
        dpkg-buildpackage --build=binary --unsigned-changes --no-pre-clean
) >build/deb/log 2>&1 || {
    tail -n 20 build/deb/log >&2
    exit 1
}
rm -f build/headscope_*.deb
mv -f build/deb/headscope_*.deb build/
ls build/headscope_*.deb
