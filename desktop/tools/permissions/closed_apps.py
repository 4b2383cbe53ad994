"""The closed places of programs that keep letters, talks, passwords, money; and names closed anywhere."""


def listed(text: str) -> tuple[str, ...]:
    """The names in a table: parted by bars and ends of lines; lines that begin with # are sources."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return tuple(name.strip() for line in lines for name in line.split("|"))


APPS = listed(
    """
# Passwords: the documentation of each manager
.config/Bitwarden | .config/Bitwarden CLI | snap/bitwarden | .var/app/com.bitwarden.desktop
Library/Application Support/Bitwarden | AppData/Roaming/Bitwarden | AppData/Roaming/Bitwarden CLI
.config/keepassxc | .cache/keepassxc | .config/KeePass | .keepassx | .var/app/org.keepassxc.KeePassXC
snap/keepassxc | Library/Application Support/keepassxc | AppData/Roaming/KeePassXC
AppData/Local/KeePassXC | AppData/Roaming/KeePass | .config/1Password | .1password | .config/op | .op
AppData/Local/1Password | Library/Group Containers/2BUA8C4S2C.com.1password
Library/Application Support/1Password | .config/lpass | .local/share/lpass | .lpass | .config/Enpass
.local/share/Enpass | Documents/Enpass | .config/dashlane-cli | .dashlane | .config/ProtonPass
.config/Proton Pass | .config/nordpass | .config/rbw | .local/share/rbw | .cache/rbw
.config/Authy Desktop | .config/authy | .local/share/Authenticator
.var/app/com.belmoussaoui.Authenticator | .var/app/org.gnome.World.Secrets | .google_authenticator
.config/buttercup | .config/Buttercup | .config/passff | .config/QtPass | .config/Yubico
.config/gsecrets
# Mail: the manual of each client
.thunderbird | .icedove | snap/thunderbird | .var/app/org.mozilla.Thunderbird | .cache/thunderbird
Library/Thunderbird | AppData/Roaming/Thunderbird | AppData/Local/Thunderbird | .config/evolution
.local/share/evolution | .cache/evolution | .var/app/org.gnome.Evolution | .config/geary
.local/share/geary | .var/app/org.gnome.Geary | .config/kmail2rc | .config/mailtransports
.local/share/akonadi | .config/akonadi | .local/share/kmail2 | .claws-mail | .sylpheed-2.0
.config/balsa | .balsa | .mutt | .muttrc | .config/mutt | .config/neomutt | .neomuttrc | .config/aerc
.alpine | .pinerc | .mbsyncrc | .config/isyncrc | .offlineimaprc | .config/offlineimap | .msmtprc
.config/msmtp | .fetchmailrc | .getmail | .config/getmail | .mpoprc | .config/himalaya | .config/meli
.notmuch-config | .config/goa-1.0 | .config/Mailspring | .var/app/com.getmailspring.Mailspring
.config/protonmail | .local/share/protonmail | Library/Mail | Library/Group Containers/UBF8T346G9.Office
AppData/Local/Microsoft/Outlook | AppData/Local/Comms | .config/vdirsyncer | .config/davmail
.davmail.properties
# Chat: the pages of each program; flathub.org and snapcraft.io for the sandboxed ones
.config/Signal | .config/Signal Beta | .var/app/org.signal.Signal | snap/signal-desktop
.local/share/signal-cli | .config/signal-cli | Library/Application Support/Signal
AppData/Roaming/Signal | .config/Element | .config/Element-Nightly | .var/app/im.riot.Riot
snap/element-desktop | Library/Application Support/Element | AppData/Roaming/Element
.local/share/fractal | .local/share/nheko | .config/nheko | .cache/nheko | .local/share/NeoChat
.local/share/KDE/neochat | .local/share/Quaternion | .config/discord | .config/discordcanary
.config/discordptb | .config/vesktop | .config/WebCord | .var/app/com.discordapp.Discord
.var/app/dev.vencord.Vesktop | snap/discord | Library/Application Support/discord
AppData/Roaming/discord | .config/Slack | .var/app/com.slack.Slack | snap/slack
Library/Application Support/Slack | AppData/Roaming/Slack | .local/share/TelegramDesktop
.TelegramDesktop | .var/app/org.telegram.desktop | snap/telegram-desktop
Library/Application Support/Telegram Desktop | AppData/Roaming/Telegram Desktop | .telegram-cli
Library/Group Containers/6N38VWS5BX.ru.keepcoder.Telegram | AppData/Local/Packages/TelegramMessengerLLP
.config/teams-for-linux | .config/Microsoft/Microsoft Teams | .config/teams | .config/skypeforlinux
AppData/Roaming/Microsoft/Teams | Library/Application Support/Microsoft/Teams | .config/zoomus.conf
.zoom | .config/whatsapp-desktop | .config/whatsdesk | .local/share/whatsapp-for-linux
.local/share/zapzap | Library/Group Containers/group.net.whatsapp.WhatsApp.shared | .config/Wire
.config/Session | .config/Threema | .config/Mattermost | .config/Rocket.Chat | .config/Zulip
.config/Keybase | .config/keybase | .local/share/keybase | .config/Jami | .local/share/jami
.config/tox | .config/weechat | .weechat | .local/share/weechat | .irssi | .config/hexchat | .purple
.local/share/gajim | .config/gajim | .local/share/dino | .config/dino | .config/profanity
.local/share/profanity | .mcabber | .config/Beeper | .xwechat | .config/wechat | Documents/WeChat Files
.config/QQ | .config/feishu | .config/LarkShell | .config/DingTalk | Library/Messages
Library/Application Support/WeChat | Library/Containers/com.tencent.xinWeChat
# Money: bitcoin.org, electrum.org, getmonero.org, ethereum.org and the wallets' own pages
.bitcoin | .litecoin | .dogecoin | .dash | .dashcore | .zcash | .bitcoin-abc | .namecoin | .peercoin
.ethereum | .electrum | .electrum-ltc | .electron-cash | .bitmonero | Monero | .config/monero-project
.shared-ringdb | .config/Exodus | .config/atomic | .config/Ledger Live | .config/@trezor
.config/solana | .config/Guarda | .sparrow | .wasabi | .walletwasabi | .config/Coinomi | .coinomi
.config/jaxx | .lnd | .lightning | .local/share/bisq | .local/share/Bisq | .config/phantom
.near-credentials | .near | .aptos | .sui | .cosmos | .config/foundry | .foundry/keystores
.brownie/accounts | .config/MyCrypto | .config/Frame | Library/Application Support/Bitcoin
Library/Application Support/Electrum | Library/Application Support/Exodus
Library/Application Support/atomic | Library/Ethereum | Library/Application Support/Ledger Live
Library/Application Support/@trezor | AppData/Roaming/Bitcoin | AppData/Roaming/Electrum
AppData/Roaming/Ethereum | AppData/Roaming/Exodus | AppData/Roaming/atomic | AppData/Roaming/Ledger Live
AppData/Roaming/@trezor | AppData/Roaming/Litecoin | .gnucash | .local/share/gnucash | .config/homebank
.config/skrooge
# Accounts of the desktop, notes and clouds: GNOME, KDE, and the programs' own pages
.local/share/accounts | .config/libaccounts-glib | .config/kwalletrc | .config/signond
.config/onedrive | .config/Nextcloud | .config/ownCloud | .config/seafile | .ccnet | .config/MEGA
.megaCmd | .config/insync | .local/share/Insync | .config/syncthing | .local/state/syncthing
.config/joplin | .config/joplin-desktop | .config/standardnotes-extensions | .config/Standard Notes
.config/Postman | .config/Insomnia | .config/Bruno | .config/spotify | .config/spotifyd
.config/filezilla | .filezilla | AppData/Roaming/FileZilla | AppData/Roaming/WinSCP.ini
.config/cyberduck | .duck | .lftprc | .config/lftp | .ncftp | .smbcredentials
Library/Application Support/MobileSync | Library/Accounts | Library/IdentityServices
Library/Group Containers/group.com.apple.notes | Library/Personas | Library/Suggestions
Library/Calendars | Library/Application Support/AddressBook
"""
)

NAMES = (
    *("*.kdbx", "*.kdb", "*.agilekeychain", "*.opvault", "*.1pif", "*.keychain", "*.keychain-db"),
    *("*.ppk", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss"),
    *(
        "wallet.dat",
        "krb5cc_*",
        ".git-credentials",
        ".netrc",
        ".pgpass",
        ".htpasswd",
        "logins.json",
        "key4.db",
    ),
)
"""Closed wherever they lie: stores of passwords, keys of ssh. keepassxc.org, man ssh-keygen, krb5.conf"""

MOVED = {
    "GNUPGHOME": ("",),
    "PASSWORD_STORE_DIR": ("",),
    "KUBECONFIG": ("",),
    "DOCKER_CONFIG": ("config.json", "contexts"),
    "AWS_SHARED_CREDENTIALS_FILE": ("",),
    "AWS_CONFIG_FILE": ("",),
    "AZURE_CONFIG_DIR": ("",),
    "CLOUDSDK_CONFIG": ("",),
    "GOOGLE_APPLICATION_CREDENTIALS": ("",),
    "CARGO_HOME": ("credentials", "credentials.toml"),
    "GRADLE_USER_HOME": ("gradle.properties",),
    "NPM_CONFIG_USERCONFIG": ("",),
    "PIP_CONFIG_FILE": ("",),
    "NETRC": ("",),
    "PGPASSFILE": ("",),
    "CLAUDE_CONFIG_DIR": ("",),
    "CODEX_HOME": ("",),
    "HF_HOME": ("token", "stored_tokens"),
    "HISTFILE": ("",),
    "LESSHISTFILE": ("",),
    "PYTHON_HISTORY": ("",),
    "XAUTHORITY": ("",),
    "ICEAUTHORITY": ("",),
    "REGISTRY_AUTH_FILE": ("",),
    "TF_CLI_CONFIG_FILE": ("",),
    "VAULT_TOKEN_PATH": ("",),
    "RCLONE_CONFIG": ("",),
    "SOPS_AGE_KEY_FILE": ("",),
}
"""Variables by which a program's place is moved, and what is closed below it ("" is the place itself)."""
