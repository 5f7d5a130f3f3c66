#!/bin/sh
# `make install` and `make uninstall`, into a folder whose name has a space: what is there, whether it
# works from there, whether the desktop's own checks have anything to say, and that nothing stays.
set -u
cd "$(dirname "$0")/.." || exit
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
root="$work/a root"
bad=0

fail() {
    echo "FAILED $*"
    bad=1
}

make --no-print-directory install DESTDIR="$root" PREFIX=/opt/head >"$work/out" 2>&1 ||
    fail "make install: $(cat "$work/out")"
there="$root/opt/head"

# Every shipped model, and nothing that lies in assets/ by chance.
for model in assets/*.safetensors; do
    if git ls-files --error-unmatch "$model" >/dev/null 2>&1; then
        cmp -s "$model" "$there/share/headscope/${model#assets/}" || fail "$model is not installed"
    fi
done
for file in share/man/man1/headscope.1 share/applications/headscope.desktop \
    share/mime/packages/headscope.xml share/icons/hicolor/scalable/apps/headscope.svg \
    share/icons/hicolor/48x48/apps/headscope.png share/bash-completion/completions/headscope \
    share/doc/headscope/files.md share/doc/headscope/LICENSE; do
    [ -s "$there/$file" ] || fail "$file is not installed"
done
[ -x "$there/bin/headscope" ] || fail "bin/headscope cannot be run"

# It finds its models from its own place, from any folder and by a link.
ln -s "$there/bin/headscope" "$work/link"
for program in "$there/bin/headscope" "$work/link"; do
    (cd "$work" && "$program" --help) >"$work/help" || fail "$program --help"
    model=$(sed -n 's/^Example: headscope export \(.*\) --input .*/\1/p' "$work/help")
    [ "$model" = "$there/share/headscope/dates.safetensors" ] || fail "the example names $model"
done
(cd "$work" && HOME=$work XDG_CONFIG_HOME='' XDG_STATE_HOME='' SDL_VIDEODRIVER=dummy \
    "$there/bin/headscope" view --do "save $work/window.png; quit") || fail "the installed window"
[ -s "$work/window.png" ] || fail "the installed window saved no picture"

if command -v desktop-file-validate >/dev/null; then
    desktop-file-validate "$there/share/applications/headscope.desktop" >"$work/out" 2>&1
    [ -s "$work/out" ] && fail "$(cat "$work/out")"
fi
if command -v update-mime-database >/dev/null; then
    update-mime-database "$there/share/mime" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    grep -q 'application/x-safetensors:\*.safetensors' "$there/share/mime/globs" ||
        fail "the file type of models is not known"
    rm -rf "$there/share/mime"
fi

make --no-print-directory uninstall DESTDIR="$root" PREFIX=/opt/head || fail "make uninstall"
left=$(find "$root" -type f; find "$root" -path '*headscope*' -prune)
[ -z "$left" ] || fail "make uninstall left $left"

[ $bad = 0 ] && echo "install: as expected"
exit $bad
