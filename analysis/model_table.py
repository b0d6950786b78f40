"""Tables of models, as ``experiments model-table`` makes them: merging, printing and drawing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from voxpolis.analysis.comparing import Interval, bootstrap, with_interval
from voxpolis.records.console import plain_console, print_whole, table_of
from voxpolis.records.text import in_digits, one_line

# The file of a row, in its folder.
ROW = "row.json"
# Number of panels side by side in a figure.
ACROSS = 3


@dataclass(frozen=True)
class Cell:
    """The result of one model in one game.

    Attributes:
        measure: path of the measure in a result.
        unit: unit of the measure, in words.
        options: options of the game.
        values: a dictionary from each seed to the measure. A run that failed has no value.
        asked: number of decisions that were asked for.
        failed: number of decisions without a usable answer.
        tokens: number of tokens of all prompts and answers.
        dollars: price of all calls; None if it is unknown or no model was called.
        seconds: duration of all runs on the wall clock.
        records: folders of the runs.
        lost: number of runs without a result that counts, even if they were repeated later.
    """

    measure: str
    unit: str
    options: Mapping[str, Any]
    values: Mapping[str, float]
    asked: int
    failed: int
    tokens: int
    dollars: float | None
    seconds: float
    records: Sequence[str] = ()
    lost: int = 0

    @property
    def interval(self) -> Interval | None:
        """The mean over seeds with its 95 % interval; None if there is no value."""
        return bootstrap([*self.values.values()]) if self.values else None


@dataclass(frozen=True)
class Row:
    """The results of one model in all games of a suite.

    Attributes:
        name: name of the model.
        suite: name of the suite.
        kind: ``scripted``, ``random`` or ``language model``.
        model: the settings that identify the model: its kind of mind, or the settings of models.
        runs: number of seeds that each game was meant to have.
        date: day on which the row was completed.
        cells: a dictionary from each game to its result. The model cannot play a missing game.
    """

    name: str
    suite: str
    kind: str
    model: Mapping[str, Any]
    runs: int
    date: str
    cells: Mapping[str, Cell]


_ROW = TypeAdapter(Row)


class TableError(ValueError):
    """A folder contains no readable table. The message is one line."""


def write_row(folder: Path, row: Row) -> None:
    """Write a row into its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ROW).write_text(json.dumps(asdict(row), indent=1) + "\n", encoding="utf-8")


def read_rows(folders: Iterable[Path]) -> list[Row]:
    """Return the rows of all tables in these folders.

    Rows without a model come first, then models by name.

    Raises:
        TableError: a folder has no rows, a row is damaged, two rows have the same name, or two rows
            played different games with the same name.
    """
    rows = []
    for folder in folders:
        found = sorted(folder.rglob(ROW))
        if not found:
            raise TableError(f"{folder} contains no rows of a model table")
        for path in found:
            try:
                rows.append(_ROW.validate_json(path.read_bytes()))
            except (OSError, ValidationError) as error:
                raise TableError(f"{path} cannot be read: {one_line(str(error))}") from error
    _refuse_mixtures(rows)
    order = {"random": 0, "scripted": 1}
    return sorted(rows, key=lambda row: (order.get(row.kind, 2), row.name))


def _refuse_mixtures(rows: Sequence[Row]) -> None:
    names = [row.name for row in rows]
    if double := [name for name in names if names.count(name) > 1]:
        raise TableError(f"two rows are called {double[0]}; change the name in one {ROW}")
    games: dict[str, Cell] = {}
    for row in rows:
        for game, cell in row.cells.items():
            first = games.setdefault(game, cell)
            if (cell.measure, cell.options) != (first.measure, first.options):
                raise TableError(f"{row.name} played another game that is called {game}, too")


def print_table(folders: Sequence[Path], *, as_json: bool = False) -> None:
    """Print the merged tables of folders.

    Raises:
        TableError: a folder has no rows.
    """
    rows = read_rows(folders)
    if as_json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    console = plain_console()
    for game, cells in _by_game(rows).items():
        unit = next(cell.unit for cell in cells.values() if cell)
        shown = [[row.name, *_cells(row, cells[row.name])] for row in rows]
        print_whole(console, table_of(f"{game} ({unit})", ["model", *COLUMNS], shown))


COLUMNS = (
    *("mean [95 % interval]", "n", "failed runs", "failed decisions"),
    *("tokens", "dollars", "seconds"),
)


