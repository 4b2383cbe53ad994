"""Which settings and keys of a chat app are seen at once, and which are folded away."""

from desktop.ui.settings.pages import PAGES

FIRST = {
    "matrix": ("user_id", "owner", "homeserver"),
    "qq": ("app_id",),
    "dingtalk": ("client_id",),
    "email": ("imap_username", "owner", "imap_host", "smtp_host", "consent_granted"),
    "feishu": ("app_id", "domain"),
    "whatsapp": ("owner", "allow_from"),
    "mochat": ("agent_user_id",),
}
"""The settings without which nothing works; all others are folded away."""
RARE = {("discord", "proxyPassword"), ("matrix", "accessToken"), ("email", "smtpPassword")}
"""Keys that few people need, folded away as well."""


def settings_of_app(name: str) -> tuple[str, ...]:
    """The names of the settings of a chat app, in their order."""
    groups = (group for page in PAGES if page.key == "channels" for group in page.groups if group.inside)
    return tuple(one for group in groups for one in group.names if one.startswith(f"channels.{name}."))
