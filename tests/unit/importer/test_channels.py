"""An old home with all chat apps that are here: what the person finds, in both styles of names."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic.alias_generators import to_snake

from desktop.config.base import normal
from desktop.config.channels.section import NAMES
from desktop.config.loosening import changes
from tests.unit.importer.bed import Bed
from tests.unit.importer.homes import write

KEYS = {
    ("telegram", "token"): "1234567890:AAExampleTokenOfTheTests-0123456789abc",
    ("discord", "token"): "MTIz.example.discord-token-0123456789",
    ("discord", "proxyPassword"): "discord-proxy-0123456789",
    ("slack", "botToken"): "xoxb-0123456789-example",
    ("slack", "appToken"): "xapp-0123456789-example",
    ("email", "imapPassword"): "imap-0123456789-example",
    ("email", "smtpPassword"): "smtp-0123456789-example",
    ("feishu", "appSecret"): "feishu-0123456789-example",
    ("dingtalk", "clientSecret"): "dingtalk-0123456789-example",
    ("matrix", "password"): "matrix-0123456789-example",
    ("matrix", "accessToken"): "syt_0123456789_example",
    ("qq", "secret"): "qq-0123456789-example",
    ("mochat", "clawToken"): "claw_0123456789_example",
}
OLD: dict[str, dict[str, Any]] = {
    "telegram": {
        "enabled": True,
        "mode": "webhook",
        "webhookUrl": "https://bot.example.org/hook",
        "webhookListenPort": 8081,
        "allowFrom": ["1001", "1002|dana"],
        "groupPolicy": "open",
        "replyToMessage": True,
        "reactEmoji": "🔥",
        "connectionPoolSize": 32,
        "proxy": "socks5://127.0.0.1:1080",
    },
    "discord": {
        "enabled": True,
        "gatewayUrl": "wss://gateway.discord.gg/?v=10&encoding=json",
        "intents": 37377,
        "allowFrom": ["300"],
        "allowChannels": ["400"],
        "readReceiptEmoji": "📬",
        "workingEmojiDelay": 3.5,
        "proxyUsername": "dana",
    },
    "slack": {
        "enabled": True,
        "mode": "socket",
        "webhookPath": "/slack/events",
        "userTokenReadOnly": True,
        "allowFrom": ["U7"],
        "groupRequireMention": True,
        "dm": {"enabled": True, "policy": "allowlist", "allowFrom": ["U8"]},
        "threadContextLimit": 10,
    },
    "email": {
        "enabled": True,
        "consentGranted": True,
        "imapHost": "mail.example.org",
        "imapUsername": "bot@example.org",
        "smtpHost": "mail.example.org",
        "fromAddress": "bot@example.org",
        "allowFrom": ["dana@example.org"],
        "trustedAuthservIds": ["mx.example.org"],
        "pollIntervalSeconds": 60,
        "postAction": "move",
        "postActionMoveMailbox": "Done",
        "postActionIgnoreSkipped": True,
    },
    "matrix": {
        "enabled": True,
        "homeserver": "https://matrix.example.org",
        "userId": "@bot:example.org",
        "deviceId": "OLDDEVICE",
        "e2eeEnabled": True,
        "sasVerification": False,
        "syncStopGraceSeconds": 2,
        "maxMediaBytes": 1_000_000,
        "allowFrom": ["@dana:example.org"],
        "groupPolicy": "allowlist",
        "groupAllowFrom": ["!room:example.org"],
    },
    "qq": {
        "enabled": True,
        "appId": "102000001",
        "allowFrom": ["A11CE00000000000000000000000000A"],
        "msgFormat": "markdown",
        "ackMessage": "⏳ Processing...",
        "mediaDir": "/var/lib/nanobot/qq",
        "downloadMaxBytes": 209_715_200,
    },
    "dingtalk": {
        "enabled": True,
        "clientId": "ding0123",
        "allowFrom": ["manager1"],
        "groupUserIsolation": True,
        "allowRemoteMediaRedirects": True,
        "remoteMediaRedirectAllowedHosts": ["files.example.org"],
    },
    "feishu": {
        "enabled": True,
        "instanceId": "default",
        "name": "Work",
        "appId": "cli_a1b2c3d4e5f60718",
        "allowFrom": ["ou_dana"],
        "domain": "lark",
        "reactEmoji": "OK",
        "doneEmoji": "DONE",
        "toolHintPrefix": "🔧",
        "groupPolicy": "open",
        "topicIsolation": False,
        "instances": [{"instanceId": "second", "appId": "cli_second"}],
    },
    "whatsapp": {
        "enabled": True,
        "bridgeUrl": "ws://localhost:3001",
        "bridgeToken": "bridge-token-0123456789abcdef",
        "databasePath": "/home/dana/.nanobot/whatsapp.db",
        "allowFrom": ["49170"],
        "lidMappings": {"10000000000007": "49170"},
    },
    "mochat": {
        "enabled": True,
        "baseUrl": "https://mochat.example.org",
        "socketUrl": "https://socket.example.org",
        "socketPath": "/socket.io",
        "socketDisableMsgpack": True,
        "socketReconnectDelayMs": 2000,
        "refreshIntervalMs": 60_000,
        "watchLimit": 50,
        "maxRetryAttempts": 5,
        "agentUserId": "698211ea",
        "sessions": ["*"],
        "panels": ["p1"],
        "allowFrom": ["6981b89f"],
        "mention": {"requireInGroups": True},
        "groups": {"ga": {"requireMention": False}, "gb": {"requireMention": True}},
        "replyDelayMode": "off",
        "replyDelayMs": 5000,
    },
}


def snake(value: Any) -> Any:
    """The same with names_like_this."""
    if not isinstance(value, dict):
        return value
    return {to_snake(name): snake(inner) for name, inner in value.items()}


@pytest.mark.machine
@pytest.mark.parametrize("style", ["camel", "snake"])
async def test_nothing_is_on_by_itself_and_everything_is_there_after_the_yes(
    bed: Bed, old: Path, style: str
) -> None:
    sections = json.loads(json.dumps(OLD))
    for (name, field), key in KEYS.items():
        sections[name][field] = key
    channels = {"sendToolHints": True, "showReasoning": True, **sections}
    file = {"channels": snake(channels) if style == "snake" else channels}
    write(old / "config.json", json.dumps(file))
    bed.store.load()
    importing = bed.importing(old)
    _source, items = await importing.run()

    taken = bed.store.config.channels
    assert not bed.store.problems
    assert not [name for name in NAMES if taken.of(name).enabled]
    assert not [name for name in NAMES if taken.of(name).allow_from], "who may write waits"
    assert (taken.send_tool_hints, taken.telegram.react_emoji, taken.matrix.device_id) == (
        True,
        "🔥",
        "OLDDEVICE",
    )
    assert [name for name in NAMES if taken.of(name).webhook] == ["telegram"]
    stored = {name.removeprefix("nanobot-desktop/"): key for name, key in bed.vault.entries.items()}
    assert stored == {f"channel:{name}:{field}": key for (name, field), key in KEYS.items()}
    files = b"".join(path.read_bytes() for path in bed.root.rglob("*") if path.is_file())
    assert not [key for key in KEYS.values() if key.encode() in files]
    assert not [item for item in items if item.action == "failed"]

    waiting = {loose.name: loose for loose in importing.loose}
    assert {f"channels.{name}.enabled" for name in NAMES} <= waiting.keys()
    for loose in importing.loose:
        assert loose.says
        await bed.store.take_over(changes(loose, bed.store.config))

    now = bed.store.config.channels
    assert not bed.store.problems
    assert all(now.of(name).enabled for name in NAMES)
    assert {name: now.of(name).allow_from for name in NAMES} == {
        name: tuple(OLD[name]["allowFrom"]) for name in NAMES
    }
    assert (now.telegram.group_policy, now.telegram.proxy) == ("open", "socks5://127.0.0.1:1080")
    assert (now.discord.allow_channels, now.discord.working_emoji_delay) == (("400",), 3.5)
    assert (now.slack.dm.policy, now.slack.dm.allow_from) == ("allowlist", ("U8",))
    assert (now.email.imap_host, now.email.poll_interval_seconds) == ("mail.example.org", 60)
    assert (now.email.consent_granted, now.email.post_action) == (True, "move")
    assert now.email.trusted_authserv_ids == ("mx.example.org",)
    assert (now.matrix.homeserver, now.matrix.user_id) == ("https://matrix.example.org", "@bot:example.org")
    assert now.matrix.group_allow_from == ("!room:example.org",)

    assert (now.dingtalk.client_id, now.dingtalk.group_user_isolation) == ("ding0123", True)
    assert now.dingtalk.remote_media_redirect_allowed_hosts == ("files.example.org",)

    assert (now.mochat.base_url, now.mochat.socket_disable_msgpack) == ("https://mochat.example.org", True)
    assert (now.mochat.socket_url, now.mochat.agent_user_id) == ("https://socket.example.org", "698211ea")
    assert (now.mochat.sessions, now.mochat.panels) == (("*",), ("p1",))
    assert (now.mochat.reply_delay_mode, now.mochat.reply_delay_ms) == ("off", 5000)
    assert [now.mochat.wants_mention("p1", group) for group in ("ga", "gb", "gc")] == [False, True, True]

    kept = json.loads(bed.store.path.read_text("utf-8"))["channels"]
    inert = {"discord": "gatewayUrl", "slack": "userTokenReadOnly"}
    for name, field in inert.items():
        assert {normal(key): value for key, value in kept[name].items()}[normal(field)] == OLD[name][field]
    assert now.whatsapp.lid_mappings == {"10000000000007": "49170"}
    assert not {normal(name) for name in kept["whatsapp"]} & {"bridgeurl", "bridgetoken", "databasepath"}
    told = {normal(item.name): item.note for item in items if item.action == "left"}
    assert "no bridge" in told[normal("channels.whatsapp.bridgeUrl")]
    assert "no bridge" in told[normal("channels.whatsapp.bridgeToken")]
    assert "Link WhatsApp again" in told[normal("channels.whatsapp.databasePath")]
    assert b"bridge-token" not in files
    await bed.nothing_new(old)
