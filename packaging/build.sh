#!/usr/bin/env bash
# Makes what a person installs with a double click, for the system this runs on: bash packaging/build.sh [OUT]
#   Linux: .deb, .rpm and .tar.xz      macOS: .dmg      Windows, in the bash of Git: setup.exe
# Needs a Python and, on Windows, makensis. NANOBOT_BUILD_ONLY=1 stops when the program's folder is made.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
out=${1:-$root/dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$root/build

VERSION=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$root/desktop/__init__.py")
# The same commit makes the same bytes: what has a time in it gets the commit's, and sets keep their order.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
ICONS=$work/icons
export VERSION SOURCE_DATE_EPOCH ICONS PYTHONHASHSEED=1 LC_ALL=C.UTF-8 TZ=UTC

lock_setup
install_locked "$root/.venv-build" any_python app window packaging
finish_compiling
unlock_setup
bin=$root/.venv-build/$venv_bin

rm -rf "$work"
"$bin/python" "$root/packaging/icons.py" "$ICONS"
# Where the program looks for newer versions, where NANOBOT_RELEASE_ADDRESS says it: see packaging/release.py.
export RELEASE_FILE=$work/release.json
"$bin/python" "$root/packaging/release.py" build "$RELEASE_FILE" >&2
case $OSTYPE in msys* | cygwin*)
  "$bin/python" "$root/packaging/windows/version.py" "$VERSION" "$work/version.txt"
  export VERSION_FILE=$work/version.txt
  ;;
esac
"$bin/pyinstaller" --noconfirm --clean --log-level WARN --distpath "$work/dist" --workpath "$work/pyinstaller" \
  "$root/packaging/nanobot-desktop.spec"
folder=$work/dist/nanobot-desktop
[ -z "${NANOBOT_BUILD_ONLY:-}" ] || { say "Made: $folder"; exit; }

case $OSTYPE in
  linux*) bash "$root/packaging/linux/package.sh" "$folder" "$out" "$bin" ;;
  darwin*) bash "$root/packaging/macos/package.sh" "$work/dist/Nanobot Desktop.app" "$out" ;;
  *) bash "$root/packaging/windows/package.sh" "$folder" "$out" ;;
esac
say "Made in $out:"
ls -l "$out" >&2
