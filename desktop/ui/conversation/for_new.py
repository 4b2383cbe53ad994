"""What was chosen for a conversation that has not begun: it is stored with the first message."""

from dataclasses import dataclass

from desktop.ui.actions import Actions


@dataclass(frozen=True, slots=True)
class ForNew:
    """None: nothing was chosen."""

    mode: str | None = None
    folder: str | None = None
    model: dict[str, str] | None = None
    """Its `model` and `provider`."""
    reasoning: str | None = None

    async def store(self, actions: Actions, key: str) -> None:
        """Have it hold in a conversation. Raises AppError."""
        if self.mode is not None:
            await actions.api.permissions.set_mode(key, self.mode)
        if self.folder is not None:
            await actions.api.permissions.set_folder(key, self.folder)
        if self.model is not None:
            await actions.call("choose_model", session=key, **self.model)
        if self.reasoning is not None:
            await actions.call("choose_reasoning", session=key, level=self.reasoning)
