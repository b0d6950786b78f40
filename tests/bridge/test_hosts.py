"""Bots in several processes or on a Ray cluster: signals, and the cost of a lost host."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
from collections import Counter

import psutil
import pytest

from tests.heard import Heard
from voxpolis.bridge import Bridge, HostPlan, MinecraftWorld, ray_host
from voxpolis.bridge.hosts import BOTS_PER_HOST
from voxpolis.bridge.placement import join_in_waves
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.ray_cluster import ray_cluster
from voxpolis.records import RunWriter, events, read_record
from voxpolis.server import Rcon
from voxpolis.server.state import read_password
from voxpolis.worlds.minecraft.session import faults_as_errors, open_session
from voxpolis.worlds.minecraft.village import MinecraftVillage
from voxpolis.worlds.society import Resident, VillagePlan

NAMES = ["Anna", "Bert", "Cleo", "Dora"]
TWO = HostPlan(count=2)


def test_few_bots_share_one_host_and_many_bots_get_one_host_per_core():
    plan = HostPlan()
    assert [plan.wanted(bots, cores=4) for bots in (1, BOTS_PER_HOST)] == [1, 1]
    assert plan.wanted(BOTS_PER_HOST + 1, cores=4) == 2
    assert plan.wanted(100 * BOTS_PER_HOST, cores=4) == 4
    assert HostPlan(count=3).wanted(2, cores=1) == 2, "no host is without a bot"


@pytest.mark.parametrize(("cores", "sizes"), [(1, [1, 2, 1, 2, 1, 2]), (4, [1, 2, 4, 2])])
async def test_waves_of_joins_grow_until_the_machine_is_busy(monkeypatch, cores, sizes):
    now, running, waves = 0.0, 0, []
    monkeypatch.setattr("voxpolis.bridge.placement.time.monotonic", lambda: now)

    async def join(name):
        nonlocal now, running
        if running == 0:
            waves.append(0)
        running, waves[-1] = running + 1, waves[-1] + 1
        await asyncio.sleep(0)
        if running == waves[-1]:  # the first of its wave to be ready
            now += max(1, (running / cores) ** 1.2)  # on a full machine, threads hinder each other
        running -= 1

    await join_in_waves(NAMES * 2 + ["Emil"], join)
    assert waves == sizes


async def test_a_dozen_bots_join_on_one_core_that_three_processes_keep_busy(server):
    cores, names = os.sched_getaffinity(0), [f"Crowd{number}" for number in range(12)]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    rcon = Rcon(server.host, server.rcon_port, read_password())
    try:
        async with rcon, Bridge(server.clock(), HostPlan(count=1)) as bridge:
            for process in psutil.Process().children(recursive=True):
                process.cpu_affinity([min(cores)])
            psutil.Process(server.pid).cpu_affinity([min(cores)])
            async with Heard(bridge) as heard:
                world = MinecraftWorld(rcon, bridge, server.host, server.port)
                await world.enter(names)
                assert list(world.bodies) == names
                assert "There are 12 of" in await rcon.command("list")
                assert heard.of(events.Fault) == []
    finally:
        for process in busy:
            process.kill()
            process.wait()
        psutil.Process(server.pid).cpu_affinity(list(cores))


async def settled(world):
    await world.enter(NAMES)
    await world.reset(["fill -10 150 -10 10 150 10 bedrock", "fill -10 151 -10 10 154 10 air"])


def processes(bridge):
    """Return the process of each bot's host."""
    return {
        name: int(host.host.where.rpartition(" ")[2])
        for host in bridge.placement.hosts
        for name in host.bots
    }


def kill(pid):
    os.kill(pid, signal.SIGKILL)


@pytest.fixture
async def two(server):
    """Yield four bots in two processes; bots of a lost process rejoin."""
    rcon = Rcon(server.host, server.rcon_port, read_password())
    async with rcon, Bridge(server.clock(), TWO, rejoins=True) as bridge:
        world = MinecraftWorld(rcon, bridge, server.host, server.port)
        await settled(world)
        yield world


async def test_signals_cross_hosts_and_losing_a_host_ends_only_its_programs(two):
    bridge, bodies = two.bridge, two.bodies
    homes = processes(bridge)
    assert Counter(homes.values()).most_common() == [(homes["Anna"], 2), (homes["Bert"], 2)]
    async with Heard(bridge) as heard:
        # signals are kept, reach only their addressee, and are refused for unknown agents
        assert (await bodies["Anna"].run("await sendSignal(bot, 'Bert')", 120)).status == "done"
        said = await bodies["Bert"].run("console.log(await waitSignal(bot))", 120)
        assert said.logs == ["Anna"]
        nobody = await bodies["Anna"].run("await sendSignal(bot, 'Nobody')", 120)
        assert "no agent named Nobody" in nobody.error.message
        await bodies["Anna"].run("await sendSignal(bot)", 120)
        assert {event.to for event in heard.of(events.Signal, "Anna")} == {"Bert", "Cleo", "Dora"}
        # programs in the killed host are lost; calls made meanwhile are answered
        running = asyncio.create_task(bodies["Bert"].run("await waitSignal(bot, null, 'Dora')", 99))
        staying = asyncio.create_task(bodies["Anna"].run("await waitSignal(bot, null, 'Bert')", 99))
        async with asyncio.timeout(60):
            while len(heard.of(events.CodeStarted, "Bert")) < 2:
                await asyncio.sleep(0.05)
        kill(homes["Bert"])
        ended = await running
        assert ended.status == "killed"
        assert f"the bot host of process {homes['Bert']} ended" in ended.error.message
        asked = [bodies["Bert"].observe(), bodies["Dora"].observe(), bodies["Dora"].prepare()]
        await asyncio.gather(*asked, bodies["Bert"].stop("nothing is left to stop"))
        assert await two.position("Bert")
        for name in ("Bert", "Dora"):
            (lost,) = heard.of(events.BodyLost, name)
            (back,) = await heard.wait(events.BodyBack, name)
            assert lost.t <= back.t
        assert not heard.of(events.BodyLost, "Anna")
        assert heard.of(events.CodeFailed, "Bert")[-1].status == "killed"
        assert not heard.of(events.Fault)
        # the bots are where they were, in a new process, and signals reach them
        assert set(processes(bridge)) == set(NAMES)
        assert homes["Bert"] not in processes(bridge).values()
        assert (await bodies["Bert"].run("await sendSignal(bot, 'Anna')", 120)).status == "done"
        assert (await staying).status == "done"
        times = [event.t for event in heard.events]
        late = [later for before, later in itertools.pairwise(times) if later < before]
        assert len(late) <= len(times) // 20, "a host was busy for longer than the timeout"


