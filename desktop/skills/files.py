"""Writing skills: a SKILL.md is put in place whole or not at all, and what is deleted can be brought back.

Deleted folders lie in skills/.deleted under the time of the deletion and their name; what is older than 30
days is removed when the next one comes.
"""

import contextlib
import logging
import re
import time
from pathlib import Path

from desktop.errors import UsageError, explain
from desktop.files import Place
from desktop.skills.document import LARGEST, LONGEST, content, place_of
from desktop.skills.loader import FILE, Skill, Skills
from desktop.text import _

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_LONGEST_NAME = 64
_DELETED = ".deleted"
_KEPT_S = 30 * 86_400
_log = logging.getLogger(__name__)


def check_name(name: str) -> None:
    """Raises UsageError where a new skill cannot be called so."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            _("A skill can’t be named “{name}”.").format(name=name[:80]),
            _("Use lowercase letters, digits and single hyphens, at most 64 characters."),
        )


def known(skills: Skills, name: str) -> Skill:
    """The skill of this name, whatever its state. Raises UsageError."""
    found = skills.find(name)
    if found is None:
        raise UsageError(
            _("There is no skill named {name}.").format(name=name[:80]),
            _("List the names with: nanobot-desktop skills list"),
        )
    return found


def whole(skill: Skill) -> tuple[str, bool]:
    """The SKILL.md, and whether it is all there and could be written back; of a huge one, or one that is no
    UTF-8, the beginning. Raises StorageError where it cannot be read."""
    if skill.broken:
        return "", False
    try:
        data = content(skill.path, LARGEST + 1)
    except OSError as error:
        raise explain(error) from error
    if len(data) <= LARGEST:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode("utf-8-sig").replace("\r\n", "\n"), True
    return data.decode("utf-8", "replace")[:LONGEST], False


def save(skills: Skills, name: str, text: str, *, new: bool) -> None:
    """Write the SKILL.md of a skill of the workspace; one with a built-in's name stands in for that.

    Raises UsageError where the name cannot be had or the text is too long, StorageError; then nothing
    changed.
    """
    found = skills.find(name)
    if new and found is None:
        found = next((s for s in skills.all() if s.name.casefold() == name.casefold()), None)
    if new and found is not None:
        raise UsageError(
            _("There is already a skill named {name}.").format(name=found.name),
            _("Choose another name, or edit the existing one."),
        )
    if found is None or found.source == "builtin":
        check_name(name)
        place = skills.folder / name / FILE
    elif found.broken and _is_link(found):
        raise UsageError(found.problem, found.remedy)
    else:
        place = found.path
    data = f"{text.strip()}\n".encode("utf-8", "replace")
    if len(data) > LARGEST:
        raise UsageError(_("This text is too long for a skill."), _("Move parts of it to separate files."))
    try:
        place_of(place).write(place, data)
    except OSError as error:
        raise explain(error) from error


def put_away(skills: Skills, name: str) -> str:
    """Move a skill's folder aside; what brings it back. Raises UsageError for a built-in, StorageError."""
    found = known(skills, name)
    if found.source == "builtin":
        raise UsageError(
            _("{name} is built in and can’t be deleted.").format(name=name),
            _("You can turn it off instead."),
        )
    place = Place(skills.folder.parent, skills.folder.name)
    token = f"{time.time_ns():020}-{found.path.parent.name}"
    try:
        place.move(found.path.parent.name, f"{_DELETED}/{token}")
    except OSError as error:
        raise explain(error) from error
    _clear(place)
    return token


def bring_back(skills: Skills, token: str) -> str:
    """Move a deleted skill back; its name. Raises UsageError where it is gone or its place taken,
    StorageError."""
    when, dash, name = token.partition("-")
    place, away = Place(skills.folder.parent, skills.folder.name), f"{_DELETED}/{token}"
    if not (when.isdigit() and dash and name) or Path(token).name != token or not _taken(place, away):
        raise UsageError(_("What you deleted is no longer available."))
    if _taken(place, name):
        raise UsageError(
            _("There is already a skill named {name}.").format(name=name),
            _("Rename or delete that one first."),
        )
    try:
        place.move(away, name)
    except OSError as error:
        raise explain(error) from error
    return name


def _is_link(skill: Skill) -> bool:
    place = place_of(skill.path)
    entries = place.scan(skill.path.parents[1])
    return any(entry.kind == "link" and entry.name == skill.path.parent.name for entry in entries)


def _taken(place: Place, name: str) -> bool:
    try:
        return place.taken(name)
    except OSError as error:
        raise explain(error) from error


def _clear(place: Place) -> None:
    oldest = time.time_ns() - _KEPT_S * 1_000_000_000
    try:
        for name in place.names(_DELETED):
            moment = name.partition("-")[0]
            if moment.isdigit() and int(moment) < oldest:
                place.remove_tree(f"{_DELETED}/{name}")
    except OSError as error:
        _log.info("%s cannot be cleared: %s", place.named(_DELETED), error)
