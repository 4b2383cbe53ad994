"""What a contributor meets first: the quick check, the hooks, the workflow, the forms.

The workflow and the forms work at GitHub only. That they can be read and name what is there is tested here.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
HOOKS = ROOT / ".pre-commit-config.yaml"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = [path for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"]
TOLD = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", ".github/pull_request_template.md")]
BASH = shutil.which("bash") or "bash"
# https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests
FIELDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in read(workflow)["jobs"].values() for step in job["steps"]]


def bash(*words: str, folder: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([BASH, *words], cwd=folder, capture_output=True, text=True, check=False)


def by_id(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=by_id)
def test_a_workflow_runs_what_is_there(workflow: Path) -> None:
    commands = [step["run"] for step in steps(workflow) if "run" in step]
    assert commands
    for command in commands:
        scripts = [word for word in shlex.split(command) if word.endswith(".sh")]
        assert scripts, f"no script of ours: {command}"
        for script in scripts:
            assert (ROOT / script).is_file(), script


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=by_id)
def test_a_workflow_can_only_read_and_runs_the_actions_that_were_looked_at(workflow: Path) -> None:
    assert read(workflow)["permissions"] == {"contents": "read"}
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), f"{action} is not a commit"


def test_the_three_systems_are_checked() -> None:
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS)
    assert all(name in text for name in ("ubuntu-", "macos-", "windows-"))


def test_the_quick_check_is_one_command_of_its_own() -> None:
    """A word too many is wrong usage; were the option unknown, pytest would get both."""
    done = bash("tests/run.sh", "--quick", "tests/unit")
    assert done.returncode != 0
    assert done.stderr.startswith("--quick takes nothing more")
    assert not done.stdout


def test_what_the_quick_check_leaves_out_exists() -> None:
    """A folder that was renamed would slip into it unseen."""
    found = re.search(r"^left_out=\((.*)\)$", (ROOT / "tests/run.sh").read_text("utf-8"), re.MULTILINE)
    assert found
    for folder in found[1].split():
        assert (ROOT / "tests/unit" / folder).is_dir(), folder


def hooks() -> dict[str, dict[str, Any]]:
    return {hook["id"]: hook for repo in read(HOOKS)["repos"] for hook in repo["hooks"]}


def test_the_hooks_fetch_nothing() -> None:
    assert {repo["repo"] for repo in read(HOOKS)["repos"]} == {"local"}
    assert {hook["language"] for hook in hooks().values()} == {"system"}


def test_the_hooks_run_the_projects_own_tools() -> None:
    for hook in hooks().values():
        program, script, tool, *_ = shlex.split(hook["entry"])
        assert program == "bash"
        done = bash(script, tool, "--version")
        assert done.returncode == 0, done.stderr
        assert tool in done.stdout


def test_a_hook_refuses_what_the_check_would_refuse(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("import os\n")
    _bash, *words = shlex.split(hooks()["ruff"]["entry"])
    assert bash(*words, str(tmp_path / "good.py")).returncode == 0
    done = bash(*words, str(tmp_path / "bad.py"))
    assert done.returncode == 1
    assert "F401" in done.stdout


def test_without_an_environment_a_hook_says_what_makes_one(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests/tool.sh", tmp_path / "tests")
    done = bash("tests/tool.sh", "ruff", "check", folder=tmp_path)
    assert done.returncode == 1
    assert "bash tests/run.sh --quick" in done.stderr


@pytest.mark.parametrize("form", FORMS, ids=by_id)
def test_a_form_is_one_that_github_takes(form: Path) -> None:
    found = read(form)
    assert {"name", "description", "body"} <= set(found) <= {"name", "description", "body", "labels"}
    assert {field["type"] for field in found["body"]} <= FIELDS
    asked = [field for field in found["body"] if field["type"] != "markdown"]
    ids = [field["id"] for field in asked]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[\w-]+", name) for name in ids)
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)
    for field in asked:
        if field["type"] == "dropdown":
            assert all(isinstance(option, str) for option in field["attributes"]["options"])


def test_problems_of_security_are_not_sent_to_the_issues() -> None:
    assert (ROOT / ".github/SECURITY.md").is_file()
    assert read(ROOT / ".github/ISSUE_TEMPLATE/config.yml") == {"blank_issues_enabled": False}
    assert '"Report a vulnerability"' in (ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text("utf-8")


@pytest.mark.parametrize("page", TOLD, ids=by_id)
def test_a_command_that_is_told_is_there(page: Path) -> None:
    told = re.findall(r"(?:bash|python) ((?:tests|packaging)/[\w./-]*\w)", page.read_text("utf-8"))
    assert told
    for path in told:
        assert (ROOT / path).exists(), f"{page.name} names {path}"
