"""Which packages the words of a server's command fetch and run, and the same words with exact versions.

`npx -y name` runs whatever its registry has that day. What the person accepted is one version, so each
package in the words is found here, wherever it stands: behind `cmd /c`, `sh -c "..."`, or another server's
words. Nothing is run or looked up here.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from desktop.config.loosens import names

type Kind = Literal["npm", "npm-git", "python", "python-git", "image", "other"]

_ENDINGS = re.compile(r"\.(?:exe|cmd|bat|ps1|com)$", re.IGNORECASE)
_NPM = re.compile(r"((?:@[\w.~-]+/)?[A-Za-z0-9_.~-]+)(?:@(.*))?", re.DOTALL)
_PYTHON = re.compile(r"([A-Za-z0-9][\w.-]*)(\s*\[[^\]]*\])?\s*(.*)", re.DOTALL)
_EXACT_NPM = re.compile(r"[=v]*\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?")
_EXACT_PYTHON = re.compile(r"===?\s*[\w.!+-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
_SHORTHAND = re.compile(r"(?:github:|gitlab:|bitbucket:)?[\w.-]+/[\w.-]+(?:#.*)?")
_RUNNERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "npx": ((),),
    "bunx": ((),),
    "pnpx": ((),),
    "npm": (("exec",), ("x",)),
    "bun": (("x",),),
    "pnpm": (("dlx",),),
    "yarn": (("dlx",),),
    "deno": (("run",), ("x",)),
    "uvx": ((),),
    "uv": (("tool", "run"), ("run",), ("x",)),
    "pipx": (("run",),),
    "docker": (("run",), ("container", "run")),
    "podman": (("run",), ("container", "run")),
    "nerdctl": (("run",), ("container", "run")),
}
"""Programs that fetch what they run, and the words that make them do so."""
_NODE_VALUES = names(
    "-c --call -w --workspace --registry --cache --userconfig --prefix --loglevel --node-options "
    "--node-arg -n --shell --cwd -C --dir --filter --config -F"
)
_PYTHON_VALUES = names(
    "--python -p --index --default-index --index-url -i --extra-index-url -f --find-links --env-file "
    "--directory --project --config-file --cache-dir --color --resolution --prerelease --index-strategy "
    "--keyring-provider --exclude-newer --link-mode --refresh-package --reinstall-package -P "
    "--upgrade-package --no-build-package --no-binary-package -C --config-setting -b --build-constraints "
    "-c --constraints --overrides --python-platform --fork-strategy --allow-insecure-host --torch-backend "
    "--with-requirements --with-editable --pip-args --package --extra --group --only-group --no-group "
    "--no-extra -w --script-args"
)
_SOURCES = names(
    "--registry --prefix --index --default-index --index-url -i --extra-index-url -f --find-links "
    "--index-strategy --keyring-provider --prerelease --exclude-newer --config-file"
)
"""Options that decide where a package comes from."""
_IMAGE_SWITCHES = names(
    "--detach --disable-content-trust --init --interactive --no-healthcheck --oom-kill-disable "
    "--privileged --publish-all --quiet --read-only --rm --sig-proxy --tty --use-api-socket --replace "
    "--env-host --no-hosts --rmi --tls-verify"
)
_IMAGE_LETTERS = frozenset("ditPq")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Package:
    """One package in the words of a command."""

    kind: Kind
    spec: str
    """As it is written: the key of its pin."""
    name: str
    """Without its version; for git the repository, for an image all before its digest."""
    exact: str = ""
    """The version that the person wrote, where they wrote one; "here" for a file of this computer."""
    runner: str = ""
    """The program that fetches it, as it is written."""
    options: tuple[str, ...] = ()
    """The words that say from where it is fetched."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A package, and where it stands: `first`: of a uvx or pipx that runs the program of the same name."""

    package: Package
    at: int
    before: str = ""
    """What stands before it in the same word: `--from=`."""
    first: str = ""
    """The option that says where a program comes from, where the word is the program's name too."""


def packages(command: str, args: Sequence[str]) -> tuple[Package, ...]:
    """All packages that these words have fetched, each once."""
    found: dict[str, Package] = {}
    for one in _packages((command, *args), 0):
        found.setdefault(one.spec, one)
    return tuple(found.values())


def pinned(command: str, args: Sequence[str], pins: Mapping[str, str]) -> tuple[str, ...]:
    """The arguments with the version of each package that has a pin, by its spec; the rest stays as it
    is."""
    return _pinned((command, *args), pins, 0)[1:]


def _packages(words: Sequence[str], depth: int) -> list[Package]:
    found = [one.package for one in _all(words)]
    for word in words[1:]:
        if inner := _within(word, depth):
            found += _packages(inner, depth + 1)
    return found


