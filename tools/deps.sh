#!/bin/sh
# deps.sh PACKAGE...: installs what pkg-config cannot find, by the system's package manager; does
# nothing where all are there. A PACKAGE is a name, or name>=version. With them come a compiler, a
# font, and Xvfb and xdotool, with which the tests open the window; where these two alone are missing,
# that test says so and is skipped.
# deps.sh --missing PACKAGE...: prints what is missing of them and of the compiler, and installs
# nothing.
set -eu

pkg_config=${PKG_CONFIG:-pkg-config}
compiler=${CC:-cc}
missing=

# need WHAT: one thing more is missing.
need() {
    missing="$missing${missing:+, }$1"
}

# has NAME: whether it is there. stb is a header alone, which Fedora installs without a module of
# pkg-config.
has() {
    $pkg_config --exists "$1" 2>/dev/null && return
    [ "$1" = stb ] && echo '#include <stb/stb_image_write.h>' | $compiler -E -x c - >/dev/null 2>&1
}

# find_packages PACKAGE...: notes those that are not there.
find_packages() {
    if ! command -v "${pkg_config%% *}" >/dev/null 2>&1; then
        need "${pkg_config%% *}"
        return
    fi
    for package in "$@"; do
        name=${package%%>=*}
        least=${package#"$name"}
        least=${least#>=}
        if ! has "$name"; then
            need "$name${least:+ ($least or later)}"
        elif [ -n "$least" ] && ! $pkg_config --atleast-version="$least" "$name"; then
            need "$name $least or later (here is $($pkg_config --modversion "$name"))"
        fi
    done
}

only_tell=
[ "${1:-}" = --missing ] && only_tell=yes && shift

command -v "${compiler%% *}" >/dev/null 2>&1 || need "${compiler%% *}"
find_packages "$@"
if [ -n "$only_tell" ]; then
    echo "$missing"
    exit 0
fi
fc-list 2>/dev/null | grep -q . || need "a font"
[ -z "$missing" ] && exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "missing: $missing; run 'make deps' as root, or install sudo" >&2
        exit 1
    }
    as_root=sudo
fi

echo "missing: $missing; installing packages" >&2
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
    echo "no package manager known here; install by hand: $missing" >&2
    exit 1
fi

missing=
find_packages "$@"
[ -z "$missing" ] || {
    echo "pkg-config still does not find $missing; install its development package by hand" >&2
    exit 1
}
