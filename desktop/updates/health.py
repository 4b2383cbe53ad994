"""What `doctor` says of newer versions."""

from desktop import __version__, remedies
from desktop.paths import APP, Home
from desktop.text import _
from desktop.updates.known import load
from desktop.updates.source import Source, installer

type Look = tuple[bool, str, str]
"""Whether it works, a sentence, a remedy."""


def look(home: Home, source: Source | None, *, off: bool) -> Look:
    """What the last look brought; it does not look itself. Blocks."""
    if source is None:
        return True, _("This build doesn’t check for updates."), ""
    known = load(home, source)
    if known.refused:
        return False, _(known.refused), _("Get new versions from: {page}").format(page=source.page)
    if known.release is not None and known.release.is_newer(__version__):
        state = _("Version {version} is available.").format(version=known.release.version)
        family = installer()
        way = _("Get new versions from: {page}").format(page=known.release.page)
        return True, state, remedies.update(APP, family) if family else way
    return True, _("Checking for updates is off.") if off else _("No newer version is known."), ""
