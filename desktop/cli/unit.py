"""The unit with which systemd runs `serve` on a computer without a desktop, and gives it its secrets.

Syntax: man systemd.unit, systemd.exec (LoadCredentialEncrypted: a name without a path is looked for in
/etc/credstore.encrypted, and is no error where it is missing), systemd-creds.
"""

import getpass
import os
from collections.abc import Callable, Iterable

from desktop.config.given import credential
from desktop.config.needed import needed
from desktop.config.schema import Config
from desktop.paths import Home, self_command

_UNIT = """\
# Install: nanobot-desktop serve --print-unit | sudo tee /etc/systemd/system/nanobot.service
#          sudo systemctl daemon-reload && sudo systemctl enable --now nanobot
{how}
[Unit]
Description=Nanobot, the personal agent
Wants=network-online.target
After=network-online.target

[Service]
User={user}
Environment={environment}
ExecStart={command}
{credentials}Restart=on-failure
RestartSec=10

[Install]
WantedBy=multi-user.target
"""
_HOW = """\
# Secrets, one command each; the value is typed, encrypted for this computer, and nowhere in clear:
"""
_ENCRYPT = "#   sudo sh -c 'systemd-ask-password | systemd-creds encrypt --name={name} - {path}'"
_STORE = "/etc/credstore.encrypted"


def text(home: Home, config: Config, skills: Callable[[], Iterable[tuple[str, str]]]) -> str:
    """The unit for this home: a line for each secret that its settings name. Blocks."""
    names = list(dict.fromkeys(filter(None, map(credential, needed(config, skills())))))
    commands = [_ENCRYPT.format(name=name, path=f"{_STORE}/{name}") for name in names]
    return _UNIT.format(
        how=_HOW + "\n".join(commands) if names else "# The settings name no secrets.",
        user=getpass.getuser(),
        environment=_quoted(f"NANOBOT_DESKTOP_HOME={os.path.abspath(home.root)}"),  # noqa: PTH100 as named
        command=" ".join(map(_quoted, [*self_command(), "serve"])),
        credentials="".join(f"LoadCredentialEncrypted={name}\n" for name in names),
    )


def _quoted(word: str) -> str:
    """A word as systemd reads it back: quotes, backslashes, and signs that it would replace."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"' if any(sign in word for sign in " \t\"'\\;") else plain