def _pinned(words: Sequence[str], pins: Mapping[str, str], depth: int) -> tuple[str, ...]:
    made: list[str] = []
    there = {one.at: one for one in _all(words)}
    for at, word in enumerate(words):
        one = there.get(at)
        version = pins.get(one.package.spec, "") if one else ""
        if one and version and not one.package.exact:
            spec = with_version(one.package, version)
            made += [one.first, spec, one.package.name] if one.first else [f"{one.before}{spec}"]
        elif at and (inner := _within(word, depth)):
            made.append(_rewritten(word, inner, pins, depth))
        else:
            made.append(word)
    return tuple(made)


def _within(word: str, depth: int) -> list[str] | None:
    """The words of a command line that is one word, as after `sh -c`."""
    if depth >= _DEEPEST or not re.search(r"\s", word.strip()):
        return None
    text = re.sub(r"(&&|\|\||[;&|()\n])", r" \1 ", word)
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return ["", *words]


def _rewritten(text: str, inner: list[str], pins: Mapping[str, str], depth: int) -> str:
    """A command line with its packages pinned in place; what stands around them is not touched."""
    for one in _all(inner):
        version = pins.get(one.package.spec, "")
        if not version or one.package.exact:
            continue
        spec = with_version(one.package, version)
        new = shlex.join([one.first, spec, one.package.name]) if one.first else f"{one.before}{spec}"
        old = f"{one.before}{one.package.spec}"
        place = re.search(rf"(?<![^\s'\"=]){re.escape(old)}(?![^\s'\";&|()])", text)
        if place:
            text = f"{text[: place.start()]}{new}{text[place.end() :]}"
    for word in inner:
        if deeper := _within(word, depth + 1):
            text = text.replace(word, _rewritten(word, deeper, pins, depth + 1))
    return text


def with_version(package: Package, version: str) -> str:
    """The package in the words of its kind, at this version."""
    match package.kind:
        case "npm":
            before = "npm:" if package.spec.startswith("npm:") else ""
            return f"{before}{package.name}@{version}"
        case "python":
            extras = _PYTHON.fullmatch(package.spec)
            return f"{package.name}{((extras and extras[2]) or '').strip()}=={version}"
        case "image":
            return (
                version if version.startswith("sha256:") else f"{_repository(package.name)}@{version[1:]}"
            )
        case "npm-git":
            return f"{package.name}#{version}"
        case "python-git":
            _base, mark, inside = package.spec.partition("#")
            return f"{package.name}@{version}{mark}{inside}"
        case _:
            return package.spec


# ---- where they stand


def _all(words: Sequence[str]) -> list[_Found]:
    """The packages in a list of words, of all runners in it."""
    found: list[_Found] = []
    for at, word in enumerate(words):
        program = _ENDINGS.sub("", re.split(r"[/\\]", word)[-1]).lower()
        for verbs in _RUNNERS.get(program, ()):
            start = _after(words, at + 1, verbs)
            if start is not None:
                found += [
                    replace(one, package=_told(one.package, word, words, start, one.at))
                    for one in _of(program, verbs, words, at, start)
                ]
                break
    return list({one.at: one for one in reversed(found)}.values())


def _told(package: Package, program: str, words: Sequence[str], start: int, end: int) -> Package:
    """The package with what says from where it is fetched."""
    options: list[str] = []
    for at in range(start, end):
        option, equals, _value = words[at].partition("=")
        if option in _SOURCES:
            options += words[at : at + (1 if equals else 2)]
    return replace(package, runner=program, options=tuple(options))


def _after(words: Sequence[str], at: int, verbs: tuple[str, ...]) -> int | None:
    """Where the words begin that follow these, which options may stand before."""
    for verb in verbs:
        while at < len(words) and words[at].startswith("-"):
            at += 1 if "=" in words[at] or words[at] not in ("--context", "-H", "--host", "--prefix") else 2
        if at >= len(words) or words[at] != verb:
            return None
        at += 1
    return at


def _of(program: str, verbs: tuple[str, ...], words: Sequence[str], at: int, start: int) -> list[_Found]:
    """`at`: where the runner stands; `start`: where the words begin that follow its verbs."""
    if program in ("docker", "podman", "nerdctl"):
        return _image(words, start)
    if program == "deno":
        return [
            _Found(_npm(word), place)
            for place, word in enumerate(words)
            if place >= start and word.startswith(("npm:", "jsr:", "https://", "http://"))
        ][:1]
    if program in ("uvx", "uv", "pipx"):
        return _python_packages(program, verbs, words, start)
    return _node(words, at + 1, start)


def _node(words: Sequence[str], first: int, start: int) -> list[_Found]:
    """`first`: where options of the runner itself begin; `start`: what follows `dlx` and the like."""
    found: list[_Found] = []
    at = first
    while at < len(words):
        word = words[at]
        option, equals, _value = word.partition("=")
        if option in ("-p", "--package"):
            before = f"{option}=" if equals else ""
            at += 0 if equals else 1
            if at < len(words):
                found.append(_Found(_npm(words[at].removeprefix(before)), at, before))
        elif word == "--":
            at += 1
            break
        elif at >= start and not word.startswith("-"):
            break
        elif option in _NODE_VALUES and not equals:
            at += 1
        at += 1
    if not found and at < len(words):
        found.append(_Found(_npm(words[at]), at))
    if {"--no", "--no-install"} & set(words[first:at]):  # it runs only what is installed
        return [replace(one, package=replace(one.package, exact="here")) for one in found]
    return found


