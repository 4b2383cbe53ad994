"""The verbs of skills: list and show. Both only read files: nobody need own the home."""

from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import block, emit, hint, say, table
from desktop.cli.run import run
from desktop.paths import Home
from desktop.skills.loader import Skill, Skills
from desktop.skills.words import about
from desktop.tasks import in_thread
from desktop.text import _

type Json = dict[str, Any]


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("skills", help=_("Skills: instructions for kinds of work."))
    app.add_command(group)

    @options.verb(group, "list", _("List the skills, and why one cannot be used."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "show", _("Show one skill, by its name in skills list."))
    @click.argument("name")
    def show_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _show(home, name, as_json), as_json=as_json)


async def _skills(home: Home) -> Skills:
    from desktop.cli.files import settings
    from desktop.core.workspace import workspace_of

    config = (await settings(home)).config
    return Skills(
        workspace_of(home, config),
        lambda: config.agents.defaults.disabled_skills,
        more_path=lambda: config.tools.commands.path_append,
    )


async def _list(home: Home, as_json: bool) -> None:
    from desktop.core.skills import line

    found = await in_thread((await _skills(home)).all)
    if as_json:
        for skill in found:
            emit(line(skill))
        return
    table(
        [_("Skill"), _("Source"), _("State"), _("What it does")],
        [
            [skill.name, _source(skill), _word(skill), about(skill.name, skill.source, skill.description)]
            for skill in found
        ],
        cut=True,
    )
    for skill in found:
        if skill.enabled and (why := " ".join(filter(None, (_why(skill), skill.remedy)))):
            hint(f"{skill.name}: {why}")


async def _show(home: Home, name: str, as_json: bool) -> None:
    from desktop.core.skills import line
    from desktop.skills import files

    skill = await in_thread(files.known, await _skills(home), name)
    text, complete = await in_thread(files.whole, skill)
    if as_json:
        emit({**line(skill), "text": text, "editable": complete and skill.source == "workspace"})
        return
    say(f"{skill.name}  {_source(skill)}  {_state(skill)}")
    say(str(skill.path))
    if skill.remedy:
        hint(skill.remedy)
    say()
    block(text.removesuffix("\n"))


def _source(skill: Skill) -> str:
    if skill.shadows:
        return _("yours, for the built-in")
    return _("yours") if skill.source == "workspace" else _("built in")


def _word(skill: Skill) -> str:
    if not skill.enabled:
        return _("off")
    return _("on") if skill.available else _("not available")


def _state(skill: Skill) -> str:
    if skill.enabled and not skill.available:
        return _("not available: {why}").format(why=_why(skill))
    return (_why(skill) if skill.enabled else "") or _word(skill)


def _why(skill: Skill) -> str:
    """What is wrong with it."""
    return " ".join(filter(None, (skill.problem, *skill.missing)))
