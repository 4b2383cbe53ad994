"""An old home's pictures, prompts and paired senders: looked at, taken, and used from then on."""

import json
from pathlib import Path

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.importer.homes import newer, write
from tests.unit.providers.samples import png


def test_pictures_come_along_and_senders_wait_for_a_yes(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Basil.")
    old = newer(tmp_path / "old")
    write(old / ".nanobot/media/telegram/p1.jpg", png(4, 4))
    approved = {
        "approved": {"telegram": ["1001", "2002"]},
        "pending": {"ABCD-EFGH": {"channel": "telegram"}},
    }
    write(old / ".nanobot/pairing.json", json.dumps(approved))

    shown = program.run("import", str(old), "--dry-run").stdout
    assert "File  media/telegram (1 file)  imported" in shown
    assert "File  prompts/dream.md  kept but not used here" in shown
    assert "Paired sender  telegram 2002  off until you approve it" in shown
    assert "Pairing codes" in shown
    assert not (program.home / "workspace/files/media").exists()

    program.events("import", str(old))
    program.run("ask", "And what is on the photo?", "--session", "telegram:1001")
    parts = [m["content"] for m in server.requests[-1].body["messages"] if isinstance(m["content"], list)]
    assert "See photo" in str(parts)
    assert "data:image/png;base64," in str(parts)
    assert str(program.home / "workspace/files/media/telegram/p1.jpg") in str(parts)

    config = program.home / "config.json"
    assert "2002" not in config.read_text("utf-8")
    (waits,) = waiting(program)
    assert "over telegram" in str(waits["text"])
    done = program.run("waiting", "accept", str(waits["id"]))
    assert "telegram 2002 is on." in done.stdout
    assert allowed(config) == ["2002"]
    (listed,) = waiting(program, "channels.telegram.allowFrom")
    program.run("waiting", "accept", str(listed["id"]))
    assert allowed(config) == ["2002", "1001"]
    assert waiting(program) == []


def waiting(program: Program, name: str = "telegram 2002") -> list[dict[str, object]]:
    return [one for one in program.events("waiting", "list") if one["name"] == name]


def allowed(config: Path) -> list[str]:
    senders: list[str] = json.loads(config.read_text("utf-8"))["channels"]["telegram"]["allowFrom"]
    return senders
