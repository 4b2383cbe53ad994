"""Matrix, by an account of the agent's own: https://spec.matrix.org/latest/client-server-api/."""

from desktop.channels.matrix.service import Matrix

__all__ = ["Matrix"]
