"""A server whose clock runs faster than real time, and bots that follow it.

The speed is 4: limits in game time must hold on a busy machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time

import psutil
import pytest
import pytest_asyncio
from typer.testing import CliRunner

from tests.conftest import ROOT, UP, run_module
from voxpolis.bridge import Bridge, bench
from voxpolis.bridge.link import node_pid
from voxpolis.records import Clock, events, read_record
from voxpolis.records.clock import PATIENCE_S
from voxpolis.server import autospeed, read_state
from voxpolis.server.commands import app

SPEED = 4
PLAIN_UP = ["up", "--kind", "embedded", "--port", "0", "--rcon-port", "0"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXPOLIS_SERVER", str(folder))
        started = run_module("server", *UP, "--speed", str(SPEED))
        assert started.returncode == 0, started.stderr
        assert f"speed {SPEED}" in started.stderr
        yield read_state()
        run_module("server", "down")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def bot(server):
    async with Bridge(server.clock()) as bridge:
        yield await bridge.spawn("Swift", server.host, server.port)


def test_clocks_agree_at_the_anchor_and_then_diverge():
    anchor = time.time() - 60
    game, wall = Clock(SPEED, anchor).now(), time.time()
    assert game - anchor == pytest.approx(SPEED * (wall - anchor), rel=0.01)
    assert Clock().now() == pytest.approx(time.time(), abs=5)
    assert Clock(SPEED).wall_seconds(5) == 5 / SPEED


async def test_a_program_and_the_server_share_the_same_clock(server, bot):
    """200 ticks of the bot take 10 s of game time as measured by the program, the server and the
    result."""
    before = _ticks()
    result = await bot.run(
        "const t = Date.now(); await bot.waitForTicks(200); console.log((Date.now() - t) / 1000)",
        timeout_s=600,
    )
    assert result.status == "done", result
    passed = float(result.logs[0])
    assert passed >= 9
    assert result.seconds >= passed
    assert _ticks() - before >= 20 * passed / 2  # a late server skips some ticks


def _ticks():
    return int(run_module("server", "command", "time query gametime").stdout.split()[-1])


async def test_time_limits_are_in_game_time(bot):
    started = time.monotonic()
    result = await bot.run("await bot.waitForTicks(100000)", timeout_s=20)
    assert result.status == "timeout"
    assert result.seconds >= 19
    assert time.monotonic() - started < result.seconds


async def test_a_run_that_is_paused_and_resumed_has_the_same_result(server, tmp_path):
    """Bots stop in the middle of their actions. The record contains the speed and uses game
    time."""
    clock = server.clock()
    command = [sys.executable, "-m", "scenarios.double_vein", "--contract", "1", "--json"]
    playing = await asyncio.create_subprocess_exec(
        *command, "--out", str(tmp_path), cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        async with asyncio.timeout(200):
            while not (found := list(tmp_path.glob("double_vein/*/events.jsonl"))):
                await asyncio.sleep(0.1)
            (folder,) = (path.parent for path in found)
            while '"kind":"block_dug"' not in (folder / "events.jsonl").read_text():
                await asyncio.sleep(0.05)
            assert run_module("experiments", "pause", str(folder)).returncode == 0
            shown = await _until_it_stands(clock)
            await asyncio.sleep(PATIENCE_S + 1)  # the time after which servers count as gone
            assert clock.now() == shown
            assert run_module("experiments", "continue", str(folder)).returncode == 0
            printed, _ = await playing.communicate()
    finally:
        if playing.returncode is None:
            playing.kill()
            await playing.wait()
    result = json.loads(printed)
    assert [run["welfare"] for run in result["runs"]] == [78]
    assert result["faults"] == []
    record = read_record(folder)
    assert record.manifest["speed"] == SPEED
    (ended,) = record.of(events.EpisodeEnded)
    times = [event.t for event in record.events]
    assert times[-1] >= ended.seconds  # in game time, like the episode's
    assert min(times) >= 0
    assert result["interventions"] == 2
    replayed = run_module("scenarios.double_vein", "--replay", str(folder), "--out", str(tmp_path))
    assert replayed.returncode == 0, replayed.stderr


@pytest.fixture
def land(tmp_path):
    """Return the folder of a server as `make server` starts it, with natural land, but faster."""
    folder = {"VOXPOLIS_SERVER": str(tmp_path / "server")}
    started = run_module("server", *PLAIN_UP, "--speed", "10", **folder)
    assert started.returncode == 0, started.stderr
    yield folder
    run_module("server", "down", **folder)


def test_the_documented_script_makes_an_iron_pickaxe(land):
    page = (ROOT / "docs" / "reference" / "programs.md").read_text()
    script = page.split('```python title="bridge.py"\n')[1].split("```")[0]
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | land,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.stdout.startswith("done None "), done
    assert "'iron_pickaxe': 1" in done.stdout


@pytest.mark.parametrize("speed", ["0", "51", "nan"])
def test_an_invalid_speed_is_refused(speed, tmp_path):
    refused = run_module("server", *UP, "--speed", speed, VOXPOLIS_SERVER=str(tmp_path))
    assert refused.returncode == 2
    assert f"--speed must be auto or a number from 1 to 50, not '{speed}'" in refused.stderr


def test_paper_always_runs_in_real_time(tmp_path):
    options = ["up", "--kind", "paper", "--speed", "2"]
    nowhere = {"DOCKER_HOST": "unix:///nonexistent.sock", "VOXPOLIS_SERVER": str(tmp_path)}
    assert run_module("server", *options, **nowhere).returncode == 2


def _lateness(ticks):
    return autospeed.lateness_fraction(
        run_module("server", "command", f"tick query {ticks}").stdout
    )


@contextlib.contextmanager
def _standing_still(pid):
    """Stop a process, like a scheduler that has no free processor."""
    process = psutil.Process(pid)
    process.suspend()
    try:
        yield
    finally:
        process.resume()


async def test_the_clock_waits_for_a_stalled_server(server, bot):
    """No game time passes during the stall, and none is lost."""
    clock = server.clock()
    walking = asyncio.create_task(bot.run("await bot.waitForTicks(200)", timeout_s=600))
    await clock.sleep(2)
    before, began = clock.now(), time.monotonic()
    with _standing_still(server.pid):
        await asyncio.sleep(2)
        assert clock.now() - before < SPEED * (time.monotonic() - began) / 2
    result = await walking
    assert result.status == "done"
    assert _lateness(200) <= autospeed.MAX_LATENESS


async def _until_it_stands(clock, timeout_s=30):
    """Wait until the clock shows the same time twice, and return it."""
    async with asyncio.timeout(timeout_s):
        while (shown := clock.now()) != (await asyncio.sleep(0.1), clock.now())[1]:
            pass
    return shown


async def test_the_clock_waits_only_a_limited_time_for_stalled_bots(server, bot):
    """After a bot has exceeded the limit, the clock does not immediately wait for it again."""
    clock, shown = server.clock(), None
    while shown is None:
        await bot.run("await bot.waitForTicks(20)", timeout_s=60)
        with _standing_still(node_pid()):
            with contextlib.suppress(TimeoutError):
                shown = await _until_it_stands(clock, 3)
            async with asyncio.timeout(20):
                while shown is not None and clock.now() < shown + 1:
                    await asyncio.sleep(0.1)
    assert (await bot.run("await bot.waitForTicks(20)", timeout_s=60)).status == "done"


async def test_a_long_stall_of_the_machine_is_reported(server, bot):
    before = _lateness(40)
    with _standing_still(server.pid):
        await asyncio.sleep(PATIENCE_S + 8 / SPEED)  # the length of the stall
    await bot.run("await bot.waitForTicks(20)", timeout_s=60)
    assert before is not None
    assert _lateness(400) > 0.2


def test_the_benchmark_measures_busy_bots(monkeypatch):
    """The test uses one chest instead of 25, because each chest takes a command."""
    monkeypatch.setattr(bench, "CHEST_EVERY", 2 * bench.HALF_WIDTH)
    monkeypatch.setattr(bench, "SETTLE_S", 1.0)
    # Long enough to complete some actions on the busiest machine.
    done = CliRunner().invoke(bench.app, ["--bots", "1", "--seconds", "5", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["bots"] == 1
    assert 5 < found["tps"] < 40  # the server ticks; the benchmark itself judges how well
    assert found["packets_per_s"] > 0
    assert found["server_rss_mb"] > 0
    assert found["bot_rss_mb"] > 0
    assert found["actions_per_bot_minute"] > 0
    assert {"tick_delay_p50_ms", "tick_delay_p99_ms", "server_cpu_percent"} <= set(found)


@pytest.mark.parametrize("fastest", autospeed.CANDIDATES)
def test_the_fastest_sustainable_speed_is_found_with_few_trials(fastest, monkeypatch):
    tried = []
    monkeypatch.setattr(
        autospeed,
        "_pace",
        lambda speed: tried.append(speed) or (0.95 if speed <= fastest else 0.85),
    )
    assert autospeed.find_fastest(lambda line: None) == fastest
    assert len(tried) <= 4


def test_speed_auto_finds_a_speed(tmp_path, monkeypatch):
    """One real trial of two speeds, shorter than a user's."""
    monkeypatch.setattr(autospeed, "WALK_S", 3)
    monkeypatch.setattr(autospeed, "MEASURED_S", 1)
    monkeypatch.setattr(autospeed, "BOTS", 1)
    monkeypatch.setattr(autospeed, "CANDIDATES", [1.0, 3.0])
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path))
    try:
        started = CliRunner().invoke(app, [*UP, "--speed", "auto"])
        assert started.exit_code == 0, started.output
        assert "speed 3: the clock ran " in started.output
        assert json.loads((tmp_path / "server.json").read_text())["speed"] in (1, 3)
    finally:
        run_module("server", "down")
