"""The models that can run on this computer: those we know by their checksum, and the person's own files.

The catalogue is in the order of what the models can do, the least first. Which of them fit is said by what
the computer has. Sizes and checksums are those that several independent public sources name.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import UsageError
from desktop.providers.machine import Machine
from desktop.text import _, mark

_HUB, _HUB_NAME = "https://huggingface.co", "HF_ENDPOINT"
"""Where the files are, and the variable by which people name a mirror of it, as the hub's own tools do."""
_MANY = 4 * 10**9
"""Bytes of memory that must be free for the larger of the two models that we begin with."""
_OVERHEAD = 350 * 10**6
"""What a running engine takes besides the model: the conversation, its buffers, itself."""
_ROOMY = 2
"""A model is offered where the computer has so many times the memory that it takes."""


@dataclass(frozen=True, slots=True)
class Model:
    """One model. `size` in bytes; `window` is the trained context in tokens."""

    id: str
    name: str
    licence: str
    size: int
    sha256: str
    place: str
    """Repository, revision and file at the hub; for a file of the person's own its path."""
    architecture: str = ""
    does: str = ""
    """What it is good for, as a sentence (marked for translation)."""
    cores: int = 1
    """Fewer make it too slow to wait for, without a GPU."""
    window: int = 32768
    own: bool = False
    """A file of the person's own, known by its path; its hash is nobody's business."""

    @property
    def url(self) -> str:
        """Where it is fetched from; empty for a file of the person's own."""
        if self.own or "://" in self.place:
            return "" if self.own else self.place
        repository, file = self.place.split("@")
        revision, name = file.split("/")
        return f"{os.environ.get(_HUB_NAME, '').rstrip('/') or _HUB}/{repository}/resolve/{revision}/{name}"

    @property
    def file(self) -> str:
        """The file's name, on the hub and in the models folder; the whole path of a person's own."""
        return self.place if self.own else self.place.rsplit("/", 1)[-1]

    @property
    def memory(self) -> int:
        """Bytes that it takes while it runs, about."""
        return memory_of(self.size)

    @property
    def note(self) -> str:
        """What the person should know before trusting an answer."""
        return _("This is a small model on your computer. It makes mistakes.")


SMALL = Model(
    id="qwen2.5-coder-0.5b-instruct",
    name="Qwen2.5-Coder 0.5B",
    licence="Apache-2.0",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    place="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF@main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    architecture="qwen2",
    does=mark("Answers short questions; often wrong."),
)
USUAL = Model(
    id="qwen2.5-coder-1.5b-instruct",
    name="Qwen2.5-Coder 1.5B",
    licence="Apache-2.0",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    place="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF@main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    architecture="qwen2",
    does=mark("Sets reminders, keeps lists, writes short notes."),
)
CATALOGUE = (
    SMALL,
    USUAL,
    Model(
        id="qwen3-1.7b",
        name="Qwen3 1.7B",
        licence="Apache-2.0",
        size=1_282_439_584,
        sha256="72c5c3cb38fa32d5256e2fe30d03e7a64c6c79e668ad84057e3bd66e250b24fb",
        place="bartowski/Qwen_Qwen3-1.7B-GGUF@dcb19155b962dbb6389f4691a982043a8e651022"
        "/Qwen_Qwen3-1.7B-Q4_K_M.gguf",
        architecture="qwen3",
        does=mark("Made for conversation in many languages, not for code."),
        cores=2,
    ),
    Model(
        id="qwen3.5-2b",
        name="Qwen3.5 2B",
        licence="Apache-2.0",
        size=1_280_835_840,
        sha256="aaf42c8b7c3cab2bf3d69c355048d4a0ee9973d48f16c731c0520ee914699223",
        place="unsloth/Qwen3.5-2B-GGUF@f6d5376be1edb4d416d56da11e5397a961aca8ae/Qwen3.5-2B-Q4_K_M.gguf",
        architecture="qwen35",
        does=mark("Newer: follows instructions better, in many languages."),
        cores=2,
    ),
    Model(
        id="qwen3-4b-instruct-2507",
        name="Qwen3 4B Instruct",
        licence="Apache-2.0",
        size=2_497_280_736,
        sha256="2fde00ce69dd4899c70d020845e2638353015bba0fdf161b3eb965f2bca4464e",
        place="bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF@ae44f08e1392f39c0e474af10c3ff8355c8b6688"
        "/Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        architecture="qwen3",
        does=mark("Understands longer requests and writes better text."),
        cores=4,
    ),
    Model(
        id="qwen3.5-4b",
        name="Qwen3.5 4B",
        licence="Apache-2.0",
        size=2_740_937_888,
        sha256="00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4",
        place="unsloth/Qwen3.5-4B-GGUF@e87f176479d0855a907a41277aca2f8ee7a09523/Qwen3.5-4B-Q4_K_M.gguf",
        architecture="qwen35",
        does=mark("Best of these at using tools: 39 of 40 cases right in a public test."),
        cores=4,
    ),
)


