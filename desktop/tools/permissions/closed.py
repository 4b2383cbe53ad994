"""The names of the closed places: keys, browsers, what starts by itself. A table, and nothing else.

Names without a slash in front lie in the person's home. After each # stands where it is documented; `man`
means the program's own manual page. Programs of chat, mail and money are in closed_apps.py, start files in
closed_start.py.
"""

from desktop.tools.permissions.closed_apps import APPS, MOVED, NAMES, listed
from desktop.tools.permissions.closed_start import START_FILES, START_NAMES, SYSTEM_START

__all__ = (
    "AUTOSTART",
    "BROWSERS",
    "KEYS",
    "MOVED",
    "NAMES",
    "START_FILES",
    "START_NAMES",
    "SYSTEM",
    "SYSTEM_START",
)

KEYS = (
    *listed(
        """
# Keyrings. specifications.freedesktop.org/secret-service, KDE's KWallet handbook, man security (macOS)
.local/share/keyrings | .local/share/kwalletd | .kde/share/apps/kwallet | .kde4/share/apps/kwallet
Library/Keychains | .gnome2/keyrings | .gnome2_private
# learn.microsoft.com: DPAPI, Credential Manager
AppData/Local/Microsoft/Credentials | AppData/Local/Microsoft/Protect | AppData/Local/Microsoft/Vault
AppData/Roaming/Microsoft/Credentials | AppData/Roaming/Microsoft/Protect
AppData/Roaming/Microsoft/Vault | AppData/Roaming/Microsoft/Crypto
AppData/Roaming/Microsoft/SystemCertificates | AppData/Local/Microsoft/TokenBroker
AppData/Local/.IdentityService
# man ssh, gpg, age, pass, gopass; PuTTY's documentation
.ssh | .ssh2 | .putty | .config/putty | .gnupg | AppData/Roaming/gnupg | .config/age | .config/sops
.password-store | .local/share/password-store | .local/share/gopass | .config/gopass | .pki | .minisign
.signify | .config/sigstore | .tpm2_pkcs11 | .local/share/tpm2-tss
# man netrc, gitcredentials, gh, glab, hub, tea; docs.github.com/copilot
.netrc | _netrc | .authinfo | .authinfo.gpg | .git-credentials | .config/git/credentials
.cache/git/credential | .config/gh | .config/glab-cli | .config/hub | .config/tea
.config/github-copilot | .config/configstore | AppData/Roaming/GitHub CLI | AppData/Local/github-copilot
.gitcookies
# Packages: doc.rust-lang.org/cargo, maven.apache.org/settings, docs.gradle.org, docs.npmjs.com, yarnpkg.com
.cargo/credentials | .cargo/credentials.toml | .m2/settings.xml | .m2/settings-security.xml
.gradle/gradle.properties | .sbt/.credentials | .ivy2/.credentials | .npmrc | .yarnrc | .yarnrc.yml
.config/yarn | .pnpmrc | .config/pnpm/rc | Library/Preferences/pnpm/rc | .bunfig.toml
# packaging.python.org, pip.pypa.io, python-poetry.org, docs.astral.sh/uv, docs.conda.io
.pypirc | .config/pip | .pip | AppData/Roaming/pip | Library/Application Support/pip | .config/pypoetry
Library/Application Support/pypoetry | AppData/Roaming/pypoetry | .local/share/uv/credentials | .condarc
.continuum
# getcomposer.org, bundler.io, guides.rubygems.org, learn.microsoft.com/nuget, dart.dev, hexdocs.pm
.config/composer/auth.json | .composer/auth.json | AppData/Roaming/Composer/auth.json | .bundle/config
.gem/credentials | .local/share/gem/credentials | .nuget/NuGet | .config/NuGet | AppData/Roaming/NuGet
.config/dart | .pub-cache/credentials.json | .hex/hex.config | .opam/config | .cabal/config | .clojars
# Clouds: the documentation of each command line
.aws | .azure | .config/gcloud | AppData/Roaming/gcloud | .boto | .s3cfg | .mc | .oci | .aliyun
.bluemix | .ibmcloud | .config/doctl | Library/Application Support/doctl | .config/hcloud | .config/scw
.config/linode-cli | .config/netlify | .config/vercel | .local/share/com.vercel.cli | .fly
.config/flyctl | .config/heroku | .local/share/heroku | .config/railway | .railway | .config/firebase
.config/rclone | AppData/Roaming/rclone | .rclone.conf | .dropbox | .config/backblaze-b2
.b2_account_info | .wrangler | .config/.wrangler | .config/cloudflared | .cloudflared | .config/ngrok
.ngrok2 | .config/exoscale | .config/openstack | .config/supabase | .supabase | .passwd-s3fs
.config/vultr-cli
# Containers and clusters: docs.docker.com, man containers-auth.json, kubernetes.io, helm.sh
.docker/config.json | .docker/contexts | .docker/machine | .dockercfg | .config/containers/auth.json
.kube | .minikube | .helm | .config/helm | .config/k9s | .config/argocd | .argocd | .talos | .k3d
.config/containers/podman-connections.json | .rancher
# Infrastructure: developer.hashicorp.com, pulumi.com, docs.ansible.com
.terraform.d | .terraformrc | AppData/Roaming/terraform.d | AppData/Roaming/terraform.rc | .pulumi
.vault-token | .vault | .consul-token | .nomad-token | .ansible/galaxy_token | .chef | .vault_pass
# Models: docs of Claude Code, Codex, Gemini CLI, Cursor, aider, Continue, goose, ollama, Hugging Face
.claude | .claude.json | .config/claude | .config/anthropic | .anthropic | .codex | .openai
.config/openai | .gemini | .config/gemini | .cursor | .config/cursor | .aider.conf.yml | .continue
.config/goose | .config/opencode | .local/share/opencode | .qwen | .grok | .config/amp
.local/share/amp | .ollama/id_ed25519 | .cache/huggingface/token | .cache/huggingface/stored_tokens
.huggingface | .kaggle | .config/kaggle | .config/wandb | .config/llm | .config/io.datasette.llm
.config/litellm | .nanobot/config.json | .nanobot/config.json.bak | .openclaw | .clawdbot | .moltbot
.config/replicate | Library/Application Support/Claude | AppData/Roaming/Claude | .config/Claude
# Databases: man psql, mysql_config_editor, docs of each
.pgpass | AppData/Roaming/postgresql/pgpass.conf | .my.cnf | .mylogin.cnf | AppData/Roaming/MySQL
.databrickscfg | .snowsql | .snowflake | .dbt/profiles.yml | .local/share/DBeaverData | .mongodb
AppData/Roaming/DBeaverData | Library/DBeaverData | .mssql | .odbc.ini | .config/sqlcmd | .redisclirc
# Screens and sessions: man Xorg Xauthority, vncserver, remmina
.Xauthority | .ICEauthority | .config/pulse/cookie | .pulse-cookie | .esd_auth | .vnc | .config/tigervnc
.config/remmina | .local/share/remmina | .config/freerdp | .config/rustdesk | .anydesk
.config/teamviewer | .local/share/teamviewer15 | .config/gnome-remote-desktop
.local/share/gnome-remote-desktop
# VPN: man wg, openvpn; the programs' own pages
.config/openvpn | .config/openvpn3 | .openvpn | .config/wireguard | .config/protonvpn | .config/Proton
.cisco | .config/mullvad | .config/tailscale | .config/nordvpn | .cert | OpenVPN/config
.config/networkmanagement | AppData/Roaming/OpenVPN Connect | AppData/Local/WireGuard
# What was typed: man bash, zsh, fish, less, python, psql; learn.microsoft.com PSReadLine
.bash_history | .bash_sessions | .zsh_history | .zhistory | .histfile | .zsh_sessions | .sh_history
.history | .ksh_history | .local/share/fish/fish_history | .config/nushell/history.txt
.config/nushell/history.sqlite3 | .local/share/xonsh | .local/share/atuin | .local/share/mcfly
.python_history | .local/state/python_history | .ipython/profile_default/history.sqlite
.node_repl_history | .irb_history | .rdbg_history | .psql_history | .mysql_history | .sqlite_history
.mariadb_history | .rediscli_history | .dbshell | .mongosh | .lesshst | .local/state/lesshst | .viminfo
.local/state/nvim/shada | .local/share/nvim/shada | .wget-hsts | .local/share/recently-used.xbel
AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine | .local/share/powershell/PSReadLine
"""
    ),
    *APPS,
)
"""Where keys, passwords, logins, letters and money are kept, and what was typed."""

