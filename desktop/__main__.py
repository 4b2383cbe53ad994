"""The one entrance: the window, a link, the command line, or one of the program's children by a hidden
argument."""

import os
import sys

from desktop.paths import be_private


def main() -> None:
    """Run what the arguments ask for; never returns normally on failure (exit codes 0, 1, 2)."""
    be_private()
    # Or pydantic looks through the metadata of all packages for plug-ins, a twentieth of the start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    arguments = sys.argv[1:]
    hidden = arguments[0] if arguments else ""
    if arguments in ([], ["--hidden"], ["--activated"]):
        from desktop.cli.window import main as window

        sys.exit(window(hidden=hidden == "--hidden", activated=hidden == "--activated"))
    elif not _child(hidden):
        if ":" in hidden:  # as no command is called
            _link(arguments)
        from desktop.cli.app import main as command_line

        command_line()


def _link(arguments: list[str]) -> None:
    """Open a link, and end; returns where it is none."""
    from desktop.links import is_link

    if is_link(arguments[0]):
        from desktop.cli.link import main as link

        sys.exit(link(arguments))


def _child(hidden: str) -> bool:
    """Be one of the children; False where it is no hidden argument."""
    return _library(hidden) or _helper(hidden)


def _library(hidden: str) -> bool:
    """A process for a library that is heavy, or may crash."""
    if hidden == "--model-host":
        from desktop.providers.host.main import main as model_host

        model_host()
    elif hidden == "--whatsapp":
        from desktop.channels.whatsapp.child.main import main as whatsapp

        whatsapp()
    elif hidden == "--engine":
        from desktop.providers.engine_child import main as engine

        engine(sys.argv[2:])
    elif hidden == "--speech":
        from desktop.providers.speech.child import main as speech

        speech(sys.argv[2:])
    elif hidden == "--heic":
        from desktop.providers.heic import main as heic

        heic()
    else:
        return False
    return True


def _helper(hidden: str) -> bool:
    """A process for work that is kept apart."""
    if hidden == "--guard":
        from desktop.providers.guard import main as guard

        guard(sys.argv[2:])
    elif hidden == "--page-reader":
        from desktop.tools.web.pages import main as page_reader

        page_reader()
    elif hidden == "--file-worker":
        from desktop.tools.files.worker import main as file_worker

        file_worker()
    elif hidden == "--network":
        from desktop.tools.exec.network import main as network

        network(sys.argv[2:])
    elif hidden == "--mcp-guard":
        from desktop.tools.mcp.guard import main as mcp_guard

        mcp_guard(sys.argv[2:])
    elif hidden == "--installed":
        from desktop.cli.installed import main as installed

        installed(sys.argv[2:])
    elif hidden == "--self-test":
        from desktop.cli.self_test import main as self_test

        self_test()
    else:
        return False
    return True


if __name__ == "__main__":
    main()
