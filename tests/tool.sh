#!/usr/bin/env bash
# Runs a tool of the environment that tests/run.sh made, on every system: bash tests/tool.sh ruff check
# The hooks of .pre-commit-config.yaml come through here.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for folder in "$root/.venv/bin" "$root/.venv/Scripts"; do # Windows has the second
  [ ! -e "$folder/$1" ] || exec "$folder/$1" "${@:2}"
done
echo "There is no $1 in .venv yet. This makes it: bash tests/run.sh --quick" >&2
exit 1
