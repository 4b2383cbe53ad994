"""The files by which the program learns of a newer version (desktop/updates).

    python packaging/release.py keys                          makes a pair of keys, once for the project
    python packaging/release.py build FILE                    resources/release.json of a build
    python packaging/release.py sign VERSION DATE PAGE FILE   the signed release file of a release

build: from NANOBOT_RELEASE_ADDRESS, NANOBOT_RELEASE_PAGE and NANOBOT_RELEASE_KEY, the public key; without
an address it makes nothing, and the program never looks. sign: with NANOBOT_RELEASE_SIGNING_KEY, the
private key; what is new is what CHANGELOG.md says of the version.
"""

import base64
import json
import os
import re
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
_MOST = 30


def keys() -> str:
    """A new pair, as the variables that hold it."""
    private = Ed25519PrivateKey.generate()
    named = {
        "NANOBOT_RELEASE_SIGNING_KEY": private.private_bytes_raw(),
        "NANOBOT_RELEASE_KEY": private.public_key().public_bytes_raw(),
    }
    return "".join(f"{name}={base64.b64encode(key).decode()}\n" for name, key in named.items())


def build(file: Path) -> bool:
    """Write what a build knows of releases; whether there is anything."""
    address = os.environ.get("NANOBOT_RELEASE_ADDRESS", "")
    if not address:
        return False
    page, key = os.environ["NANOBOT_RELEASE_PAGE"], os.environ["NANOBOT_RELEASE_KEY"]
    if len(base64.b64decode(key, validate=True)) != 32:
        raise SystemExit("NANOBOT_RELEASE_KEY is no Ed25519 key: 32 bytes in base64")
    if not (address.startswith("https://") and page.startswith("https://")):
        raise SystemExit("NANOBOT_RELEASE_ADDRESS and NANOBOT_RELEASE_PAGE begin with https://")
    file.write_text(json.dumps({"address": address, "page": page, "key": key}, indent=1) + "\n", "utf-8")
    return True


def news(version: str, changelog: str) -> list[str]:
    """The entries of a version, each on one line and without Markdown."""
    pattern = rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## \[|\Z)"
    section = re.search(pattern, changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"CHANGELOG.md says nothing of {version}")
    entries = re.findall(r"^- (.*?)(?=\n- |\n\n|\n#|\Z)", section[1], re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+", " ", entry).replace("`", "").strip() for entry in entries[:_MOST]]


def sign(version: str, date: str, page: str, changelog: str) -> str:
    """The release file."""
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(os.environ["NANOBOT_RELEASE_SIGNING_KEY"]))
    release = {"version": version, "date": date, "page": page, "news": {"en": news(version, changelog)}}
    text = json.dumps(release, ensure_ascii=False)
    signature = base64.b64encode(key.sign(text.encode())).decode()
    return json.dumps({"signed": text, "signature": signature}, indent=1) + "\n"


def main(what: str, *given: str) -> None:
    """Do one of the things above."""
    if what == "keys":
        sys.stdout.write(keys())
    elif what == "build":
        sys.stdout.write("made\n" if build(Path(given[0])) else "no address: nothing to make\n")
    elif what == "sign":
        version, date, page, file = given
        Path(file).write_text(sign(version, date, page, CHANGELOG.read_text("utf-8")), "utf-8")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
