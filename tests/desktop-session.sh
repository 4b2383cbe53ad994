#!/usr/bin/env bash
# Runs a command in a desktop session of its own: a private D-Bus, a private home, a real Secret Service, a screen
# with a window manager, a panel with a tray, a notification daemon and the accessibility bus.
#   tests/desktop-session.sh [OPTION...] [--] COMMAND...
#   --secrets unlocked  gnome-keyring with its collection open (or: locked, the same, closed;
#                       none, nothing runs yet, the bus may start it; missing, there is none and none can start)
#   --screen 1440x900   (or: none, as on a server; then there is no tray and there are no notifications either)
#   --wm openbox   --tray xfce   --notify dunst   (or: none, each)
#   --portal none       (or: gtk, the desktop portal, which tells programs the system's colour scheme)
# Works as root and without a screen. The exit code is the command's, 98 if a service never came; nothing it
# started stays behind. The bus knows no service of this machine but these; who can enter the folder can use it.
set -euo pipefail

declare -A want=([secrets]=unlocked [screen]=1440x900 [wm]=openbox [tray]=xfce [notify]=dunst [portal]=none)
declare -A known=([secrets]='unlocked|locked|none|missing' [screen]='none|+([0-9])x+([0-9])' [wm]='openbox|none'
  [tray]='xfce|none' [notify]='dunst|none' [portal]='gtk|none')
shopt -s extglob
while [ $# -gt 0 ]; do
  name=${1#--}
  if [ "$1" = -- ]; then
    shift
    break
  elif [ "$1" = "$name" ]; then
    break
  elif [ -z "${known[$name]:-}" ] || [[ "${2:-}" != @(${known[$name]}) ]]; then
    echo "desktop-session: unknown $1 ${2:-}" >&2
    exit 2
  fi
  want[$name]=$2
  shift 2
done
if [ "${want[screen]}" = none ]; then want[wm]=none want[tray]=none want[notify]=none; fi

# ---- inside the session: start the services, then become the command's parent

if [ -n "${DESKTOP_SESSION_INSIDE:-}" ]; then
  unset DESKTOP_SESSION_INSIDE
  # shellcheck source=tests/desktop/services.sh
  source "$(dirname "${BASH_SOURCE[0]}")/desktop/services.sh"
  # The bus talks to stderr about every service it starts; the command has the real one.
  exec 2>&"$DESKTOP_SESSION_STDERR" {DESKTOP_SESSION_STDERR}>&-
  unset DESKTOP_SESSION_STDERR
  trap stop_screen EXIT
  if [ "${want[screen]}" != none ]; then
    start_screen "${want[screen]}"
    start_accessibility
    start_window_manager "${want[wm]}"
    start_tray "${want[tray]}"
    start_notifications "${want[notify]}"
  fi
  start_secrets "${want[secrets]}"
  if [ "${want[screen]}" != none ]; then
    wait_for org.a11y.Bus accessibility.log
    wait_for_window_manager "${want[wm]}"
    wait_for_notifications "${want[notify]}"
    wait_for_tray "${want[tray]}"
  fi
  code=0
  "$@" || code=$?
  exit "$code"
fi

# ---- outside: make the home and the bus, and clean up behind them

# A session within a session lies in its folder, so that the outer one cleans up behind the inner one as well.
folder=$(mktemp -d "${DESKTOP_SESSION_FOLDER:-${TMPDIR:-/tmp}}/nanobot-session.XXXXXX")

# shellcheck disable=SC2317 # called by clean_up
ours() { # the processes whose environment says that they were started in here
  local entry
  for entry in /proc/[0-9]*; do
    if grep -Eqsz "^DESKTOP_SESSION_FOLDER=$folder(/|\$)" "$entry/environ"; then
      printf '%s\n' "${entry#/proc/}"
    fi
  done
}

# shellcheck disable=SC2317 # called by the trap
clean_up() {
  local pid pids _
  for _ in 1 2 3; do # one that was just being started is found the next time
    mapfile -t pids < <(ours)
    [ ${#pids[@]} -gt 0 ] || break
    for pid in "${pids[@]}"; do
      if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = Xvfb ]; then # it takes its lock and its socket with it
        kill "$pid" 2>/dev/null && timeout 5 tail --pid="$pid" -s 0.02 -f /dev/null
      fi
      kill -KILL "$pid" 2>/dev/null || true
    done
  done
  rm -rf "$folder"
}
trap clean_up EXIT

mkdir -m 700 "$folder/home" "$folder/run" "$folder/services"
allow() { # BUS_NAME... ; the bus may start these
  local name
  for name in "$@"; do
    cp "/usr/share/dbus-1/services/$name.service" "$folder/services/" 2>/dev/null || true
  done
}
allow org.a11y.Bus org.xfce.Xfconf ca.desrt.dconf
if [ "${want[secrets]}" != missing ]; then
  allow org.freedesktop.secrets org.gnome.keyring org.gnome.keyring.{Private,System}Prompter
fi
if [ "${want[portal]}" = gtk ]; then
  allow org.freedesktop.portal.{Desktop,Documents} org.freedesktop.impl.portal.{desktop.gtk,PermissionStore}
  [ -e "$folder/services/org.freedesktop.impl.portal.desktop.gtk.service" ] || {
    echo "desktop-session: --portal gtk needs xdg-desktop-portal-gtk" >&2
    exit 98
  }
fi
cat >"$folder/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>unix:dir=$folder/run</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$folder/services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML

# pyenv's commands look for their Pythons in the home, which is about to be another one.
[ -n "${PYENV_ROOT:-}" ] || [ ! -d "$HOME/.pyenv" ] || export PYENV_ROOT=$HOME/.pyenv
export NANOBOT_TEST_MODELS=${NANOBOT_TEST_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/nanobot-desktop/models}

# What the developer's own desktop set up must not reach this one.
for name in $(compgen -e); do
  case $name in
    DISPLAY | WAYLAND_DISPLAY | XAUTHORITY | DBUS_SESSION_BUS_ADDRESS | AT_SPI_BUS_ADDRESS | NO_AT_BRIDGE) unset "$name" ;;
    QT_* | GTK_* | GDK_* | GNOME_* | XDG_CURRENT_DESKTOP | XDG_SESSION_* | NANOBOT_DESKTOP_HOME) unset "$name" ;;
  esac
done
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  *[Uu][Tt][Ff]*) ;;
  *) [ "${want[screen]}" = none ] || export LC_ALL=C.UTF-8 ;;
esac

options=()
for name in "${!want[@]}"; do options+=("--$name" "${want[$name]}"); done
exec {stderr}>&2
code=0
env DESKTOP_SESSION_FOLDER="$folder" DESKTOP_SESSION_INSIDE=1 DESKTOP_SESSION_STDERR="$stderr" \
  HOME="$folder/home" XDG_RUNTIME_DIR="$folder/run" \
  XDG_CONFIG_HOME="$folder/home/.config" XDG_DATA_HOME="$folder/home/.local/share" \
  XDG_CACHE_HOME="$folder/home/.cache" XDG_STATE_HOME="$folder/home/.local/state" \
  dbus-run-session --config-file="$folder/bus.conf" -- "${BASH_SOURCE[0]}" "${options[@]}" -- "$@" \
  2>"$folder/bus.log" || code=$?
exit "$code"
