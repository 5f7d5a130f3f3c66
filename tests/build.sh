#!/bin/sh
# The Makefile, tried on a few files in a copy of the sources whose folder has a space in its name: what
# is made anew and when, what is printed, and what is said where a package is missing.
set -u
cd "$(dirname "$0")/.." || exit
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
copy="$work/a copy"
mkdir "$copy"
tar -cf - --exclude=./build --exclude=./out --exclude=./.git --exclude=./headscope . | tar -C "$copy" -xf -
cd "$copy" || exit 1
unset CFLAGS CPPFLAGS LDFLAGS LATE V WERROR MAKEFLAGS PKG_CONFIG
bad=0

fail() {
    echo "FAILED $*"
    bad=1
}

# made WORDS MAKE-ARGUMENTS...: what make prints is these words ("" for nothing).
made() {
    words=$1
    shift
    printed=$(make --no-print-directory "$@" 2>&1)
    [ "$printed" = "$words" ] || fail "make $*: prints '$printed' instead of '$words'"
}

object=build/release/model/base/error.o
made "  CC    $object" $object
made "" $object
made "  CC    $object" $object -W model/base/error.h
made "  CC    $object" $object CPPFLAGS=-DANOTHER
made "  CC    $object" $object
made "  CC    $object" $object CFLAGS=-O0
make --no-print-directory V=1 $object | grep -q -- "-O2 -g .* -c -o $object model/base/error.c" ||
    fail "V=1 does not show the command"

# What is linked is linked anew when a file comes or goes, or a flag changes.
stamp=build/release/link.flags
make --no-print-directory $stamp
cp $stamp "$work/before"
make --no-print-directory $stamp
cmp -s $stamp "$work/before" || fail "$stamp changes by itself"
rm viz/canvas/theme.c
make --no-print-directory $stamp
cmp -s $stamp "$work/before" && fail "$stamp knows nothing of a file that is gone"
cp $stamp "$work/before"
make --no-print-directory $stamp LDFLAGS=-s
cmp -s $stamp "$work/before" && fail "$stamp knows nothing of LDFLAGS"

# A system without libzip, and with an SDL2 that is too old.
cat >"$work/pkg-config" <<'END'
#!/bin/sh
case " $* " in
*" libzip "*) exit 1 ;;
*" --atleast-version="*" sdl2 ") exit 1 ;;
" --modversion sdl2 ") echo 2.0.20 && exit ;;
esac
exec pkg-config "$@"
END
chmod +x "$work/pkg-config"
rm -rf build
printed=$(make --no-print-directory PKG_CONFIG="$work/pkg-config" -j4 2>&1) && fail "make without libzip succeeds"
case $printed in
*'missing: sdl2 2.26.0 or later (here is 2.0.20), libzip (1.6 or later); `make deps` installs it.'*) ;;
*) fail "make without libzip says '$printed'" ;;
esac
[ "$(echo "$printed" | wc -l)" = 1 ] || fail "make without libzip says more than a line"
[ ! -e build ] || fail "make without libzip makes something"
case $(make --no-print-directory CC=no-compiler 2>&1) in
*"missing: no-compiler;"*) ;;
*) fail "make without a compiler does not say so" ;;
esac
made 'missing: a-package, none (9 or later)' -s -f - <<'END'
all:; @echo "missing: `sh tools/deps.sh --missing a-package 'none>=9'`"
END

# Every target that help lists is one.
for target in $(make --no-print-directory help | sed -n 's/^make \([a-z-]*\) .*/\1/p'); do
    make -n "$target" >/dev/null 2>&1 || fail "make $target, of make help, is no target"
done

[ $bad = 0 ] && echo "build: as expected"
exit $bad
