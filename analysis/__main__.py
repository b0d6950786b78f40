"""Make tables, figures, pages and films from the records of runs: ``python -m analysis``."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from voxpolis import environment
from voxpolis.analysis.conditions import condition_of
from voxpolis.analysis.figure_styles import Format, Style
from voxpolis.analysis.loading import Runs, load
from voxpolis.analysis.progress import Progress, notice_if_slow
from voxpolis.analysis.report.build import build
from voxpolis.analysis.report.film import Cut, FilmError, FilmFormat, open_chromium, shoot
from voxpolis.analysis.report.run_list import Shelf
from voxpolis.analysis.report.site import clear, draw_figures, write_index, write_run, write_tables
from voxpolis.analysis.report.watch import Watch
from voxpolis.front import run_app
from voxpolis.records import left_out, names_of
from voxpolis.records.command_line import CommandLine
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import one_line, say, say_error

# Maximum number of problems that are told about a file of a record.
MOST_PROBLEMS = 3

app = CommandLine(
    help="Make tables, figures, pages and films from the records of runs.",
    no_args_is_help=True,
)


# Headings in the help of ``film``.
FILE, SCENE = "File", "Scene"


class View(StrEnum):
    """The view of the world in a film: blocks in 3D, or a plan seen from above."""

    SOLID = "3d"
    PLAN = "plan"


Where = Annotated[
    list[str],
    typer.Argument(
        metavar="RUNS",
        help="Folders of runs, folders with runs anywhere below, or patterns.",
    ),
]


@app.command()
def show(where: Where) -> None:
    """List runs with their main facts.

    Parts of the records that cannot be read are reported.
    """
    runs = _load(where)
    table = Table(box=None)
    for column in ("run", "scenario", "world", "mind", "condition", "seed", "welfare", "ended"):
        table.add_column(column, no_wrap=True)
    for row in runs.runs.to_dict("records"):
        name = "/".join(Path(row["run"]).parts[-2:])
        facts = [name, row["scenario"], row["world"], row["mind"], condition_of(row), row["seed"]]
        ended = "yes" if row["finished"] else "no"
        table.add_row(*(_text(value) for value in (*facts, row["welfare"])), ended)
    print_whole(plain_console(), table)
    runs.counts()  # reads every line, so that all problems are found
    for _ in runs.results():
        pass
    _tell_problems(runs)


def _tell_problems(runs: Runs) -> None:
    for (run, file), found in runs.problems.groupby(["run", "file"], sort=False):
        for problem in found.head(MOST_PROBLEMS).to_dict("records"):
            line = f" line {problem['line']}" if problem["line"] else ""
            say(f"{run}/{file}{line}: {problem['problem']}", sys.stderr)
        if (more := len(found) - MOST_PROBLEMS) > 0:
            say(f"{run}/{file}: {more} more problems", sys.stderr)


@app.command()
def models(
    where: Annotated[list[Path], typer.Argument(help="Folders of model tables; see experiments.")],
    figure: Annotated[Path | None, typer.Option(help="Image file for a figure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Merge tables of ``python -m experiments model-table``, and print the merged table.

    \b
    Example:
      python -m analysis models tables/models shared_rows --figure models.png
    """  # noqa: D301
    from voxpolis.analysis.model_table import draw, print_table, read_rows  # noqa: PLC0415

    if figure is not None:
        environment.require("figures", "matplotlib", "scipy")
    try:
        print_table(where, as_json=as_json)
        if figure is not None:
            draw(read_rows(where), figure)
            say(figure)
    except ValueError as error:  # a TableError, or a format that matplotlib does not support
        raise _failure(str(error)) from error
    except OSError as error:
        raise _failure(f"cannot write: {error.strerror}") from error


def _list_figures(is_wanted: bool) -> None:
    if is_wanted:
        environment.require("figures", "matplotlib", "scipy")
        from voxpolis.analysis.figures import FIGURES  # noqa: PLC0415  (matplotlib loads slowly)

        for name in FIGURES:
            say(name)
        raise typer.Exit


