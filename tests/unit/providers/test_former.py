"""Packages of the engine that ran on Node.js: removed whole, and nothing beside them."""

import os
from pathlib import Path

from desktop.providers import former
from tests.unit.importer.homes import write


def left(models: Path) -> Path:
    """What an older version has left."""
    for name in ("0a1b2c3d4e5f", ".new-k3x_9"):
        write(models / f"engine/{name}/package.json", "{}")
        write(
            models / f"engine/{name}/node_modules/@node-llama-cpp/linux-x64/bins/llama.node",
            b"x" * 2_000_000,
        )
    return models / "engine"


def test_all_of_it_goes_and_the_models_stay(tmp_path: Path) -> None:
    engine, model = left(tmp_path), write(tmp_path / "qwen.gguf", b"GGUF")
    outside = write(tmp_path / "outside/keep.txt", "keep")
    (engine / "0a1b2c3d4e5f/node_modules/link").symlink_to(outside.parent)
    assert former.size(tmp_path) > 4_000_000
    assert former.remove(tmp_path) > 4_000_000
    assert not engine.exists()
    assert model.exists()
    assert outside.exists()
    assert former.remove(tmp_path) == former.size(tmp_path) == 0


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    engine = left(tmp_path)
    mine = write(engine / "notes/package.json", "{}")
    other = write(engine / "0123456789ab/readme.txt", "no package")
    far = write(tmp_path / "far/package.json", "{}")
    (engine / "ffffffffffff").symlink_to(far.parent)
    former.remove(tmp_path)
    assert mine.exists()
    assert other.exists()
    assert far.exists()
    assert sorted(os.listdir(engine)) == ["0123456789ab", "ffffffffffff", "notes"]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    engine = left(tmp_path / "elsewhere")
    (tmp_path / "models").mkdir()
    (tmp_path / "models/engine").symlink_to(engine)
    assert former.remove(tmp_path / "models") == 0
    assert (engine / "0a1b2c3d4e5f/package.json").exists()
