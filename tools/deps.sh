#!/bin/sh
# deps.sh PACKAGE... -- TEST_PACKAGE...: installs what pkg-config cannot find, by the system's
# package manager; does nothing where all are there. With them come Xvfb and xdotool, with which the
# tests open the window; where these alone are missing, that test says so and is skipped.
set -eu

# has PACKAGE: whether it is there. stb is a header alone, which Fedora installs without a module of
# pkg-config.
has() {
    pkg-config --exists "$1" 2>/dev/null && return
    [ "$1" = stb ] && echo '#include <stb/stb_image_write.h>' | cc -E -x c - >/dev/null 2>&1
}

missing=
for package in "$@"; do
    [ "$package" = -- ] && continue
    has "$package" || missing="$missing $package"
done
command -v cc >/dev/null 2>&1 || missing="$missing cc"
fc-list 2>/dev/null | grep -q . || missing="$missing fonts"
[ -z "$missing" ] && exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "missing:$missing; run 'make deps' as root, or install sudo" >&2
        exit 1
    }
    as_root=sudo
fi

echo "missing:$missing; installing packages" >&2
if command -v apt-get >/dev/null 2>&1; then
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        gcc libc6-dev pkg-config libopenblas-dev libsdl2-dev libstb-dev libfreetype-dev libharfbuzz-dev \
        libfribidi-dev libcjson-dev libzip-dev zlib1g-dev libdeflate-dev libmd-dev libfontconfig-dev \
        fontconfig fonts-dejavu-core libcmocka-dev xvfb xdotool >/dev/null
elif command -v dnf >/dev/null 2>&1; then
    $as_root dnf install -y gcc pkgconf openblas-devel SDL2-devel stb_image_write-devel freetype-devel \
        harfbuzz-devel fribidi-devel cjson-devel libzip-devel zlib-devel libdeflate-devel libmd-devel \
        fontconfig-devel fontconfig dejavu-sans-fonts libcmocka-devel xorg-x11-server-Xvfb xdotool
elif command -v pacman >/dev/null 2>&1; then
    $as_root pacman -S --needed --noconfirm gcc pkgconf openblas sdl2 stb freetype2 harfbuzz fribidi \
        cjson libzip zlib libdeflate libmd fontconfig ttf-dejavu cmocka xorg-server-xvfb xdotool
elif command -v brew >/dev/null 2>&1; then
    brew install pkg-config openblas sdl2 freetype harfbuzz fribidi cjson libzip zlib libdeflate \
        libmd fontconfig font-dejavu cmocka
else
    echo "no package manager known here; install by hand:$missing" >&2
    exit 1
fi

for package in "$@"; do
    [ "$package" = -- ] && continue
    has "$package" || {
        echo "pkg-config still does not find $package; install its development package by hand" >&2
        exit 1
    }
done
