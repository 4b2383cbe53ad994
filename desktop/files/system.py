"""The handles of the system that this runs on."""

import sys

if sys.platform == "win32":
    from desktop.files.windows import (
        Folder,
        Linked,
        has_openat2,
        open_file,
        open_folder,
        replace_open,
        set_mode,
        status_of,
    )
else:
    from desktop.files.posix import (
        Folder,
        Linked,
        has_openat2,
        open_file,
        open_folder,
        replace_open,
        set_mode,
        status_of,
    )

__all__ = [
    "Folder",
    "Linked",
    "has_openat2",
    "open_file",
    "open_folder",
    "replace_open",
    "set_mode",
    "status_of",
]
