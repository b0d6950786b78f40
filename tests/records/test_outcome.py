"""Numbers of a result, and tables in narrow terminals."""

from __future__ import annotations

import io

import pytest
from rich.table import Table

from voxpolis.analysis.report.gallery import _headline
from voxpolis.analysis.report.story import Chapters
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.outcome import (
    Tile,
    episodes,
    glance,
    minds_in_words,
    outcome,
    tiles,
    title_of,
)

GAME = {"Ada": {"reward": 30.0}, "Ben": {"reward": 10.0}}


def test_tiles_show_the_optimum_and_compare_rewards():
    result = {
        "runs": [{"condition": "none", "agents": GAME}],
        "mean": {"welfare": 40.0, "gini": 0.5},
        "welfare_optimum": 80.0,
    }
    assert tiles(result) == [
        Tile("welfare", "40", "of 80", 0.5),
        Tile("inequality (Gini)", "0.5", share=0.5),
        Tile("Ada gets", "30", share=1.0),
        Tile("Ben gets", "10", share=pytest.approx(1 / 3)),
    ]
    assert glance(result)[0] == "█████░░░░░ welfare: 40 of 80"
    result["runs"].append({"condition": "none", "seed": 1, "contribution": 0.25})
    assert episodes(result) == [
        ["episode", "condition", "seed", "Ada gets", "Ben gets", "given to the pot"],
        ["1", "none", None, "30", "10", None],
        ["2", "none", "1", None, None, "25.0%"],
    ]


def test_conditions_are_compared_by_their_first_measure():
    runs = [{"condition": name} for name in ("a", "b_1", "c")]
    shares = {"a": 0.1, "b_1": 0.9, "c": 0.5}
    summaries = {name: {"tax_share_after": {"mean": share}} for name, share in shares.items()}
    result = {"runs": runs, "conditions": summaries}
    assert [(tile.name, tile.value) for tile in tiles(result)] == [
        *(("a", "10.0%"), ("b 1", "90.0%"), ("c", "50.0%"))
    ]
    assert glance(result)[0] == "tax paid after enactment:"
    assert {tile.note for tile in tiles(result)} == {"(n = 1)"}
    told = outcome({"scenario": "taxation"}, result)
    best = "highest under b 1, 90.0% (n = 1); lowest under a, 10.0% (n = 1)."
    assert told == f"3 episodes of taxation under 3 conditions. Tax paid after enactment: {best}"
    tied = {
        "runs": [{"condition": name, "welfare": w} for name, w in (("a", 4), ("b", 4), ("c", 1))]
    }
    tied_told = "Welfare: highest under a and b, 4; lowest under c, 1 (n = 1)."
    assert outcome({}, tied).endswith(tied_told)
    two = {"runs": [{"condition": "a", "welfare": 4}, {"condition": "b", "welfare": 4}]}
    assert "Welfare: 4 under each" in outcome({}, two)
    summaries["c"] |= {"welfare": 1}
    summaries["a"] |= {"welfare": 2}
    assert outcome({"scenario": "taxation"}, result) == told, "welfare is unknown for a condition"


def test_conditions_show_their_episodes_and_their_interval():
    """Without a summary, the interval of 4 and 6 is 12.706 standard errors (Student's t)."""
    runs = [{"condition": "a", "welfare": value} for value in (4, 6)]
    result = {"runs": [*runs, {"condition": "b", "welfare": 8}], "welfare_optimum": 10}
    assert [tile.note for tile in tiles(result)] == [
        "of 10 (95 % interval ± 12.7, n = 2)",
        "of 10 (n = 1)",
    ]
    unknown = {"runs": [*result["runs"], {"condition": "c", "welfare": None}]}
    assert [(tile.name, tile.value) for tile in tiles(unknown)][2] == ("c", "n/a")
    headline = _headline(tiles(unknown))
    assert headline is not None
    assert headline.value == "5 to 8", "an unknown value is not the lowest"
    summary = {"runs": 7, "tax_share_after": {"mean": 0.2, "ci95": 0.05}}
    result = {"runs": [*runs, {"condition": "b"}], "conditions": {"a": summary, "b": summary}}
    assert tiles(result)[0].note == "(95 % interval ± 5.0%, n = 7)"


def test_converts_are_counted_of_all_people_without_the_priests():
    played = {"condition": "spread", "agents": 60, "priests": 4, "direct": 14, "indirect": 2}
    result = {"runs": [played]}
    assert tiles(result)[0] == Tile("direct converts", "14", "of 56 people", 0.25)
    assert "14 direct converts of 56 people, 2 indirect ones" in outcome({}, result)


