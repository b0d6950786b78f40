"""Every figure in a paper's column: no text lies over another, or over data, none is cut off.

Figures are of real runs of scripted minds, made now, and of records as trainings leave them; what
lies over what is measured by the renderer's boxes (tests/figure_overlaps.py).
"""

from __future__ import annotations

import itertools
import threading
import warnings

import matplotlib as mpl
import pytest
import yaml
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from tests.figure_overlaps import faults_of
from tests.played import play_all
from tests.test_damaged_runs import SHORT
from tests.test_learning_table import write_training
from voxpolis import analysis
from voxpolis.analysis import figures, progress
from voxpolis.analysis.figure_styles import SETTINGS, Style
from voxpolis.analysis.figures import FIGURES, FigureError, save_all
from voxpolis.analysis.figures.drawing import legend_of, new_sheet, sheet_of
from voxpolis.analysis.figures.fitting import fit
from voxpolis.analysis.figures.learning import DYNAMIC, STRUCTURES
from voxpolis.analysis.loading import Runs
from voxpolis.records import find_runs

#: What is played, as short as its figures allow.
PLAYED = [
    ("double_vein", "--world", "grid", "--contract", "negotiate"),
    ("double_vein", "--world", "grid", "--contract", "none", "--runs", "2"),
    ("adasociety", "--episodes", "1"),
    ("commons", "--condition", "full", "--set", "rounds=20"),
    ("commons", "--condition", "bots", "--set", "rounds=8"),
    ("commons", "--game", "clean_up", "--set", "rounds=10"),
    ("crafting_tree", "--world", "grid", "--tree", "adasociety", "--set", "time_limit_s=300"),
    ("taxation", "--condition", "full", "--agents", "6", "--runs", "1", *SHORT),
    ("religion", "--agents", "60", "--set", "length_s=3000", "--set", "faith.conversion=1"),
    ("specialisation", "--agents", "12", "--runs", "1", "--condition", "normal",
     "--set", "length_s=400"),
    ("sentiment", "--condition", "talk", "--runs", "1", "--set", "length_s=300"),
    ("sentiment", "--condition", "chef", "--runs", "1"),
    ("sentiment", "--condition", "society", "--agents", "20", "--runs", "1",
     "--set", "society_s=3600"),
    ("coherence", "--condition", "rumour", "--runs", "1", "--agents", "10",
     "--set", "length_s=300"),
    ("items", "--condition", "together", "--runs", "1", "--agents", "8", "--set", "length_s=120"),
    ("items", "--condition", "full", "--runs", "1", "--agents", "8", "--set", "length_s=120"),
]  # fmt: skip
GAMES = ("contract-easy", "contract-hard", "negotiation-easy", "social-isolation",
         "social-connection", DYNAMIC, *STRUCTURES)  # fmt: skip
#: Inches of a column of two.
WIDTH = 3.3
pytestmark = pytest.mark.timeout(900)  # sixteen runs are played, and all figures laid out


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    out = tmp_path_factory.mktemp("played")
    play_all(out, PLAYED)
    (alone,) = [folder for folder in find_runs([out]) if folder.parent.name == "items"
                and '"full"' in (folder / "result.json").read_text()]  # fmt: skip
    other = out / "items" / "by_another_mind"  # the same run, as another mind's: two models
    other.mkdir()
    for name in ("events.jsonl", "result.json"):
        (other / name).write_bytes((alone / name).read_bytes())
    manifest = yaml.safe_load((alone / "run.yaml").read_text()) | {"mind": "another"}
    (other / "run.yaml").write_text(yaml.safe_dump(manifest))
    for number, game in enumerate(GAMES):
        for algorithm in ("ppo", "mappo"):
            write_training(out / f"learn{number}{algorithm}", game, algorithm, 0)
    return analysis.load(out)


def test_no_text_of_a_figure_lies_over_another_or_over_data(runs):
    found, drawn = {}, set()
    with mpl.rc_context(dict(SETTINGS[Style.PAPER])), warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, draw in FIGURES.items():
            figure = draw(runs)
            if figure is None:
                continue
            drawn.add(name)
            assert fit(figure, WIDTH), name
            assert figure.get_size_inches()[0] == WIDTH
            if faults := faults_of(figure):
                found[name] = faults
    assert found == {}
    assert drawn == set(FIGURES)


