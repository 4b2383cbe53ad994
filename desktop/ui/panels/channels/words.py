"""What the page says of each app, and how its keys are got."""

import json
import math
from typing import TYPE_CHECKING
from urllib.parse import quote

from desktop.text import _, mark, sentences
from desktop.ui.panels.channels.fields import FIRST
from desktop.ui.widgets.moments import Now, at, soon

if TYPE_CHECKING:
    from desktop.api.channels import App

ABOUT = {
    "telegram": mark("Write to the agent from Telegram, through a bot of your own."),
    "slack": mark("Write to the agent from Slack, through an app of your workspace."),
    "discord": mark("Write to the agent from Discord, through a bot of your own."),
    "matrix": mark("Write to the agent from Matrix apps, such as Element."),
    "email": mark("Write to the agent by mail, through its own mailbox."),
    "qq": mark("Write to the agent from QQ, through an official bot of your own."),
    "dingtalk": mark("Write to the agent from DingTalk, through an app of your organization."),
    "feishu": mark("Write to the agent from Feishu or Lark, through an app of your own."),
    "whatsapp": mark("Write to the agent from WhatsApp, as a device linked to an account."),
    "mochat": mark("Write to the agent from Mochat, through an account of the agent’s own."),
}
MORE = {
    "mochat": mark(
        "Mochat is documented only in part. This follows the code of other programs that use it and has "
        "not been tried with Mochat itself yet. In panels, a mention is answered at once; all other "
        "messages are answered together, after a pause."
    ),
    "feishu": mark(
        "Enter the keys and turn it on first: only then does the console take “Receive events through "
        "persistent connection” under Events & Callbacks. Choose that for events and for callbacks, add "
        "the event im.message.receive_v1 and the callback card.action.trigger, and publish a version."
    ),
    "qq": mark(
        "QQ lets a bot only reply: for an hour in private chats, for 5 minutes in groups, five times a "
        "message. What comes later waits in Nanobot’s inbox. In groups you have another ID than in private."
    ),
    "dingtalk": mark(
        "In groups DingTalk passes on only what mentions the robot. Answers go there at most every 3 s."
    ),
    "matrix": mark("It joins the rooms that you and people who may write invite it to, and no others."),
    "whatsapp": mark(
        "WhatsApp does not allow programs such as this one, and may suspend or ban the account. Best link "
        "a number of the agent’s own. On your own account, write to it in the chat with yourself, and "
        "enter that number under You."
    ),
    "email": mark(
        "Strangers’ mail is left untouched. What the agent asks is answered in Nanobot, never by mail."
    ),
}
"""What is told of some, once their card is open."""
HELLO = mark("Write to it in {name}. Your request then shows here.")
"""Told while nobody may write."""
BY_ID = mark("Nobody may write yet: enter your own address above.")
"""The same, of an app that does not hear of strangers."""
BY_NUMBER = mark("Nobody may write yet: enter your phone number below.")
"""The same, of one where people are phone numbers."""
WEBHOOK = mark(
    "Your old settings used a webhook. It isn’t needed: Nanobot asks {name} for messages itself."
)
KEYS = {
    ("telegram", "token"): (
        mark("Bot token"),
        mark("Write /newbot to @BotFather, choose a name, and copy the token from the answer."),
    ),
    ("slack", "botToken"): (
        mark("Bot token"),
        mark(
            "The link opens Slack with an app that is set up for Nanobot. Create it, install it under "
            "OAuth & Permissions, and copy the token that begins with xoxb-."
        ),
    ),
    ("slack", "appToken"): (
        mark("App token"),
        mark("Under Basic Information › App-Level Tokens, with connections:write. It begins with xapp-."),
    ),
    ("discord", "token"): (
        mark("Bot token"),
        mark(
            "Create an application. Under Bot, turn on Message Content Intent, select Reset Token and copy "
            "the token."
        ),
    ),
    ("discord", "proxyPassword"): (
        mark("Password for the proxy"),
        mark("Only where the proxy wants one. It is stored in the keychain."),
    ),
    ("matrix", "password"): (
        mark("Password"),
        mark("Of the agent’s account. It is used once to sign in, and is not kept."),
    ),
    ("matrix", "accessToken"): (
        mark("Access token"),
        mark(
            "Only in place of a password, and only of a device that no other program uses. It is stored in "
            "the keychain."
        ),
    ),
    ("qq", "secret"): (
        mark("AppSecret"),
        mark(
            "Create a bot at q.qq.com. Under Development › Development settings, copy its AppID and "
            "generate its AppSecret. Until it is published, add yourself to its sandbox, and turn on "
            "Sandbox here."
        ),
    ),
    ("dingtalk", "clientSecret"): (
        mark("Client Secret"),
        mark(
            "Create an app at open-dev.dingtalk.com and add the Robot capability with Stream mode. Copy "
            "Client ID and Client Secret under Credentials & Basic Info, let the robot send messages under "
            "Permissions, and publish a version."
        ),
    ),
    ("feishu", "appSecret"): (
        mark("App Secret"),
        mark(
            "Create a custom app at open.feishu.cn/app or open.larksuite.com/app, and add Bot under Add "
            "Features. Under Permissions & Scopes, add im:message, im:message.p2p_msg:readonly, "
            "im:message.group_at_msg:readonly, im:message:send_as_bot, im:resource, cardkit:card:write "
            "and, for names, contact:user.base:readonly. Copy the App ID and the App Secret from "
            "Credentials & Basic Info."
        ),
    ),
    ("mochat", "clawToken"): (
        mark("Agent token"),
        mark(
            "Register an agent as mochat.io/skill.md describes, and bind it to your email address. Copy "
            "the token, which begins with claw_, and the botUserId from the answer."
        ),
    ),
    ("email", "imapPassword"): (
        mark("Password"),
        mark("Of the agent’s mailbox. Gmail, iCloud and Yahoo want an app password."),
    ),
    ("email", "smtpPassword"): (
        mark("Password for outgoing mail"),
        mark("Only where it is another one. It is stored in the keychain."),
    ),
}
"""By app and field: what it is called, and how it is got."""

