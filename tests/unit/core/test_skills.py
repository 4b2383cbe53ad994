"""The skills, as they are asked of a real core."""

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.api.client import Api
from desktop.api.skills import SkillFile, SkillLine
from desktop.cli.owner import Owner
from desktop.errors import StorageError, UsageError
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from tests import warm

TEXT = "---\nname: herbs\ndescription: Herb facts.\n---\n\nBody.\n"


class Desk:
    def __init__(self, owner: Owner, home: Home) -> None:
        self.owner, self.home, self.api = owner, home, Api(owner).skills
        self.folder = home.workspace / "skills"

    async def named(self, name: str) -> SkillLine | None:
        found = (await self.api.all()).skills
        return next((skill for skill in found if skill.name == name), None)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    home = Home(tmp_path / "home", tmp_path / "home" / "models")
    ownership = Ownership.take(home)
    assert ownership is not None
    owner = Owner(home, "window", ownership)
    owner.host = warm.host(owner.bus)
    await owner.start()
    yield Desk(owner, home)
    await owner.stop()


async def test_a_skill_is_written_read_changed_deleted_and_brought_back(desk: Desk) -> None:
    assert await desk.api.save("herbs", TEXT, new=True) == "herbs"
    path = desk.folder / "herbs" / "SKILL.md"
    assert path.read_text() == TEXT
    found = await desk.named("herbs")
    assert found == SkillLine("herbs", "Herb facts.", "workspace", str(path))
    file = SkillFile("herbs", "Herb facts.", "workspace", str(path), text=TEXT, editable=True)
    assert await desk.api.one("herbs") == file
    await desk.api.save("herbs", TEXT.replace("facts", "lore"))
    assert (await desk.api.one("herbs")).description == "Herb lore."
    (path.parent / "more.md").write_text("beside it")
    token = await desk.api.delete("herbs")
    assert await desk.named("herbs") is None
    assert not path.exists()
    assert await desk.api.restore(token) == "herbs"
    assert (path.parent / "more.md").read_text() == "beside it"
    assert [p.name for p in desk.folder.iterdir() if not p.name.startswith(".")] == ["herbs"]
    assert not list(path.parent.glob("*.new"))


async def test_the_folder_is_told(desk: Desk) -> None:
    assert (await desk.api.all()).folder == str(desk.folder)


