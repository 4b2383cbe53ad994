"""The program's one entrance: the command line, or one of its own children by a hidden argument."""

import sys


def main() -> None:
    """Run what the arguments ask for; never returns normally on failure (exit codes 0, 1, 2)."""
    hidden = sys.argv[1] if len(sys.argv) > 1 else ""
    if hidden == "--model-host":
        from desktop.providers.host.main import main as model_host

        model_host()
    elif hidden == "--guard":
        from desktop.providers.guard import main as guard

        guard(sys.argv[2:])
    else:
        from desktop.cli.app import main as command_line

        command_line()


if __name__ == "__main__":
    main()
