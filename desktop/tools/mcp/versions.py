"""Which version of a server's package its own tool would take now: asked of npm, uv, pip, docker or git.

Nothing of the package is run. What is found is kept with the server, so that later starts run the same.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from desktop.errors import AppError
from desktop.tasks import end_child, in_thread
from desktop.text import _
from desktop.tools.mcp.environment import Ready
from desktop.tools.mcp.failures import Misconfigured, said
from desktop.tools.mcp.packages import Package, packages, pinned

_SECONDS, _PULL_SECONDS = 60.0, 600.0
_LONGEST = 4_000_000
_VERSION = re.compile(r"\d[\w.!+-]*")
_HOSTS = {"github:": "https://github.com/", "gitlab:": "https://gitlab.com/"}


class _Failed(Exception):
    """A tool is missing, or said that it failed."""


async def fixed(ready: Ready, pins: Mapping[str, str]) -> tuple[Ready, dict[str, str]]:
    """What to start with a version on each package, and the pins: those of packages that are still in the
    words, and new ones for those that had none. Raises AppError, Misconfigured: which has none."""
    kept: dict[str, str] = {}
    for package in packages(ready.command, ready.args):
        if not package.exact and not await in_thread(_installed, package, ready):
            kept[package.spec] = pins.get(package.spec) or await newest(package, ready)
    return replace(ready, args=pinned(ready.command, ready.args, kept)), kept


def _installed(package: Package, ready: Ready) -> bool:
    """Whether npx runs a program that lies in the server's own folder, and fetches nothing (blocking)."""
    if package.kind != "npm" or package.spec != package.name:
        return False
    folder = ready.cwd
    for at, word in enumerate(package.options):
        if word.startswith("--prefix"):
            folder = ready.cwd / (word.partition("=")[2] or package.options[at + 1])
    return any(
        (place / "node_modules" / ".bin" / package.name).exists() for place in (folder, *folder.parents)
    )


async def newest(package: Package, ready: Ready) -> str:
    """The version that would be taken now, as a pin has it. Raises AppError, Misconfigured."""
    if package.kind == "other":
        raise Misconfigured(
            _(
                "{package} has no version to pin, so it isn’t started: it could be a different one each "
                "time."
            ).format(package=said(package.spec)),
            _("Install it, and enter the program itself as the command."),
        )
    try:
        version = await _asked(package, ready)
    except _Failed as failed:
        raise AppError(
            _("The version of {package} could not be determined, so it isn’t started: {reason}").format(
                package=said(package.spec), reason=said(str(failed))
            ),
            _("Try again later, or put the exact version into the command."),
        ) from None
    return version


async def _asked(package: Package, ready: Ready) -> str:
    match package.kind:
        case "npm":
            return await _npm(package, ready)
        case "python":
            return await _python(package, ready)
        case "image":
            return await _image(package, ready)
        case _:
            return await _commit(package, ready)


async def _npm(package: Package, ready: Ready) -> str:
    wanted = package.spec.removeprefix("npm:")
    for tool in ("npm", "pnpm", "bun"):
        if not await in_thread(_where, tool, ready):
            continue
        verb = "info" if tool == "bun" else "view"
        text = await _output(ready, [tool, verb, wanted, "version", "--json", *package.options])
        with contextlib.suppress(ValueError):
            found = json.loads(text)
            text = str(found[-1] if isinstance(found, list) and found else found)
        return _version_in(text)
    raise _Failed(_("npm is not installed."))


