"""Laws, ballots and dues as models phrase them: read as they are meant, or asked for again."""

from __future__ import annotations

import contextlib
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.structured import AnswerError
from judge.ballots import read_ballot
from judge.constitution import Amendment, read_amendments
from judge.law_in_words import read_compiled, read_dues

LIMITS = {"tax_rate": (0.0, 1.0), "season_s": (10.0, 1000.0)}
ONE = (Amendment(1, "The tax falls.", {}),)


def proposed(line):
    return read_amendments(f"***Amendment1***\nLower.\n{line}", LIMITS)[0]


@pytest.mark.parametrize(
    ("said", "rate"),
    [
        ("0.1 for everyone", 0.1),
        ("0.15 per season", 0.15),
        ("0.1, from next season", 0.1),
        ("0.10 \N{EM DASH} a tenth", 0.1),
        ("0.1 # ten percent", 0.1),
        ("10 % (0.1)", 0.1),
        ("0.1 (10 %)", 0.1),
        ("5 percent", 0.05),
        (".1", 0.1),
        ("0.1.", 0.1),
        *((f"0.1{was}", 0.1) for was in (" [was 0.2]", " instead of 0.2", " (currently 20 %)")),
    ],
)
def test_words_behind_a_number_leave_it_as_it_is(said, rate):
    for link in (" = ", ": ", " to ", " "):
        assert proposed(f"SET tax_rate{link}{said}").sets == {"tax_rate": rate}


@pytest.mark.parametrize(
    "said",
    [
        *("0.2 \N{RIGHTWARDS ARROW} 0.1", "0.05-0.10", "0.1 [was it 0.2]", "0.1 (from 0.2 on)"),
        *("0.1 instead of the poor's 0.2", "0.1 (0.2 before)", "0.1 currently, 0.2 later"),
        *("1/10", "0,1", "10%, not 20%", "0.1 if she agrees", "0.1 for the poor", "0.1 or 0.2"),
        *(
            "1 tenth",
            "1 per hundred",
            "0.2 halved",
            "0.1 higher",
            "0.1 less",
            "0.1 at most",
            "0.1x",
        ),
        *("0.1 pp", "0.1 for farmers", "0.1 every second season", "1e-1", "0.1 JUDGE"),
        *(
            "ten percent",
            "ten",
            "0.1 unless poor",
            "0.1, except Ada",
            "1.0.1",
            "0.1 and season_s = 60",
        ),
    ],
)
def test_a_number_with_another_or_a_condition_is_asked_for_again(said):
    for form in ("SET tax_rate = {}", "SET tax_rate to {}", "SET tax_rate {}"):
        with pytest.raises(AnswerError, match="SET name = number"):
            proposed(form.format(said))
        with pytest.raises(AnswerError, match="SET name = number"):
            read_compiled(f"***Amendment1***\n{form.format(said)}", ONE, LIMITS)


@given(
    st.integers(0, 1000),
    st.sampled_from(
        [
            *("{}", "{} for all", "{} or less", "about {}", "{}, not more", "0{}", "{}0", "{};"),
            *("{}/1", "{}-{}", "{},", "({})", "from 0.5 to {}", "{} (was 0.3)", "= {}", "{}.5"),
        ]
    ),
)
def test_no_other_number_than_the_one_that_is_said_is_ever_set(thousandths, form):
    rate = thousandths / 1000
    try:
        sets = proposed(f"SET tax_rate = {form.format(rate, rate)}").sets
    except AnswerError:
        return
    assert sets in ({}, {"tax_rate": rate})


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("NONE\n\nPeople are content.", []),
        ("***Amendment1***\nNONE", []),
        ("***Amendment1***\nGuards by night.\n***Amendment2***\nNone.", ["Guards by night."]),
        ("1. Guards by night.\n2. NONE", ["Guards by night."]),
        (
            "***Amendment1***\nGuards by night.\n\nThese amendments reflect what people said. "
            "Let me know if you would like changes!",
            ["Guards by night."],
        ),
        (
            "***Amendment1***\nWho has an idea says it.\nAll proposals are read aloud.",
            ["Who has an idea says it. All proposals are read aloud."],
        ),
        (
            "***Amendment1***\nGuards by night.\n---\nSummary: most people asked for a lower tax.",
            ["Guards by night."],
        ),
        ("***Amendment1***\nLower it.\n(SET tax_rate = 0.1)", ["Lower it."]),
    ],
)
def test_what_proposes_nothing_is_no_amendment(answer, texts):
    assert [one.text for one in read_amendments(answer, LIMITS)] == texts


