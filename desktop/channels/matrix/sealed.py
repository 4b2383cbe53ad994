"""Files of encrypted rooms, encrypted and decrypted while they go and come: AES-CTR, told by a hash.

https://spec.matrix.org/latest/client-server-api/#sending-encrypted-attachments
"""

import base64
import hashlib
import hmac
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from nio.crypto.attachments import encrypted_attachment_generator

from desktop.channels.newfile import PIECE, NotFetched
from desktop.tasks import in_thread
from desktop.text import _

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opening:
    """How a file is decrypted."""

    key: bytes
    begins: bytes
    digest: bytes

    @classmethod
    def of(cls, sealed: Json) -> "Opening":
        """As its message says. Raises NotFetched."""
        try:
            found = cls(
                _bytes(sealed["key"]["k"]), _bytes(sealed["iv"]), _bytes(sealed["hashes"]["sha256"])
            )
            found.cipher()
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _wrong() from error
        return found

    def cipher(self) -> Cipher[CTR]:
        """By which it was encrypted. Raises ValueError where there is none such."""
        return Cipher(AES(self.key), CTR(self.begins))

    async def pieces(self, sealed: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """What is in it. Raises NotFetched at its end, where it is another file."""
        cipher, made = self.cipher().decryptor(), hashlib.sha256()
        async for piece in sealed:
            made.update(piece)
            yield cipher.update(piece)
        if not hmac.compare_digest(made.digest(), self.digest):
            raise _wrong()


async def sealing(file: BinaryIO, size: int, keys: Json) -> AsyncIterator[bytes]:
    """So many bytes of a file, encrypted; after the last one `keys` has how it is decrypted. Raises
    OSError, also where there are not so many any more."""

    def plain() -> Any:
        left = size
        while left > 0:
            data = file.read(min(left, PIECE))
            if not data:
                raise EOFError(Path(file.name).name)
            left -= len(data)
            yield data

    found = encrypted_attachment_generator(plain())
    try:
        while not isinstance(piece := await in_thread(next, found), dict):
            yield piece
    except EOFError as error:
        raise OSError(_("The file {name} was changed just now.").format(name=error)) from error
    keys |= piece


def _bytes(text: str) -> bytes:
    """Of base64 in either alphabet, without its end. Raises what odd ones bring about."""
    return base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))


def _wrong() -> NotFetched:
    return NotFetched(_("The file could not be decrypted."))
