"""What other programs read or run by themselves when they start: it may be read, and is never written."""

from desktop.tools.permissions.closed_apps import listed

START_FILES = listed(
    """
# Shells and sessions: man bash, zsh, tcsh, ksh, fish, pam_env, Xsession, startx, environment.d
.bashrc | .bash_profile | .bash_login | .bash_logout | .bash_aliases | .profile | .zshrc | .zprofile
.zshenv | .zlogin | .zlogout | .zsh | .zsh_aliases | .zsh.d | .config/zsh | .oh-my-zsh | .zimrc | .zinit
.config/fish | .local/share/fish/vendor_conf.d | .cshrc | .tcshrc | .login | .logout | .kshrc | .mkshrc
.yashrc | .config/nushell | .xonshrc | .config/xonsh | .elvish | .config/elvish | .inputrc
.config/bash | .xprofile | .xinitrc | .xsession | .xsessionrc | .Xclients | .Xresources | .Xdefaults
.Xmodmap | .xserverrc | .pam_environment | .config/environment.d | .config/uwsm | .config/starship.toml
.config/direnv | .envrc | .config/powershell | Documents/WindowsPowerShell | Documents/PowerShell
.hushlogin | .plan
# Windows of others' making: each window manager's manual
.config/sway | .sway | .config/i3 | .i3 | .config/hypr | .config/openbox | .config/labwc
.config/awesome | .config/lxpanel | .config/lxqt | .config/bspwm | .config/sxhkd | .config/qtile
.config/river | .config/niri | .config/wayfire.ini | .config/wayfire | .config/herbstluftwm
.config/spectrwm | .spectrwm.conf | .xmonad | .config/xmonad | .config/leftwm | .config/dwl | .dwm
.config/dwm | .fluxbox | .icewm | .jwmrc | .fvwm | .fvwm2rc | .config/fvwm3 | .config/i3status
.config/i3blocks | .config/waybar | .config/polybar | .config/eww | .config/rofi | .config/wofi
.config/dunst | .config/mako | .config/swaync | .config/swayidle | .config/swaylock | .config/picom
.xbindkeysrc | .config/kanshi | .config/khotkeysrc | .config/kglobalshortcutsrc | .config/kwinrc
.local/share/kwin | .local/share/plasma | .config/xfce4/xfconf | .config/dconf
.local/share/gnome-shell/extensions | .local/share/cinnamon | .local/share/nautilus/scripts
.local/share/nautilus-python | .local/share/nemo | .config/caja/scripts | .local/share/kio
.local/share/kservices5 | .local/share/file-manager/actions
# What opens what: specifications.freedesktop.org mime-apps-spec, desktop-entry-spec, basedir-spec
.config/mimeapps.list | .local/share/applications | .local/share/mime | .mailcap | .mime.types
.config/user-dirs.dirs | .local/share/flatpak/overrides | .config/flatpak | .config/xdg-terminals.list
# Programs on PATH: man file-hierarchy, systemd-path; doc.rust-lang.org/cargo; go.dev
.local/bin | bin | .bin | .cargo/bin | .cargo/env | go/bin | .go/bin | .deno/bin | .bun/bin
.npm-global/bin | .yarn/bin | .pyenv/shims | .pyenv/bin | .rbenv/shims | .asdf/shims | .nvm | .volta/bin
.local/share/mise | .local/share/pnpm | .local/share/gem/ruby | .krew/bin | .dotnet/tools
.opam/opam-init | .sdkman/bin | .nix-profile | .config/nixpkgs | .config/home-manager | scoop/shims
AppData/Local/Microsoft/WindowsApps
# Terminals, editors: man tmux, screen, vim, nano; neovim.io, gnu.org/s/emacs, code.visualstudio.com
.tmux.conf | .config/tmux | .tmux | .screenrc | .byobu | .config/zellij | .config/kitty
.config/alacritty | .alacritty.toml | .config/wezterm | .wezterm.lua | .config/ghostty | .config/foot
.config/terminator | .vimrc | .vim | .gvimrc | .config/vim | .config/nvim | .local/share/nvim/site
.ideavimrc | .exrc | _vimrc | .emacs | .emacs.el | .emacs.d | .config/emacs | .doom.d | .config/doom
.spacemacs | .nanorc | .config/nano | .config/helix | .config/kak | .config/micro | .config/zed
.config/Code/User | .config/VSCodium/User | .config/Code - OSS/User | .vscode | .vscode-oss
.vscode-server | .config/Cursor/User | .config/sublime-text | .config/JetBrains | .local/share/JetBrains
Library/Application Support/Code/User | Library/Application Support/Cursor/User
AppData/Roaming/Code/User | AppData/Roaming/Cursor/User
# Languages and tools: each one's manual
.gitconfig | .config/git | .gitattributes | .hgrc | .config/hg | .config/jj | .subversion | .bzr
.cvsrc | .pythonrc | .pythonrc.py | .pythonstartup | .ipython | .config/ipython | .jupyter | .pdbrc
.pydistutils.cfg | .irbrc | .pryrc | .rspec | .perltidyrc | .perldb | .Rprofile | .Renviron | .octaverc
.juliarc.jl | .julia/config | .ghci | .ocamlinit | .lein | .clojure | .sbtrc | .gdbinit | .config/gdb
.gdbearlyinit | .lldbinit | .psqlrc | .sqliterc | .mongorc.js | .curlrc | .config/curlrc | .wgetrc
.config/wgetrc | .cargo/config | .cargo/config.toml | .rustup/settings.toml | .config/go/env
.gradle/init.d | .gradle/init.gradle | .mavenrc | .m2/extensions.xml | .antrc | .makerc
.config/containers | .docker/cli-plugins | .config/pre-commit | .rpmmacros | .quiltrc | .devscripts
.pbuilderrc | .lessfilter | .lesskey | .config/lesskey | .ackrc | .ripgreprc | .config/ripgrep
.config/mpv | .config/vlc | .mplayer | .rhosts | .shosts | .forward | .procmailrc | .k5login
.config/kdeconnect | .config/espanso | .hammerspoon | .config/karabiner | .config/skhd | .config/yabai
.yabairc | .skhdrc | .config/aerospace | Library/Services | Library/Scripts
Library/Application Scripts | Library/Input Methods | Library/QuickLook | Library/PreferencePanes
Library/Screen Savers | Library/ColorPickers
"""
)
"""Read at every start of a shell, a session or a program. Some of these names lie below closed ones."""

