"""Which models can run here: what their files say, what the computer has, what is offered."""

import os
import stat
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.errors import UsageError
from desktop.providers import catalogue, engine, gguf, processor, weights
from desktop.providers.catalogue import CATALOGUE, SMALL, USUAL, better, misfit, usual
from desktop.providers.machine import Machine, look
from tests.servers.gguf import gguf as file_of

GB = 10**9
LARGE = Machine(memory=32 * GB, free=24 * GB, cores=8, disk=200 * GB)


def all_known(_architecture: str) -> bool:
    return True


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(
        file_of("qwen2", name="A model", window=2048, marks=("<|e|>", "<|end|>"))
    )
    head = gguf.read(tmp_path / "a.gguf")
    assert head == gguf.Head("qwen2", "A model", 2048, True, ("<|end|>", "<|e|>"), 1)


@pytest.mark.parametrize("left", [0, 3, 7, 30, 200, -1])
def test_a_file_that_is_cut_is_no_model(tmp_path: Path, left: int) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(file_of()[:left])
    with pytest.raises(gguf.Damaged):
        gguf.read(path)
    with pytest.raises(UsageError, match=r"incomplete|not a complete") as failure:
        weights.own(path)
    assert failure.value.remedy


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 a zip file",
        struct.pack("<4sIQQ", b"GGUF", 3, 1 << 60, 1 << 60),
        struct.pack("<4sIQQ", b"GGUF", 9, 0, 0),
        struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"a", 9, 9, 1 << 40),
        struct.pack("<4sIQQQ1sI", b"GGUF", 3, 0, 1, 1, b"a", 77),
        struct.pack("<4sIQQQ1s", b"GGUF", 3, 0, 1, 1, b"a") + struct.pack("<IIQ", 9, 9, 1) * 5000,
    ],
    ids=["zip", "many", "version", "long list", "type", "deep"],
)
def test_a_file_that_is_no_model_is_told_as_such(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.gguf").write_bytes(data)
    with pytest.raises(UsageError, match="not a complete model file"):
        weights.own(tmp_path / "x.gguf")


def test_a_file_of_the_persons_own_must_be_there_whole_and_able_to_talk(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    with pytest.raises(UsageError, match="There is no file"):
        weights.own(path)
    for data, why in (
        (file_of(parts=3), "one of 3 parts"),
        (file_of(template=""), "not a chat model"),
    ):
        path.write_bytes(data)
        with pytest.raises(UsageError, match=why):
            weights.own(path)
    path.write_bytes(file_of(name="Mine"))
    model, head = weights.own(path)
    assert (model.id, model.name, model.file, model.own) == (str(path), "Mine", str(path), True)
    assert head.marks == ("<|im_end|>",)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser reads every file")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(file_of())
    (tmp_path / "own.gguf").chmod(stat.S_IWUSR)
    with pytest.raises(UsageError, match="can’t be read"):
        weights.own(tmp_path / "own.gguf")


def test_the_catalogue_is_complete() -> None:
    assert CATALOGUE[0] is SMALL
    for model in CATALOGUE:
        assert catalogue.find(model.id) is model
        assert model.licence == "Apache-2.0"
        assert len(model.sha256) == 64
        assert model.url.startswith("https://huggingface.co/")
        assert model.url.endswith(f"/{model.file}")
        assert model.file.endswith(".gguf")
        assert model.does
    with pytest.raises(UsageError, match="no built-in model named gpt"):
        catalogue.find("gpt")


def test_a_mirror_of_the_hub_is_used_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert SMALL.url.startswith("https://mirror.example/Qwen/")


def test_the_larger_of_the_two_is_used_where_there_is_memory(tmp_path: Path) -> None:
    assert usual(tmp_path, LARGE) is USUAL
    assert usual(tmp_path, replace(LARGE, free=4 * GB)) is USUAL
    little = replace(LARGE, free=4 * GB - 1)
    assert usual(tmp_path, little) is SMALL
    (tmp_path / USUAL.file).touch()
    assert usual(tmp_path, little) is USUAL, "only that one is here"
    (tmp_path / SMALL.file).touch()
    assert usual(tmp_path, little) is SMALL


@pytest.mark.parametrize(
    ("machine", "best"),
    [
        (LARGE, "qwen3.5-4b"),
        (replace(LARGE, cores=2), "qwen3.5-2b"),
        (replace(LARGE, cores=2, gpu="Metal"), "qwen3.5-4b"),
        (replace(LARGE, memory=6 * GB, free=3 * GB), "qwen3.5-2b"),
        (replace(LARGE, disk=2 * GB), "qwen3.5-2b"),
        (replace(LARGE, memory=2 * GB, free=GB), None),
        (replace(LARGE, disk=0), None),
    ],
)
def test_what_is_offered_goes_by_what_the_computer_has(machine: Machine, best: str | None) -> None:
    found = better(USUAL, [], machine, all_known)
    assert (found.id if found else None) == best


def test_only_what_the_engine_knows_is_offered_and_nothing_where_the_best_is_in_use() -> None:
    found = better(USUAL, [], LARGE, lambda name: name != "qwen35")
    assert found
    assert found.id == "qwen3-4b-instruct-2507"
    assert better(CATALOGUE[-1], [], LARGE, all_known) is None
    assert better(catalogue.of_person("/x/own.gguf"), [], LARGE, all_known) is None


def test_why_a_model_cannot_be_run_is_a_sentence() -> None:
    assert misfit(SMALL, LARGE, all_known) == ""
    assert "qwen2" in misfit(SMALL, LARGE, lambda _name: False)
    assert "needs 3.4 GB" in misfit(CATALOGUE[-1], replace(LARGE, memory=2 * GB), all_known)


def test_the_shipped_engine_knows_the_models_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert engine.library()
    assert [model.id for model in CATALOGUE if not engine.knows(model.architecture)] == []
    assert not engine.knows("an-architecture-of-next-year")


def test_an_old_processor_is_told_before_the_engine_is_started(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu sse4_2 avx fma f16c\n")
    assert processor.lacking(cpuinfo) == ("avx2", "bmi2")
    cpuinfo.write_text("flags : fma f16c avx2 bmi2 avx512f\n")
    assert processor.lacking(cpuinfo) == ()
    assert processor.lacking(tmp_path / "nowhere") == ()


def test_memory_is_short_where_others_need_it(tmp_path: Path) -> None:
    assert not LARGE.short
    assert replace(LARGE, free=GB).short
    assert Machine(2 * GB, 200 * 10**6, 2, GB).short
    assert look(tmp_path / "not" / "there").disk > 0
