"""help: the pages of the help, by topic."""

from dataclasses import asdict

import click

from desktop.cli import options
from desktop.cli.output import document, emit, say, table
from desktop.cli.run import run
from desktop.help import page, pages
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _, language


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "help", _("Read the help on a topic. Without one, list the topics."))
    @click.argument("topic", required=False)
    def help_command(topic: str | None, *, as_json: bool) -> None:
        run(lambda _home: _help(_home, topic, as_json), as_json=as_json)


async def _help(_home: Home, topic: str | None, as_json: bool) -> None:
    if topic:
        found = await in_thread(page, topic, language())
        if as_json:
            emit(asdict(found))
        else:
            document(found.text)
        return
    every = await in_thread(pages, language())
    if as_json:
        for one in every:
            emit({"topic": one.topic, "title": one.title})
        return
    table([_("Topic"), _("Title")], [[one.topic, one.title] for one in every])
    say(_("Read one with nanobot-desktop help TOPIC"))
