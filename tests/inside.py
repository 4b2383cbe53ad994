"""The api of a core of this very process."""

from desktop.api.client import Api
from desktop.api.subjects import Local, Subjects
from desktop.core.core import Core
from desktop.core.subjects import subjects


def api_of(core: Core, front: str = "test") -> Api:
    """Calls are carried out at once, and checked by nobody but mypy."""
    return Api(Local(Subjects(subjects(core, front))))
