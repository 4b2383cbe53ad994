"""Looking for newer versions: once a day at the most, at a real server; nothing unsigned is believed."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.api.updates import Releases
from desktop.bus.bus import Bus
from desktop.config.updates import Updates as Settings
from desktop.database.database import Database
from desktop.inbox.inbox import UPDATE, Inbox
from desktop.paths import Home
from desktop.services.rhythm import SOON_S
from desktop.text import use
from desktop.updates.health import look as examined
from desktop.updates.release import BROKEN, HUGE, OLDER, UNSIGNED, Refused, verified
from desktop.updates.service import UpdateCheck
from desktop.updates.source import Source, installer_of, read
from tests.servers.web import Site, moved, packed, page, serving
from tests.unit.updates.releases import KEY, PAGE, PATH, STRANGER, release, signed, source

ROOT = Path(__file__).parents[3]
PUBLIC = KEY.public_key().public_bytes_raw()


EXPECTED = pytest.mark.expected_log(r"(no look at releases|release file that was kept)")


class Bench:
    """A home, its inbox, and the server that has the release file."""

    def __init__(self, folder: Path, database: Database, site: Site) -> None:
        self.home, self.site = Home(folder, folder / "models"), site
        self.inbox = Inbox(database, Bus())
        self.settings = Settings()
        self.made: list[UpdateCheck] = []

    def check(self, *, window: bool = True, version: str = "1.0.0") -> UpdateCheck:
        """A program that starts."""
        found = lambda: source(self.site.port)  # noqa: E731
        bus = Bus()
        self.made.append(
            UpdateCheck(
                self.home,
                lambda: self.settings,
                self.inbox,
                bus,
                window=window,
                find=found,
                version=version,
            )
        )
        return self.made[-1]

    def serve(self, body: bytes) -> None:
        """From now on the server has this file."""
        self.site.pages[PATH] = lambda _asked: page(body, "application/json")

    async def looked(self) -> UpdateCheck:
        """A program that has looked by itself."""
        check = self.check()
        await check.start()
        await check.by_itself()
        return check

    async def told(self) -> list[str]:
        return [notice.title for notice in await self.inbox.list(kind=UPDATE)]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    database = Database(tmp_path / "state.db")
    await database.open()
    async with serving(Site()) as site:
        bench = Bench(tmp_path, database, site)
        yield bench
        for check in bench.made:
            await check.stop()
    await database.close()


async def test_a_newer_version_is_told_once_with_what_is_new(bench: Bench) -> None:
    bench.serve(release())
    check = await bench.looked()
    await check.by_itself()
    assert await bench.told() == ["Nanobot Desktop 9.1.0 is available"]
    [notice] = await bench.inbox.list(kind=UPDATE)
    assert "It sings." in notice.body["text"]
    assert f"{PAGE}/9.1.0" in notice.body["remedy"]


async def test_nothing_of_the_person_or_the_program_is_sent(bench: Bench) -> None:
    bench.serve(release())
    await bench.looked()
    [asked] = bench.site.asked
    assert (asked.method, asked.path, asked.body) == ("GET", PATH, b"")
    assert asked.headers == {
        "host": f"127.0.0.1:{bench.site.port}",
        "connection": "keep-alive",
        "user-agent": "NanobotDesktop",
        "accept": "application/json",
        "accept-encoding": "identity",
    }


async def test_it_is_looked_once_a_day_over_restarts_too(bench: Bench) -> None:
    bench.serve(release("1.0.0"))
    first = bench.check()
    await first.start()
    assert first.rhythm.next is not None
    assert first.rhythm.next - time.time() < SOON_S + 5, "it never looked: soon after the start"
    await first.by_itself()
    again = bench.check()
    await again.start()
    for check in (first, again):
        assert check.rhythm.next is not None
        assert check.rhythm.next - time.time() > 23 * 3600


async def test_a_look_that_failed_was_one_too(bench: Bench) -> None:
    check = await bench.looked()
    assert check.known.unreachable
    assert check.rhythm.next is not None
    assert check.rhythm.next - time.time() > 23 * 3600
    assert await bench.told() == []


@pytest.mark.parametrize(
    ("value", "window", "looks"),
    [
        ("window", True, True),
        ("window", False, False),
        ("always", True, True),
        ("always", False, True),
        ("never", True, False),
        ("never", False, False),
    ],
)
async def test_the_setting_says_who_looks(bench: Bench, value: str, window: bool, looks: bool) -> None:
    bench.settings = Settings.model_validate({"check": value})
    check = bench.check(window=window)
    await check.start()
    assert (check.rhythm.next is not None) is looks


async def test_turning_it_off_counts_at_once(bench: Bench) -> None:
    check = bench.check()
    await check.start()
    bench.settings = Settings(check="never")
    check.apply()
    assert check.rhythm.next is None
    assert check.status.state.value == "off"


async def test_a_build_that_names_no_address_never_looks(bench: Bench) -> None:
    bus = Bus()
    check = UpdateCheck(
        bench.home, lambda: bench.settings, bench.inbox, bus, window=True, find=lambda: None
    )
    await check.start()
    await check.look()
    assert check.rhythm.next is None
    assert bench.site.asked == []
    await check.stop()


async def test_this_checkout_names_none() -> None:
    assert not (ROOT / "resources" / "release.json").exists()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (release(by=STRANGER), UNSIGNED),
        (release().replace(b"9.1.0", b"9.9.9"), UNSIGNED),
        (json.dumps({"version": "9.1.0"}).encode(), BROKEN),
        (b"<html>Sign in to this network</html>", BROKEN),
        (b"", BROKEN),
        (b"\xff\xfe", BROKEN),
        (b"[" * 60_000, BROKEN),
        (signed("[]"), BROKEN),
        (signed("{}"), BROKEN),
        (release(version="later"), BROKEN),
        (release(page="http://example.org"), BROKEN),
        (release(page="https://example.org/\u202etxt.exe"), BROKEN),
        (release(date="soon"), BROKEN),
        (release(news=None), BROKEN),
        (release(news={"en": "text"}), BROKEN),
        (release(news={"en": ["x" * 100_000]}), HUGE),
        (b" " * 10_000_000, HUGE),
    ],
    ids=range(17),
)
@EXPECTED
async def test_a_bad_file_is_refused_quietly(
    bench: Bench, body: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench.serve(body)
    with caplog.at_level("WARNING"):
        check = await bench.looked()
    assert check.known.refused == why
    assert why in caplog.text
    assert await bench.told() == []
    ok, state, remedy = examined(bench.home, source(bench.site.port), off=False)
    assert (ok, state) == (False, why)
    assert PAGE in remedy


@EXPECTED
async def test_what_is_packed_is_not_unpacked(bench: Bench) -> None:
    bench.site.pages[PATH] = lambda _asked: packed(release())
    check = await bench.looked()
    assert check.known.refused == BROKEN


@EXPECTED
async def test_an_older_file_that_comes_again_is_refused(bench: Bench) -> None:
    """Who can answer for the server could hold the person back at a version with a hole."""
    bench.serve(release("9.1.0"))
    await bench.looked()
    bench.serve(release("9.0.0"))
    check = await bench.looked()
    assert check.known.refused == OLDER
    assert check.available is not None
    assert check.available.version == "9.1.0"
    bench.serve(release("9.1.0", date="2026-11-30"))
    await check.look()
    assert check.known.refused == OLDER
    bench.serve(release("9.2.0"))
    await check.look()
    assert check.known.refused == ""


@EXPECTED
async def test_what_was_kept_is_believed_only_with_its_signature(bench: Bench) -> None:
    bench.serve(release("9.1.0"))
    await bench.looked()
    kept = bench.home.root / "updates" / "release.json"
    kept.write_bytes(kept.read_bytes().replace(b"9.1.0", b"9.7.0"))
    check = bench.check()
    await check.load()
    assert check.available is None


async def test_a_redirect_is_followed_but_to_no_unsafe_address(bench: Bench) -> None:
    bench.site.pages["/there"] = lambda _asked: page(release(), "application/json")
    bench.site.pages[PATH] = lambda _asked: moved("/there")
    check = await bench.looked()
    assert check.available is not None
    asked = len(bench.site.asked)
    bench.site.pages[PATH] = lambda _asked: moved(f"http://localhost:{bench.site.port}/there")
    await check.look()
    assert check.known.unreachable
    assert len(bench.site.asked) == asked + 1, "the unsafe address was asked"


async def test_a_notice_of_a_version_that_is_here_by_now_is_closed(bench: Bench) -> None:
    bench.serve(release("9.1.0"))
    await bench.looked()
    assert await bench.told()
    newer = bench.check(version="9.1.0")
    await newer.start()
    assert await bench.told() == []


async def test_versions_are_compared_by_their_numbers() -> None:
    found = verified(release("1.10.0"), PUBLIC)
    assert found.is_newer("1.9.3")
    assert not found.is_newer("1.10")
    assert not found.is_newer("2.0")


async def test_what_is_new_is_told_in_the_persons_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE", raising=False)
    found, english = verified(release(), PUBLIC), verified(release(news={"en": ["It sings."]}), PUBLIC)
    try:
        use("zh_CN")
        assert found.told == ("它会唱歌。",)
        assert english.told == ("It sings.",)
    finally:
        use("en")


async def test_a_look_by_hand_is_the_look_of_that_day(bench: Bench) -> None:
    bench.serve(release())
    check = bench.check()
    await check.start()

    async def found() -> UpdateCheck:
        return check

    api = Releases(found)
    assert (await api.known()).newer is None
    known = await api.look()
    assert known.newer is not None
    assert (known.newer.version, known.newer.news) == ("9.1.0", ("It sings.",))
    assert known.last is not None
    assert check.rhythm.next is not None
    assert check.rhythm.next - time.time() > 23 * 3600


async def test_the_look_of_a_program_that_ends_is_broken_off(bench: Bench) -> None:
    held = asyncio.Event()

    async def hang(_asked: object) -> bytes:
        held.set()
        await asyncio.Event().wait()
        return b""

    bench.site.pages[PATH] = hang
    check = bench.check()
    await check.start()
    check._due()
    await held.wait()
    await check.stop()
    assert check.status.state.value == "off"


def test_who_installed_the_program_is_known(tmp_path: Path) -> None:
    packaged, dpkg = tmp_path / "opt", tmp_path / "dpkg"
    dpkg.mkdir()
    program = packaged / "nanobot-desktop"
    assert installer_of(program, packaged, dpkg) == ""
    (dpkg / "nanobot-desktop.list").touch()
    assert installer_of(program, packaged, dpkg) == "apt"
    assert installer_of(tmp_path / "home" / "nanobot-desktop", packaged, dpkg) == ""


def test_the_build_writes_what_the_program_reads(tmp_path: Path) -> None:
    """The makers' side, from the pair of keys to the file that a program believes."""
    script = [sys.executable, str(ROOT / "packaging" / "release.py")]

    def run(*words: str, **variables: str) -> str:
        environment = {**os.environ, **variables}
        done = subprocess.run(
            [*script, *words], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    keys = dict(line.split("=", 1) for line in run("keys").splitlines())
    built, made = tmp_path / "built.json", tmp_path / "release.json"
    run("build", str(built))
    assert not built.exists(), "no address: nothing is built in"
    run(
        "build",
        str(built),
        NANOBOT_RELEASE_ADDRESS="https://example.org/release.json",
        NANOBOT_RELEASE_PAGE=PAGE,
        **keys,
    )
    found = read(built)
    assert isinstance(found, Source)
    run("sign", "0.1.0", "2026-11-30", PAGE, str(made), **keys)
    told = verified(made.read_bytes(), found.key)
    assert (told.version, told.date, told.page) == ("0.1.0", "2026-11-30", PAGE)
    assert any("conversations listed by day" in line for line in told.news["en"])
    with pytest.raises(Refused):
        verified(made.read_bytes(), PUBLIC)


@pytest.mark.expected_log(r"of this build (has no|can.t be read)")
def test_a_build_without_a_safe_address_or_key_never_looks(tmp_path: Path) -> None:
    file = tmp_path / "release.json"
    good = {"address": "https://example.org/r.json", "page": PAGE, "key": "A" * 43 + "="}
    file.write_text(json.dumps(good), "utf-8")
    assert read(file) is not None
    for wrong in (
        {"address": "http://example.org/r.json"},
        {"key": "c2hvcnQ="},
        {"key": "not base64!"},
        {"page": "javascript:1"},
    ):
        file.write_text(json.dumps({**good, **wrong}), "utf-8")
        assert read(file) is None
