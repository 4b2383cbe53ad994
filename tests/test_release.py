"""The steps of a release, as far as they can be taken here: what the workflow at GitHub calls."""

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from desktop import __version__
from desktop.api.about import shipped
from desktop.updates.release import verified

ROOT = Path(__file__).parent.parent
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
GH = '#!/bin/sh\nprintf "%s\\n" "$@" >"$GH_SAID"\n'


def step(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "packaging/release.sh", *words],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tag_is_that_of_a_version_with_a_dated_section_in_the_changelog() -> None:
    assert step("tag", f"v{__version__}").returncode == 0
    for wrong in ("v9.9.9", __version__, f"v{__version__}.1", ""):
        done = step("tag", wrong)
        assert done.returncode != 0
        assert "is not that of version" in done.stderr


@pytest.mark.machine
def test_publishing_sums_signs_and_makes_a_draft(tmp_path: Path) -> None:
    out, programs, said = tmp_path / "out", tmp_path / "bin", tmp_path / "said"
    out.mkdir()
    programs.mkdir()
    (out / "nanobot-desktop_1_amd64.deb").write_bytes(b"a package")
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)
    key = Ed25519PrivateKey.generate()
    done = step(
        "publish",
        str(out),
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
        GH_SAID=str(said),
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_REPOSITORY="someone/something",
        GITHUB_REF_NAME=f"v{__version__}",
        NANOBOT_RELEASE_SIGNING_KEY=base64.b64encode(key.private_bytes_raw()).decode(),
    )
    assert done.returncode == 0, done.stderr
    release = verified((out / "release.json").read_bytes(), key.public_key().public_bytes_raw())
    assert release.version == __version__
    assert release.page == f"https://github.com/someone/something/releases/tag/v{__version__}"
    summed = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"], cwd=out, capture_output=True, text=True, check=False
    )
    assert summed.returncode == 0, summed.stderr
    assert {"nanobot-desktop_1_amd64.deb: OK", "release.json: OK"} <= set(summed.stdout.splitlines())
    told = said.read_text().splitlines()
    assert told[:4] == ["release", "create", f"v{__version__}", "--draft"]
    assert {path.name for path in out.iterdir()} == {Path(line).name for line in told[-3:]}


@pytest.mark.machine
def test_without_a_key_nothing_is_signed_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.deb").touch()
    done = step(
        "publish",
        str(out),
        PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        GH_SAID=str(tmp_path / "said"),
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_REPOSITORY="someone/something",
        GITHUB_REF_NAME=f"v{__version__}",
        NANOBOT_RELEASE_SIGNING_KEY="",
    )
    assert done.returncode == 0, done.stderr
    assert "no key to sign" in done.stderr
    assert not (out / "release.json").exists()


def test_the_bill_of_materials_has_everything_that_is_shipped(tmp_path: Path) -> None:
    bills = []
    for name in ("a.json", "b.json"):
        subprocess.run(
            [sys.executable, "packaging/sbom.py", str(tmp_path / name)],
            cwd=ROOT,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1"},
            check=True,
        )
        bills.append((tmp_path / name).read_bytes())
    assert bills[0] == bills[1], "the same build, the same bytes"
    bill = json.loads(bills[0])
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == __version__
    by_name = {one["name"]: one for one in bill["components"]}
    assert set(by_name) >= {one.name for one in shipped()} - {"Nanobot Desktop"}
    assert {"Python", "Inter", "Lucide"} <= set(by_name)
    assert len({one["bom-ref"] for one in bill["components"]}) == len(bill["components"])
    for one in bill["components"]:
        if one["purl"].startswith("pkg:pypi/"):
            assert one["version"], one["name"]
            hashes = [part["value"] for part in one["properties"]]
            assert all(re.fullmatch("[0-9a-f]{64}", value) for value in hashes)
            assert hashes, one["name"]


@pytest.mark.parametrize("job", ["build", "stories"])
def test_what_builds_can_write_nothing(job: str) -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in workflow["jobs"][job]
    for one in workflow["jobs"].values():
        for found in one["steps"]:
            if found.get("uses", "").startswith("actions/checkout@"):
                assert found["with"]["persist-credentials"] is False


def test_secrets_reach_the_step_that_signs_and_no_other() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    holders = {
        found.get("name")
        for job in workflow["jobs"].values()
        for found in job["steps"]
        if "secrets." in json.dumps(found)
    }
    assert holders == {"Build", "Publish"}
    assert "secrets." not in json.dumps({k: v for k, v in workflow.items() if k != "jobs"})
