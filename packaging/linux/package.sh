#!/usr/bin/env bash
# Makes .deb, .rpm and .tar.xz of the program's folder: bash packaging/linux/package.sh FOLDER OUT BIN
# BIN has nfpm and the Python that made the folder. NANOBOT_QUICK_PACKAGES=1 packs faster and larger, for trying.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FOLDER=$(realpath "$1") out=$2 bin=$3

case $(uname -m) in
  x86_64) ARCH=amd64 ;;
  aarch64) ARCH=arm64 ;;
  *) ARCH=$(uname -m) ;;
esac
GLIBC=$({ find "$FOLDER" -type f \( -name '*.so*' -o -perm -u+x \) -exec objdump -T {} + 2>/dev/null || true; } |
  grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -1 | cut -d_ -f2)
HOMEPAGE=${HOMEPAGE:-https://example.org/nanobot-desktop}
MTIME=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
level=6 DEB_COMPRESSION=none RPM_COMPRESSION=zstd:19 # compress.py does the .deb
[ -z "${NANOBOT_QUICK_PACKAGES:-}" ] || level=0 DEB_COMPRESSION=gzip RPM_COMPRESSION=zstd:1
SHARE=$(mktemp -d)
UNIT=$here/share/systemd/nanobot-desktop.service
trap 'rm -rf "$SHARE"' EXIT
export FOLDER ARCH GLIBC HOMEPAGE MTIME DEB_COMPRESSION RPM_COMPRESSION SHARE UNIT

cp -r "$here/share/applications" "$here/share/dbus-1" "$here/share/metainfo" "$SHARE"
sed -i "s|@VERSION@|$VERSION|; s|@DATE@|${MTIME%T*}|; s|@HOMEPAGE@|$HOMEPAGE|" "$SHARE"/metainfo/*
mkdir -p "$SHARE/icons" "$SHARE/lintian/overrides"
cp -r "$ICONS/hicolor" "$SHARE/icons"
cp "$here/share/lintian/nanobot-desktop" "$SHARE/lintian/overrides"
"$bin/python" "$here/documents.py" "$FOLDER" "$SHARE"
find "$SHARE" -type d -exec chmod 755 {} +
find "$SHARE" -type f -exec chmod 644 {} +
chmod -R go-w,a+rX "$FOLDER"
find "$FOLDER/_internal" -type f -exec chmod 644 {} +
find "$FOLDER" "$SHARE" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

"$bin/python" -c 'import os, string, sys; print(string.Template(sys.stdin.read()).substitute(os.environ))' \
  <"$here/nfpm.yaml" >"$SHARE.yaml"
trap 'rm -rf "$SHARE" "$SHARE.yaml"' EXIT
for kind in deb rpm; do "$bin/nfpm" package --config "$SHARE.yaml" --packager $kind --target "$out" >&2; done
[ "$level" = 0 ] || "$bin/python" "$here/compress.py" "$out/nanobot-desktop_$VERSION-1_$ARCH.deb" "$level"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$(dirname "$FOLDER")" -c "$(basename "$FOLDER")" |
  xz -T0 -$level >"$out/nanobot-desktop-$VERSION-linux-$(uname -m).tar.xz"
