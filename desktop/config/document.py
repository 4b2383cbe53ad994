"""config.json as bytes: reading what people and editors make of it, writing it so that it survives."""

import codecs
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop import jsontext
from desktop.config.base import normal
from desktop.errors import ConfigError
from desktop.text import _

_INDENT = re.compile(r'\n([ \t]+)"')
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def parse(data: bytes, name: str, twice: list[ConfigError] | None = None) -> dict[str, Any]:
    """The settings in a file; what stands there twice is told in `twice`. Raises ConfigError that names the
    line."""
    text = _text(data, name)

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if twice is not None and len(made) < len(found):
            names = Counter(key for key, _value in found)
            twice.extend(_twice(name, key) for key, count in names.items() if count > 1)
        return made

    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise ConfigError(
            _("{file} is damaged at line {line}, column {column}.").format(
                file=name, line=error.lineno, column=error.colno
            ),
            _("Correct that line, or change any setting: the damaged file is then set aside."),
        ) from None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or jsontext.too_deep(value):
        raise ConfigError(
            _("{file} contains no settings: it must be one JSON object.").format(file=name),
            _("Correct the file, or change any setting: the damaged file is then set aside."),
        )
    return value


def _twice(file: str, key: str) -> ConfigError:
    return ConfigError(
        _("{file} contains {key} twice in the same place. The last one is used.").format(
            file=file, key=key
        ),
        _("Keep one of them, or change any setting: the original file is then set aside."),
    )


def _text(data: bytes, name: str) -> str:
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            _("{file} is not UTF-8 text: line {line} can’t be read.").format(file=name, line=line),
            _("Save the file as UTF-8 in your editor."),
        ) from None


def render(document: Mapping[str, Any], like: str = "") -> bytes:
    """The document as a file, indented like the text it replaces."""
    found = _INDENT.search(like)
    indent = found[1] if found else "  "
    return (jsontext.dumps(document, indent) + "\n").encode()


def write(path: Path, data: bytes) -> None:
    """Replace a file in one step: whole or not at all, its mode kept (0600 for a new one)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def keep(path: Path, data: bytes) -> Path:
    """Put a damaged file's bytes beside it before it is replaced."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    copy = path.with_name(f"{path.name}.damaged-{moment}")
    write(copy, data)
    return copy


def blank_keys(path: Path, names: Iterable[str]) -> None:
    """Empty the plain-text keys of a provider in a file too damaged to be parsed."""
    data = path.read_bytes()
    either = b"|".join(re.escape(name).encode() for name in names)
    key = re.compile(rb'("(?:' + either + rb')"\s*:\s*\{[^{}]*?"api_?key"\s*:\s*)"[^"]*"?', re.IGNORECASE)
    if (blanked := key.sub(rb'\1""', data)) != data:
        write(path, blanked)


def resolve(value: Any, environ: Mapping[str, str], where: str, problems: list[ConfigError]) -> Any:
    """The value with ${NAME} replaced from the environment; a missing one is a problem and left out. Those
    of MCP servers stay: they are replaced when a server is started, and one missing is its own trouble."""
    if isinstance(value, str):
        missing = [name for name in _REFERENCE.findall(value) if name not in environ]
        if missing:
            problems.append(_missing(where, missing[0]))
            return None
        return _REFERENCE.sub(lambda match: environ[match[1]], value)
    if isinstance(value, dict) and normal(where) == "tools.mcpservers":
        return value
    if isinstance(value, dict):
        return {
            k: resolve(v, environ, f"{where}.{k}" if where else str(k), problems) for k, v in value.items()
        }
    if isinstance(value, list):
        return [resolve(item, environ, f"{where}[{n}]", problems) for n, item in enumerate(value)]
    return value


def is_reference(value: str) -> bool:
    """Whether a text is nothing but one ${NAME}."""
    return _REFERENCE.fullmatch(value.strip()) is not None


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Each text of a document with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts(item, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, key)


def _missing(where: str, name: str) -> ConfigError:
    return ConfigError(
        _("The setting {field} refers to ${{{name}}}, which is not set.").format(field=where, name=name),
        _("Set the environment variable {name}, or enter the value itself.").format(name=name),
    )
