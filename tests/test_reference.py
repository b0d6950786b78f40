"""A run of each scenario is, event by event, what it was when the reference runs were played."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference import KEPT, RUNS, difference, play

#: One or two of each scenario; ``python -m tests.reference`` plays and compares all of them.
PLAYED = (
    *("double_vein-1", "double_vein-negotiate", "double_vein-planner", "cleanup-2", "harvest-1"),
    *("matrix-chicken", "adasociety-negotiation-easy", "crafting_tree", "commons-full"),
    *("commons-clean_up-coop", "coherence-rumour", "items-baseline", "religion"),
    *("sentiment-chef", "specialisation-modules", "taxation-full-anti", "taxation-frozen-pro"),
)


def test_the_reference_set_has_all_runs_and_no_other() -> None:
    assert {path.name.removesuffix(".jsonl.gz") for path in KEPT.iterdir()} == set(RUNS)


@pytest.mark.parametrize("name", PLAYED)
def test_a_run_is_the_reference(name: str, tmp_path: Path) -> None:
    assert play(name, tmp_path) is None
    assert difference(name, KEPT, tmp_path) is None


def test_a_difference_is_found(tmp_path: Path) -> None:
    name = "double_vein-1"
    (tmp_path / f"{name}.jsonl.gz").write_bytes((KEPT / "double_vein-2.jsonl.gz").read_bytes())
    found = difference(name, KEPT, tmp_path)
    assert found is not None
    assert "old" in found