@pytest.mark.parametrize(
    ("said", "sets", "is_judged"),
    [
        ("SET tax_rate = 0.1 and JUDGE", {"tax_rate": 0.1}, True),
        ("SET tax_rate = 0.1; JUDGE", {"tax_rate": 0.1}, True),
        ("SET tax_rate = 0.1, JUDGE", {"tax_rate": 0.1}, True),
        ("SET tax_rate = 0.1 \N{EM DASH} JUDGE", {"tax_rate": 0.1}, True),
        ("SET tax_rate = 0.1. JUDGE", {"tax_rate": 0.1}, True),
        ("SET tax_rate = 0.1\nAlso: JUDGE", {"tax_rate": 0.1}, True),
        ('["SET tax_rate = 0.1","JUDGE"]', {"tax_rate": 0.1}, True),
        ("Verdict: JUDGE", {}, True),
        ("The number: SET tax_rate = 0.1", {"tax_rate": 0.1}, False),
        ("tax_rate = 0.1", {"tax_rate": 0.1}, False),
        ("NOTHING", {}, False),
    ],
)
def test_all_that_is_said_of_an_amendment_is_read(said, sets, is_judged):
    (found,) = read_compiled(f"***Amendment1***\n{said}", ONE, LIMITS)
    assert (found.sets, found.is_judged) == (sets, is_judged)


@pytest.mark.parametrize(
    "said",
    [
        "JUDGE is not needed here.\nSET tax_rate = 0.1",
        "JUDGE (not required)\nSET tax_rate = 0.1",
        "It would be wrong to SET tax_rate = 0.1 here\nNOTHING",
        "SET tax_rate = 0.1\nSET tax_rate = 0.2",
        "SET tax_rate = 0.1\nNOTHING",
        "JUDGE\nNOTHING",
        "NOTHING, JUDGE",
        "NOTHING \N{EM DASH} it changes no number but a JUDGE must apply it",
        "SET tax_rate = 0.1 (the rest: JUDGE)",
        "SET tax_rate = 0.1\nA judge must apply the exemption.",
    ],
)
def test_what_can_be_meant_in_two_ways_is_asked_for_again(said):
    with pytest.raises(AnswerError, match="Amendment1"):
        read_compiled(f"***Amendment1***\n{said}", ONE, LIMITS)


@pytest.mark.parametrize(
    "line",
    [
        *("Ada: exempt", "Ada: nothing", "Ada 0 %", "Ada: 0 (exempt)", "- Ada \N{EM DASH} 0 %"),
        *("| Ada | 0 % |", "OWES Ada 0 %"),
    ],
)
def test_an_exemption_counts(line):
    assert read_dues(f"OWES EVERYBODY 20 %\n{line}", ["Ada", "Ben"]) == {"Ada": 0.0, "Ben": 0.2}


@pytest.mark.parametrize(
    "line",
    [
        "Except Ada: 0 %",
        "Ada (less than 50 pieces): 0 %",
        "Ada is exempt: she holds little",
        "Farmers: 0 %",
        "The poor pay nothing.",
        "OWES Ada 20 % of half her goods",
        "OWES Ada 0% because she holds 4",
        "OWES Ada 0 %\nReason: Ada holds little, so she is exempt.",
    ],
)
def test_what_may_be_an_exemption_is_asked_for_again(line):
    with pytest.raises(AnswerError, match=r"not of the form|leave out"):
        read_dues(f"OWES EVERYBODY 20 %\n{line}", ["Ada", "Ben"])


