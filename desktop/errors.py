"""One shape for everything that can go wrong and that a person must read: a sentence and a remedy.

Any exception becomes an AppError through explain(); front ends print nothing else. Texts are
already translated when the error is made, and hold no secret: who raises them masks first.
"""

import errno
from pathlib import Path

from desktop.text import _, sentences

_FULL = (errno.ENOSPC, errno.EDQUOT)


class AppError(Exception):
    """A failure told to the person: what happened, and what to do about it."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy

    def __str__(self) -> str:
        return sentences(self.text, self.remedy)


class ConfigError(AppError):
    """A settings value that cannot be used; the text names the field."""


class KeychainError(AppError):
    """The OS keychain gave no answer. `state` is missing, locked, dismissed, waiting or failed."""

    def __init__(self, text: str, remedy: str = "", *, state: str = "failed") -> None:
        super().__init__(text, remedy)
        self.state = state


class StorageError(AppError):
    """A file of the home could not be read or written; nothing already stored was changed."""


class UsageError(AppError):
    """The person asked for something that does not exist (exit code 2 on the command line)."""


def told(kind: str, text: str, remedy: str) -> AppError:
    """The error that another process told: by the name of its class where that is one of these."""
    classes = (ConfigError, KeychainError, StorageError, UsageError)
    return {known.__name__: known for known in classes}.get(kind, AppError)(text, remedy)


def explain(error: BaseException) -> AppError:
    """The AppError for any exception: itself if it is one, else the sentence for its kind."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return _storage(error)
    return AppError(
        _("An internal error occurred: {kind}.").format(kind=type(error).__name__),
        _("Nothing you saved is lost. Details are in the log."),
    )


def _another_folder() -> str:
    return _("Check the permissions of the folder, or choose another one with NANOBOT_DESKTOP_HOME.")


def no_place(folder: Path, error: OSError) -> AppError:
    """The error where the folder of everything that is kept can't be made. Blocks."""
    told = _storage(error)
    if error.errno in _FULL:
        return told
    text = _("Nothing can be saved: {folder} can’t be created.").format(folder=folder)
    if Path("~").expanduser().is_dir():
        return StorageError(text, _another_folder())
    return StorageError(
        text, _("Give this account a home folder, or choose another one with NANOBOT_DESKTOP_HOME.")
    )


def _storage(error: OSError) -> AppError:
    where = error.filename or _("the disk")
    if error.errno in _FULL:
        return StorageError(
            _("The disk is full: {where} could not be written.").format(where=where),
            _("Free up some space and try again. Nothing already stored was changed."),
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return StorageError(
            _("No permission to read or write {where}.").format(where=where),
            _another_folder(),
        )
    return StorageError(
        _("{where} can’t be used: {reason}.").format(
            where=where, reason=error.strerror or type(error).__name__
        ),
        _("Details are in the log."),
    )
