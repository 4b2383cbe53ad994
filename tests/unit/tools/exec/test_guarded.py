"""What a command that nobody was asked about, with marked text in view, can leave for later. Needs
bubblewrap."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.tools.exec import guarded
from desktop.tools.exec.sandbox import find, works
from desktop.tools.exec.walls import walls
from desktop.tools.permissions.project_files import runs_later
from tests.unit.tools.exec.conftest import Desk

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(not (find() and works(find())), reason="bubblewrap is not here"),
]

EVIL = "evil"
OLD = "as it was\n"


@pytest.fixture
def guard(desk: Desk, tmp_path: Path) -> Desk:
    desk.settings = {"sandbox": "auto"}
    desk.walls = lambda settings: walls(tmp_path / "home", desk.workspace, settings)
    desk.context = {"guarded": True}
    return desk


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(OLD)


def repository(root: Path, *options: str) -> Path:
    for words in (
        ("init", "-q", *options, str(root)),
        ("-C", str(root), "config", "user.email", "a@b.c"),
        ("-C", str(root), "config", "user.name", "A"),
    ):
        subprocess.run(["git", *words], check=True, capture_output=True)
    return root


def live(root: Path) -> dict[str, str]:
    """What is in the workspace but what was set aside, as texts."""
    return {
        name: path.read_text("utf-8", "replace")
        for path in sorted(root.rglob("*"))
        if path.is_file() and not (name := str(path.relative_to(root))).startswith(guarded.ASIDE)
    }


def aside(root: Path) -> list[str]:
    """What was set aside, without the time in its name."""
    found = (path.relative_to(root / guarded.ASIDE) for path in (root / guarded.ASIDE).rglob("*"))
    return sorted("/".join(path.parts[1:]) for path in found if (root / guarded.ASIDE / path).is_file())


CHANGES = {
    "write": "printf evil > {0}",
    "append": "printf evil >> {0}",
    "copy": "printf evil > x; cp x {0}",
    "move": "printf evil > x; mv -f x {0}",
    "link": "printf evil > x; ln -sf $PWD/x {0}",
    "hard link": "printf evil > x; ln -f x {0}",
    "remove first": "rm -f {0}; printf evil > {0}",
    "sed": "sed -i s/as/evil/ {0}",
    "python": "/usr/bin/python3 -c \"import os; open('x', 'w').write('evil'); os.replace('x', '{0}')\"",
    "parent": "d=$(dirname {0}); mv $d other; mkdir -p $d; printf evil > {0}",
}
IN_EVERY_RUN = ("write", "hard link", "parent")
THERE = (
    *("Makefile", "repo/package.json", "repo/sub/.envrc", "repo/.vscode/tasks.json", "repo/conftest.py"),
    *("repo/.git/hooks/post-commit", "repo/.git/config", "repo/node_modules/x/index.js"),
    *("repo/.git/info/attributes", "repo/.git/modules/m/config", ".venv/bin/activate"),
)


@pytest.mark.parametrize(
    "how", [pytest.param(how, marks=[] if how in IN_EVERY_RUN else pytest.mark.soak) for how in CHANGES]
)
async def test_what_is_there_stays_as_it_is(guard: Desk, how: str) -> None:
    write(guard.workspace, *THERE)
    for name in THERE:
        if how == "parent" and "/" not in name:
            continue
        told = await guard.run(CHANGES[how].format(name))
        assert live(guard.workspace)[name] == OLD, (name, told)
    for name in THERE:
        assert live(guard.workspace)[name] == OLD


NEW: dict[str, tuple[str, Callable[[Path], bool]]] = {
    "a recipe": ("printf evil > Makefile", lambda root: (root / "Makefile").exists()),
    "in a new folder": (
        "mkdir -p a/b; printf evil > a/b/package.json",
        lambda root: "evil" in str(live(root)),
    ),
    "a hook": (
        "mkdir -p repo/.git/hooks; printf evil > repo/.git/hooks/pre-commit",
        lambda root: (root / "repo/.git/hooks/pre-commit").exists(),
    ),
    "a repository": ("mkdir r; git init -q r", lambda root: (root / "r/.git").exists()),
    "a bare repository": ("git init -q --bare plain", lambda root: (root / "plain/HEAD").exists()),
    "a pointer to a repository": (
        "mkdir s; echo gitdir: ../x > s/.git",
        lambda root: (root / "s/.git").exists(),
    ),
    "a link": ("printf evil > x.txt; ln -s x.txt Makefile", lambda root: (root / "Makefile").is_symlink()),
    "a linked folder": ("mkdir v; ln -s v .vscode", lambda root: (root / ".vscode").is_symlink()),
    "a shut folder": (
        "mkdir shut; printf evil > shut/Makefile; chmod 0 shut",
        lambda root: (root / "shut/Makefile").exists(),
    ),
    "a folder without writing": (
        "mkdir shut; printf evil > shut/.envrc; chmod 500 shut",
        lambda root: (root / "shut/.envrc").exists(),
    ),
    "a shut folder of settings": (
        "mkdir .vscode; printf evil > .vscode/tasks.json; chmod 500 .vscode",
        lambda root: (root / ".vscode").exists(),
    ),
    "packages": (
        "mkdir -p node_modules/.bin; printf evil > node_modules/.bin/jest",
        lambda root: (root / "node_modules").exists(),
    ),
    "many": (
        "mkdir many; for n in $(seq 60); do mkdir many/$n; printf evil > many/$n/Makefile; done",
        lambda root: bool(list((root / "many").rglob("Makefile"))),
    ),
    "another case": ("printf evil > makeFILE", lambda root: (root / "makeFILE").exists()),
    "where things are set aside": (
        "mkdir -p files; ln -s /tmp files/set-aside; printf evil > Makefile",
        lambda root: (root / "Makefile").exists(),
    ),
    "in the background": (
        "(sleep 0.1; printf evil > Makefile) & sleep 0.3",
        lambda root: (root / "Makefile").exists(),
    ),
    "a command that fails": ("printf evil > Makefile; exit 3", lambda root: (root / "Makefile").exists()),
}


@pytest.mark.parametrize("what", NEW)
async def test_what_is_new_is_set_aside(guard: Desk, what: str) -> None:
    command, happened = NEW[what]
    (guard.workspace / "repo/.git").mkdir(parents=True)
    told = await guard.run(command)
    assert "so they were set aside" in told
    assert not happened(guard.workspace), told


async def test_nothing_is_lost_and_the_rest_stays(guard: Desk) -> None:
    told = await guard.run(
        "printf evil > Makefile; mkdir d; printf more > d/setup.py; printf fine > d/a.txt"
    )
    assert live(guard.workspace) == {"d/a.txt": "fine"}
    assert aside(guard.workspace) == ["Makefile.set-aside", "d/setup.py.set-aside"]
    assert "Makefile (now files/set-aside/" in told
    assert "write_file" in told


async def test_a_read_only_file_is_explained(guard: Desk) -> None:
    write(guard.workspace, "Makefile")
    told = await guard.run("printf evil > Makefile")
    assert "change them with edit_file" in told


async def test_a_person_s_own_link_is_kept(guard: Desk) -> None:
    write(guard.workspace, "build/real.txt")
    (guard.workspace / "Makefile").symlink_to("build/real.txt")
    await guard.run("printf evil > build/real.txt")
    assert live(guard.workspace)["Makefile"] == OLD
    told = await guard.run("printf evil > b; ln -sf b Makefile")
    assert not (guard.workspace / "Makefile").exists()
    assert "Makefile" in told


async def test_a_commit_works(guard: Desk) -> None:
    root = repository(guard.workspace / "repo")
    told = await guard.run(
        "cd repo && echo hi > a && git add a && git commit -qm first && git log --oneline"
    )
    assert "first" in told
    assert told.endswith("exit code 0")
    assert "set aside" not in told
    assert (root / ".git/refs/heads").is_dir()
    told = await guard.run("cd repo && git config core.pager evil; git worktree add -q ../w")
    assert "pager" not in (root / ".git/config").read_text()


async def test_with_a_yes_nothing_is_kept_back(guard: Desk) -> None:
    guard.context = {}
    write(guard.workspace, "Makefile")
    told = await guard.run("printf new > Makefile; mkdir -p .git/hooks; printf new > .git/hooks/a; ls")
    assert live(guard.workspace) == {".git/hooks/a": "new", "Makefile": "new"}
    assert "aside" not in told


async def test_other_files_are_made_and_changed_as_ever(guard: Desk) -> None:
    write(guard.workspace, "src/a.txt", "src/Makefile", "b/c.txt")
    told = await guard.run("echo x > src/a.txt; mv src/a.txt b/; mkdir -p n/m; echo y > n/m/z; rm b/c.txt")
    assert told == "(no output)\nexit code 0"
    assert sorted(live(guard.workspace)) == ["b/a.txt", "n/m/z", "src/Makefile"]


async def test_too_many_are_kept_by_their_folder(guard: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "MOST_KEPT", 3)
    write(guard.workspace, "Makefile", *(f"mono/{n}/package.json" for n in range(8)), "other/a.txt")
    await guard.run("for n in 0 3 7; do printf evil > mono/$n/package.json; done; printf evil > Makefile")
    assert set(live(guard.workspace).values()) == {OLD}
    await guard.run("printf new > other/a.txt")
    assert live(guard.workspace)["other/a.txt"] == "new"


async def test_what_is_not_looked_at_is_read_only(guard: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "MOST_LOOKED_AT", 3)
    write(guard.workspace, "a/b/Makefile", "a/c/x", "d/e/x")
    await guard.run("for f in a/b/Makefile a/c/Makefile d/e/Makefile; do printf evil > $f; done")
    assert not [name for name, text in live(guard.workspace).items() if EVIL in text]


@pytest.mark.parametrize("name", ["x/HEAD", "node_modules/a/b.js", ".venv/lib/a.py", "Dockerfile.dev"])
def test_these_run_later(name: str) -> None:
    assert runs_later(Path(name))
