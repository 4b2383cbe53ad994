"""What a yes to a command covers: all files that it runs, as they are now."""

import os
from pathlib import Path

import pytest

from desktop.tools.permissions.commands import walk
from desktop.tools.permissions.rules import standing
from desktop.tools.permissions.scripts import LARGEST, MOST, covered, fingerprint
from tests.unit.tools.permissions.conftest import Make

PROJECT = {
    "run.sh": "echo one\n. ./lib/common.sh\npython3 tools/job.py\n",
    "lib/common.sh": "bash lib/deep.sh\n",
    "lib/deep.sh": "echo deep\n",
    "tools/job.py": "import helper\nfrom pack import part\nfrom pack.inner import x\n",
    "tools/helper.py": "import deeper\n",
    "tools/deeper.py": "x = 1\n",
    "tools/pack/__init__.py": "",
    "tools/pack/part.py": "",
    "tools/pack/inner.py": "",
    "Makefile": "include rules/common.mk\nall:\n\tsh build/all.sh\n",
    "rules/common.mk": "x = 1\n",
    "build/all.sh": "true\n",
    "package.json": '{"scripts": {"test": "node scripts/test.js"}}',
    "scripts/test.js": "require('./other')\n",
    "scripts/other.js": "1\n",
    "tests/test_a.py": "",
    "conftest.py": "",
    "unrelated.txt": "run.sh",
    "unrelated.sh": "echo nothing\n",
}
SCRIPT = {"run.sh", "lib/common.sh", "lib/deep.sh"}
JOB = {f"tools/{name}" for name in ("job.py", "helper.py", "deeper.py")} | {
    f"tools/pack/{name}.py" for name in ("__init__", "part", "inner")
}
COVERS = {
    "bash run.sh": SCRIPT | JOB,
    "./run.sh": SCRIPT | JOB,
    "sh lib/common.sh": {"lib/common.sh", "lib/deep.sh"},
    "source lib/common.sh": {"lib/common.sh", "lib/deep.sh"},
    "bash < run.sh": SCRIPT,
    "python3 tools/job.py": JOB,
    "cd tools && python3 -m helper": {"tools/helper.py", "tools/deeper.py"},
    "make all": {"Makefile", "rules/common.mk", "build/all.sh"},
    "npm test": {"package.json", "scripts/test.js", "scripts/other.js"},
    "pytest": {"conftest.py", "tests/test_a.py", "tools/job.py"},
    "python3 -m pytest": {"conftest.py", "tests/test_a.py", "tools/job.py"},
}


@pytest.fixture
def project(make: Make) -> Path:
    for name, text in PROJECT.items():
        path = make.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return make.workspace


def names(make: Make, command: str) -> set[str]:
    found = covered(walk(command, make.workspace, make.me), make.workspace)
    return {str(one.path.relative_to(make.workspace)) for one in found}


@pytest.mark.parametrize("command", COVERS)
def test_all_that_a_command_runs_is_covered(make: Make, project: Path, command: str) -> None:
    found = names(make, command)
    assert found >= COVERS[command]
    assert "unrelated.sh" not in found


@pytest.mark.parametrize("command", ["ls run.sh", "cat run.sh", "echo run.sh", "wc -l tools/job.py"])
def test_what_is_only_read_is_not(make: Make, project: Path, command: str) -> None:
    assert names(make, command) == set()


def test_what_lies_elsewhere_is_not_the_agent_s_to_change(make: Make, tmp_path: Path) -> None:
    far = tmp_path / "far.sh"
    far.write_text("true")
    assert names(make, f"bash {far}") == set()


def test_a_change_anywhere_in_it_is_a_change(make: Make, project: Path) -> None:
    def digests() -> dict[Path, str]:
        return {
            one.path: one.digest for one in covered(walk("bash run.sh", project, make.me), make.workspace)
        }

    before = digests()
    (project / "tools/deeper.py").write_text("x = 2\n")
    changed = {path for path, digest in digests().items() if before[path] != digest}
    assert changed == {project / "tools/deeper.py"}


def test_a_rule_is_offered_with_what_it_covers_and_not_for_too_many(make: Make, project: Path) -> None:
    rule = standing("exec", make.command("bash run.sh"), make.situation())
    assert rule
    assert {str(Path(name).relative_to(project)) for name in rule.files} >= SCRIPT | JOB
    for number in range(MOST + 5):
        (project / f"tests/test_{number}.py").write_text(f"{number}\n")
    assert standing("exec", make.command("pytest"), make.situation()) is None
    assert standing("exec", make.command("sh lib/deep.sh"), make.situation())


def test_files_that_name_each_other_end(make: Make, project: Path) -> None:
    (project / "a.sh").write_text("sh b.sh\n")
    (project / "b.sh").write_text("sh a.sh\n")
    assert names(make, "sh a.sh") == {"a.sh", "b.sh"}


def test_a_huge_file_is_known_by_its_size_and_time_too(make: Make) -> None:
    path = make.workspace / "huge.sh"
    path.write_bytes(b"#" * (LARGEST + 10))
    before = fingerprint(path)
    with path.open("r+b") as file:
        file.seek(LARGEST + 5)
        file.write(b"evil")
    os.utime(path, ns=(1, 1))
    assert fingerprint(path) != before


def test_what_cannot_be_read_has_a_name_of_its_own(make: Make) -> None:
    folder, pipe = make.workspace / "folder", make.workspace / "pipe"
    folder.mkdir()
    os.mkfifo(pipe)
    kinds = {fingerprint(make.workspace / name) for name in ("gone", "folder", "pipe")}
    assert not any(len(kind) == 64 for kind in kinds)