BROWSERS = listed(
    """
# Mozilla's family. support.mozilla.org: profiles
.mozilla | .librewolf | .waterfox | .floorp | .zen | .cache/mozilla | .cache/librewolf | .config/mozilla
.moonchild productions | .icecat | .tor-browser | .local/share/torbrowser | .config/tor-browser
snap/firefox | .var/app/org.mozilla.firefox | .var/app/io.gitlab.librewolf-community
.var/app/app.zen_browser.zen | .var/app/one.ablaze.floorp | .var/app/net.waterfox.waterfox
.var/app/com.github.micahflee.torbrowser-launcher | .var/app/org.torproject.torbrowser-launcher
Library/Application Support/Firefox | Library/Application Support/LibreWolf
Library/Application Support/zen | Library/Application Support/TorBrowser-Data | AppData/Local/Mozilla
AppData/Roaming/Mozilla | AppData/Roaming/librewolf | AppData/Roaming/Waterfox | AppData/Roaming/zen
AppData/Roaming/Floorp
# Chromium's family. chromium.googlesource.com: docs/user_data_dir.md
.config/google-chrome | .config/google-chrome-beta | .config/google-chrome-unstable | .config/chromium
.config/google-chrome-for-testing | .config/microsoft-edge | .config/microsoft-edge-beta
.config/microsoft-edge-dev | .config/BraveSoftware | .config/opera | .config/opera-beta
.config/opera-developer | .config/vivaldi | .config/vivaldi-snapshot | .config/thorium
.config/yandex-browser | .config/yandex-browser-beta | .config/ungoogled-chromium | .config/iridium
.config/slimjet | .config/naver-whale | .config/net.imput.helium | .cache/google-chrome
.cache/google-chrome-beta | .cache/google-chrome-unstable | .cache/chromium | .cache/microsoft-edge
.cache/microsoft-edge-beta | .cache/BraveSoftware | .cache/opera | .cache/opera-beta | .cache/vivaldi
.cache/thorium | .cache/yandex-browser | snap/chromium | snap/brave | snap/opera | snap/vivaldi
.var/app/com.google.Chrome | .var/app/org.chromium.Chromium
.var/app/io.github.ungoogled_software.ungoogled_chromium | .var/app/com.microsoft.Edge
.var/app/com.brave.Browser | .var/app/com.opera.Opera | .var/app/com.vivaldi.Vivaldi
.var/app/ru.yandex.Browser | Library/Application Support/Google/Chrome
Library/Application Support/Google/Chrome Beta | Library/Application Support/Google/Chrome Canary
Library/Application Support/Chromium | Library/Application Support/Microsoft Edge
Library/Application Support/BraveSoftware | Library/Application Support/com.operasoftware.Opera
Library/Application Support/Vivaldi | Library/Application Support/com.operasoftware.OperaGX
Library/Application Support/Arc | Library/Application Support/Yandex | Library/Application Support/Orion
Library/Application Support/company.thebrowser.dia | Library/Application Support/Comet
AppData/Local/Google/Chrome | AppData/Local/Google/Chrome Beta | AppData/Local/Google/Chrome SxS
AppData/Local/Chromium | AppData/Local/Microsoft/Edge | AppData/Local/BraveSoftware
AppData/Local/Vivaldi | AppData/Local/Yandex | AppData/Local/Thorium | AppData/Roaming/Opera Software
AppData/Local/Packages/TheBrowserCompany.Arc_ttt1ap7aakyb4 | AppData/Local/Perplexity/Comet
# Others: their own pages
.config/qutebrowser | .local/share/qutebrowser | .config/epiphany | .local/share/epiphany
.var/app/org.gnome.Epiphany | .config/falkon | .local/share/falkon | .config/nyxt | .local/share/nyxt
.w3m | .links | .elinks | .lynx_cookies | Library/Safari | Library/Cookies
Library/Containers/com.apple.Safari | Library/Application Support/com.apple.TCC | Library/WebKit
Library/HTTPStorages | AppData/Local/Microsoft/Windows/INetCookies
AppData/Local/Microsoft/Windows/WebCache
"""
)
"""Profiles of browsers: cookies, passwords, history."""