@app.command()
def figures(
    where: Where,
    out: Annotated[Path, typer.Option(help="Folder for the figures.")] = Path("figures"),
    only: Annotated[
        list[str] | None, typer.Option(help="Draw only this figure. Can be repeated.")
    ] = None,
    formats: Annotated[
        list[Format] | None,
        typer.Option(
            "--format", help="Format of the files: by default, PNG and SVG. Can be repeated."
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(min=1, max=40, help="Width in inches. The default depends on the style."),
    ] = None,
    style: Annotated[
        Style,
        typer.Option(
            help="Medium for which the figures are made. It determines the width, and the sizes "
            "of texts and lines."
        ),
    ] = Style.SCREEN,
    lists: Annotated[
        bool,
        typer.Option(
            "--list", callback=_list_figures, is_eager=True, help="List the figures, and exit."
        ),
    ] = False,
) -> None:
    """Draw all figures for which the runs have events.

    \b
    Examples:
      python -m analysis figures runs/taxation --out figures
      python -m analysis figures runs/cleanup --style slides --width 8
      python -m analysis figures runs --format pdf --style paper
    """  # noqa: D301
    environment.require("figures", "matplotlib", "scipy")
    from voxpolis.analysis.figures import FIGURES, FigureError, save_all  # noqa: PLC0415  (matplotlib loads slowly)

    unknown = sorted(set(only or ()) - set(FIGURES))
    if unknown:
        (close,) = get_close_matches(unknown[0], FIGURES, 1, 0.0)
        hint = f"the closest is {close}, and figures --list lists all"
        raise _failure(f"there is no figure {unknown[0]}; {hint}")
    runs, kinds = _load(where), formats or (Format.PNG, Format.SVG)
    drawn, failed = [], ""
    try:
        for path in save_all(runs, out, only or (), kinds, style, width, say_error):
            drawn.append(path)
            say(path)
    except OSError as error:
        raise _failure(f"cannot write to {out}: {error.strerror}") from error
    except FigureError as error:
        failed = str(error)
    _tell_problems(runs)
    if failed:
        raise _failure(failed)
    if not drawn:
        what = f"the figure {', '.join(only)}" if only else "a figure"
        ended = "; unfinished episodes are left out" if _has_unfinished(runs) else ""
        raise _failure(f"none of the {len(runs)} runs has the events of {what}{ended}")


def _has_unfinished(runs: Runs) -> bool:
    return not runs.attempts()["ended"].all()


@app.command()
def parquet(
    where: Where,
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("parquet"),
) -> None:
    """Write runs and events as Parquet files.

    There are one or more files for each kind of event.
    """
    environment.require("parquet", "pyarrow")
    runs = _load(where)
    try:
        written = runs.to_parquet(out)
    except OSError as error:
        raise _failure(f"cannot write to {out}: {error.strerror or error}") from error
    for path in written:
        say(path)
    _tell_problems(runs)


@app.command()
def report(
    where: Where,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Output file, or a folder for several files. By default, report.html in each run."
        ),
    ] = None,
) -> None:
    """Make a web page for each run.

    The page is a single HTML file that opens in any browser, without a network. Unreadable parts of
    a run are reported here and on its page.

    \b
    Examples:
      python -m analysis report runs/double_vein/20261121T235857Z-35cfe7
      python -m analysis report runs/double_vein --out reports
    """  # noqa: D301
    folders, console = _load(where).folders, plain_console(stderr=True)
    paths = _paths(folders, out, "report.html", ["html"])
    goal = out if out is not None else f"report.html in {'each' if len(folders) > 1 else 'it'}"
    say(f"{_count(folders)} found; writing {goal}", sys.stderr)
    found = []
    for folder, path in zip(folders, paths, strict=True):
        try:
            with Progress(folder.name, _size(folder), console) as progress:
                built = build(folder, path, progress.at)
        except OSError as error:
            raise _failure(f"cannot write {path}: {error.strerror}") from error
        say(path)
        found.append(built)
        for problem in built.problems:
            say(f"{folder}/{problem}", sys.stderr)
    if all(built.problems and not built.events for built in found):
        raise _failure(f"no event of {_count(folders)} is readable; the pages are empty")