def _cells(row: Row, cell: Cell | None) -> list[str]:
    """Return the columns of a result.

    ``n/a``: there are no random players for the game, or the runs do not have the measure. ``not
    played``: the row is not complete. ``missing``: no run has a result that counts.
    """
    if cell is None:
        return ["n/a" if row.kind == "random" else "not played", *[""] * (len(COLUMNS) - 1)]
    failed = f"{cell.failed} of {cell.asked}" if cell.asked else "0"
    return [
        with_interval(cell.interval) if cell.interval else "n/a" if cell.records else "missing",
        str(len(cell.values)),
        str(cell.lost),
        failed,
        f"{cell.tokens:,}" if cell.tokens else "0",
        "-" if cell.dollars is None else f"{cell.dollars:.2f}",
        in_digits(cell.seconds),
    ]


def _by_game(rows: Sequence[Row]) -> dict[str, dict[str, Cell | None]]:
    """Return a dictionary from each game to a dictionary from each model to its cell. The games
    come in the order in which the longest row lists them.
    """
    longest_first = sorted(rows, key=lambda row: -len(row.cells))
    games = dict.fromkeys(game for row in longest_first for game in row.cells)
    return {game: {row.name: row.cells.get(game) for row in rows} for game in games}


def markdown(rows: Sequence[Row]) -> str:
    """Return a table in Markdown, with one line per game and one column per model.

    A second table shows what each model cost.
    """
    lines = ["| | " + " | ".join(row.name for row in rows) + " |"]
    lines.append("|---" + "|--:" * len(rows) + "|")
    for game, cells in _by_game(rows).items():
        unit = next(cell.unit for cell in cells.values() if cell)
        shown = (_with_count(row, cells[row.name]) for row in rows)
        lines.append(f"| {game} ({unit}) | " + " | ".join(shown) + " |")
    lines += ["", "| | kind | failed runs | failed decisions | tokens | dollars | hours | date |"]
    lines.append("|---|---|--:|--:|--:|--:|--:|---|")
    for row in rows:
        of = row.cells.values()
        prices = [cell.dollars for cell in of if cell.tokens]
        dollars = "unknown" if None in prices else f"{sum(filter(None, prices)):.2f}"
        lines.append(
            f"| {row.name} | {row.kind} | {sum(cell.lost for cell in of)} "
            f"| {sum(cell.failed for cell in of)} of {sum(cell.asked for cell in of)} "
            f"| {sum(cell.tokens for cell in of):,} | {dollars} "
            f"| {sum(cell.seconds for cell in of) / 3600:.2f} | {row.date} |"
        )
    return "\n".join(lines) + "\n"


def _with_count(row: Row, cell: Cell | None) -> str:
    """Return the mean of a cell as text. If some runs have no result, the text also says how many
    runs have one.
    """
    shown = _cells(row, cell)[0]
    if cell is None or len(cell.values) in (0, row.runs):
        return shown
    return f"{shown}, n = {len(cell.values)}"


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw one panel per game, with each model's mean and 95 % interval, into an image file."""
    # matplotlib takes a second to load.
    from voxpolis.analysis.figures.drawing import COLOURS, new_sheet, sheet_of  # noqa: PLC0415

    games, names = _by_game(rows), [row.name for row in rows][::-1]
    lines = -(-len(games) // ACROSS)
    size = (3.2 * ACROSS, lines * (0.9 + 0.3 * len(rows)))
    panels = [axes for row in new_sheet(lines, ACROSS, size, is_one_scale=False) for axes in row]
    for axes in panels[len(games) :]:
        axes.set_visible(False)
    for number, (axes, (game, cells)) in enumerate(zip(panels, games.items(), strict=False)):
        for at, name in enumerate(names):
            cell = cells[name]
            if cell is None or cell.interval is None:
                text = _cells(rows[-1 - at], cell)[0]
                axes.text(0.02, at, text, transform=axes.get_yaxis_transform(), fontsize="x-small",
                          va="center", color="0.4")  # fmt: skip
                continue
            found = cell.interval
            axes.plot([found.low, found.high], [at, at], color=COLOURS[0], linewidth=2)
            axes.plot([found.value], [at], "o", color=COLOURS[0], markersize=4)
            axes.annotate(f"n = {found.count}", (found.value, at), fontsize="xx-small",
                          xytext=(0, 4), textcoords="offset points", ha="center")  # fmt: skip
        is_first = number % ACROSS == 0
        axes.set_yticks(range(len(names)), names if is_first else [""] * len(names))
        axes.tick_params(labelsize="x-small")
        axes.locator_params(axis="x", nbins=5)
        axes.set_ylim(-0.6, len(names) - 0.2)
        low, high = axes.get_xlim()
        axes.set_xlim(min(0.0, low), max(0.0, high))
        axes.set_xlabel(next(cell.unit for cell in cells.values() if cell), fontsize="x-small")
        axes.set_title(game, fontsize="small")
    sheet_of(panels[0]).savefig(path, dpi=150)
