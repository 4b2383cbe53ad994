"""The bill of materials of a build, as CycloneDX 1.6: python packaging/sbom.py FILE

Run by the Python that the build was made with. Everything that is shipped is in it, with licence, and for
Python packages the hashes that the lock allows; what has no package of its own (fonts, icons) by name. The
same build makes the same bytes.
"""

import json
import os
import platform
import re
import sys
import uuid
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from desktop import __version__
from desktop.api.about import PROGRAM, Shipped, shipped

LOCK = Path(__file__).parent / "requirements" / "packaging.txt"
type Json = dict[str, Any]


def bill() -> Json:
    """The whole of it."""
    found, hashes = shipped(), locked_hashes()
    ours = next(one for one in found if one.name == "Nanobot Desktop")
    others = [one for one in found if one is not ours]
    python = Shipped("Python", platform.python_version(), "PSF-2.0", "https://www.python.org")
    components = [_component(one, hashes) for one in [*others, python]]
    components.sort(key=lambda one: str(one["bom-ref"]))
    root = _component(Shipped(PROGRAM, __version__, ours.licence), {}, kind="application")
    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    contents = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, contents)}",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": root,
            "properties": [
                {"name": "system", "value": sys.platform},
                {"name": "machine", "value": platform.machine()},
            ],
        },
        "components": components,
        "dependencies": [
            {"ref": root["bom-ref"], "dependsOn": [one["bom-ref"] for one in components]},
        ],
    }


def locked_hashes(lock: Path = LOCK) -> dict[str, list[str]]:
    """SHA-256 of each file that may be installed, by the name of its package."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lock.read_text("utf-8").splitlines():
        if entry := re.match(r"([A-Za-z0-9._-]+)==", line):
            name = _key(entry[1])
        if value := re.search(r"--hash=sha256:([0-9a-f]{64})", line):
            found.setdefault(name, []).append(value[1])
    return found


def _component(one: Shipped, hashes: dict[str, list[str]], kind: str = "library") -> Json:
    try:
        metadata.distribution(one.name)
        ref = f"pkg:pypi/{_key(one.name)}@{one.version}"
    except metadata.PackageNotFoundError:
        ref = f"pkg:generic/{_key(one.name.replace(' ', '-'))}" + (f"@{one.version}" if one.version else "")
    made: Json = {"type": kind, "bom-ref": ref, "name": one.name, "purl": ref}
    if one.version:
        made["version"] = one.version
    if one.licence:
        made["licenses"] = [{"license": {"name": one.licence}}]
    if one.home.startswith("https://"):
        made["externalReferences"] = [{"type": "website", "url": one.home}]
    if known := hashes.get(_key(one.name)):
        # Which of a package's files was taken depends on the system: it was one of these.
        made["properties"] = [{"name": "locked:sha256", "value": value} for value in sorted(known)]
    return made


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(bill(), indent=1, ensure_ascii=False) + "\n", "utf-8")
