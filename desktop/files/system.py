"""The handles of the system that this runs on."""

import sys

if sys.platform == "win32":
    from desktop.files.windows import (
        Folder,
        Linked,
        has_openat2,
        name_open,
        open_file,
        open_folder,
        set_mode,
        set_time,
        status_of,
    )
else:
    from desktop.files.posix import (
        Folder,
        Linked,
        has_openat2,
        name_open,
        open_file,
        open_folder,
        set_mode,
        set_time,
        status_of,
    )

__all__ = [
    "Folder",
    "Linked",
    "has_openat2",
    "name_open",
    "open_file",
    "open_folder",
    "set_mode",
    "set_time",
    "status_of",
]
