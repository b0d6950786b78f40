"""Run folders as pandas frames and Parquet files.

Files are read one after another and line by line; of a kind of event only its own lines are parsed.
What cannot be read is listed, and the rest is used: lines cut off, kinds and fields of other
versions, broken files.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from records.index import find_runs

#: Columns that every event's frame begins with.
HEAD = ("run", "t", "episode", "agent")
#: Rows that are held before they are written to Parquet.
CHUNK = 200_000
try:
    _Loader: Any = yaml.CSafeLoader
except AttributeError:  # PyYAML without its C part
    _Loader = yaml.SafeLoader


class Runs:
    """Some run folders. Frames are made when they are asked for.

    Attributes:
        folders: the run folders.
        problems: what could not be read so far: ``run``, ``file``, ``line`` (0: the whole file),
            ``problem``. A frame that is asked for adds what it comes upon.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = list(folders)
        self._problems: dict[tuple[str, str, int], str] = {}
        self._runs: pd.DataFrame | None = None

    def __len__(self) -> int:
        return len(self.folders)

    @property
    def problems(self) -> pd.DataFrame:
        """What could not be read, as far as it was tried."""
        rows = [(*key, text) for key, text in sorted(self._problems.items())]
        return pd.DataFrame(rows, columns=["run", "file", "line", "problem"])

    @property
    def runs(self) -> pd.DataFrame:
        """One row a folder.

        ``run`` (the folder), ``scenario``, ``world``, ``mind``, ``contract`` (its name), ``game``,
        ``seed`` (of the first episode), ``speed``, ``started``, ``git_revision``,
        ``language_model``, ``finished`` (whether there is a result without an error), and
        ``welfare``, ``gini`` (means of the result, where it has them).
        """
        if self._runs is None:
            self._runs = pd.DataFrame([self._manifest(folder) for folder in self.folders])
        return self._runs

    def _manifest(self, folder: Path) -> dict[str, Any]:
        told = self._yaml(folder)
        result = self._result(folder)
        mean = result.get("mean") if isinstance(result.get("mean"), dict) else {}
        names = ("scenario", "world", "mind", "contract", "game", "seed", "speed", "started")
        plain = {name: told.get(name, result.get(name)) for name in names}
        if isinstance(plain["contract"], dict):
            plain["contract"] = plain["contract"].get("name")
        return {
            "run": str(folder),
            **plain,
            "git_revision": told.get("git_revision"),
            "language_model": bool(told.get("language_model", False)),
            "finished": bool(result) and "error" not in result,
            "welfare": (mean or {}).get("welfare"),
            "gini": (mean or {}).get("gini"),
        }

    def _yaml(self, folder: Path) -> Mapping[str, Any]:
        try:
            found = yaml.load((folder / "run.yaml").read_text(encoding="utf-8"), Loader=_Loader)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            self._note(folder, "run.yaml", 0, str(error).splitlines()[0])
            return {}
        return found if isinstance(found, dict) else {}

    def _result(self, folder: Path) -> Mapping[str, Any]:
        path = folder / "result.json"
        if not path.exists():
            self._note(folder, "result.json", 0, "is missing: the run did not end")
            return {}
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            self._note(folder, "result.json", 0, str(error))
            return {}
        return found if isinstance(found, dict) else {}

    def results(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """The result objects (``result.json``) of the runs that have one."""
        for folder in self.folders:
            found = self._result(folder)
            if found:
                yield folder, found

    def _note(self, folder: Path, file: str, line: int, problem: str) -> None:
        self._problems[str(folder), file, line] = problem

    # --- Events ----------------------------------------------------------------------------------

    def lines(self, folder: Path, kinds: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """The events of a run in order, of some kinds or all."""
        marks = None if kinds is None else [f'"kind":"{kind}"'.encode() for kind in kinds]
        try:
            file = (folder / "events.jsonl").open("rb")
        except OSError as error:
            self._note(folder, "events.jsonl", 0, error.strerror or str(error))
            return
        with file:
            for number, line in enumerate(file, start=1):
                is_whole = line.endswith(b"\n")
                if is_whole and marks is not None and not any(mark in line for mark in marks):
                    continue
                try:
                    event = json.loads(line)
                    event["kind"], event["t"]
                except (ValueError, KeyError, TypeError):
                    self._note(folder, "events.jsonl", number, "is not a whole event")
                    continue
                yield event

    def counts(self) -> pd.DataFrame:
        """How many events of each kind each run has: ``run``, ``kind``, ``count``."""
        rows = []
        for folder in self.folders:
            counted: dict[str, int] = defaultdict(int)
            for event in self.lines(folder):
                counted[str(event["kind"])] += 1
            rows += [(str(folder), kind, count) for kind, count in sorted(counted.items())]
        return pd.DataFrame(rows, columns=["run", "kind", "count"])

    def events(self, kind: str) -> pd.DataFrame:
        """All events of a kind.

        Columns: ``run``, ``t`` (seconds since the run's start), ``episode``, ``agent``, then the
        kind's own fields as ``records.events`` documents them; a field that a run does not have is
        missing there.
        """
        columns: dict[str, list[Any]] = {}
        count = 0
        for folder in self.folders:
            name = str(folder)
            for event in self.lines(folder, [kind]):
                if event["kind"] != kind:
                    continue
                event["run"] = name
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
        """A frame with its runs' scenario, world, mind, contract and seed."""
        if frame.empty:
            return frame
        told = self.runs[["run", "scenario", "world", "mind", "contract", "seed"]]
        return frame.merge(told, on="run", how="left")

    def rewards(self) -> pd.DataFrame:
        """Rewards at the end of episodes: ``value``, ``transfer``, ``reward`` (emeralds)."""
        return self._named(self.events("reward"))

    def transfers(self) -> pd.DataFrame:
        """What each got (> 0) or paid (< 0) by the judgement: ``amount`` (emeralds)."""
        return self._named(self.events("transfer"))

    def inventories(self) -> pd.DataFrame:
        """Items over time, a row an item: ``t``, ``agent``, ``item``, ``count``.

        A row stands for a count that holds from ``t`` on; what an agent no longer has is a row
        with 0.
        """
        found = self.events("inventory")
        if found.empty:
            return found
        rows: list[tuple[Any, ...]] = []
        before: dict[tuple[Any, ...], Mapping[str, int]] = {}
        told = (found[name] for name in (*HEAD, "items"))
        for run, t, episode, agent, items in zip(*told, strict=True):
            last = before.get((run, episode, agent), {})
            for item in {**last, **items}:
                rows.append((run, t, episode, agent, item, items.get(item, 0)))
            before[run, episode, agent] = items
        return pd.DataFrame(rows, columns=[*HEAD, "item", "count"])

    def values(self) -> pd.DataFrame:
        """What agents' items are worth to them over time, before transfers: ``t``, ``agent``,
        ``value`` (emeralds; on AdaSociety's grid the score), with the run's names.
        """
        found = self.events("inventory")
        if found.empty or "value" not in found:
            return pd.DataFrame(columns=[*HEAD, "value"])
        found = found.drop(columns="items").dropna(subset=["value"])
        return self._named(found.astype({"value": float}))

    def positions(self) -> pd.DataFrame:
        """Where agents were: ``x``, ``y``, ``z`` in blocks (y is up)."""
        found = self.events("position")
        if found.empty:
            return found
        place = pd.DataFrame(found.position.tolist(), columns=["x", "y", "z"], index=found.index)
        return pd.concat([found.drop(columns="position"), place], axis=1)

    def calls(self) -> pd.DataFrame:
        """Calls of language models: ``role``, ``agent``, ``model``, tokens, ``seconds``, ``cost``.

        ``cost`` is in dollars, missing where no price was known; ``failed`` says that the call gave
        no answer. Messages stay in the files (``records.read_record`` has them).
        """
        names = ("role", "agent", "model", "prompt_tokens", "completion_tokens", "seconds", "cost")
        rows = []
        for folder in self.folders:
            for call in self._calls(folder):
                told = [call.get(name) for name in names]
                rows.append(
                    (str(folder), call.get("t"), call.get("episode"), *told, "error" in call)
                )
        return pd.DataFrame(rows, columns=["run", "t", "episode", *names, "failed"])

    def _calls(self, folder: Path) -> Iterator[dict[str, Any]]:
        path = folder / "llm.jsonl"
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield json.loads(line)
                except ValueError:
                    self._note(folder, "llm.jsonl", number, "is not a whole call")

    # --- Parquet ---------------------------------------------------------------------------------

    def to_parquet(self, folder: Path) -> list[Path]:
        """Write ``runs.parquet`` and one file a kind of event, a part of the runs at a time.

        Fields that are lists or objects are written as JSON. Returns the files.
        """
        folder.mkdir(parents=True, exist_ok=True)
        writer = _ParquetWriter(folder)
        for run in self.folders:
            for event in self.lines(run):
                writer.add(str(run), event)
        files = writer.close()
        path = folder / "runs.parquet"
        self.runs.astype({"started": "string"}).to_parquet(path)
        return [path, *files]


def load(where: str | Path | Iterable[str | Path]) -> Runs:
    """The runs at a path (searched to the bottom), of a pattern, or of several of either.

    Raises:
        FileNotFoundError: there is none.
    """
    folders = find_runs(where)
    if not folders:
        raise FileNotFoundError(f"there is no run in {where}")
    return Runs(folders)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers as numbers, names as categories: a frame of a million events stays small."""
    for column in ("run", "agent"):
        if column in frame:
            frame[column] = frame[column].astype("category")
    if "episode" in frame:
        frame["episode"] = pd.to_numeric(frame["episode"], errors="coerce").astype("Int64")
    if "t" in frame:
        frame["t"] = pd.to_numeric(frame["t"], errors="coerce")
    return frame


class _ParquetWriter:
    """One Parquet file a kind, written in chunks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._parts: dict[str, int] = defaultdict(int)
        self._held = 0
        self._files: list[Path] = []

    def add(self, run: str, event: dict[str, Any]) -> None:
        """Take an event."""
        kind = str(event.pop("kind"))
        row = {k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in event.items()}
        self._rows[kind].append({"run": run, **row})
        self._held += 1
        if self._held >= CHUNK:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        for kind, rows in self._rows.items():
            path = self._folder / f"{kind}-{self._parts[kind]:04}.parquet"
            pd.DataFrame(rows).to_parquet(path)
            self._parts[kind] += 1
            self._files.append(path)
        self._rows.clear()
        self._held = 0

    def close(self) -> list[Path]:
        """Write the rest; gives all files."""
        self.flush()
        return self._files
