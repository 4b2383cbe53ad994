"""What the skills that come with the program are for, in the person's language: their own descriptions are
written for a model."""

from desktop.skills.document import one_line
from desktop.text import _, mark

_ABOUT = {
    "clawhub": mark("Finds ready-made skills on ClawHub and checks them first."),
    "cron": mark("Reminders and scheduled tasks, through sleep and restarts."),
    "github": mark("Issues, pull requests and checks on GitHub, through gh."),
    "memory": mark("How the agent remembers, and where it finds past conversations."),
    "skill-creator": mark("Writes new skills with you, and improves existing ones."),
    "summarize": mark("Summarizes web pages, PDFs, documents and long texts."),
    "tmux": mark("Works with interactive terminal programs, such as a debugger."),
    "weather": mark("Current weather and forecast, without a key."),
}


def about(name: str, source: str, description: str) -> str:
    """One line about a skill for the person."""
    return _(_ABOUT[name]) if source == "builtin" and name in _ABOUT else one_line(description, 500)
