#!/bin/sh
# bare.sh [sources] [package DEB]: headscope on a bare Debian bookworm (debootstrap --variant=minbase), a
# fresh one each time. Needs root, debootstrap, Xvfb and xdotool, and the network for packages.
#   sources      `make run`, `make test` and `make deb` of the sources as they lie here; the package is
#                then build/bare/headscope_*.deb
#   package DEB  the package alone, installed by apt: it runs, draws, reads archives, multiplies by
#                OpenBLAS, shows its manual page, and opens its window on an X display
# Without arguments: the first, and then the second on what came of it. What was made lies in
# build/bare/, among it window.png, the screenshot. BARE_TARBALL keeps the bare system for the next
# time (build/bare/bookworm.tar).
set -eu
cd "$(dirname "$0")/.."

out=$PWD/build/bare
tarball=${BARE_TARBALL:-$out/bookworm.tar}
mkdir -p "$out"
root=
server=

clean_up() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    # What is mounted below it is mounted in the namespaces of `inside` alone.
    [ -z "$root" ] || rm -rf --one-file-system "$root"
    root=
    server=
}
trap clean_up EXIT
trap 'exit 1' INT TERM

say() {
    printf '\n-- %s\n' "$*"
}

# The system's apt settings (a mirror, a proxy), in the bare one.
borrow_apt_settings() {
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    for file in /etc/apt/apt.conf.d/*; do
        if grep -q '^ *Acquire::' "$file"; then cp "$file" "$1/etc/apt/apt.conf.d/"; fi
    done
}

new_root() {
    if [ ! -f "$tarball" ]; then
        say "debootstrap"
        bare=$(mktemp -d)
        debootstrap --variant=minbase bookworm "$bare" "${MIRROR:-http://deb.debian.org/debian}" \
            >"$out/debootstrap.log"
        borrow_apt_settings "$bare"
        tar -C "$bare" -cf "$tarball.new" .
        mv "$tarball.new" "$tarball"
        rm -rf --one-file-system "$bare"
    fi
    root=$(mktemp -d)
    tar -C "$root" -xf "$tarball"
    chmod 755 "$root"
    borrow_apt_settings "$root"
}

# inside COMMAND: a shell's command in the bare system, with what a system has mounted.
inside() {
    unshare --mount --propagation private sh -euc '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mkdir -p "$1/tmp/.X11-unix" /tmp/.X11-unix
        mount --bind /tmp/.X11-unix "$1/tmp/.X11-unix"
        exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${3:+DISPLAY="$3"} sh -euc "$2"
    ' sh "$root" "$1" "${2:-}"
}

# expect WORDS COMMAND: what the command prints inside holds the words.
expect() {
    printed=$(inside "$2" 2>&1) || {
        echo "FAILED: $2: $printed"
        exit 1
    }
    case $printed in
    *"$1"*) echo "as expected: $2" ;;
    *)
        echo "FAILED: $2: it does not print '$1': $printed"
        exit 1
        ;;
    esac
}

try_sources() {
    new_root
    mkdir "$root/root/headscope"
    tar -cf - --exclude=./build --exclude=./out --exclude=./.git --exclude=./headscope . |
        tar -C "$root/root/headscope" -xf -
    say "sources: make, where nothing is installed"
    inside 'apt-get update -qq && apt-get install -y -qq make >/dev/null'
    expect 'missing: cc, pkg-config; `make deps` installs it' 'cd /root/headscope && ! make'
    say "sources: make run"
    inside 'cd /root/headscope && make run'
    cp "$root/root/headscope/out/window.png" "$out/run.png"
    say "sources: make test"
    inside 'cd /root/headscope && make test' >"$out/test.log" 2>&1 || {
        tail -n 30 "$out/test.log"
        exit 1
    }
    grep -c 'OK \]' "$out/test.log" | sed 's/$/ tests passed/'
    say "sources: make deb"
    inside 'cd /root/headscope && make deb'
    rm -f "$out"/headscope_*.deb
    cp "$root"/root/headscope/build/headscope_*.deb "$out/"
    clean_up
}

# The window on a display of this system, for the bare one has none.
try_window() {
    Xvfb :4711 -screen 0 1280x800x24 -nolisten tcp -noreset >/dev/null 2>&1 &
    server=$!
    inside 'headscope view /usr/share/headscope/dates.safetensors --size 1280x800 --input "3 May 2021"' \
        :4711 >"$out/window.log" 2>&1 &
    program=$!
    shown=
    for _ in $(seq 100); do
        DISPLAY=:4711 xdotool search --onlyvisible --name headscope windowmove 0 0 windowfocus \
            >/dev/null 2>&1 && shown=yes && break
        sleep 0.2
    done
    [ -n "$shown" ] || {
        echo "FAILED: no window: $(cat "$out/window.log")"
        exit 1
    }
    sleep 2
    rm -f "$out/window.png"
    DISPLAY=:4711 xdotool mousemove 640 400
    sleep 1
    if command -v import >/dev/null; then
        DISPLAY=:4711 import -window root "$out/window.png"
        [ -s "$out/window.png" ] || exit 1
        echo "as expected: the window, $out/window.png"
    fi
    DISPLAY=:4711 xdotool key ctrl+q
    wait "$program" || {
        echo "FAILED: the window: $(cat "$out/window.log")"
        exit 1
    }
    echo "as expected: the window closes by ctrl+q"
}

try_package() {
    new_root
    cp "$1" "$root/tmp/headscope.deb"
    say "package: apt install"
    inside 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/headscope.deb >/dev/null'
    models=/usr/share/headscope
    expect 'headscope 0' 'headscope --version'
    expect '2021-05-03' "headscope run $models/dates.safetensors --input '3 May 2021'"
    expect '2021-05-03' "HEADSCOPE_KERNELS=blas headscope run $models/dates.safetensors --input '3 May 2021'"
    expect 'sheet.png' "cd /root && headscope export $models/dates.safetensors --input '3 May 2021' -o sheet.png --data weights.npz && ls"
    expect 'again.svg' 'cd /root && headscope export weights.npz -o again.svg && ls'
    expect 'shot.png' "cd /root && headscope shot $models/copy.safetensors -o shot.png && ls"
    expect 'cannot be opened' 'headscope run nothing.safetensors 2>&1 || :'
    expect 'no display' 'headscope 2>&1 || :'
    cp "$root/root/sheet.png" "$root/root/shot.png" "$out/"
    say "package: the window"
    try_window
    say "package: the manual page, and what is left after it is removed"
    inside 'rm -f /etc/dpkg/dpkg.cfg.d/docker; apt-get install -y -qq --no-install-recommends man-db >/dev/null'
    expect 'headscope train TASK' 'man headscope | cat'
    inside 'apt-get purge -y -qq headscope >/dev/null'
    expect 'none' 'find / -xdev -name "*headscope*" -not -path "/tmp/*" -not -path "/root/*" -not -path "/var/cache/man/*" | grep . || echo none'
    clean_up
}

if [ $# = 0 ]; then
    try_sources
    set -- package "$(ls "$out"/headscope_*.deb)"
fi
while [ $# -gt 0 ]; do
    case $1 in
    sources) try_sources ;;
    package)
        [ $# -gt 1 ] || { echo "bare.sh package DEB: name the package" >&2; exit 2; }
        try_package "$2"
        shift
        ;;
    *) echo "bare.sh: $1: sources, or package DEB" >&2; exit 2 ;;
    esac
    shift
done
say "all as expected"
