"""Reference runs: play every deterministic scenario and condition, and compare sets of records.

``python -m tests.reference play FOLDER [NAME…]`` plays the runs in :data:`RUNS` with scripted minds
and keeps their events and results. ``python -m tests.reference compare OLD NEW [--ignore KIND]``
compares two sets of records event by event, prints the first difference in each run, and exits with
1 if there is a difference. ``tests/data/reference.txt`` contains a digest of each run, which
changes to the code must preserve: ``check FOLDER`` compares a set with it, ``keep FOLDER`` rewrites
it. Change a digest only together with the rule that causes the change, and explain it in the commit
message. To see the difference, also play the runs with the older version: this file only uses the
command line.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = Path(__file__).parent / "data" / "reference.txt"
# Fields of a result that depend on the machine or the command line.
VOLATILE = ("run_dir", "usage", "folder")
MODULES = "understanding,communication,constitution,reputation"


def _runs() -> Iterator[tuple[str, str]]:
    """Yield the name and the command of each run, without ``python -m scenarios.``."""
    contracts = {
        "double_vein": ("none", "1", "1-roles", "1-transfer", "2", "negotiate"),
        "cleanup": ("none", "1", "1-roles", "1-transfer", "2", "negotiate"),
        "harvest": ("none", "1", "1-roles", "negotiate"),
    }
    for game, conditions in contracts.items():
        for condition in conditions:
            yield f"{game}-{condition}", f"{game} --condition {condition} --runs 2"
    yield "double_vein-planner", "double_vein --agent planner --runs 2"
    yield "double_vein-memory", "double_vein --condition negotiate --episodes 3 --memory all"
    yield "double_vein-renegotiate", "double_vein --condition negotiate --episodes 2 --renegotiate"
    for game in ("double_vein", "cleanup"):
        yield f"{game}-modules", f"{game} --episodes 3 --modules {MODULES}"
    for table in ("prisoners_dilemma", "stag_hunt", "chicken", "battle_of_the_sexes"):
        yield f"matrix-{table}", f"matrix --game {table} --episodes 5"
    yield "matrix-negotiate", "matrix --condition negotiate --episodes 3"
    for game in ("contract-easy", "contract-hard", "negotiation-easy", "negotiation-hard",
                 "social-isolation", "social-connection", "social-independent",
                 "social-overlapping", "social-inequality", "social-dynamic",
                 "exploration", "crafting_tree", "double_vein"):  # fmt: skip
        yield f"adasociety-{game}", f"adasociety --game {game}"
    yield "adasociety-random", "adasociety --game contract-easy --agent random"
    yield "crafting_tree", "crafting_tree --tree adasociety"
    for condition in ("none", "coop", "coop_def", "selfish", "selfish_def", "one_tree",
                      "one_tree_coop", "one_tree_selfish", "bots", "aware", "full",
                      "full-understanding", "full-communication", "full-constitution",
                      "full-reputation"):  # fmt: skip
        yield f"commons-{condition}", f"commons --condition {condition} --set rounds=12"
    for condition in ("none", "coop", "full"):
        yield (
            f"commons-clean_up-{condition}",
            f"commons --game clean_up --condition {condition} --set rounds=12",
        )
    yield "commons-simultaneous", "commons --simultaneous --set rounds=12"
    for condition in ("full", "no_broadcast", "slow_controller", "no_bottleneck", "rumour",
                      "rumour_unaware"):  # fmt: skip
        yield f"coherence-{condition}", f"coherence --condition {condition} --set length_s=200"
    for condition in ("full", "no_action_awareness", "baseline", "together"):
        yield f"items-{condition}", f"items --condition {condition} --set length_s=300"
    yield "religion", "religion --agents 60 --set length_s=900"
    for condition in ("talk", "talk_ablated", "chef", "chef_ablated"):
        yield f"sentiment-{condition}", f"sentiment --condition {condition}"
    for condition in ("society", "society_ablated"):
        yield (
            f"sentiment-{condition}",
            f"sentiment --condition {condition} --agents 12 --set society_s=300",
        )
    for condition in ("normal", "martial", "art", "ablated"):
        short = "--agents 10 --set length_s=400"
        yield f"specialisation-{condition}", f"specialisation --condition {condition} {short}"
    short = "--agents 6 --set length_s=400"
    yield "specialisation-modules", f"specialisation {short} --modules {MODULES}"
    for condition in ("full", "frozen", "no_vote", "ablated"):
        for influencers in ("pro", "anti", "none"):
            yield (
                f"taxation-{condition}-{influencers}",
                f"taxation --condition {condition} --influencers {influencers} --agents 8",
            )
    yield (
        "taxation-planner",
        "taxation --condition no_vote --agent planner --agents 3 --set length_s=300",
    )


# Arguments after ``python -m scenarios.``, by name of the run. All run on the grid, once, with seed
# 0.
RUNS = dict(_runs())


def _start(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run ``python -m …`` in a new process."""
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=_environment()
    )