@pytest.mark.parametrize(
    ("rewards", "told"),
    [
        ((1, 9), "B gets 9, A gets 1."),
        ((5, 5), "each agent gets 5."),
        ((2, 9, 1, 4, 5), "B gets the most (9), C the least (1)."),
        ((2, 9, 1, 9, 1), "B and D get the most (9), C and E the least (1)."),
        ((9, 1, 1, 1, 5), "A gets the most (9), 3 agents the least (1)."),
    ],
)
def test_the_agent_with_the_highest_reward_comes_first(rewards, told):
    agents = {name: {"reward": reward} for name, reward in zip("ABCDE", rewards, strict=False)}
    assert outcome({}, {"runs": [{"agents": agents}]}).endswith(told)


def test_a_negotiation_says_how_often_players_agreed_and_the_game_is_named():
    runs = [{"condition": "negotiate", "contract": text} for text in ("", "Ann pays Bob 1.")]
    facts = {"scenario": "matrix", "contract": "negotiate", "variant": "stag_hunt"}
    assert title_of(facts, "negotiate") == "Matrix (stag hunt), negotiation"
    told = "2 episodes of matrix (stag hunt) with negotiation: they agreed in 1 of 2."
    assert outcome(facts, {"runs": runs}) == told
    for text, words in (("", "no contract is in force"), ("x", "contract negotiated is in force")):
        agreed = {"kind": "contract_agreed", "name": "negotiated", "text": text}
        assert events.summary_of(agreed) == words
        assert Chapters().title({**agreed, "episode": 0}) == words


@pytest.mark.parametrize(
    "result",
    [
        None,
        {"error": "no server"},
        {"runs": 7},
        {"runs": [{"condition": [], "agents": 3}], "mean": [], "conditions": "x"},
        {"runs": [{"agents": {"Ada": {"reward": "much"}}}], "welfare_optimum": 0, "mean": {}},
    ],
)
def test_results_without_numbers_have_no_tiles(result):
    assert tiles(result) == episodes(result) == []


@pytest.mark.parametrize("width", [40, 80])
def test_a_narrow_table_has_a_line_for_each_cell(width):
    table = Table(title="a game")
    for column in ("seed", "agent", "a long name of a column", "another long name"):
        table.add_column(column, no_wrap=True)
    table.add_row("0", "Ada", "1.5", "")
    file = io.StringIO()
    print_whole(plain_console(file=file, width=width), table)
    lines = file.getvalue().splitlines()
    if width == 40:
        assert lines == ["a game", "seed 0", "  agent: Ada", "  a long name of a column: 1.5"]
    else:
        assert any("Ada" in line and "1.5" in line for line in lines)


def test_a_card_says_who_played_and_whether_it_was_a_replay():
    scripted = {"language_model": False, "mind": "scripted", "model": None, "replay": False}
    model = {"language_model": True, "mind": "openai, human", "model": "gpt-x", "replay": True}
    assert minds_in_words(scripted, has_person=False) == "scripted, no language model"
    again = {**scripted, "mind": "random", "replay": True}
    assert minds_in_words(again, has_person=False) == "random, no language model, replayed"
    assert minds_in_words(model, has_person=True) == "gpt-x, and a person, replayed"


def test_commons_name_all_players_and_measures_without_bots():
    agents = {"Ada": {"apples": 3}, "Bot": {"apples": 9}}
    entry = {"condition": "bots", "reward": 3.0, "bots_reward": 9.0, "welfare": 3.0}
    result = {"runs": [{**entry, "agents": agents}], "mean": {"welfare": 3.0, "reward": 3.0}}
    told = outcome({"scenario": "commons"}, result)
    assert told.endswith("under bots: welfare 3 without bots, Bot gets 9, Ada gets 3.")
    first, *_ = tiles(result)
    assert (first.name, first.note) == ("welfare", "without bots")
    assert episodes(result)[0] == ["episode", "condition", "welfare", "Ada gets", "Bot gets"]


def test_a_killed_run_is_not_in_progress():
    result = {"unfinished": True, "cases": 3, "cases_done": 1, "runs": [{"agents": GAME}]}
    assert "1 of 3 episodes of a run ended so far" in outcome({}, result, "live")
    assert "1 of 3 episodes of a run ended; then its process was gone" in outcome(
        {}, result, "gone"
    )
