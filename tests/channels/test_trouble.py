"""Trouble of one chat app: told with a remedy, nothing lost or doubled, and in no other app's way."""

import asyncio
import io
import os
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from desktop.channels.channels import entry
from tests.channels.app import App
from tests.channels.apps import APPS, Mochat, WhatsApp
from tests.channels.doors import Way
from tests.channels.real_apps import Email, Matrix
from tests.channels.test_bad_input import full_disk
from tests.channels.trouble import (
    give,
    rename,
    renew,
    revoke,
    say,
    talking,
    until,
)
from tests.servers.scripted import ScriptedServer

pytestmark = pytest.mark.machine
NAMES = [name for name in APPS if name != Email.name or os.getuid() == 0]


@pytest.fixture(scope="module")
def town() -> Iterator[dict[str, App]]:
    """The services, for all tests of this file."""
    with ExitStack() as stack:
        yield {name: APPS[name](stack, 2) for name in NAMES}


@pytest.fixture
def apps(
    town: dict[str, App], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> list[App]:
    """The one in trouble, and another."""
    name = request.param
    found = [town[name], town["slack" if name == "telegram" else "telegram"]]
    for app in found:
        if isinstance(app, Email):
            monkeypatch.setenv("SSL_CERT_FILE", str(app.server.certificate))
        if isinstance(app, Matrix):
            renew(app)  # the program of each test is another device
    return found


def told(detail: str) -> bool:
    """A sentence and a remedy, and no words of a program."""
    return detail.count(". ") >= 1 and "internal error" not in detail


@pytest.mark.parametrize("apps", NAMES, indirect=True)
async def test_a_key_that_is_taken_back_needs_the_person_and_the_other_app_goes_on(
    apps: list[App], tmp_path: Path, server: ScriptedServer
) -> None:
    app, other = apps
    async with talking(tmp_path, server, apps) as talks:
        await talks.ask(app)
        await asyncio.to_thread(revoke, app)
        detail = await talks.state(app, "needs_sign_in")
        assert told(detail), detail
        await talks.ask(other)
        note = await talks.write(app)
        await asyncio.to_thread(renew, app)
        await talks.again(app)
        await talks.state(app, "running")
        await talks.answered(app, note)
        assert len(talks.stored(note)) == 1


@pytest.mark.parametrize("apps", NAMES, indirect=True)
async def test_a_service_that_is_gone_or_somebody_else_is_told_and_found_again(
    apps: list[App], tmp_path: Path, server: ScriptedServer
) -> None:
    app, other = apps
    way, details = Way(app), {}
    await way.set("through")
    try:
        async with talking(tmp_path, server, apps, {app.name: way}) as talks:
            await talks.ask(app)
            for how in ("shut", "page", "unasked", "silent"):
                await way.set(how)
                if how != "shut":
                    await way.tried()
                details[how] = await talks.state(app, "degraded", "failed")
                await talks.ask(other)
            note = await talks.write(app)
            await way.set("through")
            await talks.answered(app, note)
            assert len(talks.stored(note)) == 1
    finally:
        await way.close()
    assert all(told(detail) for detail in details.values()), details


ZIP = io.BytesIO()
with zipfile.ZipFile(ZIP, "w") as archive:
    archive.writestr("../../out.txt", "x")
ZALGO = "z" + "".join(map(chr, range(0x300, 0x370))) * 20
TEXTS = {
    "zalgo": ZALGO,
    "backwards": "\u202egnp.exe\u202c \u2067שלום\u2069",
    "nothing": "a\u0000b\ufeff",
    "half a letter": "half \ud83d a letter",
    "long": "word " * 40_000,
}
NAMES_OF_FILES = (
    "cat.png",
    "猫" * 300 + ".png",
    "../../../../etc/passwd",
    "..",
    "\u202egnp.exe",
    "a\nb\tc.txt",
    "n" * 4000 + ".txt",
    "con.",
    "🐈" * 100,
    "~/.bashrc",
)


POISON: tuple[dict[str, object], ...] = (
    {"msgtype": "m.text", "body": "[poison]", "m.relates_to": {"m.in_reply_to": "nothing"}},
    {"msgtype": "m.text", "body": "[poison]", "m.relates_to": {"rel_type": "m.thread", "event_id": []}},
    {"msgtype": "m.text", "body": "[poison]", "m.mentions": {"user_ids": [[]], "room": []}},
    {"msgtype": ["m.text"], "body": "[poison]"},
    {"msgtype": "m.file", "body": "[poison]", "url": [], "info": [], "file": 1, "filename": {}},
    {"msgtype": "m.text", "body": ["[poison]"]},
)
"""What any app may put into a message of Matrix."""


@pytest.mark.parametrize("apps", NAMES, indirect=True)
async def test_what_nobody_sends_on_purpose_is_taken_as_far_as_it_goes(
    apps: list[App], tmp_path: Path, server: ScriptedServer
) -> None:
    app = apps[0]
    async with talking(tmp_path, server, [app], model="say:Good day.") as talks:
        longest = 200 if isinstance(app, Matrix) else 4000
        half = (
            "" if isinstance(app, Matrix | Email | Mochat | WhatsApp) else "\ud83d"
        )  # which these can't carry
        await asyncio.to_thread(rename, app, f"\u202eMal\n{half}{'x' * longest}")
        for what, text in TEXTS.items():
            kept = text[:60_000] if isinstance(app, Matrix) else text
            kept = kept if half else kept.replace("\ud83d", "")
            await asyncio.to_thread(app.write, f"[{what}] {kept}", 1)
        if isinstance(app, Matrix):
            for poison in POISON:
                await asyncio.to_thread(say, app, poison)
        named = [name for name in NAMES_OF_FILES if not isinstance(app, Email) or "\n" not in name]
        for name in named:
            await asyncio.to_thread(give, app, f"[file] {half}", [(name, ZIP.getvalue())], 1)
        await asyncio.to_thread(give, app, "[album]", [(f"{n}.png", b"%d" % n) for n in range(10)], 1)
        last = await talks.write(app, 1)
        await until(lambda: talks.stored(last) and len(talks.stored("[file]")) == len(named), "they wait")
        assert (await talks.line(app)).detail == ""
        told = {what: talks.stored(f"[{what}]") for what in TEXTS}
        assert all(len(one) == 1 for one in told.values())
        assert told["zalgo"][0]["content"].endswith(ZALGO)
        assert len(told["long"][0]["content"]) < 101_000
        people = [one for one in talks.records() if one.get("role") == "user"]
        assert all(len(one["_sender"]) <= 80 and one["_sender"].isprintable() for one in people)
        paths = [Path(path) for one in people for path in one.get("_files", ())]
        assert {path.parent for path in paths} == {tmp_path / "workspace" / "files" / app.name}
        missing = [one for one in talks.stored("[file]") if "could not be received" in one["content"]]
        whole = [path for path in paths if path.read_bytes() == ZIP.getvalue()]
        assert len(whole) + len(missing) == len(named)
        assert len(whole) >= 7
        if not isinstance(app, Email):  # which takes so many as its settings say
            assert sorted(path.read_bytes() for path in paths if path not in whole) == [
                b"%d" % n for n in range(10)
            ]
        assert "image_url" not in str(server.requests)


@pytest.mark.parametrize("apps", NAMES, indirect=True)
@pytest.mark.expected_log("waits for the disk|could not be (stored|written|entered)")
async def test_with_a_full_disk_nothing_is_lost_or_doubled(
    apps: list[App], tmp_path: Path, server: ScriptedServer
) -> None:
    app = apps[0]
    async with talking(tmp_path, server, [app]) as talks:
        await talks.ask(app)
        with full_disk():
            notes = [await talks.write(app), await talks.write(app)]
            detail = await talks.state(app, "degraded")
        assert told(detail), detail
        for note in notes:
            await talks.answered(app, note)
        assert [len(talks.stored(note)) for note in notes] == [1, 1]
        said = await asyncio.to_thread(app.said)
        assert [sum(note in one for one in said) for note in notes] == [1, 1]


@pytest.mark.parametrize(
    ("apps", "field"),
    [
        ("telegram", "token"),
        ("slack", "botToken"),
        ("discord", "token"),
        ("matrix", "accessToken"),
        ("email", "imapPassword"),
        ("qq", "secret"),
        ("dingtalk", "clientSecret"),
        ("feishu", "appSecret"),
        ("mochat", "clawToken"),
    ],
    indirect=["apps"],
)
async def test_a_key_that_can_be_none_is_named(
    apps: list[App], tmp_path: Path, server: ScriptedServer, field: str
) -> None:
    app = apps[0]
    async with talking(tmp_path, server, []) as talks:
        await talks.on(app, enabled=False)
        for wrong in ("a\nb", "tökén-of-ours", "\u202etoken", "x" * 4000, "../../x?y#z", "\"'; DROP"):
            talks.desk.owner.core.keychain.remember(entry(app.name, field), wrong)
            tried = await talks.desk.api.channels.test(app.name)
            assert (tried.ok, tried.field) == (False, field), wrong
            assert tried.remedy or "begins with" in tried.text, wrong
            assert "internal error" not in tried.text
