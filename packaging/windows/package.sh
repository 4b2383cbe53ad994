#!/usr/bin/env bash
# Makes setup.exe of the program's folder: bash packaging/windows/package.sh FOLDER OUT
# Needs makensis (NSIS 3). Signs what it makes where the environment has WINDOWS_CERTIFICATE, a PFX file in
# base64, and WINDOWS_CERTIFICATE_PASSWORD; with signtool of the Windows SDK or with osslsigncode.
# NANOBOT_QUICK_PACKAGES=1 packs faster and larger, for trying.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$1" && pwd) out=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

native() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else printf '%s\n' "$1"; fi; }

options=(
  -DVERSION="${VERSION:?}" -DHOMEPAGE="${HOMEPAGE:-https://example.org/nanobot-desktop}" -DFOLDER="$(native "$folder")"
  -DICON="$(native "${ICONS:?}/nanobot-desktop.ico")"
  -DSIDE="$(native "$ICONS/nanobot-desktop-side.bmp")"
  -DOUT="$(native "$out")/nanobot-desktop-$VERSION-windows-x86_64-setup.exe"
)
if [ -n "${WINDOWS_CERTIFICATE:-}" ]; then
  base64 --decode <<<"$WINDOWS_CERTIFICATE" >"$scratch/certificate.pfx"
  export CERTIFICATE_FILE=$scratch/certificate.pfx
  bash "$here/sign.sh" "$folder/nanobot-desktop.exe" "$folder/nanobot-desktop.com"
  # makensis has the installer and the uninstaller signed when each is made.
  options+=(-DSIGN="bash $here/sign.sh")
fi
[ -z "${NANOBOT_QUICK_PACKAGES:-}" ] || options+=(-DQUICK)
python=$(command -v python3 || command -v python)
options+=(-DNUMBERS="$("$python" "$here/version.py" "$VERSION")")

# Its files of words are in UTF-8; the system's code page is taken for them otherwise.
makensis -V2 -INPUTCHARSET UTF8 "${options[@]}" "$(native "$here/installer.nsi")" >&2
