#!/bin/sh
# A large map into fewer pixels: its pyramid against a full pass and a copy.
set -eu
"$TOOLS/map_redraw"