_MANIFEST = {
    "display_information": {"name": "Nanobot"},
    "features": {
        "app_home": {"messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
        "bot_user": {"display_name": "Nanobot", "always_online": False},
    },
    "oauth_config": {
        "scopes": {
            "bot": [
                *("app_mentions:read", "channels:history", "chat:write", "files:read", "files:write"),
                *("groups:history", "im:history", "im:write", "reactions:write", "users:read"),
            ]
        }
    },
    "settings": {
        "event_subscriptions": {
            "bot_events": ["app_mention", "message.channels", "message.groups", "message.im"]
        },
        "interactivity": {"is_enabled": True},
        "socket_mode_enabled": True,
    },
}
"""Slack's app as the program needs it: https://docs.slack.dev/reference/app-manifest."""
PAGES = {
    ("telegram", "token"): "https://t.me/BotFather",
    ("slack", "botToken"): "https://api.slack.com/apps?new_app=1&manifest_json="
    + quote(json.dumps(_MANIFEST, separators=(",", ":"))),
    ("discord", "token"): "https://discord.com/developers/applications",
    ("qq", "secret"): "https://q.qq.com/",
    ("dingtalk", "clientSecret"): "https://open-dev.dingtalk.com/",
    ("feishu", "appSecret"): "https://open.feishu.cn/app",
    ("mochat", "clawToken"): "https://mochat.io/skill.md",
}
"""Where a key is got."""

_MINUTE_S = 60.0
SIGNS = {
    "off": ("circle", "muted"),
    "starting": ("circle", "muted"),
    "running": ("circle-check", "success"),
    "degraded": ("triangle-alert", "warning"),
    "needs_sign_in": ("key-round", "warning"),
    "failed": ("circle-alert", "danger"),
}


def state(app: "App", now: float) -> str:
    """Where it is, why, and when it goes on; nothing of what is off. `now`: Unix time."""
    if not app.on:
        return ""
    words = {
        "off": _("Starts with Nanobot"),
        "starting": _("Connecting…"),
        "running": _running(app, now),
        "degraded": _("Connecting again {time}").format(time=_soon(app.again_at or now, now)),
        "needs_sign_in": _("Not linked") if app.links else _("Needs a key"),
        "failed": _("Failed"),
    }
    told = words[app.state]
    return _("{state}. {detail}").format(state=told, detail=app.detail) if app.detail else told


def _running(app: "App", now: float) -> str:
    if not app.owner and not app.allowed:
        by_id = BY_NUMBER if app.links else BY_ID
        told = _(by_id) if "owner" in FIRST.get(app.name, ()) else _(HELLO).format(name=app.title)
        return sentences(_("Connected."), told)
    came, went = (at(one, Now(now)) if one else "" for one in (app.last_in, app.last_out))
    if came and went:
        return _("Connected. Last message {time}, last answer {sent}").format(time=came, sent=went)
    if went:
        return _("Connected. Last answer {time}").format(time=went)
    return _("Connected. Last message {time}").format(time=came) if came else _("Connected")


def counts_down(app: "App", now: float) -> bool:
    """Whether what is said of it is another in a second."""
    return app.on and app.state == "degraded" and now < (app.again_at or 0.0) < now + _MINUTE_S


def _soon(moment: float, now: float) -> str:
    left = math.ceil(moment - now)
    if 0 < left < _MINUTE_S:
        return _("in {n} s").format(n=left)
    return soon(moment, Now(now))