def _python_packages(
    program: str, verbs: tuple[str, ...], words: Sequence[str], start: int
) -> list[_Found]:
    source = "--spec" if program == "pipx" else "--from"
    found: list[_Found] = []
    said, at = False, start
    while at < len(words):
        word = words[at]
        option, equals, _value = word.partition("=")
        if option in (source, "--with", "--from", "--spec"):
            said |= option == source
            before = f"{option}=" if equals else ""
            at += 0 if equals else 1
            if at < len(words):
                found.append(_Found(_python(words[at].removeprefix(before)), at, before))
        elif word == "--":
            at += 1
            break
        elif not word.startswith("-"):
            break
        elif option in _PYTHON_VALUES and not equals:
            at += 1
        at += 1
    runs_files = program == "uv" and verbs == ("run",)
    if not said and not runs_files and at < len(words):
        found.append(_Found(_python(words[at]), at, first=source))
    return found


def _image(words: Sequence[str], start: int) -> list[_Found]:
    at = start
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word.startswith("--"):
            takes = "=" not in word and word not in _IMAGE_SWITCHES
        else:  # letters together, the last of which may take the rest or the next word
            letters = word[1:].lstrip("".join(_IMAGE_LETTERS))
            takes = len(letters) == 1
        at += 2 if takes else 1
    if at >= len(words):
        return []
    image = words[at]
    name, _at, digest = image.partition("@")
    exact = digest or (image if re.fullmatch(r"(sha256:)?[0-9a-f]{64}", image) else "")
    return [_Found(Package("image", image, name, exact), at)]


# ---- what they are


def _npm(spec: str) -> Package:
    if spec.startswith(("jsr:", "http://", "https://")) and not spec.endswith(".git"):
        return Package("other", spec, spec)
    if _is_node_git(spec):
        base, _mark, ref = spec.partition("#")
        return Package("npm-git", spec, base, ref if _COMMIT.fullmatch(ref) else "")
    if _is_path(spec):
        return Package("other", spec, spec, "here")
    matched = _NPM.fullmatch(spec.removeprefix("npm:"))
    if matched is None:
        return Package("other", spec, spec)
    name, version = matched[1], matched[2] or ""
    if version.startswith(("npm:", "http:", "https:", "git")):
        return Package("other", spec, name)
    if "/" in version and spec.startswith("npm:"):  # what follows is a file in the package
        version = version.partition("/")[0]
    return Package("npm", spec, name, version if _EXACT_NPM.fullmatch(version) else "")


def _is_node_git(spec: str) -> bool:
    if spec.startswith(("git+", "git://", "git@", "ssh://")):
        return True
    if spec.startswith(("https://", "http://")):
        return spec.partition("#")[0].endswith(".git")
    return not spec.startswith(("@", ".", "/", "~", "npm:")) and bool(_SHORTHAND.fullmatch(spec))


def _python(spec: str) -> Package:
    text = spec.strip()
    if text.startswith("git+"):
        base = text.partition("#")[0]
        ref = base.removeprefix(_without_ref(base)).removeprefix("@")
        return Package("python-git", spec, _without_ref(base), ref if _COMMIT.fullmatch(ref) else "")
    if "://" in text or " @ " in text:
        return Package("other", spec, text)
    if _is_path(text) or text.endswith(".py"):
        return Package("other", spec, text, "here")
    name, at, version = text.partition("@")
    if at:  # as uvx writes it
        matched = _PYTHON.fullmatch(name)
        exact = version if re.match(r"\d", version) else ""
        return Package("python", spec, matched[1] if matched else name, exact)
    matched = _PYTHON.fullmatch(text)
    if matched is None:
        return Package("other", spec, text)
    wanted = matched[3].strip()
    exact = wanted.lstrip("= ") if _EXACT_PYTHON.fullmatch(wanted) else ""
    return Package("python", spec, matched[1], exact)


def _is_path(spec: str) -> bool:
    """Whether it is a file or folder of this computer."""
    return spec.startswith((".", "/", "~", "file:", "\\")) or bool(re.match(r"[A-Za-z]:[\\/]", spec))


def _without_ref(address: str) -> str:
    """A git address without the @branch at its end."""
    head, slash, last = address.rpartition("/")
    return f"{head}{slash}{last.partition('@')[0]}"


def _repository(image: str) -> str:
    """An image's name without its tag."""
    head, slash, last = image.rpartition("/")
    return f"{head}{slash}{last.partition(':')[0]}"
