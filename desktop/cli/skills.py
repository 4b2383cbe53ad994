"""The commands of skills: list and show, which only read files, and key, for the values that they need."""

from dataclasses import asdict

import click

from desktop.cli import options
from desktop.cli.output import block, emit, hint, say, table
from desktop.cli.prompt import Lines
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.config.schema import Config
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.skills.loader import Skill, Skills
from desktop.skills.words import about
from desktop.tasks import in_thread
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("skills", help=_("Skills: instructions for kinds of work."))
    app.add_command(group)

    @options.verb(group, "list", _("List skills, and why any can’t be used."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "show", _("Show a skill by its name from skills list."))
    @click.argument("name")
    def show_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _show(home, name, as_json), as_json=as_json)

    @options.verb(
        group,
        "key",
        _("Store a value that a skill needs. Asks for it or reads it from standard input."),
    )
    @click.argument("name")
    @click.argument("variable")
    @click.option("--remove", is_flag=True, help=_("Remove it."))
    def key_command(name: str, variable: str, remove: bool, *, as_json: bool) -> None:
        run(lambda home: _key(home, name, variable, remove, as_json), as_json=as_json)


async def _key(home: Home, name: str, variable: str, remove: bool, as_json: bool) -> None:
    key = "" if remove else await Lines().secret(_("Value of {name}: ").format(name=variable))
    if not remove and not key.strip():
        raise UsageError(_("No value was given."))
    async with connect(home, "skills") as api:
        await api.skills.set_key(name, variable, key)
    if as_json:
        emit({"name": name, "variable": variable, "stored": not remove})
    else:
        say(_("Value removed.") if remove else _("Saved to the keychain."))


async def skills_of(home: Home) -> tuple[Config, Skills]:
    """The settings as they are, and the skills as the agent would find them."""
    from desktop.cli.files import settings
    from desktop.config.workspace import workspace_of

    config = (await settings(home)).config
    return config, Skills(
        workspace_of(home, config),
        lambda: config.agents.defaults.disabled_skills,
        more_path=lambda: config.tools.commands.path_append,
        stored=lambda: config.agents.defaults.skill_keys,
    )


async def _list(home: Home, as_json: bool) -> None:
    from desktop.api.skills import line_of

    found = await in_thread((await skills_of(home))[1].all)
    if as_json:
        for skill in found:
            emit(asdict(line_of(skill)))
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
    from desktop.api.skills import file_of
    from desktop.skills import files

    known = (await skills_of(home))[1]
    file = await in_thread(file_of, known, name)
    if as_json:
        emit(asdict(file))
        return
    skill = await in_thread(files.known, known, name)
    say(f"{skill.name}  {_source(skill)}  {_state(skill)}")
    say(str(skill.path))
    if skill.remedy:
        hint(skill.remedy)
    say()
    block(file.text.removesuffix("\n"))


def _source(skill: Skill) -> str:
    if skill.shadows:
        return _("yours, replaces the built-in")
    return _("yours") if skill.source == "workspace" else _("built-in")


def _word(skill: Skill) -> str:
    if not skill.enabled:
        return _("off")
    return _("on") if skill.available else _("unavailable")


def _state(skill: Skill) -> str:
    if skill.enabled and not skill.available:
        return _("unavailable: {why}").format(why=_why(skill))
    return (_why(skill) if skill.enabled else "") or _word(skill)


def _why(skill: Skill) -> str:
    """What is wrong with it."""
    return " ".join(filter(None, (skill.problem, *skill.missing)))
