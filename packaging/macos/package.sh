#!/usr/bin/env bash
# Makes the .dmg of the program's bundle: bash packaging/macos/package.sh "Nanobot Desktop.app" OUT
# Never run: it was written without a Mac at hand. From the environment, each where it is there:
#   MACOS_CERTIFICATE, MACOS_CERTIFICATE_PASSWORD   a Developer ID as a PKCS #12 file in base64
#   MACOS_IDENTITY                                  its name, "Developer ID Application: ..."; without it ad hoc
#   APPLE_ID, APPLE_TEAM, APPLE_PASSWORD            for the notary
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
app=$1 out=$2
identity=${MACOS_IDENTITY:--}
image=$out/nanobot-desktop-${VERSION:?}-macos-$(uname -m).dmg
scratch=$(mktemp -d)
keychain=$scratch/signing.keychain-db

clean_up() {
  [ ! -e "$keychain" ] || security delete-keychain "$keychain"
  rm -rf "$scratch"
}
trap clean_up EXIT

# A keychain of its own, which goes with this run.
if [ -n "${MACOS_CERTIFICATE:-}" ]; then
  base64 --decode <<<"$MACOS_CERTIFICATE" >"$scratch/certificate.p12"
  password=$(openssl rand -hex 20)
  security create-keychain -p "$password" "$keychain"
  security unlock-keychain -p "$password" "$keychain"
  security import "$scratch/certificate.p12" -k "$keychain" -P "${MACOS_CERTIFICATE_PASSWORD:?}" -T /usr/bin/codesign
  security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
  # shellcheck disable=SC2046 # one keychain a word
  security list-keychains -d user -s "$keychain" $(security list-keychains -d user | tr -d '"')
fi

cp "$here/io.github.nanobot-desktop.serve.plist" "$app/Contents/Resources/"
plutil -lint "$app/Contents/Info.plist" "$here/entitlements.plist" "$here/io.github.nanobot-desktop.serve.plist"

# From the inside out, the bundle last. Apple silicon runs nothing that is not signed, ad hoc at the least.
how=(--force --sign "$identity")
[ "$identity" = - ] || how+=(--timestamp --options runtime)
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' -o -perm -u+x \) -print0 |
  while IFS= read -r -d '' file; do
    if file -b "$file" | grep -q Mach-O; then codesign "${how[@]}" "$file"; fi
  done
codesign "${how[@]}" --entitlements "$here/entitlements.plist" "$app"
codesign --verify --deep --strict "$app"

mkdir "$scratch/image"
cp -R "$app" "$scratch/image/"
ln -s /Applications "$scratch/image/Applications"
hdiutil create -quiet -ov -volname "Nanobot Desktop" -srcfolder "$scratch/image" -fs HFS+ -format ULMO "$image"

if [ "$identity" != - ]; then
  codesign --force --timestamp --sign "$identity" "$image"
fi
if [ "$identity" != - ] && [ -n "${APPLE_ID:-}" ]; then
  xcrun notarytool submit "$image" --wait \
    --apple-id "$APPLE_ID" --team-id "${APPLE_TEAM:?}" --password "${APPLE_PASSWORD:?}"
  xcrun stapler staple "$image"
  spctl --assess --type open --context context:primary-signature "$image"
fi
