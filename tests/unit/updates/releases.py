"""Release files for tests, signed with a key of the test."""

import base64
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from desktop.updates.source import Source

KEY, STRANGER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
PAGE = "https://example.org/nanobot-desktop"
PATH = "/release.json"


def source(port: int) -> Source:
    """A build that looks at a server of the test."""
    return Source(f"http://127.0.0.1:{port}{PATH}", PAGE, KEY.public_key().public_bytes_raw())


def signed(text: str, by: Ed25519PrivateKey = KEY) -> bytes:
    """A release file with this text."""
    signature = base64.b64encode(by.sign(text.encode())).decode()
    return json.dumps({"signed": text, "signature": signature}).encode()


def release(version: str = "9.1.0", by: Ed25519PrivateKey = KEY, **other: Any) -> bytes:
    """A release file."""
    given = {
        "version": version,
        "date": "2026-12-01",
        "page": f"{PAGE}/{version}",
        "news": {"en": ["It sings."], "zh_CN": ["它会唱歌。"]},
        **other,
    }
    return signed(json.dumps({name: value for name, value in given.items() if value is not None}), by)