async def test_a_hung_host_counts_as_lost(two, monkeypatch):
    """The host is stopped while more data is sent than a pipe holds."""
    monkeypatch.setattr("bridge.hosts.SILENCE_S", 3.0)
    async with Heard(two.bridge) as heard:
        pid = processes(two.bridge)["Bert"]
        os.kill(pid, signal.SIGSTOP)
        told = await two.bodies["Bert"].run("x" * 190_000, 60)
        monkeypatch.undo()  # the next host may start slowly
        assert (told.status, "it was silent for 3 s" in told.error.message) == ("killed", True)
        await heard.wait(events.BodyBack, "Dora")
    assert (await two.bodies["Bert"].run("console.log(1)", 60)).logs == ["1"]
    assert not psutil.pid_exists(pid)


TRIO = ["Anna", "Bert", "Cleo"]
VILLAGERS = [
    Resident(name, (float(4 * number - 4), 9.0), holds=Counter(dirt=20))
    for number, name in enumerate(TRIO)
]
# Detect a dead node within seconds; the default is half a minute.
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
NODE = {"num_cpus": 1, "object_store_memory": ray_host.STORE_BYTES, "include_dashboard": False}


@pytest.fixture
def cluster():
    """Yield three nodes with a core each."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - it says so before it is imported

    head = {**NODE, "_system_config": QUICK}
    made = Cluster(initialize_head=True, head_node_args=head, shutdown_at_exit=False)
    try:
        others = [made.add_node(**NODE) for _ in range(2)]
        assert ray_host.connect(made.address)
        yield made, others
    finally:
        ray_host.disconnect()
        made.shutdown()


async def test_a_village_on_three_nodes_survives_losing_one_node(server, cluster, tmp_path, capfd):
    made, others = cluster
    plan = HostPlan("ray", 3, made.address)
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        opening = open_session(server, writer, tuple(TRIO), hosts=plan, rejoins=True)
        async with opening as session, faults_as_errors(session):
            hosts = session.world.bridge.placement.hosts
            assert [len(host.bots) for host in hosts] == [1, 1, 1]
            assert all(host.host.is_here for host in hosts), "so the server's clock reaches there"
            nodes = [psutil.Process(host.host.node) for host in hosts]
            village = MinecraftVillage(session, VillagePlan(VILLAGERS, {"chest": (0.0, 0.0)}))
            await village.build()
            watching = asyncio.create_task(village.watch())
            bodies = session.world.bodies
            waiting = [bodies[n].run("await waitSignal(bot, null, 'Anna')", 60) for n in TRIO[1:]]
            sending = bodies["Anna"].run("await sendSignal(bot)", 60)
            done = await asyncio.gather(sending, *waiting)
            assert [one.status for one in done] == ["done"] * 3, "signals cross nodes"

            _, chest = await village.account(TRIO)
            paying = [asyncio.create_task(village.deposit(name, 0.5)) for name in TRIO]
            await asyncio.to_thread(made.remove_node, others[0], False)
            paid = await asyncio.gather(*paying)
            held, after = await village.account(TRIO)
            assert after - chest == sum(paid, Counter())
            left = sum(one["dirt"] for one in held.values())
            assert left + after["dirt"] - chest["dirt"] == 60, "nothing is lost or doubled"
            async with asyncio.timeout(60):
                while not (lost := [e.agent for e in session.seen if e.kind == "body_lost"]):
                    await asyncio.sleep(0.1)
                while not any(e.kind == "body_back" for e in session.seen):
                    await asyncio.sleep(0.1)
            assert len(lost) == 1
            assert (await bodies[lost[0]].run("console.log(1)", 60)).logs == ["1"]
            assert sorted(len(host.bots) for host in hosts) == [1, 2], (
                "there is no core for a third"
            )
            watching.cancel()
            await village.end()
    record = read_record(tmp_path)
    assert not record.of(events.Fault)
    _, alive = await asyncio.to_thread(psutil.wait_procs, nodes, 60)
    assert not alive, "the hosts' Node processes end with them"
    assert capfd.readouterr().out == "", "Ray's warnings are not part of the run's output"


def test_a_missing_cluster_is_reported_in_one_line():
    with pytest.raises(UsageError, match=r"^there is no Ray cluster at 127.0.0.1:1: Connection re"):
        open_cluster("127.0.0.1:1")


def open_cluster(address):
    with ray_cluster(address, "127.0.0.1"):
        pass