def play(
    name: str,
    folder: Path,
    start: Callable[[list[str]], subprocess.CompletedProcess[str]] = _start,
) -> str | None:
    """Play a run and keep its events and result in a folder; return an error message, if any.

    ``start``: runs ``python -m`` with the given arguments.
    """
    words = f"{RUNS[name]} --world grid".split()
    with tempfile.TemporaryDirectory() as out:
        command = [f"scenarios.{words[0]}", *words[1:]]
        if "--runs" not in words:
            command += ["--runs", "1"]
        command += ["--mind", "scripted", "--seed", "0", "--json", "--out", out]
        done = start(command)
        runs = list(Path(out).glob("*/*/events.jsonl"))
        if not runs or done.returncode:
            lines = done.stderr.splitlines()
            return f"exit code {done.returncode}: {lines[-1] if lines else 'nothing said'}"
        result = _plain(json.loads((runs[0].parent / "result.json").read_text()))
        last = json.dumps({"kind": "result", **result}, sort_keys=True)
        folder.mkdir(parents=True, exist_ok=True)
        lines = runs[0].read_bytes() + last.encode()
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines, 9, mtime=0))
    return None


def _environment() -> dict[str, str]:
    """Return the environment without variables that would select a language model."""
    return {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}


def _plain(value: Any) -> Any:
    """Return a result without fields that vary between machines."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items() if key not in VOLATILE}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def events(path: Path, ignored: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the events and the result of a stored run, without ids and ignored kinds."""
    lines = (json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines())
    found = [{key: value for key, value in line.items() if key != "id"} for line in lines]
    return [line for line in found if line["kind"] not in ignored]


def difference(name: str, old: Path, new: Path, ignored: Sequence[str] = ()) -> str | None:
    """Return the first difference between two recordings of a run, or None."""
    paths = [folder / f"{name}.jsonl.gz" for folder in (old, new)]
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        return f"missing: {', '.join(missing)}"
    for before, after in zip_longest(*(events(path, ignored) for path in paths)):
        if before != after:
            return f"\n  old {json.dumps(before)[:2000]}\n  new {json.dumps(after)[:2000]}"
    return None


def digests() -> dict[str, str]:
    """Return the number of events and the digest of each reference run, by name."""
    lines = KEPT.read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines)


def digest(path: Path) -> str:
    """Return the number of events and the digest of a stored run."""
    lines = [json.dumps(line, sort_keys=True) for line in events(path)]
    whole = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return f"{len(lines)} {whole}"


def main() -> int:
    """Play or compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference")
    actions = parser.add_subparsers(dest="action", required=True)
    playing = actions.add_parser("play", help="play runs and keep them in a folder")
    playing.add_argument("folder", type=Path)
    playing.add_argument("names", nargs="*", help="of RUNS, or their beginnings; default: all")
    comparing = actions.add_parser("compare", help="compare two folders, event by event")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--ignore", action="append", default=[], help="a kind of event")
    for action, does in (("check", "compare a folder with"), ("keep", "write a folder's runs to")):
        one = actions.add_parser(action, help=f"{does} the digests in the repository")
        one.add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.action == "play":
        chosen = [name for name in RUNS if name.startswith(tuple(given.names or [""]))]
        with ThreadPoolExecutor(2) as pool:
            found = pool.map(lambda name: (name, play(name, given.folder)), chosen)
            wrong = {name: error for name, error in found if error}
    elif given.action in ("check", "keep"):
        paths = {path.name.split(".")[0]: path for path in given.folder.glob("*.jsonl.gz")}
        chosen, kept = sorted(paths), digests()
        found_here = {name: digest(paths[name]) for name in chosen}
        if given.action == "keep":
            kept |= found_here
            lines = [f"{name} {kept[name]}\n" for name in RUNS if name in kept]
            KEPT.write_text("".join(lines), encoding="utf-8")
        wrong = {name: "differs" for name in chosen if kept.get(name) != found_here[name]}
    else:
        chosen = sorted({path.name.split(".")[0] for path in given.old.glob("*.jsonl.gz")})
        found = ((name, difference(name, given.old, given.new, given.ignore)) for name in chosen)
        wrong = {name: error for name, error in found if error}
    for name, error in wrong.items():
        print(f"{name}: {error}")
    print(f"{len(chosen) - len(wrong)} of {len(chosen)} runs are right")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
