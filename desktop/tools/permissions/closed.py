"""The names of the closed places: keys, browsers, what starts by itself. A table, and nothing else.

Names without a slash in front lie in the person's home.
"""

KEYS = (
    *(".local/share/keyrings", ".local/share/kwalletd", ".kde/share/apps/kwallet"),
    *("Library/Keychains", ".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube"),
    *(".docker/config.json", ".netrc", "_netrc", ".git-credentials"),
    *(".config/git/credentials", ".password-store", ".pgpass", ".pypirc", ".npmrc"),
    *(".config/gh", ".config/op", ".vault-token", ".config/rclone"),
    *("AppData/Local/Microsoft/Credentials", "AppData/Local/Microsoft/Protect"),
    *("AppData/Local/Microsoft/Vault", "AppData/Roaming/Microsoft/Credentials"),
    *("AppData/Roaming/Microsoft/Protect", "AppData/Roaming/Microsoft/Vault"),
)
"""Where keys, passwords and logins are kept."""
BROWSERS = (
    *(".mozilla", ".librewolf", ".cache/mozilla", "Library/Safari", "Library/Cookies"),
    *("Library/Containers/com.apple.Safari", ".config/google-chrome"),
    *(".config/google-chrome-beta", ".config/google-chrome-unstable", ".config/chromium"),
    *(".config/microsoft-edge", ".config/microsoft-edge-beta", ".config/BraveSoftware"),
    *(".config/opera", ".config/opera-beta", ".config/vivaldi", ".cache/google-chrome"),
    *(".cache/google-chrome-beta", ".cache/google-chrome-unstable", ".cache/chromium"),
    *(".cache/microsoft-edge", ".cache/microsoft-edge-beta", ".cache/BraveSoftware"),
    *(".cache/opera", ".cache/opera-beta", ".cache/vivaldi", "snap/firefox", "snap/chromium"),
    *("snap/brave", "snap/opera", "snap/vivaldi", ".var/app/org.mozilla.firefox"),
    *(".var/app/com.google.Chrome", ".var/app/org.chromium.Chromium"),
    *(".var/app/com.microsoft.Edge", ".var/app/com.brave.Browser"),
    *(".var/app/com.opera.Opera", ".var/app/com.vivaldi.Vivaldi"),
    *(".var/app/io.gitlab.librewolf-community", "Library/Application Support/Firefox"),
    *("Library/Application Support/Google/Chrome", "Library/Application Support/Chromium"),
    *("Library/Application Support/Microsoft Edge",),
    *("Library/Application Support/BraveSoftware",),
    *("Library/Application Support/com.operasoftware.Opera",),
    *("Library/Application Support/Vivaldi", "Library/Application Support/com.apple.TCC"),
    *("AppData/Local/Google/Chrome", "AppData/Local/Chromium"),
    *("AppData/Local/Microsoft/Edge", "AppData/Local/BraveSoftware", "AppData/Local/Vivaldi"),
    *("AppData/Local/Mozilla", "AppData/Roaming/Mozilla", "AppData/Roaming/Opera Software"),
)
"""Profiles of browsers: cookies, passwords, history."""
AUTOSTART = (
    *(".config/autostart", ".config/autostart-scripts", ".config/plasma-workspace"),
    *(".config/systemd/user", ".local/share/systemd/user", "Library/LaunchAgents"),
    *("AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",),
)
"""What is in there starts with the session."""
SYSTEM = (
    *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"),
    *("/etc/sudoers.d", "/proc/kcore", "/proc/sysrq-trigger", "/dev/mem", "/dev/kmem"),
    *("/dev/port", "/var/spool/cron", "/etc/crontab", "/etc/cron.d", "/etc/xdg/autostart"),
    *("/etc/systemd/system", "/Library/Keychains", "/Library/LaunchAgents"),
    *("/Library/LaunchDaemons",),
    *("C:/ProgramData/Microsoft/Windows/Start Menu/Programs/Startup",),
)
"""The same for the whole computer."""
START_FILES = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    *(".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".config/fish", ".cshrc"),
    *(".tcshrc", ".login", ".kshrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc"),
    *(".pam_environment", ".config/environment.d", ".gitconfig", ".config/git", ".inputrc"),
    *("Documents/WindowsPowerShell", "Documents/PowerShell"),
)
"""Read at every start of a shell or a session: never written."""
