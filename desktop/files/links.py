"""Who says where a link in a place may lead. Without a judge none leads out of it.

A link of the person's own (notes kept in another folder) is fine where they granted that folder. What is
granted is a setting, and the kit knows no settings: the core registers its judge for the workspace here.
"""

import os
from collections.abc import Callable
from pathlib import Path

type Judge = Callable[[Path, bool], bool]
"""Whether a link may lead to a real path, and whether that is going to be written."""

_judges: dict[str, Judge] = {}


def judge_links(root: Path, judge: Judge | None) -> None:
    """Have links below a folder judged from now on; None ends that."""
    name = os.path.realpath(root)
    if judge is None:
        _judges.pop(name, None)
    else:
        _judges[name] = judge


def may_lead(root: str, real: str, writing: bool) -> bool:
    """Whether a link below a folder (a real path) may lead to this real path."""
    judge = _judges.get(root)
    if judge is not None:
        return judge(Path(real), writing)
    return within(real, root)


def within(real: str, root: str) -> bool:
    """Whether a real path is a folder or lies in it."""
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)