def find(model_id: str) -> Model:
    """The catalogue's model of this id. Raises UsageError."""
    for model in CATALOGUE:
        if model.id == model_id:
            return model
    raise UsageError(
        _("There is no built-in model named {name}.").format(name=model_id),
        _("Choose one of: {names}.").format(names=", ".join(model.id for model in CATALOGUE)),
    )


def memory_of(size: int) -> int:
    """Bytes of memory that a model whose file has so many takes while it runs, about."""
    return size + size // 8 + _OVERHEAD


def is_path(name: str) -> bool:
    """Whether a model's name is the path of a file of the person's own."""
    return name.lower().endswith(".gguf")


def is_ours(name: str) -> bool:
    """Whether a model's name means one that runs on this computer by itself."""
    return is_path(name) or any(model.id == name for model in CATALOGUE)


def titled(name: str) -> str:
    """What a model of this computer is called, by its id or path."""
    return next((model.name for model in CATALOGUE if model.id == name), of_person(name).name)


def of_person(name: str) -> Model:
    """A model file of the person's own as long as nobody has looked into it."""
    path = Path(name).expanduser()
    return Model(name, path.stem, "", 0, "", str(path), own=True)


def usual(models: Path, machine: Machine) -> Model:
    """The model to begin with: by the memory that is free, unless only the other one is here. Blocks."""
    wanted = (USUAL, SMALL) if machine.free >= _MANY else (SMALL, USUAL)
    return next((model for model in wanted if (models / model.file).exists()), wanted[0])


def misfit(model: Model, machine: Machine, knows: Callable[[str], bool]) -> str:
    """Why a model cannot be run here, as a sentence; empty where it can. `knows`: whether the engine has an
    architecture."""
    if not knows(model.architecture):
        return _("This version’s engine does not support the architecture {name}.").format(
            name=model.architecture
        )
    if model.memory > machine.memory:
        return _("It needs {needed:.1f} GB of memory; this computer has {there:.1f} GB.").format(
            needed=model.memory / 1e9, there=machine.memory / 1e9
        )
    return ""


def better(
    than: Model, here: Sequence[Model], machine: Machine, knows: Callable[[str], bool]
) -> Model | None:
    """The best model of the catalogue that this computer carries with ease, where it is better than the one
    in use; None where that is the best already. `here`: those that were fetched, which need no more
    disk."""
    if than not in CATALOGUE:
        return None
    for model in reversed(CATALOGUE[CATALOGUE.index(than) + 1 :]):
        roomy = _ROOMY * model.memory <= machine.memory and model.memory <= machine.free
        quick = machine.cores >= model.cores or bool(machine.gpu)
        stored = model in here or model.size < machine.disk
        if roomy and quick and stored and knows(model.architecture):
            return model
    return None
