"""What doctor says of the memory. Only looks."""

from pathlib import Path

from desktop.errors import StorageError, explain
from desktop.files import Place
from desktop.memory.files import NOTES
from desktop.memory.history import History
from desktop.memory.notes import Notes
from desktop.memory.repository import VERSIONS, Repository
from desktop.text import _, ngettext


def look(workspace: Path) -> list[tuple[bool, str, str]]:
    """For each thing to be said: whether it is fine, a sentence, the remedy. Blocks."""
    notes, folder = Notes(workspace), workspace / "memory"
    found = [(note.editable, note.problem, note.remedy) for note in map(notes.read, NOTES) if note.problem]
    repository = Repository(Place(workspace), VERSIONS)
    if repository.there() and not repository.sound():
        found.append(
            (
                False,
                _("The versions of memory are damaged."),
                _("They will be set aside, and new versions start with the next change to memory."),
            )
        )
    found += [
        (
            True,
            _("Damaged versions of memory are kept in {path}.").format(path=path),
            _("Delete the folder if you don’t need them."),
        )
        for path in _damaged(Place(workspace))
    ]
    try:
        n = len(History(folder).entries())
    except StorageError as error:
        told = explain(error)
        return [*found, (False, told.text, told.remedy)]
    state = ngettext("{n} conversation summary.", "{n} conversation summaries.", n).format(n=n)
    return found if any(not ok for ok, _state, _remedy in found) else [*found, (True, state, "")]


def _damaged(place: Place) -> list[Path]:
    """Versions that were set aside."""
    try:
        names = place.names("memory")
    except OSError:
        return []
    return [place.named(f"memory/{name}") for name in names if name.startswith(".versions.damaged-")]