async def _python(package: Package, ready: Ready) -> str:
    wanted = package.spec.partition("@")[0]
    if await in_thread(_where, "uv", ready):
        words = ["uv", "pip", "compile", "-", "--no-deps", "--no-header", "--no-annotate", "--quiet"]
        text = await _output(ready, [*words, *package.options], given=f"{wanted}\n")
        return _version_in(text.partition("==")[2])
    libraries = (await _output(ready, ["pipx", "environment", "--value", "PIPX_SHARED_LIBS"])).strip()
    python = str(Path(libraries) / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    if not await in_thread(_where, python, ready):  # pipx makes its pip when it is first needed
        await _output(ready, ["pipx", "upgrade-shared"], seconds=_PULL_SECONDS)
    words = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet"]
    text = await _output(ready, [*words, "--report", "-", *package.options, wanted])
    try:
        return _version_in(json.loads(text)["install"][0]["metadata"]["version"])
    except (ValueError, LookupError, TypeError):
        raise _Failed(_("pip did not report a version.")) from None


async def _image(package: Package, ready: Ready) -> str:
    look = [package.runner, "image", "inspect", "--format", "{{json .RepoDigests}} {{.Id}}", package.spec]
    try:
        text = await _output(ready, look)
    except _Failed:
        await _output(ready, [package.runner, "pull", "--quiet", package.spec], seconds=_PULL_SECONDS)
        text = await _output(ready, look)
    digest = re.search(r"@(sha256:[0-9a-f]{64})", text)
    own = re.search(r"(?:^|\s)(?:sha256:)?([0-9a-f]{64})\s*$", text)
    if digest:
        return f"@{digest[1]}"
    if own:  # made here: it is known by its own hash
        return f"sha256:{own[1]}"
    raise _Failed(_("It has no digest."))


async def _commit(package: Package, ready: Ready) -> str:
    address = package.name.removeprefix("git+")
    for short, long in _HOSTS.items():
        address = f"{long}{address.removeprefix(short)}" if address.startswith(short) else address
    if re.fullmatch(r"[\w.-]+/[\w.-]+", address):
        address = f"https://github.com/{address}"
    ref = _ref(package)
    text = await _output(
        ready, ["git", "ls-remote", "--", address, *([ref, f"{ref}^{{}}"] if ref else ["HEAD"])]
    )
    found = re.findall(r"^([0-9a-f]{40,64})\s+(\S+)$", text, re.MULTILINE)
    if not found:
        raise _Failed(_("The repository has nothing with this name."))
    peeled = [commit for commit, name in found if name.endswith("^{}")]
    return str((peeled or [commit for commit, _name in found])[0])


def _ref(package: Package) -> str:
    """The branch or tag that is written, "" for none."""
    if package.kind == "npm-git":
        return package.spec.partition("#")[2]
    return package.spec.partition("#")[0].removeprefix(package.name).removeprefix("@")


def _version_in(text: str) -> str:
    found = _VERSION.match(text.strip().strip('"'))
    if found is None:
        raise _Failed(_("The registry reports no version."))
    return found[0]


def _where(tool: str, ready: Ready) -> str | None:
    """The tool beside the command, or in the path (blocking)."""
    if Path(tool).name != tool:
        return shutil.which(tool)
    beside = str(Path(ready.command).parent) if Path(ready.command).is_absolute() else ""
    return shutil.which(tool, path=os.pathsep.join(filter(None, (beside, ready.env.get("PATH", "")))))


async def _output(ready: Ready, words: Sequence[str], given: str = "", seconds: float = _SECONDS) -> str:
    """What a tool prints. Raises _Failed with what it complains of."""
    program = await in_thread(_where, words[0], ready)
    if program is None:
        raise _Failed(_("{program} is not installed.").format(program=Path(words[0]).name))
    pipe = asyncio.subprocess.PIPE
    try:
        child = await asyncio.create_subprocess_exec(
            program, *words[1:], stdin=pipe, stdout=pipe, stderr=pipe, env=ready.env, cwd=ready.cwd
        )
    except OSError as error:
        raise _Failed(error.strerror or str(error)) from error
    try:
        async with asyncio.timeout(seconds):
            out, complaint = await child.communicate(given.encode())
    except TimeoutError:
        raise _Failed(_("No response within {seconds:.0f} s.").format(seconds=seconds)) from None
    finally:
        end_child(child)
        await child.wait()
    if child.returncode:
        lines = [line for line in complaint.decode("utf-8", "replace").splitlines() if line.strip()]
        raise _Failed(" ".join(lines[:4]) or str(child.returncode))
    return out[:_LONGEST].decode("utf-8", "replace")