@app.command()
def site(
    where: Where,
    out: Annotated[Path, typer.Option(help="Folder for the site.")] = Path("site"),
    has_figures: Annotated[
        bool, typer.Option("--figures", help="Draw figures of the runs, which takes longer.")
    ] = False,
) -> None:
    """Make a folder of web pages that you can publish.

    The index has a card for each run, which can be searched and filtered. Each run has a page, and
    its record can be downloaded, also as Parquet files if the extra "parquet" is installed. The
    pages work from any web server, and from the disk.

    \b
    Example:
      python -m analysis site runs --out site
    """  # noqa: D301
    runs, console = _load(where), plain_console(stderr=True)
    named, figures = Shelf(where).runs(), dict[str, list[str]]()
    problems: dict[str, list[str]] = {}
    try:
        clear(out, named.keys())
        total, done = sum(map(_size, named.values())), 0
        with Progress(f"pages of {_count(list(named.values()))}", total, console) as progress:

            def at(count: int) -> None:
                progress.at(done + count)

            for name, folder in named.items():
                problems[name] = write_run(name, folder, out, at).problems
                done += _size(folder)
                at(0)
        if has_figures:
            environment.require("figures", "matplotlib", "scipy")
            say("drawing figures", sys.stderr)
            figures = draw_figures(runs, out, say_error)
        if find_spec("pyarrow"):
            with notice_if_slow("writing Parquet files"):
                write_tables(runs, out)
        say(write_index(named, out, figures, problems))
    except OSError as error:
        raise _failure(f"cannot write to {out}: {error.strerror or error}") from error
    _tell_problems(runs)


def _size(folder: Path) -> int:
    events = folder / "events.jsonl"
    return max(1, events.stat().st_size if events.exists() else 0)


@app.command()
def film(
    where: Where,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Output file, or a folder for several files. By default, film.gif in each run.",
            rich_help_panel=FILE,
        ),
    ] = None,
    file_format: Annotated[
        FilmFormat | None,
        typer.Option(
            "--format",
            help="Format of the film. The default is that of --out, otherwise gif.",
            rich_help_panel=FILE,
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=0.2,
            max=600,
            help="Duration in seconds. The last frame stays for 2 s more.",
            rich_help_panel=FILE,
        ),
    ] = 12.0,
    rate: Annotated[
        int, typer.Option(min=1, max=50, help="Number of frames per second.", rich_help_panel=FILE)
    ] = 10,
    width: Annotated[
        int, typer.Option(min=200, max=1920, help="Width in pixels.", rich_help_panel=FILE)
    ] = 720,
    begin: Annotated[
        float,
        typer.Option(
            min=0,
            help="Time in the run at which the film begins, in seconds.",
            rich_help_panel=SCENE,
        ),
    ] = 0.0,
    end: Annotated[
        float | None,
        typer.Option(
            help="Time in the run at which the film ends, in seconds. By default, the end of the "
            "run.",
            rich_help_panel=SCENE,
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Agent that the view follows.", rich_help_panel=SCENE)
    ] = None,
    view: Annotated[
        View, typer.Option(help="Show blocks in 3D, or the plan.", rich_help_panel=SCENE)
    ] = View.SOLID,
) -> None:
    """Make a film of each run.

    The film shows the world as on the page of the run, with captions. The command needs a browser
    and the optional packages of the extra "film", which include ffmpeg for MP4 files. If no
    browser is installed, run: playwright install chromium.

    \b
    Examples:
      python -m analysis film runs/cleanup
      python -m analysis film runs/cleanup --format mp4 --seconds 30
      python -m analysis film runs/crafting_tree --agent Ada --begin 60
    """  # noqa: D301
    folders, console = _load(where).folders, plain_console(stderr=True)
    paths = _paths(folders, out, f"film.{_film_format(out, file_format)}", tuple(FilmFormat))
    if end is not None and end <= begin:
        raise _failure(f"--end must be after --begin, so more than {begin:g}")
    cut = Cut(seconds, rate, width, begin, end, agent, view is View.SOLID)
    try:
        with open_chromium() as browser:
            for folder, path in zip(folders, paths, strict=True):
                with Progress(folder.name, max(2, round(seconds * rate)), console) as progress:
                    shoot(browser, folder, path, cut, progress.at)
                say(path)
    except FilmError as error:
        raise _failure(str(error)) from error
    except OSError as error:
        raise _failure(f"cannot write the film: {error.strerror or error}") from error