@pytest.mark.parametrize(
    "aside",
    [
        *("(except Ada)", "(Ada excepted)", "(but those below 50 nothing)"),
        *("of holdings, Ada exempt", "of the amount over fifty pieces"),
    ],
)
def test_an_aside_that_excepts_somebody_is_asked_for_again(aside):
    with pytest.raises(AnswerError, match=r"not of the form|leave out"):
        read_dues(f"OWES EVERYBODY 20 % {aside}", ["Ada", "Ben"])


@pytest.mark.parametrize(
    ("answer", "ballot"),
    [
        ("1. No tax for the poor: yes\n2. No guards at the chest: yes", ("yes", "yes")),
        ("1. I vote yes.", ("yes",)),
        ("Yes.\n\nReason: Lower taxes let me keep more.", ("yes",)),
        ("yes.", ("yes",)),
        ("I vote no.", ("no",)),
        ("My vote is **no**.", ("no",)),
    ],
)
def test_a_ballot_is_what_is_said_of_an_amendment_and_not_its_title(answer, ballot):
    assert read_ballot(answer, len(ballot)) == ballot


@pytest.mark.parametrize(
    "answer",
    [
        "yes or no",
        "I would say yes, but no.",
        "No or yes: maybe",
        "yes\n\nActually, no.",
        "1. I cannot vote yes",
        "Yes, if it stays",
        "Yes, but no",
        "1. No exemptions \N{EM DASH} I vote yes.",
        "Yes. Lower taxes would let me keep more.",
        "No tax is bad. I vote no.",
        *(
            "Against: yes",
            "Yes, I vote against it.",
            "I oppose the amendment: yes",
            '{"reject": "yes"}',
        ),
        *("\u274c yes", "yes\n\nI am not going to vote that way, though.", "- [ ] yes\n- [x] no"),
    ],
)
def test_who_cannot_decide_is_asked_again(answer):
    with pytest.raises(
        AnswerError,
        match=r"a ballot is once|changes its mind|leave out|no name of your answer|only your",
    ):
        read_ballot(answer, 1)


@pytest.fixture
def soon():
    """What hangs in a pattern is ended by a signal, which patterns look for, and fails."""

    def late(*_args):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "unit", [", ", ": ", "( ", "\N{EM DASH} ", "- ", ". ", "1 ", "and ", "no "]
)
def test_a_row_of_signs_takes_little_time(soon, unit):
    row = unit * 400 + "x"
    head = "***Amendment1***\n"
    for read in (
        lambda: read_compiled(f"{head}SET tax_rate = 1{row}", ONE, LIMITS),
        lambda: read_compiled(f"{head}JUDGE {row}", ONE, LIMITS),
        lambda: read_amendments(f"{head}SET tax_rate = 1 {row}", LIMITS),
        lambda: read_dues(f"OWES Ada 10 % {row}\nBen {row}", ["Ada", "Ben"]),
        lambda: read_ballot(f"1: {row}", 1),
    ):
        with contextlib.suppress(AnswerError):
            read()


@pytest.mark.parametrize(
    ("answer", "ballot"),
    [
        ("1. Lower the tax: yes", "yes"),
        ("**Amendment 1 (tax_rate 0.1):** No", "no"),
        ("\u2705 Yes", "yes"),
        ("1. \u274c No\n2. \u2705 Yes", "no yes"),
        ("The first would help me. Ben is against it.\n\n**yes, no**", "yes no"),
        ("It would not help me.\n\n**no**", "no"),
    ],
)
def test_titles_agreeing_marks_and_prose_above_a_last_word_leave_a_ballot_as_it_is(answer, ballot):
    chosen = tuple(ballot.split())
    assert read_ballot(answer, len(chosen)) == chosen


@pytest.mark.parametrize(
    "answer",
    [
        "\u2705 No",
        "\u274c Yes",
        "1. Against: yes",
        "1. I would say: yes",
        "It would not help me.\n\nno",
        "Ben's vote:\n\n**yes**",
    ],
)
def test_a_mark_or_a_title_that_makes_another_vote_is_asked_again(answer):
    with pytest.raises(AnswerError):
        read_ballot(answer, 1)