AUTOSTART = listed(
    """
# specifications.freedesktop.org/autostart-spec, KDE's handbook
.config/autostart | .config/autostart-scripts | .config/plasma-workspace | .kde/Autostart
.kde4/Autostart | .config/lxsession | .config/lxqt/session.conf
# man systemd.unit, dbus-daemon, crontab
.config/systemd/user | .local/share/systemd/user | .config/systemd/user.control
.local/share/dbus-1/services | .local/share/dbus-1/system-services | .config/upstart | .init | .anacron
.crontab
# man launchd.plist; developer.apple.com: Login Items
Library/LaunchAgents | Library/LaunchDaemons | Library/Preferences/com.apple.loginitems.plist
Library/Application Support/com.apple.backgroundtaskmanagementagent
# learn.microsoft.com: Startup folder, Task Scheduler
AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup
"""
)
"""What is in there starts with the session."""

SYSTEM = listed(
    """
# man shadow, sudoers, ssh, keytab, wg, wpa_supplicant, NetworkManager, iwd, ipsec.secrets, pppd
/etc/shadow | /etc/shadow- | /etc/gshadow | /etc/gshadow- | /etc/sudoers | /etc/sudoers.d
/etc/doas.conf | /etc/security/opasswd | /etc/master.passwd | /etc/ssh/ssh_host_rsa_key
/etc/ssh/ssh_host_dsa_key | /etc/ssh/ssh_host_ecdsa_key | /etc/ssh/ssh_host_ed25519_key
/etc/krb5.keytab | /etc/wireguard | /etc/openvpn | /etc/openvpn/client | /etc/wpa_supplicant
/etc/NetworkManager/system-connections | /run/NetworkManager/system-connections | /etc/netplan
/var/lib/iwd | /var/lib/connman | /etc/ipsec.secrets | /etc/swanctl/private | /etc/ppp/chap-secrets
/etc/ppp/pap-secrets | /var/lib/tailscale | /etc/mullvad-vpn | /etc/ssl/private | /etc/pki/tls/private
/etc/letsencrypt | /etc/cups/printers.conf | /var/lib/sss | /var/lib/samba/private
/etc/samba/smbpasswd | /etc/credstore | /etc/credstore.encrypted | /var/lib/bluetooth | /etc/kubernetes
/etc/rancher | /var/lib/kubelet | /run/secrets | /run/credentials | /var/run/secrets | /var/lib/docker
/var/lib/containers | /run/docker.sock | /var/run/docker.sock | /run/podman | /var/lib/fprint
/var/lib/systemd/home | /var/lib/AccountsService/users | /var/lib/lightdm | /var/lib/gdm
# man proc, mem
/proc/kcore | /proc/sysrq-trigger | /dev/mem | /dev/kmem | /dev/port
# man cron, systemd.unit, init; autostart-spec
/var/spool/cron | /var/spool/at | /etc/crontab | /etc/anacrontab | /etc/cron.d | /etc/cron.hourly
/etc/cron.daily | /etc/cron.weekly | /etc/cron.monthly | /etc/xdg/autostart | /etc/systemd/system
/etc/systemd/user | /run/systemd/system | /run/systemd/user | /etc/init.d | /etc/rc.local | /etc/inittab
# macOS: man security, launchd
/Library/Keychains | /Library/LaunchAgents | /Library/LaunchDaemons | /private/var/db/dslocal
/Library/Application Support/com.apple.TCC | /private/etc/master.passwd | /private/etc/sudoers
/private/var/db/SystemKey | /var/db/SystemKey
# learn.microsoft.com
C:/ProgramData/Microsoft/Windows/Start Menu/Programs/Startup | C:/Windows/System32/config
C:/Windows/System32/Tasks | C:/Windows/System32/Microsoft/Protect | C:/ProgramData/Microsoft/Crypto
C:/ProgramData/Microsoft/Wlansvc | C:/ProgramData/ssh | C:/Windows/NTDS
"""
)
"""The same for the whole computer."""
