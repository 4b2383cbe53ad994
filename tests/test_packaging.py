"""What a Linux package says of the program, read by the tools that read it on a person's computer."""

import os
import re
import string
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import click
import pytest
import yaml

from desktop.cli.app import build
from desktop.paths import APP_ID

ROOT = Path(__file__).parent.parent
LINUX = ROOT / "packaging" / "linux"
NAME = "nanobot-desktop"
FILLED = {
    **dict.fromkeys(re.findall(r"\$\{(\w+)\}", (LINUX / "nfpm.yaml").read_text("utf-8")), "1"),
    "VERSION": "1.2.3",
}


def ran(*command: str, given: str | None = None) -> str:
    """What a tool says; nothing, where it has no fault to find."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def entry() -> ConfigParser:
    read = ConfigParser(interpolation=None, strict=True)
    read.optionxform = str  # type: ignore[assignment, method-assign]
    read.read_string((LINUX / "share/applications" / f"{APP_ID}.desktop").read_text("utf-8"))
    return read


@pytest.mark.machine
def test_the_menu_entry_is_one() -> None:
    assert ran("desktop-file-validate", str(LINUX / "share/applications" / f"{APP_ID}.desktop")) == ""


@pytest.mark.machine
def test_software_centres_can_read_what_it_is(tmp_path: Path) -> None:
    text = (LINUX / f"share/metainfo/{APP_ID}.metainfo.xml").read_text("utf-8")
    for name, value in (
        ("VERSION", "1.2.3"),
        ("DATE", "2026-01-01"),
        ("HOMEPAGE", "https://example.org"),
    ):
        assert f"@{name}@" in text
        text = text.replace(f"@{name}@", value)
    assert "@" not in text
    filled = tmp_path / f"{APP_ID}.metainfo.xml"
    filled.write_text(text, "utf-8")
    ran("appstreamcli", "validate", "--no-net", "--no-color", str(filled))


def test_what_the_menu_starts_is_a_command_of_ours() -> None:
    app = build()
    commands = app.list_commands(click.Context(app))
    for section in entry().sections():
        program, *words = entry()[section]["Exec"].split()
        assert program == NAME
        assert words in ([], ["%u"]) or words[0] in commands


def test_the_menu_starts_it_by_the_name_that_it_has_on_the_bus() -> None:
    """A desktop derives the name on the bus from that of the file."""
    assert entry()["Desktop Entry"]["DBusActivatable"] == "true"
    service = ConfigParser(interpolation=None)
    service.read(LINUX / "share/dbus-1/services" / f"{APP_ID}.service", "utf-8")
    assert dict(service["D-BUS Service"]) == {"name": APP_ID, "exec": f"/usr/bin/{NAME} --activated"}
    about = (LINUX / f"share/metainfo/{APP_ID}.metainfo.xml").read_text("utf-8")
    assert f"<id>{APP_ID}</id>" in about
    assert f'<launchable type="desktop-id">{APP_ID}.desktop</launchable>' in about


def manual(folder: Path) -> Path:
    """The manual page, as the package has it."""
    code = "import sys; sys.path[:0] = sys.argv[1:3]; import documents; print(documents.manual(), end='')"
    done = subprocess.run(
        [sys.executable, "-c", code, str(LINUX), str(ROOT)],
        env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "VERSION": "1.2.3"},
        capture_output=True,
        text=True,
        check=True,
    )
    page = folder / f"{NAME}.1"
    page.write_text(done.stdout, "utf-8")
    return page


@pytest.mark.machine
def test_the_manual_page_has_every_command_and_no_fault(tmp_path: Path) -> None:
    page = manual(tmp_path)
    assert ran("groff", "-man", "-Tutf8", "-ww", "-z", "-Kutf8", str(page)) == ""
    read = re.sub(r".\x08", "", ran("groff", "-man", "-Tutf8", "-Kutf8", "-P-c", str(page)))
    for name in build().commands:
        assert name in read
    for link in (f"{NAME}://conversation/KEY", f"{NAME}://mcp?settings=JSON"):
        assert link in read


def test_the_description_of_the_packages() -> None:
    told = yaml.safe_load(string.Template((LINUX / "nfpm.yaml").read_text("utf-8")).substitute(FILLED))
    assert (told["name"], told["version"]) == (NAME, "1.2.3")
    assert "scripts" not in told, "nothing of ours runs as root while it is installed"
    placed = {one["dst"]: one for one in told["contents"]}
    assert placed[f"/usr/bin/{NAME}"]["src"] == f"/opt/{NAME}/{NAME}"
    for kind in ("deb", "rpm"):
        depends = told["overrides"][kind]["depends"]
        assert depends == sorted(depends, key=str.lower)
        assert not set(depends) & set(told["overrides"][kind]["recommends"])


@pytest.mark.machine
def test_the_unit_starts_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    unit = (LINUX / "share/systemd" / f"{NAME}.service").read_text("utf-8")
    program = tmp_path / NAME
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    assert f"ExecStart=/usr/bin/{NAME} serve\n" in unit
    tried = tmp_path / f"{NAME}.service"
    kept = [
        line for line in unit.splitlines() if not line.startswith("Documentation=")
    ]  # not installed here
    tried.write_text("\n".join(kept).replace(f"/usr/bin/{NAME}", str(program)), "utf-8")
    assert ran("systemd-analyze", "--user", "verify", str(tried)) == ""
