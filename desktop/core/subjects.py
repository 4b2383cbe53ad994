"""What makes each subject of the api: its module, and the parts of the core that it uses."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.api.subjects import Makers
    from desktop.api.usage import Usage
    from desktop.core.core import Core


def subjects(core: "Core") -> "Makers":
    """By name; nothing is loaded yet."""

    def usage() -> "Usage":
        from desktop.api.usage import Usage

        return Usage(core.usage, lambda: core.store.config, core.sessions.folder)

    return {"usage": usage}