@pytest.mark.parametrize(
    "name",
    ["", "Herbs", "my_skill", "-a", "a-", "a--b", "../a", "a/b", "a b", "草药", "a" * 65, ".deleted"],
)
async def test_a_name_that_cannot_be(desk: Desk, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        await desk.api.save(name, TEXT, new=True)
    assert refused.value.remedy
    assert not desk.folder.exists()


async def test_a_name_that_is_taken(desk: Desk) -> None:
    await desk.api.save("herbs", TEXT, new=True)
    for name in ("herbs", "weather"):
        with pytest.raises(UsageError, match="already"):
            await desk.api.save(name, "other", new=True)
    assert (await desk.api.one("herbs")).text == TEXT


async def test_a_changed_built_in_skill_is_a_copy(desk: Desk) -> None:
    shipped = await desk.api.one("weather")
    assert (shipped.source, shipped.editable) == ("builtin", False)
    await desk.api.save("weather", shipped.text + "\nMine.")
    own = await desk.api.one("weather")
    assert (own.source, own.shadows, own.editable) == ("workspace", True, True)
    assert own.text.endswith("\nMine.\n")
    assert not Path(shipped.path).read_text().endswith("Mine.\n")
    await desk.api.delete("weather")
    assert (await desk.api.one("weather")).text == shipped.text


async def test_a_built_in_skill_is_not_deleted(desk: Desk) -> None:
    with pytest.raises(UsageError, match="is built in"):
        await desk.api.delete("weather")


async def test_a_skill_is_switched_off_and_on(desk: Desk) -> None:
    await desk.api.switch("weather", on=False)
    found = await desk.named("weather")
    assert found is not None
    assert not found.enabled
    stored = json.loads(desk.home.config.read_text())
    assert stored["agents"]["defaults"]["disabledSkills"] == ["weather"]
    assert "weather" not in desk.owner.core.skills.prompt()
    await desk.api.switch("weather", on=True)
    assert "- weather: " in desk.owner.core.skills.prompt()


async def test_a_skill_that_is_not_there(desk: Desk) -> None:
    for work in (desk.api.one("none"), desk.api.delete("none")):
        with pytest.raises(UsageError, match="There is no skill named none"):
            await work
    with pytest.raises(UsageError):
        await desk.api.switch("none", on=False)


@pytest.mark.parametrize(
    "token", ["", "x", "1-", "../1-herbs", "1-../../herbs", "00000000000000000001-herbs"]
)
async def test_a_wrong_word_brings_nothing_back(desk: Desk, token: str) -> None:
    with pytest.raises(UsageError, match="no longer available"):
        await desk.api.restore(token)


async def test_the_place_of_a_deleted_skill_may_be_taken(desk: Desk) -> None:
    await desk.api.save("herbs", TEXT, new=True)
    token = await desk.api.delete("herbs")
    await desk.api.save("herbs", "Other.", new=True)
    with pytest.raises(UsageError, match="already"):
        await desk.api.restore(token)
    assert (await desk.api.one("herbs")).text == "Other.\n"


async def test_what_was_deleted_long_ago_is_removed(desk: Desk) -> None:
    old = desk.folder / ".deleted" / f"{time.time_ns() - 40 * 86_400 * 10**9:020}-old"
    old.mkdir(parents=True)
    (old / "SKILL.md").write_text("old")
    await desk.api.save("herbs", TEXT, new=True)
    token = await desk.api.delete("herbs")
    assert [path.name for path in (desk.folder / ".deleted").iterdir()] == [token]


async def test_a_text_that_is_too_long(desk: Desk) -> None:
    with pytest.raises(UsageError, match="too long"):
        await desk.api.save("herbs", "x" * 1_000_001, new=True)


async def test_what_cannot_be_written_back_is_not_editable(desk: Desk) -> None:
    for name, data in (("big", b"x" * 2_000_000), ("gbk", "草药".encode("gb18030"))):
        (desk.folder / name).mkdir(parents=True)
        (desk.folder / name / "SKILL.md").write_bytes(data)
        found = await desk.api.one(name)
        assert not found.editable
        assert found.problem
        assert len(found.text) <= 60_000


async def test_a_link_out_of_the_workspace_is_neither_read_nor_written(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "SKILL.md").write_text("secret")
    desk.folder.mkdir(parents=True)
    (desk.folder / "far").symlink_to(tmp_path / "far")
    found = await desk.api.one("far")
    assert (found.text, found.editable, found.available) == ("", False, False)
    with pytest.raises(UsageError, match="leads out of the workspace"):
        await desk.api.save("far", "new")
    assert (tmp_path / "far" / "SKILL.md").read_text() == "secret"
    token = await desk.api.delete("far")
    assert (tmp_path / "far" / "SKILL.md").exists(), "the link goes, not what it leads to"
    assert await desk.api.restore(token) == "far"


async def test_a_folder_where_nothing_can_be_written(desk: Desk) -> None:
    desk.folder.write_text("a file where a folder should be")
    with pytest.raises(StorageError):
        await desk.api.save("herbs", TEXT, new=True)
    assert await desk.named("weather") is not None


async def test_a_value_that_a_skill_needs_is_kept_in_the_keychain_and_known_by_its_name(desk: Desk) -> None:
    kept: dict[str, str] = {}
    keychain = desk.owner.core.keychain

    class Vault:
        def get_password(self, _service: str, name: str, /) -> str | None:
            return kept.get(name)

        def set_password(self, _service: str, name: str, value: str, /) -> None:
            kept[name] = value

        def delete_password(self, _service: str, name: str, /) -> None:
            del kept[name]

    keychain._choose = Vault
    text = "---\nname: sky\ndescription: Weather.\nrequires:\n  env: [SKY_KEY]\n---\n\nAsk.\n"
    await desk.api.save("sky", text, new=True)
    found = await desk.named("sky")
    assert found
    assert (found.available, found.variables) == (False, ("SKY_KEY",))
    with pytest.raises(UsageError, match="SKY_KEY"):
        await desk.api.set_key("sky", "OTHER", "x")
    await desk.api.set_key("sky", "SKY_KEY", " sky-secret-1 ")
    assert kept == {"skill:sky:SKY_KEY": "sky-secret-1"}
    assert "sky-secret-1" not in desk.home.config.read_text()
    found = await desk.named("sky")
    assert found
    assert found.available
    assert desk.owner.core.skills.keys([Path(found.path)], "") == {"SKY_KEY": "sky"}
    assert desk.owner.core.skills.keys([], "what about $sky") == {"SKY_KEY": "sky"}
    assert desk.owner.core.skills.keys([], "what about the sky") == {}
    await desk.api.set_key("sky", "SKY_KEY")
    assert kept == {}
    found = await desk.named("sky")
    assert found
    assert not found.available
