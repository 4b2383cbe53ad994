"""The speech models that can run on this computer: Whisper's, as whisper.cpp's authors publish them.

Sizes and checksums are those that many independent public sources name for these files.
"""

from pathlib import Path

from desktop.errors import AppError, UsageError
from desktop.providers import weights
from desktop.providers.catalogue import Model
from desktop.text import _, mark

_START = b"lmgg"
"""What a file of whisper.cpp begins with."""
_PLACE = "ggerganov/whisper.cpp@5359861c739e955e79d9a303bcbc70fb988958b1"

TINY = Model(
    id="whisper-tiny",
    name="Whisper tiny",
    licence="MIT",
    size=77_691_713,
    sha256="be07e048e1e599ad46341c8d2a135645097a538221678b7acdd1b1919c6e1b21",
    place=f"{_PLACE}/ggml-tiny.bin",
    does=mark("Fastest; makes many mistakes."),
)
BASE = Model(
    id="whisper-base",
    name="Whisper base",
    licence="MIT",
    size=147_951_465,
    sha256="60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe",
    place=f"{_PLACE}/ggml-base.bin",
    does=mark("Good for clear speech in common languages."),
)
SMALL = Model(
    id="whisper-small",
    name="Whisper small",
    licence="MIT",
    size=487_601_967,
    sha256="1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b",
    place=f"{_PLACE}/ggml-small.bin",
    does=mark("Most accurate, better in Chinese; about three times slower."),
)
MODELS = (TINY, BASE, SMALL)


def named(name: str) -> Model | None:
    """The one of this id."""
    return next((model for model in MODELS if model.id == name), None)


def is_path(name: str) -> bool:
    """Whether a model's name is the path of a file of the person's own."""
    return name.endswith(".bin")


def of_person(name: str) -> Model:
    """A file of the person's own, as whisper.cpp takes it. Raises UsageError where it is none. Blocks."""
    path = Path(name).expanduser()
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise UsageError(
            _("{path} can’t be read: {reason}.").format(path=path, reason=error.strerror or error),
            _("Check the path, or choose another model."),
        ) from None
    if start != _START:
        raise UsageError(
            _("{file} is not a speech model.").format(file=path.name),
            _("Choose a Whisper model in the format of whisper.cpp (ggml-….bin)."),
        )
    return Model(str(path), path.stem, "", path.stat().st_size, "", str(path), own=True)


async def installed(folder: Path) -> list[Model]:
    """Those that are here and whole, the most accurate first."""
    found = []
    for model in reversed(MODELS):
        try:
            there = await weights.verified(model, folder)
        except AppError:
            continue
        if there is not None:
            found.append(model)
    return found
