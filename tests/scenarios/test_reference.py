"""Runs of each scenario equal the reference runs, event by event."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.conftest import run_module
from tests.reference import RUNS, difference, digest, digests, play

# One or two runs per scenario; ``python -m tests.reference`` plays and compares all reference runs.
PLAYED = (
    *("double_vein-negotiate", "double_vein-planner", "cleanup-2", "harvest-1", "matrix-chicken"),
    *("adasociety-negotiation-easy", "crafting_tree", "commons-full", "commons-clean_up-coop"),
    *("coherence-rumour", "items-baseline", "religion", "sentiment-chef"),
    *("specialisation-modules", "taxation-full-anti"),
)


@pytest.mark.parametrize("name", PLAYED)
def test_run_equals_the_reference(name: str, tmp_path: Path):
    assert play(name, tmp_path, lambda words: run_module(*words)) is None
    assert digest(tmp_path / f"{name}.jsonl.gz") == digests()[name]


def test_difference_from_the_reference_is_found(tmp_path: Path):
    assert list(digests()) == list(RUNS)
    for name, text in (("old", "Hello"), ("new", "Hello?")):
        (tmp_path / name).mkdir()
        lines = [{"id": 1, "kind": "chat", "text": "Hi"}, {"id": 2, "kind": "chat", "text": text}]
        data = "\n".join(map(json.dumps, lines)).encode()
        (tmp_path / name / "run.jsonl.gz").write_bytes(gzip.compress(data))
    found = difference("run", tmp_path / "old", tmp_path / "new")
    assert found is not None
    assert "Hello?" in found
    assert difference("run", tmp_path / "old", tmp_path / "old") is None
