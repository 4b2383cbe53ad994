#!/usr/bin/env bash
# Sets everything up on first use and starts the program: bash packaging/run.sh [--no-model] [ARGUMENTS...]
# The arguments are the program's own (ask "...", chat, onboard, --help); without any it starts as it does
# by default. --no-model, given first, leaves the built-in model out.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

model=yes
if [ "${1:-}" = --no-model ]; then
  model=no
  shift
fi

lock_setup
install_locked "$root/.venv" any_python app window
[ $model = no ] || fetch_model
finish_compiling
unlock_setup
exec "$root/.venv/bin/nanobot-desktop" "$@"
