#!/usr/bin/env bash
# Runs a command in a desktop session of its own: a private D-Bus, a private home, a real Secret Service.
#   tests/desktop-session.sh [--secrets unlocked|locked|none|missing] [--] COMMAND...
#     unlocked  gnome-keyring with its collection open     locked   the same, closed, and nobody to open it
#     none      nothing runs yet, the bus may start it     missing  there is no Secret Service and none can start
# Works as root and without a screen. The exit code is the command's; nothing it started stays behind.
set -euo pipefail

secrets=unlocked
while [ $# -gt 0 ]; do
  case $1 in
    --secrets)
      secrets=$2
      shift 2
      ;;
    --)
      shift
      break
      ;;
    *) break ;;
  esac
done

# ---- inside the session: start the Secret Service, then become the command's parent

keyring() { # OPTION... ; --unlock reads the password, and makes the collection the first time
  gnome-keyring-daemon --foreground --components=secrets "$@" \
    <"$DESKTOP_SESSION_FOLDER/password" >>"$DESKTOP_SESSION_FOLDER/keyring.log" 2>&1 &
  daemon=$!
  gdbus wait --session --timeout 20 org.freedesktop.secrets || {
    cat "$DESKTOP_SESSION_FOLDER/keyring.log" >&2
    exit 98
  }
}

if [ -n "${DESKTOP_SESSION_INSIDE:-}" ]; then
  unset DESKTOP_SESSION_INSIDE
  exec 2>&"$DESKTOP_SESSION_STDERR" {DESKTOP_SESSION_STDERR}>&-
  unset DESKTOP_SESSION_STDERR
  printf 'a test password' >"$DESKTOP_SESSION_FOLDER/password"
  case $secrets in
    unlocked) keyring --unlock ;;
    locked)
      keyring --unlock
      kill "$daemon"
      wait "$daemon" || true
      keyring
      ;;
    none | missing) ;;
    *)
      echo "desktop-session: unknown --secrets $secrets" >&2
      exit 2
      ;;
  esac
  code=0
  "$@" || code=$?
  exit "$code"
fi

# ---- outside: make the home and the bus, and clean up behind them

folder=$(mktemp -d "${TMPDIR:-/tmp}/nanobot-session.XXXXXX")
# shellcheck disable=SC2317 # called by the trap
clean_up() {
  local entry
  for entry in /proc/[0-9]*; do
    if grep -qsz "^DESKTOP_SESSION_FOLDER=$folder\$" "$entry/environ"; then
      kill -KILL "${entry#/proc/}" 2>/dev/null || true
    fi
  done
  rm -rf "$folder"
}
trap clean_up EXIT

mkdir -m 700 "$folder/home" "$folder/run"
options=()
if [ "$secrets" = missing ]; then
  options=(--config-file="$folder/bus.conf")
  cat >"$folder/bus.conf" <<'XML'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML
fi

# pyenv's commands look for their Pythons in the home, which is about to be another one.
[ -n "${PYENV_ROOT:-}" ] || [ ! -d "$HOME/.pyenv" ] || export PYENV_ROOT=$HOME/.pyenv
export NANOBOT_TEST_MODELS=${NANOBOT_TEST_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/nanobot-desktop/models}

# The bus talks to stderr about every service it starts; the command has the real one.
exec {stderr}>&2
code=0
env -u DBUS_SESSION_BUS_ADDRESS -u DISPLAY -u WAYLAND_DISPLAY -u GNOME_KEYRING_CONTROL -u NANOBOT_DESKTOP_HOME \
  DESKTOP_SESSION_FOLDER="$folder" DESKTOP_SESSION_INSIDE=1 DESKTOP_SESSION_STDERR="$stderr" \
  HOME="$folder/home" XDG_RUNTIME_DIR="$folder/run" \
  XDG_CONFIG_HOME="$folder/home/.config" XDG_DATA_HOME="$folder/home/.local/share" \
  XDG_CACHE_HOME="$folder/home/.cache" XDG_STATE_HOME="$folder/home/.local/state" \
  dbus-run-session ${options[@]+"${options[@]}"} -- "${BASH_SOURCE[0]}" --secrets "$secrets" -- "$@" \
  2>"$folder/bus.log" || code=$?
exit "$code"
