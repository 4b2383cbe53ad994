#!/usr/bin/env bash
# Signs programs in place with the certificate of the environment: bash packaging/windows/sign.sh FILE...
set -euo pipefail
stamps=${WINDOWS_TIMESTAMPS:-http://timestamp.digicert.com}
: "${CERTIFICATE_FILE:?the PFX file}" "${WINDOWS_CERTIFICATE_PASSWORD:?its password}"
for file in "$@"; do
  if command -v signtool >/dev/null; then
    MSYS2_ARG_CONV_EXCL='*' signtool sign /q /f "$(cygpath -w "$CERTIFICATE_FILE")" /p "$WINDOWS_CERTIFICATE_PASSWORD" \
      /fd sha256 /td sha256 /tr "$stamps" "$(cygpath -w "$file")"
  else
    given=(-pkcs12 "$CERTIFICATE_FILE" -pass "$WINDOWS_CERTIFICATE_PASSWORD" -h sha256)
    [ "$stamps" = none ] || given+=(-ts "$stamps")
    osslsigncode sign "${given[@]}" -in "$file" -out "$file.signed" >/dev/null
    mv "$file.signed" "$file"
  fi
done
