"""What was chosen for a conversation that has not begun: it is stored with the first message."""

from dataclasses import dataclass

from desktop.ui.actions import Actions


@dataclass(frozen=True, slots=True)
class ForNew:
    """None: nothing was chosen."""

    mode: str | None = None
    folder: str | None = None
    model: tuple[str, str] | None = None
    """Model and provider."""
    reasoning: str | None = None

    async def store(self, actions: Actions, key: str) -> None:
        """Have it hold in a conversation. Raises AppError."""
        if self.mode is not None:
            await actions.api.permissions.set_mode(key, self.mode)
        if self.folder is not None:
            await actions.api.permissions.set_folder(key, self.folder)
        if self.model is not None:
            model, provider = self.model
            await actions.api.models.choose(key, model=model, provider=provider)
        if self.reasoning is not None:
            await actions.api.models.choose_reasoning(key, self.reasoning)
