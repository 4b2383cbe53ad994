"""The time zone of this computer by its name, read anew each time: it changes when somebody travels."""

import logging
import warnings
from zoneinfo import ZoneInfo

_log = logging.getLogger(__name__)
_UNKNOWN = "UTC"


def zone() -> str:
    """The IANA name; UTC where this computer has none. Reads files: for a thread."""
    import tzlocal

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            name = str(tzlocal.reload_localzone())
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError) as error:
        _log.info("the time zone of this computer cannot be told: %s", error)
        return _UNKNOWN
