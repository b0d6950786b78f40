"""A run of each scenario is, event by event, what it was when the reference runs were played."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference import RUNS, difference, digest, digests, play

#: One or two of each scenario; ``python -m tests.reference`` plays and compares all of them.
PLAYED = (
    *("double_vein-1", "double_vein-negotiate", "double_vein-planner", "cleanup-2", "harvest-1"),
    *("matrix-chicken", "adasociety-negotiation-easy", "crafting_tree", "commons-full"),
    *("commons-clean_up-coop", "coherence-rumour", "items-baseline", "religion"),
    *("sentiment-chef", "specialisation-modules", "taxation-full-anti", "taxation-frozen-pro"),
)


def test_all_runs_have_a_digest_and_no_other():
    assert list(digests()) == list(RUNS)


@pytest.mark.parametrize("name", PLAYED)
def test_a_run_is_the_reference(name: str, tmp_path: Path):
    assert play(name, tmp_path) is None
    assert digest(tmp_path / f"{name}.jsonl.gz") == digests()[name]


def test_a_difference_is_found(tmp_path: Path):
    old, new = tmp_path / "old", tmp_path / "new"
    assert play("double_vein-1", old) is None
    assert play("double_vein-2", new) is None
    (new / "double_vein-2.jsonl.gz").rename(new / "double_vein-1.jsonl.gz")
    found = difference("double_vein-1", old, new)
    assert found is not None
    assert "old" in found
