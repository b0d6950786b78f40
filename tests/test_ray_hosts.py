"""Bots on a Ray cluster: three nodes as processes of this machine, one of them killed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter

import psutil
import pytest

from voxpolis.bridge import HostPlan, ray_host
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.ray_cluster import ray_cluster
from voxpolis.records import RunWriter, events, read_record
from voxpolis.worlds.minecraft.session import faults_as_errors, open_session
from voxpolis.worlds.minecraft.village import MinecraftVillage
from voxpolis.worlds.society import Resident, VillagePlan

NAMES = ["Anna", "Bert", "Cleo"]
PEOPLE = [
    Resident(name, (float(4 * number - 4), 9.0), holds=Counter(dirt=20))
    for number, name in enumerate(NAMES)
]
#: A dead node is noticed within seconds; by itself it takes half a minute.
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
NODE = {"num_cpus": 1, "object_store_memory": ray_host.STORE_BYTES, "include_dashboard": False}


@pytest.fixture
def cluster():
    """Three nodes with a core each."""
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


async def test_a_village_on_three_nodes_outlives_one_of_them(server, cluster, tmp_path, capfd):
    made, others = cluster
    plan = HostPlan("ray", 3, made.address)
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        opening = open_session(server, writer, tuple(NAMES), hosts=plan, rejoins=True)
        async with opening as session, faults_as_errors(session):
            hosts = session.world.bridge.housing.hosts
            assert [len(host.bots) for host in hosts] == [1, 1, 1]
            assert all(host.host.is_here for host in hosts), "so the server's clock reaches there"
            nodes = [psutil.Process(host.host.node) for host in hosts]
            village = MinecraftVillage(session, VillagePlan(PEOPLE, {"chest": (0.0, 0.0)}))
            await village.build()
            watching = asyncio.create_task(village.watch())
            bodies = session.world.bodies
            waiting = [bodies[n].run("await waitSignal(bot, null, 'Anna')", 60) for n in NAMES[1:]]
            sending = bodies["Anna"].run("await sendSignal(bot)", 60)
            done = await asyncio.gather(sending, *waiting)
            assert [one.status for one in done] == ["done"] * 3, "signals cross nodes"

            _, chest = await village.account(NAMES)
            paying = [asyncio.create_task(village.deposit(name, 0.5)) for name in NAMES]
            await asyncio.to_thread(made.remove_node, others[0], False)
            paid = await asyncio.gather(*paying)
            held, after = await village.account(NAMES)
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
    assert capfd.readouterr().out == "", "what Ray complains of is not the run's output"


def test_a_cluster_that_is_not_there_is_one_line():
    with pytest.raises(UsageError, match=r"^there is no Ray cluster at 127.0.0.1:1: Connection re"):
        open_cluster("127.0.0.1:1")


def test_ray_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        UsageError, match=r"--engine ray needs the extra: pip install -e '.\[ray\]'"
    ):
        open_cluster(None)


def open_cluster(address):
    with ray_cluster(address, "127.0.0.1"):
        pass


class Cluster:
    """What is asked of Ray: how many cores its machines have."""

    def __init__(self, resources):
        self.resources = resources

    def cluster_resources(self):
        if self.resources is None:
            raise ConnectionError("nobody answers")
        return self.resources


@pytest.mark.parametrize(
    ("resources", "why"),
    [({"CPU": 2.0}, ray_host.NO_ROOM), ({}, ray_host.GONE), (None, ray_host.GONE)],
)
def test_a_cluster_that_is_gone_is_not_called_full(resources, why):
    assert ray_host.why_no_room(Cluster(resources)) == why