@app.command()
def watch(
    where: Where,
    host: Annotated[str, typer.Option(help="Address on which the page is served.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port on which the page is served. 0: a free port.")
    ] = 0,
    minds: Annotated[
        bool,
        typer.Option("--minds", help="Show thoughts and prompts even if a person takes part."),
    ] = False,
) -> None:
    """Follow runs in a browser while they are in progress.

    The first page is the index of all runs, with live runs on top. It leads to the page of each
    run, to the newest run, and to two runs side by side. If a person takes part
    in a run, thoughts and prompts are hidden until the run is over.

    \b
    Examples:
      python -m analysis watch runs            # all runs
      python -m analysis watch runs/taxation --port 8000
    """  # noqa: D301
    _load(where)
    try:
        server = Watch(where, host, port, shows_minds=minds)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _failure(f"cannot serve on {host}, port {port}: {reason}") from error
    say(f"following {server.shelf.newest()}")
    say(f"open {server.address} (Ctrl-C ends)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        server.stopping.set()
        server.server_close()


def _count(folders: Sequence[Path]) -> str:
    return "1 run" if len(folders) == 1 else f"{len(folders)} runs"


def _paths(
    folders: Sequence[Path], out: Path | None, name: str, formats: Sequence[str]
) -> list[Path]:
    """Return the output file for each run: the file ``name`` in the folder of the run, or a file in
    ``out``.
    """
    if out is None:
        return [folder / name for folder in folders]
    suffix, named = Path(name).suffix, out.suffix[1:]
    if named and not (named.isdigit() or named in formats or out.is_dir()):
        raise _failure(f"cannot write .{named} ({out}); the formats are: {', '.join(formats)}")
    if out.suffix == suffix:
        if len(folders) > 1:
            raise _failure(
                f"{out} is one file, but there are {len(folders)} runs; specify a folder"
            )
        return [out]
    by_folder = {folder: run for run, folder in names_of(folders).items()}
    return [out / f"{by_folder[folder].replace('/', '-')}{suffix}" for folder in folders]


def _film_format(out: Path | None, file_format: FilmFormat | None) -> FilmFormat:
    named = out.suffix[1:] if out is not None else ""
    if named not in tuple(FilmFormat):
        return file_format or FilmFormat.GIF
    if file_format not in (None, named):
        raise _failure(f"{out} ends with .{named}, but --format is {file_format}")
    return FilmFormat(named)


def _load(where: list[str]) -> Runs:
    try:
        runs = load(where)
    except FileNotFoundError as error:
        raise _failure(f"there is no run (no run.yaml) in {', '.join(where)}") from error
    if out := left_out(where):
        more = f" and {len(out) - MOST_PROBLEMS} more" if len(out) > MOST_PROBLEMS else ""
        say(
            f"no run.yaml, so left out: {', '.join(map(str, out[:MOST_PROBLEMS]))}{more}",
            sys.stderr,
        )
    return runs


def _failure(text: str) -> typer.Exit:
    say_error(text)
    return typer.Exit(2)


def _text(value: object) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:g}"
    return "-" if value is None else one_line(str(value))


if __name__ == "__main__":
    run_app(app)