#: What is widest in large letters: names of panels, labels, numbers below an axis.
WIDE = ("resources_over_time", "feedback_and_votes", "where_the_faith_is", "commons_hits",
        "rumour_over_time", "commons_reward")  # fmt: skip


def test_letters_of_a_slide_fit_a_column_too(runs):
    found, notes = {}, {}
    with mpl.rc_context(dict(SETTINGS[Style.SLIDES])):
        for name in WIDE:
            figure = FIGURES[name](runs)
            assert fit(figure, WIDTH)
            if faults := faults_of(figure):
                found[name] = faults
            notes[name] = figure.get_supxlabel()
    assert found == {}
    lines = notes["commons_reward"].split("\n")
    begun = [number for number, line in enumerate(lines) if line.startswith("published, ")]
    assert len(begun) < len(lines) / 3
    for line, after in itertools.pairwise(lines):
        is_last = after.startswith("published, ")
        assert is_last or len(line) > 20, "a line ends where there is no more room"


def test_a_figure_that_cannot_fit_says_so():
    ((axes,),) = new_sheet(1, 1, (6.4, 4.0))
    axes.set_yticks([0], ["a name that takes more than the whole figure has"])
    assert fit(sheet_of(axes), 6.4)
    assert not fit(sheet_of(axes), 1.0)


def test_a_figure_of_many_panels_is_laid_out_a_few_times_only(monkeypatch):
    """Each time takes longer the more panels there are."""
    rows = new_sheet(10, 2, (6.4, 40.0))
    for axes in itertools.chain(*rows):
        axes.plot([0, 60], [0, 12])
        axes.set_title("a name of a condition that is long")
    times, execute = [], ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine, "execute", lambda *args: times.append(1) or execute(*args)
    )
    with mpl.rc_context(dict(SETTINGS[Style.PAPER])):
        assert fit(sheet_of(rows[0][0]), WIDTH)
    assert len(times) < 20
    numbers = [number for number in rows[-1][0].get_xticks() if 0 <= number <= 60]
    assert len(numbers) >= 3, "there is room for them"


@pytest.mark.parametrize(("count", "is_beside"), [(2, False), (10, True)])
def test_a_long_legend_stands_beside_the_axes(count, is_beside):
    ((axes,),) = new_sheet(1, 1, (6.4, 4.0))
    for number in range(count):
        axes.plot([0, 60], [0, number], label=f"a condition's long name, {number}")
    legend_of(axes)
    drawn = sheet_of(axes)
    drawn.draw_without_rendering()
    box, area = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert (box.x0 >= area.x1) == is_beside
    assert box.x1 <= drawn.bbox.x1


def test_what_takes_long_to_draw_is_named_also_in_a_pipe(monkeypatch, tmp_path, capsys):
    shown = threading.Event()

    def slow(_):
        shown.wait(5)

    def note(*args, **options):
        print(*args, **options)
        shown.set()

    monkeypatch.setattr(progress, "SLOW_S", 0.01)
    monkeypatch.setattr(progress, "print", note, raising=False)
    monkeypatch.setattr(figures, "FIGURES", {"quick": lambda _: None, "slow": slow})
    assert list(save_all(Runs([]), tmp_path)) == []
    assert "drawing 2 of 2: slow\n" in capsys.readouterr().err


def test_what_lies_over_something_is_found():
    """The measure itself: each fault that it is to find, made on purpose."""
    figure = Figure(figsize=(3, 2))
    axes = figure.add_axes((0.2, 0.2, 0.7, 0.6))
    assert faults_of(figure) == []
    axes.text(0.5, 0.5, "here")
    axes.text(0.5, 0.5, "there", rotation=30)
    axes.set_xlabel("below", labelpad=-20)
    axes.set_ylabel("a label that is much longer than the axes are high")
    told = "\n".join(faults_of(figure))
    for fault in ("over each other: 'here' and 'there'", "over a panel: 'below'",
                  "cut off at the edge: 'a label"):  # fmt: skip
        assert fault in told


def test_a_figure_whose_code_fails_is_named_and_the_others_are_drawn(runs, tmp_path, monkeypatch):
    monkeypatch.setitem(FIGURES, "mine", lambda _: {}["x"])
    with pytest.raises(
        FigureError, match=r"mine \(KeyError in test_figures_fit\.py, line \d+: 'x'"
    ):
        list(save_all(runs, tmp_path, ("mine", "tax_paid_by_season")))
    assert {path.name for path in tmp_path.iterdir()} >= {"tax_paid_by_season.png"}
