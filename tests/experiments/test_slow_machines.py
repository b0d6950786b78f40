"""Episodes on a machine that was too slow are counted but excluded from means and figures."""

from __future__ import annotations

import inspect
import json
from types import SimpleNamespace

import pytest

from voxpolis import analysis
from voxpolis.analysis.figures.contracts import reward_by_contract, welfare_over_time
from voxpolis.bridge import BridgeError
from voxpolis.experiments.run import command, registry
from voxpolis.records import events, read_record
from voxpolis.worlds.grid import GridArena
from voxpolis.worlds.minecraft.arena import MinecraftArena
from voxpolis.worlds.protocol import Episode, FaultError, Lateness

LOST = Lateness(0.55)


def title_of(figure):
    """Return the title of a figure that has one or several panels."""
    return figure.get_suptitle() + figure.axes[0].get_title()


def played(tmp_path, monkeypatch, capsys, lateness, **settings):
    """Return result and output of a run whose episodes have the given lateness."""
    coming = iter(lateness)

    async def check_speed(_self, _seconds):
        return next(coming)

    monkeypatch.setattr(GridArena, "check_speed", check_speed)
    values = {"world": "grid", "runs": len(lateness), "out": tmp_path, "mind": "scripted"}
    values["settings"] = tuple(f"{name}={value}" for name, value in settings.items())
    code = command.main(registry.scenario("double_vein"), values)
    folder = next((tmp_path / "double_vein").iterdir())
    return code, json.loads((folder / "result.json").read_text()), capsys.readouterr()


def test_late_episode_is_excluded_everywhere(tmp_path, monkeypatch, capsys):
    late = [None, LOST, None, None]
    code, result, told = played(tmp_path, monkeypatch, capsys, late, time_limit_s=40)
    assert code == 0
    assert [entry["sound"] for entry in result["runs"]] == [True, False, True, True]
    counted = [entry["welfare"] for entry in result["runs"] if entry["sound"]]
    assert result["mean"]["welfare"] == pytest.approx(sum(counted) / 3)
    assert result["runs"][1]["welfare"] != result["mean"]["welfare"]
    assert result["faults"] == [LOST.verdict(counts=False)]
    assert "was lost, so that its outcome does not count; use a lower" in result["faults"][0]
    assert "1 of 4 runs is excluded from means: the machine was too slow" in told.out
    record = read_record(tmp_path / "double_vein" / result["run_dir"].rpartition("/")[2])
    unsound = [event.episode for event in record.of(events.EpisodeUnsound)]
    runs = analysis.load(tmp_path)
    attempts = runs.attempts()
    assert attempts["sound"].tolist() == attempts["counts"].tolist() == [True, False, True, True]
    assert attempts[~attempts["sound"]]["episode"].tolist() == unsound
    assert unsound[0] not in set(runs.rewards()["episode"])
    assert len(set(runs.rewards()["episode"])) == 3
    for draw in (reward_by_contract, welfare_over_time):
        title = title_of(draw(runs))
        assert "left out, because the machine was too slow: 1 of the episodes" in title


def test_run_with_only_late_episodes_fails(tmp_path, monkeypatch, capsys):
    code, result, told = played(tmp_path, monkeypatch, capsys, [LOST], time_limit_s=30)
    assert (code, result["mean"]["welfare"]) == (1, None)
    assert "1 of 1 run is excluded from means: the machine was too slow" in told.err


def test_late_episode_counts_if_agents_ended_it(tmp_path, monkeypatch, capsys):
    _, result, told = played(tmp_path, monkeypatch, capsys, [LOST])
    assert result["runs"][0]["sound"] is True
    assert result["faults"] == [LOST.verdict(counts=True)]
    assert "does not count" not in told.out + told.err + result["faults"][0]
    assert "55% of the episode's time was lost, but the agents ended it" in result["faults"][0]
    assert "no mean" not in told.out
    assert "left out" not in title_of(reward_by_contract(analysis.load(tmp_path)))


@pytest.mark.parametrize("cause", ["the Node process does not answer", None])
async def test_coroutines_are_closed_if_node_does_not_answer(cause):
    """Otherwise the user would see Python's warning that they were never awaited."""

    async def fault_within(_seconds):
        return cause

    async def prepare():
        raise BridgeError("no answer")

    async def life():
        """Never start."""

    session = SimpleNamespace(
        people=SimpleNamespace(seats={}),
        world=None,
        listeners=[],
        writer=SimpleNamespace(clock=None),
        fault_within=fault_within,
        note=lambda *_, **__: None,
    )
    arena = MinecraftArena(session, ["Ada"])
    arena._bodies["Ada"] = SimpleNamespace(prepare=prepare)
    lives = {"Ada": life()}
    with pytest.raises(FaultError, match=cause or "no answer"):
        await arena.run(Episode(lives, None, lambda _account: False, 10.0))
    assert inspect.getcoroutinestate(lives["Ada"]) == inspect.CORO_CLOSED
