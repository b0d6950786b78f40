"""Loads the folders of runs as pandas frames, and writes Parquet files.

Files are read line by line, and only lines of the requested kind are parsed. What cannot be read
(lines that were cut off, kinds and fields of other versions, damaged files) is listed as a problem.
Everything else is used.
"""

from __future__ import annotations

import filecmp
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from voxpolis.analysis.conditions import Case, Played, condition_of_manifest, differences
from voxpolis.analysis.results import is_counted, wrong_shape
from voxpolis.records import RunReader, find_runs
from voxpolis.records.events import defaults_of, fields_of, lacks
from voxpolis.records.interventions import CHANGING
from voxpolis.records.lines import Problem
from voxpolis.records.reader import PERSON
from voxpolis.records.text import one_line

# --- Events as Parquet files, for other tools -----------------------------------------------------

# Rows buffered before writing.
CHUNK = 200_000
# 64-bit range; integers outside it are also written as JSON.
MAX_INT = 2**63 - 1


class ParquetWriter:
    """Writes one or more files per kind of event, part by part.

    Fields that contain lists, objects or values of several types are written as JSON.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._parts: dict[str, int] = defaultdict(int)
        self._held = 0
        self._files: list[Path] = []

    def add(self, event: dict[str, Any]) -> None:
        self._rows[event.pop("kind")].append(event)
        self._held += 1
        if self._held >= CHUNK:
            self._flush()

    def close(self) -> list[Path]:
        self._flush()
        return self._files

    def _flush(self) -> None:
        for kind, rows in self._rows.items():
            path = self._folder / f"{kind}-{self._parts[kind]:04}.parquet"
            write(rows, path)
            self._parts[kind] += 1
            self._files.append(path)
        self._rows.clear()
        self._held = 0


def write(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows to one file. A column of lists, objects or values of several types becomes JSON.

    Raises:
        OSError: the file cannot be written.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _uniform([row.get(name) for row in rows]) for name in names}
    pd.DataFrame(columns).to_parquet(path)


def _uniform(values: list[Any]) -> list[Any]:
    """Return the values of a column unchanged if they all are numbers, booleans or text. Otherwise,
    convert all values except text to JSON.
    """
    types = {type(value) for value in values if value is not None}
    if types <= {bool} or types <= {str}:
        return values
    if types <= {int, float} and all(v is None or abs(v) <= MAX_INT for v in values):
        return values
    return [v if v is None or isinstance(v, str) else json.dumps(v, default=str) for v in values]


# First columns of every event's frame.
HEAD = ("run", "id", "t", "episode", "agent")
# First columns of every frame over time.
TIME_HEAD = ("run", "t", "episode", "agent")
# Event at the end of an episode; a killed or unfinished episode has none.
ENDED = "episode_ended"
# Columns that identify an attempt, and all columns of the attempts' frame.
EPISODE = ("run", "episode", "part")
ATTEMPT = ("run", "t", "episode", "repetition", "attempt", "seed")
# Facts that identify a run in a frame.
NAMES = ("scenario", "world", "mind", "contract", "condition", "settings", "seed")


class Runs:
    """The data of a set of run folders, as pandas frames that are computed on demand.

    Attributes:
        folders: the folders of the runs.
        are_named: whether the user named each folder; if so, the order of the folders matters.
        doubled: the folders of runs that repeat a part of another run, so that it counts twice.
        problems: the problems found so far: ``run``, ``file``, ``line`` (0 for the whole file),
            ``problem``. Each frame adds the problems that were found while it was computed.
    """

    def __init__(self, folders: Iterable[Path], *, are_named: bool = True) -> None:
        self.folders = list(folders)
        self.are_named = are_named
        self._problems: set[tuple[str, str, int, str]] = set()
        self._runs: pd.DataFrame | None = None
        self._played: dict[str, Played] = {}
        self.doubled: set[str] = set()
        # Of each replay, the name of the run that it repeats.
        self._originals: dict[str, str] = {}
        self._attempts: pd.DataFrame | None = None
        self._events: dict[tuple[str, bool], pd.DataFrame] = {}
        # Of a run in progress: how much of its record is read, in bytes, and its result. All frames
        # then show the same moment.
        self._limits: dict[Path, int] = {}
        self._early: dict[Path, Mapping[str, Any] | None] = {}

    def __len__(self) -> int:
        return len(self.folders)

    def part(self, folders: Iterable[Path]) -> Runs:
        """Return some of the runs. Problems that are found in them also become problems of all."""
        found = Runs(folders, are_named=self.are_named)
        found._problems = self._problems
        return found

    @property
    def problems(self) -> pd.DataFrame:
        return pd.DataFrame(sorted(self._problems), columns=["run", "file", "line", "problem"])

    @property
    def runs(self) -> pd.DataFrame:
        """A frame with one row per run folder.

        - ``run``: the folder;
        - ``scenario``, ``world``, ``mind``, ``game``, ``speed``, ``started``, ``git_revision``,
          ``language_model``: facts from the manifest;
        - ``replay``: whether the run repeats a recorded run;
        - ``model``: name of the language model;
        - ``contract``: name of the contract;
        - ``seed``: seed of the first episode;
        - ``settings``: kinds of agents, settings, options and models in which the runs of a
          scenario differ, such as ``planner, greed=2``;
        - ``finished``: whether the run was played to its end;
        - ``interventions``: number of interventions;
        - ``welfare``, ``gini``: means in the result, if it contains them.
        """
        if self._runs is None:
            rows = [self._row(folder) for folder in self.folders]
            self._runs = pd.DataFrame(rows).drop(columns=["config", "variant"], errors="ignore")
            for implied in ("contract", "game"):  # these name the condition if nothing else does
                named = self._runs["condition"].fillna(self._runs[implied])
                self._runs["condition"] = named
            names = [str(folder) for folder in self.folders]
            self._runs["settings"] = differences(self.cases(names, [""] * len(names)))
        return self._runs

    def leave_out_copies(self) -> None:
        """Leave out runs that would count as further repetitions, but are copies: replays of other
        runs, and runs on the grid that have the condition, the seed and the events of another run,
        if neither a model nor a person took part. They are listed as problems.

        If such runs have the same condition and seed, but not the same events, for example because
        one has more repetitions, they are only listed.
        """
        first: dict[tuple[Any, ...], Path] = {}
        kept: list[Path] = []
        by_name = {folder.name: folder for folder in self.folders}
        rows = zip(self.folders, self.runs.to_dict("records"), strict=True)
        for folder, row in sorted(rows, key=lambda one: one[1]["replay"]):
            alike = None
            if (original := self._originals.get(str(folder))) is not None:
                # an interrupted run and its replay have different last events
                equal = (one for one in kept if _have_equal_events(one, folder))
                alike = by_name.get(original) or next(equal, None)
            elif row["world"] == "grid" and not row["language_model"] and not pd.isna(row["seed"]):
                key = tuple(row[name] for name in NAMES)
                if PERSON not in str(row["mind"]):
                    alike = first.setdefault(key, folder)
            if alike is None or alike == folder:
                kept.append(folder)
            elif original is not None or _have_equal_events(alike, folder):
                self._problems.add((str(folder), "events.jsonl", 0, f"left out: a copy of {alike}"))
            else:
                kept.append(folder)
                self.doubled.add(str(folder))
                wrong = f"the repetitions that {alike} also has are counted twice"
                self._problems.add((str(folder), "run.yaml", 0, wrong))
        if len(kept) < len(self.folders):
            counted = set(kept)
            self.folders = [folder for folder in self.folders if folder in counted]
            self._runs = None

    def cases(self, folders: Iterable[str], names: Iterable[str]) -> list[Case]:
        facts = {row["run"]: row for row in self.runs.to_dict("records")}
        found = []
        for run, name in zip(folders, names, strict=True):
            scenario, world, mind = (_text(facts[run][fact]) for fact in NAMES[:3])
            found.append(Case(name, scenario, world, mind, self._played[run]))
        return found

    def _row(self, folder: Path) -> dict[str, Any]:
        reader = self._reader(folder)
        manifest = reader.manifest()
        facts = reader.facts()
        row = {"run": str(folder), **facts, "config": manifest.get("config")}
        changes = _changes(reader) if facts["interventions"] else 0
        self._played[str(folder)] = condition_of_manifest(manifest, changes)
        if not (folder / "result.json").exists() and not reader.is_live:
            reader.problems.append(Problem("result.json", 0, "missing: the run did not end"))
        if manifest.get("replay"):
            self._originals[str(folder)] = Path(str(manifest["replay"])).name
        self._note(reader)
        return row

    def results(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Yield the results (``result.json``) of the runs that have a result.

        A result with an unexpected structure is left out and listed as a problem.
        """
        for folder in self.folders:
            reader = self._reader(folder)
            result = self._early[folder] if folder in self._limits else reader.result()
            if result and (wrong := wrong_shape(result)) is not None:
                reader.problems.add(Problem("result.json", 0, one_line(wrong)))
                result = None
            self._note(reader)
            if result:
                yield folder, result

    def entries(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the entries of all results that count, each with the folder of its run."""
        for folder, result in self.results():
            yield from ((str(folder), one) for one in result.get("runs", ()) if is_counted(one))

    def _reader(self, folder: Path) -> RunReader:
        if folder in self._limits:
            return RunReader(folder, is_live=True, limit=self._limits[folder])
        reader = RunReader(folder)
        events = folder / "events.jsonl"
        if not reader.is_live or not events.exists():
            return reader
        self._early[folder] = reader.result()
        self._limits[folder] = events.stat().st_size
        return self._reader(folder)

    def _note(self, reader: RunReader) -> None:
        for problem in reader.problems:
            self._problems.add((str(reader.folder), problem.file, problem.line, problem.text))

    # --- Events ----------------------------------------------------------------------------------

    def lines(self, folder: Path, kinds: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        reader = self._reader(folder)
        yield from reader.events(kinds)
        self._note(reader)

    def counts(self) -> pd.DataFrame:
        """Return the number of events of each kind in each run: ``run``, ``kind``, ``count``."""
        rows = []
        for folder in self.folders:
            counts = Counter(str(event["kind"]) for event in self.lines(folder))
            rows += [(str(folder), kind, count) for kind, count in sorted(counts.items())]
        return pd.DataFrame(rows, columns=["run", "kind", "count"])

    def events(self, kind: str, *, whole: bool = False) -> pd.DataFrame:
        """Return all events of one kind.

        The columns are ``run``, ``id`` (the index of the event within its run), ``t`` (seconds
        since the start of the run), ``episode``, ``agent``, and then the fields of the kind, which
        ``records.events`` documents. If a run lacks a field, the values of this field are missing
        for the run. The field ``run`` of ``episode_started`` becomes the column ``repetition``.
        With ``whole``, events that lack a required field are left out and listed as problems.
        """
        if (kind, whole) not in self._events:
            self._events[kind, whole] = self._read_events(kind, whole=whole)
        return self._events[kind, whole].copy()  # the caller may change it

    def _read_events(self, kind: str, *, whole: bool) -> pd.DataFrame:
        defaults = defaults_of(kind) if whole else {}
        columns: dict[str, list[Any]] = {name: [] for name in _columns_of(kind)}
        count = 0
        for folder in self.folders:
            name = str(folder)
            for line in self.lines(folder, [kind]):
                if whole and (missing := lacks(line)) is not None:
                    wrong = f"{kind} without {missing}"
                    self._problems.add((name, "events.jsonl", line["id"], wrong))
                    continue
                event = _of_run(name, {**defaults, **line})
                for column in event.keys() - columns.keys():
                    columns[column] = [None] * count
                for column, values in columns.items():
                    values.append(event.get(column))
                count += 1
        columns.pop("kind", None)
        head = [name for name in HEAD if name in columns]
        frame = pd.DataFrame(
            {name: columns[name] for name in (*head, *sorted(set(columns) - set(head)))}
        )
        return _typed(frame)

    def _named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Add to each row the facts that identify its run, and the seed of its episode."""
        if frame.empty:
            return frame.reindex(columns=[*frame, *NAMES])
        named = frame.merge(self.runs[["run", *NAMES]], on="run", how="left")
        keys = ["run", "episode"]
        if "episode" not in frame:
            return named
        seeds = self.attempts().drop_duplicates(keys, keep="last")[[*keys, "seed"]]
        own = named[keys].merge(seeds, on=keys, how="left")["seed"].set_axis(named.index)
        return named.assign(seed=own.fillna(named["seed"]).astype(named["seed"].dtype))

    # --- Attempts and episodes -------------------------------------------------------------------

    def attempts(self) -> pd.DataFrame:
        """Return all attempts at episodes. An episode whose programs failed is attempted again.

        - ``run``, ``repetition``, ``seed``: which episode was played;
        - ``episode``: number of the attempt in the record;
        - ``attempt``: number of the attempt at this episode, from 1;
        - ``part``: how many times the run had been resumed before the attempt;
        - ``sound``: whether the machine kept up with the game;
        - ``ended``: whether the attempt was played to its end. It is False if the run was killed or
          is in progress;
        - ``excluded``: whether the condition was not in effect (see docs/concepts.md);
        - ``counts``: whether results use the attempt. It must be the last attempt at its episode,
          sound, ended and not excluded, and every agent that has to act must have acted.

        A repetition that was started again after an interruption counts from its last start. An
        episode that is in a record twice is listed as a problem.
        """
        if self._attempts is None:
            started = self.events("episode_started", whole=True)[["id", *ATTEMPT]]
            started["part"] = self._resumptions(started)
            following = started.groupby("run", observed=True)["attempt"].shift(-1)
            unsound, ended = self._episodes_of("episode_unsound"), self._episodes_of(ENDED)
            excluded = self._episodes_of("run_excluded")
            keys = list(started[list(EPISODE)].itertuples(index=False, name=None))
            for name, found in (("sound", [key not in unsound for key in keys]),
                                ("ended", [key in ended for key in keys]),
                                ("excluded", [key in excluded for key in keys])):  # fmt: skip
                started[name] = pd.Series(found, index=started.index, dtype=bool)
            latest = started.groupby(["run", "repetition"], observed=True)["part"].transform("max")
            is_last = (following != started["attempt"] + 1) & (started["part"] == latest)
            is_played = started["sound"] & started["ended"]
            is_played &= ~started["excluded"]
            started["counts"] = is_last & is_played & ~self._idle_attempts(started, is_last)
            self._note_duplicates(started)
            self._attempts = started.drop(columns="id")
        return self._attempts

    def _resumptions(self, frame: pd.DataFrame) -> pd.Series[int]:
        """Return for each row of ``frame`` how many times its run had been resumed before the event
        ``id``.
        """
        resumed = self.events("run_resumed")[["run", "id"]]
        at: dict[str, list[int]] = {}
        for run, number in resumed.itertuples(index=False, name=None):
            at.setdefault(run, []).append(number)
        rows = frame[["run", "id"]].itertuples(index=False, name=None)
        parts = [sum(one < number for one in at.get(run, ())) for run, number in rows]
        return pd.Series(parts, index=frame.index, dtype=int)

    def _note_duplicates(self, started: pd.DataFrame) -> None:
        keys = ["run", "episode"]
        ended = started[started["ended"]]
        for run, number in ended[ended.duplicated(keys)][keys].itertuples(index=False, name=None):
            text = f"episode {number} was played more than once: only the last time counts"
            self._problems.add((str(run), "events.jsonl", 0, text))

    def _episodes_of(self, kind: str) -> set[tuple[str, int, int]]:
        found = self.events(kind, whole=True)[["run", "id", "episode"]]
        found["part"] = self._resumptions(found)
        return set(found[list(EPISODE)].itertuples(index=False, name=None))

    def _idle_attempts(self, started: pd.DataFrame, is_last: pd.Series[bool]) -> pd.Series[bool]:
        """Return for each attempt whether the run's result says that the attempt does not count,
        for example because agents never acted.
        """
        idle = pd.Series(data=False, index=started.index, dtype=bool)
        for folder, result in self.results():
            entries = [e for e in result.get("runs", []) if isinstance(e, dict)]
            last = started.index[is_last & (started["run"] == str(folder))]
            if result.get("interrupted") and len(entries) < len(last):
                # Episodes of a repetition that was not finished have no entries.
                idle[last[len(entries) :]], last = True, last[: len(entries)]
            if len(entries) != len(last):
                continue  # the attempt was interrupted, or its scenario has other entries
            for at, entry in zip(last, entries, strict=True):
                idle[at] = not is_counted(entry)
        return idle

    def drop_uncounted(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Drop the rows of attempts that do not count; see :meth:`attempts`."""
        attempts = self.attempts()
        again = attempts[~attempts["counts"]]
        if frame.empty or again.empty:
            return frame
        keys = [*EPISODE] if "id" in frame else [*EPISODE[:2]]
        kept = attempts[attempts["counts"]][keys].itertuples(index=False, name=None)
        dropped = set(again[keys].itertuples(index=False, name=None)) - set(kept)
        rows = frame.assign(part=self._resumptions(frame)) if "id" in frame else frame
        rows = rows[keys]
        is_dropped = [key in dropped for key in rows.itertuples(index=False, name=None)]
        return frame[~pd.Series(is_dropped, index=frame.index)]

    def rewards(self) -> pd.DataFrame:
        """Return the rewards at the end of episodes: ``value``, ``transfer``, ``reward``, in
        emeralds.

        Only attempts that count are included; ``events("reward")`` contains all rewards.
        """
        return self._named(self.drop_uncounted(self.events("reward")))

    def transfers(self) -> pd.DataFrame:
        """Return what each agent received (> 0) or paid (< 0): ``amount``, in emeralds.

        Only attempts that count are included.
        """
        return self._named(self.drop_uncounted(self.events("transfer")))

    # --- Over time -------------------------------------------------------------------------------

    def inventories(self) -> pd.DataFrame:
        """Return agents' items over time: ``t``, ``agent``, ``item``, ``count``.

        There is a row for each item whenever an inventory was recorded. The count of a row is valid
        from ``t`` on. If an agent no longer has an item, there is a row with the count 0.
        """
        samples = self._samples("inventory", "items")
        if samples.empty:
            return samples
        rows: list[tuple[Any, ...]] = []
        before: dict[tuple[Any, ...], Mapping[str, int]] = {}
        columns = (samples[name] for name in (*TIME_HEAD, "items"))
        for run, t, episode, agent, items in zip(*columns, strict=True):
            last = before.get((run, episode, agent), {})
            for item in {**last, **items}:
                rows.append((run, t, episode, agent, item, items.get(item, 0)))
            before[run, episode, agent] = items
        return pd.DataFrame(rows, columns=[*TIME_HEAD, "item", "count"])

    def values(self) -> pd.DataFrame:
        """Return what agents' items are worth over time, before transfers.

        Runs are left out if their agents have rewards, but no items of value, as in matrix games.
        The columns are ``t``, ``agent``, ``value`` (in emeralds if there are contracts, otherwise
        the score), and the facts that identify the run.
        """
        samples = self.events("inventory")
        if samples.empty or "value" not in samples:
            return pd.DataFrame(columns=[*TIME_HEAD, "value"])
        valued = samples.drop(columns="items").dropna(subset=["value"])
        paid = self.events("reward")
        if "value" in paid:
            rewarded = set(paid.loc[paid["value"] != 0, "run"])
            has_items = set(valued.loc[valued["value"] != 0, "run"])
            valued = valued[~valued["run"].isin(rewarded - has_items)]
        return self._named(valued.astype({"value": float}))

    def positions(self) -> pd.DataFrame:
        """Return the positions of agents over time: ``x``, ``y``, ``z``, in blocks. y points
        upwards.
        """
        samples = self._samples("position", "position")
        if samples.empty:
            return samples
        places = samples["position"].tolist()
        place = pd.DataFrame(places, columns=["x", "y", "z"], index=samples.index)
        return pd.concat([samples.drop(columns="position"), place], axis=1)

    def _samples(self, kind: str, field: str) -> pd.DataFrame:
        """Return the events of a kind that is sampled regularly. Events of a damaged record that
        lack ``field`` are left out.
        """
        samples = self.events(kind)
        return samples.dropna(subset=[field]) if field in samples else samples.iloc[:0]

    def calls(self) -> pd.DataFrame:
        """Return the calls to language models.

        The columns include ``role``, ``agent``, ``model``, the numbers of tokens, ``seconds`` and
        ``cost``. ``asked_by`` is the ``id`` of the event that caused the call. ``cost`` is in
        dollars; it is missing if the price was not known. ``failed`` says whether the call returned
        no answer. Messages are not included; ``records.read_record`` reads them.
        """
        columns = (
            *("t", "episode", "asked_by", "role", "agent", "model"),
            *("prompt_tokens", "completion_tokens", "seconds", "cost"),
        )
        rows = []
        for folder in self.folders:
            reader = self._reader(folder)
            for call in reader.calls():
                values = [call.get(name) for name in columns]
                rows.append((str(folder), *values, "error" in call))
            self._note(reader)
        return pd.DataFrame(rows, columns=["run", *columns, "failed"])

    # --- Parquet ---------------------------------------------------------------------------------

    def to_parquet(self, folder: Path) -> list[Path]:
        """Write ``runs.parquet`` and one file per kind of event, and return the paths of the files.
        Runs are processed in parts.

        Fields that contain lists or objects are written as JSON.
        """
        folder.mkdir(parents=True, exist_ok=True)
        writer = ParquetWriter(folder)
        for run in self.folders:
            for event in self.lines(run):
                writer.add(_of_run(str(run), event))
        files = writer.close()
        path = folder / "runs.parquet"
        write([self._row(run) for run in self.folders], path)
        return [path, *files]


def load(where: str | Path | Iterable[str | Path]) -> Runs:
    """Load the runs that one or several paths or patterns name.

    A path is the folder of a run, or a folder with runs anywhere below. The runs keep the order of
    the arguments. Copies of other runs are left out; see :meth:`Runs.leave_out_copies`.

    Raises:
        FileNotFoundError: there are no runs.
    """
    parts = [where] if isinstance(where, str | Path) else list(where)
    folders = find_runs(parts)
    if not folders:
        raise FileNotFoundError(f"there is no run in {where}")
    found = Runs(folders, are_named=folders == list(dict.fromkeys(map(Path, parts))))
    found.leave_out_copies()
    return found


def _have_equal_events(one: Path, other: Path) -> bool:
    mine, its = one / "events.jsonl", other / "events.jsonl"
    return mine.is_file() and its.is_file() and filecmp.cmp(mine, its, shallow=False)


def _changes(reader: RunReader) -> int:
    done = (event.get("action") for event in reader.events({"intervention"}))
    return sum(action in CHANGING for action in done)


def _text(fact: object) -> str | None:
    return fact if isinstance(fact, str) else None


def _of_run(run: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add the run's folder to an event as ``run``. If the event has a field of this name (the
    number of a repetition), that field is renamed to ``repetition``.
    """
    if "run" in event:
        event["repetition"] = event.pop("run")
    return {"run": run, **event}


def _columns_of(kind: str) -> list[str]:
    own = ["repetition" if name == "run" else name for name in fields_of(kind)]
    return [*HEAD, *own]


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns to compact types, so that a million events need little memory."""
    for column in ("run", "agent"):
        if column in frame:
            frame[column] = frame[column].astype("category")
    if "episode" in frame:
        frame["episode"] = pd.to_numeric(frame["episode"], errors="coerce").astype("Int64")
    if "t" in frame:
        frame["t"] = pd.to_numeric(frame["t"], errors="coerce")
    return frame
