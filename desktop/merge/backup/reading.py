"""Looking at a file that says it is a backup, whoever made it: nothing of it is trusted, and all of it is
unpacked and compared with its manifest before anything of this home is changed."""

import hashlib
import json
import shutil
import stat
import sys
import zipfile
import zlib
from pathlib import Path

from desktop.errors import StorageError
from desktop.merge.backup import form
from desktop.merge.backup.form import Manifest, damaged, foreign, unsafe
from desktop.pace import Pace
from desktop.text import _

_MOST_FILES = 300_000
_LONGEST_MANIFEST = 128 * 1024 * 1024
_SUSPECT_BYTES, _SUSPECT_RATIO = 1024**3, 200
"""More than so much that was packed more than so tightly is a bomb."""
_SPARE = 64 * 1024 * 1024
"""Bytes that stay free on the disk."""


def look(path: Path) -> Manifest:
    """What a backup holds, by its own words; its names and sizes are checked. Blocks. Raises NoBackupError,
    OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _checked(archive, path.stat().st_size)
    except zipfile.BadZipFile:
        raise _no_zip(path) from None
    except (zlib.error, EOFError, RuntimeError, NotImplementedError, UnicodeDecodeError):
        raise damaged() from None


def unpack(path: Path, folder: Path, pace: Pace) -> Manifest:
    """Unpack a backup into an empty folder; each file is as the manifest says. Blocks. Raises
    NoBackupError, StorageError where the disk has no room, OSError, CalledOffError; the folder is then for
    the caller to remove."""
    manifest = look(path)
    total = sum(file.size for file in manifest.files.values())
    if total + _SPARE > shutil.disk_usage(folder).free:
        raise StorageError(
            _("There is not enough disk space for the backup: it needs {size} MB.").format(
                size=total // 10**6 + 1
            ),
            _("Free up some space and try again. Nothing was changed."),
        )
    pace.begin("check", total)
    try:
        with zipfile.ZipFile(path) as archive:
            for name, packed in manifest.files.items():
                _unpack(archive, name, packed, folder / name, pace)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):
        raise damaged() from None
    return manifest


def _unpack(archive: zipfile.ZipFile, name: str, packed: form.Packed, target: Path, pace: Pace) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = hashlib.sha256(), 0
    mode = 0o700 if archive.getinfo(name).external_attr >> 16 & stat.S_IXUSR else 0o600
    with archive.open(name) as source, target.open("xb") as file:
        target.chmod(mode)
        while data := source.read(form.CHUNK):
            size += len(data)
            if size > packed.size:
                raise damaged()
            digest.update(data)
            file.write(data)
            pace.advance(len(data))
    if size != packed.size or digest.hexdigest() != packed.sha256:
        raise damaged()


def _checked(archive: zipfile.ZipFile, size: int) -> Manifest:
    infos = archive.infolist()
    if len(infos) > _MOST_FILES:
        raise unsafe()
    names = [info.filename for info in infos]
    if form.MANIFEST not in names:
        raise foreign()
    by_name = {info.filename: info for info in infos}
    if len(by_name) != len(names) or by_name[form.MANIFEST].file_size > _LONGEST_MANIFEST:
        raise unsafe()
    try:
        manifest = form.manifest_of(json.loads(archive.read(form.MANIFEST)))
    except ValueError:
        raise foreign() from None
    if set(manifest.files) != set(names) - {form.MANIFEST}:
        raise damaged()
    for name, packed in manifest.files.items():
        _check(by_name[name], packed)
    total = sum(info.file_size for info in infos)
    if total > _SUSPECT_BYTES and total > _SUSPECT_RATIO * max(1, size):
        raise unsafe()
    folded = [name.casefold() for name in names]
    if len(set(folded)) != len(folded) and sys.platform in ("win32", "darwin"):
        raise unsafe()
    return manifest


def _check(info: zipfile.ZipInfo, packed: form.Packed) -> None:
    """Raises NoBackupError for an entry that no backup has."""
    name = info.filename
    mode = info.external_attr >> 16
    plain = not stat.S_IFMT(mode) or stat.S_ISREG(mode)
    if not plain or info.is_dir() or info.flag_bits & 0x1 or not form.is_safe(name):
        raise unsafe()
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise unsafe()
    if packed.size < 0 or info.file_size != packed.size:
        raise damaged()


def _no_zip(path: Path) -> StorageError:
    with path.open("rb") as file:
        return damaged() if file.read(4) == b"PK\x03\x04" else foreign()
