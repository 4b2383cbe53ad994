"""A job that comes from a backup or another program's home, where anybody may have written it."""

import hashlib
from dataclasses import replace

from desktop.config.loosening import Loose
from desktop.cron import form
from desktop.cron.job import Job
from desktop.text import _


def switched_off(arriving: Job) -> tuple[Job, Loose | None]:
    """A job as it may arrive: one with a mode that asks less is switched off, and asks as usual until the
    person has said yes to it."""
    if arriving.mode in ("", "ask") or arriving.plain:
        return replace(arriving, mode="ask" if arriving.mode == "ask" else ""), None
    why = _("It came with its own permission mode and is off until you approve it.")
    off = replace(arriving, enabled=False, mode="", paused=why)
    value = {"mode": arriving.mode, "enabled": arriving.enabled, "digest": digest(arriving)}
    says = _("This task runs automatically, with its own permission mode ({mode}): {message}")
    shown = says.format(mode=arriving.mode, message=" ".join(arriving.message.split())[:500])
    return off, Loose("job", arriving.name, (arriving.id,), value, shown)


def digest(one: Job) -> str:
    """What tells that a job is still the one that was shown."""
    text = "\0".join((one.message, form.identity(one.spec), one.session))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
