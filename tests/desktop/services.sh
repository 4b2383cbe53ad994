# The parts of a desktop session, each started and then waited for by the sign it gives itself: a name on the
# bus, a property, a line in a pipe. Sourced by tests/desktop-session.sh, inside the session.
# shellcheck shell=bash
: "${DESKTOP_SESSION_FOLDER:?}"

fail() { # SENTENCE [LOG]
  echo "desktop-session: $1" >&2
  [ -z "${2:-}" ] || cat "$DESKTOP_SESSION_FOLDER/$2" >&2
  exit 98
}

wait_for() { # BUS_NAME LOG
  gdbus wait --session --timeout 20 "$1" || fail "$1 never came" "$2"
}

activated_by() { # BUS_NAME -> the program that the bus starts for this name
  sed -n 's/^Exec=//p' "/usr/share/dbus-1/services/$1.service"
}

# ---- the Secret Service

keyring() { # OPTION... ; --unlock reads the password, and makes the collection the first time
  gnome-keyring-daemon --foreground --components=secrets "$@" \
    <"$DESKTOP_SESSION_FOLDER/password" >>"$DESKTOP_SESSION_FOLDER/keyring.log" 2>&1 &
  daemon=$!
  wait_for org.freedesktop.secrets keyring.log
}

start_secrets() { # unlocked|locked|none|missing
  printf 'a test password' >"$DESKTOP_SESSION_FOLDER/password"
  case $1 in
    unlocked) keyring --unlock ;;
    locked)
      keyring --unlock
      kill "$daemon"
      wait "$daemon" || true
      keyring
      ;;
  esac
}

# ---- the screen

start_screen() { # WIDTHxHEIGHT
  mkfifo "$DESKTOP_SESSION_FOLDER/display" "$DESKTOP_SESSION_FOLDER/wm"
  exec {pipe}<>"$DESKTOP_SESSION_FOLDER/display"
  # Without -noreset it throws everybody out when the only client so far leaves.
  Xvfb -displayfd "$pipe" -screen 0 "$1x24" -dpi 96 -noreset -nolisten tcp +extension RANDR \
    >"$DESKTOP_SESSION_FOLDER/screen.log" 2>&1 &
  screen=$!
  local number
  read -r -t 20 -u "$pipe" number || fail "the screen never came" screen.log
  exec {pipe}>&-
  export DISPLAY=:$number LIBGL_ALWAYS_SOFTWARE=1
  export QT_QPA_PLATFORM=xcb QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 XDG_SESSION_TYPE=x11 XDG_CURRENT_DESKTOP=XFCE
  dbus-update-activation-environment DISPLAY LIBGL_ALWAYS_SOFTWARE QT_QPA_PLATFORM XDG_SESSION_TYPE \
    XDG_CURRENT_DESKTOP
}

# Killed, it would leave its lock and its socket in /tmp.
stop_screen() {
  [ -n "${screen:-}" ] || return 0
  kill "$screen" 2>/dev/null || return 0
  wait "$screen" || true
}

# The bus of the accessibility tools, explicitly: it is the one service whose absence no program would notice.
start_accessibility() {
  "$(activated_by org.a11y.Bus)" --launch-immediately >"$DESKTOP_SESSION_FOLDER/accessibility.log" 2>&1 &
}

start_window_manager() { # openbox|none
  [ "$1" = openbox ] || return 0
  openbox --startup "sh -c 'echo up >\"$DESKTOP_SESSION_FOLDER/wm\"'" \
    >"$DESKTOP_SESSION_FOLDER/wm.log" 2>&1 &
}

wait_for_window_manager() { # openbox|none
  [ "$1" = openbox ] || return 0
  exec {pipe}<>"$DESKTOP_SESSION_FOLDER/wm"
  read -r -t 20 -u "$pipe" _ || fail "the window manager never came" wm.log
  exec {pipe}>&-
}

# ---- the tray

start_tray() { # xfce|none
  [ "$1" = xfce ] || return 0
  local settings=$XDG_CONFIG_HOME/xfce4/xfconf/xfce-perchannel-xml
  mkdir -p "$settings"
  cat >"$settings/xfce4-panel.xml" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=8;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array">
        <value type="int" value="1"/>
        <value type="int" value="2"/>
      </property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="separator">
      <property name="expand" type="bool" value="true"/>
      <property name="style" type="uint" value="0"/>
    </property>
    <property name="plugin-2" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
XML
  xfce4-panel --disable-wm-check >"$DESKTOP_SESSION_FOLDER/panel.log" 2>&1 &
}

wait_for_tray() { # xfce|none
  [ "$1" = xfce ] || return 0
  wait_for org.kde.StatusNotifierWatcher panel.log
}

# ---- notifications

# Every notification shown is noted in $DESKTOP_SESSION_FOLDER/notifications, fields and entries ended by NUL.
# `dunstctl context` offers the named actions to a chooser, which takes the line that contains what is in
# $DESKTOP_SESSION_FOLDER/choice.
start_notifications() { # dunst|none
  [ "$1" = dunst ] || return 0
  local folder=$DESKTOP_SESSION_FOLDER
  mkdir -p "$XDG_CONFIG_HOME/dunst"
  cat >"$XDG_CONFIG_HOME/dunst/dunstrc" <<INI
[global]
    origin = top-right
    offset = 16x16
    width = (200, 360)
    notification_limit = 10
    history_length = 100
    mouse_left_click = do_action, close_current
    mouse_middle_click = close_current
    mouse_right_click = close_all
    font = DejaVu Sans 10
    markup = full
    dmenu = $folder/chooser
    always_run_script = true
[noted]
    summary = "*"
    script = $folder/note
INI
  cat >"$folder/note" <<SH
#!/bin/sh
printf '%s\\0' "\$DUNST_ID" "\$DUNST_APP_NAME" "\$DUNST_SUMMARY" "\$DUNST_BODY" "\$DUNST_URGENCY" >>"$folder/notifications"
SH
  cat >"$folder/chooser" <<SH
#!/bin/sh
choices=\$(cat)
printf '%s\n' "\$choices" | grep -F -m1 -e "\$(cat "$folder/choice")"
printf '%s\n' "\$choices" >"$folder/choices.new"
mv "$folder/choices.new" "$folder/choices"
SH
  chmod +x "$folder/note" "$folder/chooser"
  dunst >"$folder/notifications.log" 2>&1 &
}

wait_for_notifications() { # dunst|none
  [ "$1" = dunst ] || return 0
  wait_for org.freedesktop.Notifications notifications.log
}