SYSTEM_START = listed(
    """
# man bash, zsh, ld.so, pam, udev, dbus-daemon, polkit, environment
/etc/profile | /etc/profile.d | /etc/bash.bashrc | /etc/bashrc | /etc/zsh | /etc/zshrc | /etc/zshenv
/etc/zprofile | /etc/fish | /etc/csh.cshrc | /etc/environment | /etc/ld.so.preload | /etc/ld.so.conf
/etc/ld.so.conf.d | /etc/pam.d | /etc/udev/rules.d | /etc/dbus-1 | /usr/share/dbus-1 | /etc/polkit-1
/etc/X11/xinit | /etc/X11/Xsession.d | /etc/gdm3 | /etc/lightdm | /etc/sddm.conf.d | /etc/modprobe.d
/etc/modules-load.d | /etc/NetworkManager/dispatcher.d | /etc/network/if-up.d | /etc/update-motd.d
/etc/apt/apt.conf.d | /etc/apt/sources.list.d | /etc/dpkg/dpkg.cfg.d | /etc/binfmt.d | /etc/sysctl.d
/lib/systemd | /usr/lib/systemd | /usr/local/lib/systemd | /usr/share/applications | /usr/local/bin
/usr/local/sbin | /etc/paths.d | /etc/hosts.equiv | /etc/gitconfig
"""
)
"""The same for the whole computer."""

START_NAMES = ("*.pth", "sitecustomize.py", "usercustomize.py")
"""Names that Python runs at its start, wherever they lie. docs.python.org: site"""
