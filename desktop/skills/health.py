"""What `doctor` says of skills."""

from contextlib import suppress

from desktop.files import Place
from desktop.skills.loader import Skills
from desktop.text import _, ngettext

type Look = tuple[bool, str, str]
"""Whether it works, a sentence, a remedy."""


def look(skills: Skills) -> list[Look]:
    """How many there are, and each that is on and has something wrong with it. Raises OSError where their
    folder cannot be listed."""
    with suppress(FileNotFoundError):
        Place(skills.folder.parent, skills.folder.name).scan()
    every = skills.all()
    usable = sum(skill.usable for skill in every)
    found: list[Look] = [
        (
            True,
            ngettext(
                "{usable} of {n} skill is available.", "{usable} of {n} skills are available.", len(every)
            ).format(usable=usable, n=len(every)),
            "",
        )
    ]
    for skill in every:
        wrong = " ".join(filter(None, (skill.problem, *skill.missing)))
        if wrong and skill.enabled:
            state = _("{name}: {problem}").format(name=skill.name, problem=wrong)
            found.append((not skill.broken, state, skill.remedy))
    return found
