"""Writes a folder of static pages that can be published: an index of runs, and a page for each run.

The pages work from any web server, and from the disk. A run's page is ``runs/NAME/index.html``, and
its record is beside it for download.
"""

from __future__ import annotations

import html
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from voxpolis.analysis.loading import Runs
from voxpolis.analysis.report.build import Built, build
from voxpolis.analysis.report.gallery import Links, cards_of, index
from voxpolis.analysis.report.picture import Picture
from voxpolis.records.files import open_of_run

# Archive of all events as tables.
TABLES = "parquet.zip"
# Files of a record that are published.
RECORD = ("run.yaml", "events.jsonl", "llm.jsonl", "messages.jsonl", "result.json")


def write_run(
    name: str, folder: Path, site: Path, progress: Callable[[int], None] = lambda _: None
) -> Built:
    """Write the page, the picture and the record of a run into a site.

    Raises:
        OSError: a file cannot be written.
    """
    place, picture = site / "runs" / name, Picture()
    home = "../" * len(Path("runs", name).parts) + "index.html"
    built = build(folder, place / "index.html", progress, home=home, picture=picture)
    (place / "picture.svg").write_text(picture.svg(), encoding="utf-8")
    with ZipFile(place / "record.zip", "w", ZIP_DEFLATED) as archive:
        for file in RECORD:
            _add(archive, folder, file)
    return built


def _add(archive: ZipFile, folder: Path, name: str) -> None:
    try:
        source = open_of_run(folder / name)
    except OSError:  # the run lacks this file, or it is a link
        return
    with source, archive.open(f"{folder.name}/{name}", "w", force_zip64=True) as copy:
        shutil.copyfileobj(source, copy)


def write_tables(runs: Runs, site: Path) -> None:
    """Write all events as Parquet files, in one archive.

    Raises:
        OSError: the file cannot be written.
    """
    with TemporaryDirectory() as folder, ZipFile(site / TABLES, "w", ZIP_DEFLATED) as archive:
        for path in runs.to_parquet(Path(folder)):
            archive.write(path, f"parquet/{path.name}")


def write_index(runs: Mapping[str, Path], site: Path, figures: Sequence[Path] = ()) -> Path:
    """Write the index of a site, with its figures.

    Raises:
        OSError: the file cannot be written.
    """
    links = {}
    for name in runs:
        at = f"runs/{quote(name)}"
        links[name] = Links(f"{at}/index.html", f"{at}/picture.svg", {"record": f"{at}/record.zip"})
    shown = "".join(_figures(site, figures))
    more = f"<h2>Figures</h2><div id='figures'>{shown}</div>" if shown else ""
    if (site / TABLES).exists():
        more += f"<p><a href='{TABLES}' download>All events as tables (Parquet)</a></p>"
    path = site / "index.html"
    path.write_text(index(cards_of(runs), links, more=more), encoding="utf-8")
    return path


def _figures(site: Path, figures: Sequence[Path]) -> Iterator[str]:
    for path in figures:
        name = html.escape(path.stem.replace("_", " "))
        address = quote(path.relative_to(site).as_posix())
        yield f"<figure><figcaption>{name}</figcaption><img src='{address}' alt='{name}'></figure>"
