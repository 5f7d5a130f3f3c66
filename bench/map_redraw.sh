#!/bin/sh
# A large map into fewer pixels: drawn again, against a full pass and a copy.
set -eu
"$TOOLS/map_redraw"
