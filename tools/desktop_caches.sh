#!/bin/sh
# desktop_caches.sh PREFIX: tells the desktop of file types, programs and icons that came to PREFIX, or
# went. Where a tool is missing there is no such cache.
set -u
share=$1/share
update() {
    command -v "$1" >/dev/null 2>&1 && [ -d "$2" ] && "$@" >/dev/null 2>&1
}
update update-mime-database "$share/mime"
update update-desktop-database "$share/applications"
command -v gtk-update-icon-cache >/dev/null 2>&1 && [ -f "$share/icons/hicolor/index.theme" ] &&
    gtk-update-icon-cache -qtf "$share/icons/hicolor" >/dev/null 2>&1
exit 0
