"""What a verb is: a thing to be asked of the running program, by the window or by a command.

It takes its arguments by name and gives a result, both as they travel between processes (JSON); what is to
be seen before its end it sends, line by line. It fails with an AppError, which reaches the person as it is.
"""

from collections.abc import Awaitable, Callable
from typing import Any

type Json = dict[str, Any]
type Send = Callable[[Json], None]
type Verb = Callable[[Json, Send], Awaitable[Json]]
