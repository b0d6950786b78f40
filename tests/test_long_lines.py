"""Lines as long as they may be, and what readers take of them: soon, and nothing cut in two."""

from __future__ import annotations

import contextlib
import time

import pytest
from bots.agents.planner.coordinates import read_place

from bots.agents.planner.plan_program import read_plans
from bots.structured import AnswerError
from judge.ballots import read_ballot

#: As long as a line may be: what readers look through again and again.
LONG_LINES = ["GO TO (" + " " * 11_800, "GO TO " + "a " * 5_900, " " * 11_800 + "x", "- " * 5_900]
BALLOTS = ["1. " + part * (11_800 // len(part)) for part in ("_", ":", " -", "= ", "* *", "yes_")]


@pytest.mark.parametrize(
    ("read", "line"),
    [
        *((lambda text: read_plans(text, ["wood"], ["Ann"]), line) for line in LONG_LINES),
        *((lambda text, many=many: read_ballot(text, many), x) for x in BALLOTS for many in (1, 3)),
    ],
)
def test_lines_as_long_as_they_may_be_are_soon_read(read, line):
    began = time.thread_time()
    with contextlib.suppress(AnswerError):
        read("\n".join([line + "x"] * 4))
    assert time.thread_time() - began < 1


@pytest.mark.parametrize("behind", ["", " because it is near", " " * 300 + "it is near"])
def test_a_place_is_read_whatever_stands_behind_it(behind):
    assert read_place(f"(3, 45){behind}")[0] == (3, 45)
    assert read_place(f"the plate at row 3, column 45{behind}")[0] == (3, 45)


@pytest.mark.parametrize("length", range(180, 210))
def test_a_number_is_never_cut(length):
    """The blanks within put each digit of 4567 where the reader's look ends."""
    said = f"({' ' * (length - 10)}3, 4567)"
    try:
        place, rest = read_place(said)
    except AnswerError:
        return
    assert (place, rest) == ((3, 4567), "")


def test_ballots_of_one_line_are_parted_at_their_marks():
    for line in ("Amendment 1: yes; Amendment 2: no", "__Amendment 1: yes__; __Amendment 2: no__"):
        assert read_ballot(line, 2) == ("yes", "no")
    with pytest.raises(AnswerError, match=r"such as '1\. a long title"):
        read_ballot(f"1. {'a long title, ' * 40}: yes", 1)
