"""Signals across hosts: mailboxes of several hosts, and delivery between them.

The oracle is one mailbox for all agents, written from the description in ``docs/howto/models.md``.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter, defaultdict, deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from voxpolis import environment
from voxpolis.bridge.protocol import ClearSignals, Credit, Deliver, Neighbours, Passing
from voxpolis.bridge.signals import SignalRouter

AGENTS, HOSTS, NAMES = ["Anna", "Bert", "Cleo", "Dora"], 3, ["go", "stop"]
# Process commands as a host's mailboxes do.
DONE_BY = {
    Neighbours: ("neighbours", lambda fields: [fields]),
    Deliver: ("arrive", lambda fields: [fields]),
    Credit: ("credit", lambda fields: [fields]),
    ClearSignals: ("clear", lambda fields: [fields["epoch"]]),
}


class Hosts:
    """Hosts that are only mailboxes, in one Node process, and messages in transit between them."""

    def __init__(self, process):
        self._process = process
        self.homes = {}
        self.post = SignalRouter(
            self.homes, lambda host, kind, f: self.inbox[host].append((kind, f))
        )
        self.inbox = defaultdict(deque)
        self.outbox = defaultdict(deque)
        self.delivered = []
        self.recorded = []
        self.left = list(range(HOSTS))
        for host in self.left:
            self.do(host, "new")
        for number, agent in enumerate(AGENTS):
            self.do(number % HOSTS, "open", agent)
            self.homes[agent] = number % HOSTS
            self.post.joined(agent, number % HOSTS, self.left)
        self.settle()

    def do(self, host, operation, *arguments):
        self._process.stdin.write(json.dumps([host, operation, arguments]) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        self.outbox[host] += [Passing.model_validate(one) for one in told["passed"]]
        self.delivered += [tuple(one) for one in told["delivered"]]
        self.recorded += [tuple(one) for one in told["recorded"]]
        return told["error"]

    def take_in(self, host):
        """Let a host process its oldest pending command."""
        if self.inbox[host]:
            kind, fields = self.inbox[host].popleft()
            operation, arguments = DONE_BY[kind]
            self.do(host, operation, *arguments(fields))

    def bring_on(self, host):
        """Deliver the oldest message that a host has sent."""
        if self.outbox[host]:
            self.post.pass_on(self.outbox[host].popleft())

    def settle(self):
        while any(self.inbox.values()) or any(self.outbox.values()):
            for host in self.left:
                self.take_in(host)
                self.bring_on(host)

    def send(self, agent, to, name):
        return self.do(self.homes[agent], "send", agent, to, name)

    def wait(self, agent, sender, name):
        self.do(self.homes[agent], "wait", agent, 0, sender, name)

    def clear(self):
        epoch = self.post.cleared()
        for host in self.left:
            self.inbox[host].append((ClearSignals, {"epoch": epoch}))

    def lose(self, host):
        """Lose a host; return its agents."""
        self.left.remove(host)
        self.inbox.pop(host, None)
        self.outbox.pop(host, None)
        gone = [agent for agent, home in self.homes.items() if home == host]
        self.homes.update(dict.fromkeys(gone))
        self.post.lost(gone)
        return gone

    def open_another(self):
        number = self.left[-1] + 1
        self.do(number, "new")
        self.do(number, "begin", self.post.epoch)
        self.left.append(number)
        self.post.opened(number)

    def come_back(self, agent, host):
        self.do(host, "open", agent)
        self.homes[agent] = host
        self.post.back(agent, host)


class OneMailbox:
    """Reference: signals of all agents in a single mailbox."""

    def __init__(self):
        self.kept = {agent: [] for agent in AGENTS}
        self.waits = {agent: [] for agent in AGENTS}
        self.delivered = []

    def send(self, agent, to, name):
        for one in [to] if to else [other for other in AGENTS if other != agent]:
            self.kept[one].append((agent, name))
            self._look(one)

    def wait(self, agent, sender, name):
        self.waits[agent].append((sender, name))
        self._look(agent)

    def _look(self, agent):
        for wait in list(self.waits[agent]):
            for signal in self.kept[agent]:
                if signal[1] == wait[1] and wait[0] in (None, signal[0]):
                    self.kept[agent].remove(signal)
                    self.waits[agent].remove(wait)
                    self.delivered.append((agent, *signal))
                    break

    def clear(self):
        self.lose(AGENTS)

    def lose(self, agents):
        for agent in agents:
            self.kept[agent], self.waits[agent] = [], []


@pytest.fixture(scope="module")
def node():
    """Yield the process with all hosts' mailboxes."""
    process = subprocess.Popen(
        [environment.node_executable(), ROOT / "tests/data/mailbox_hosts.mjs"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.stdin.close()
    process.wait(20)
    process.stdout.close()


agents, names = st.sampled_from(AGENTS), st.sampled_from(NAMES)
sends = st.tuples(st.just("send"), agents, st.none() | agents, names)
waits = st.tuples(st.just("wait"), agents, st.none() | agents, names)
moves = st.tuples(st.sampled_from(["take_in", "bring_on"]), st.integers(0, HOSTS - 1))


@given(st.lists(sends | waits | st.just(("clear",)) | st.just(("lose",)), max_size=40))
@settings(max_examples=60)
def test_several_hosts_behave_like_one_mailbox(node, steps):
    """Messages are delivered before the next step; hosts are lost now and then."""
    hosts, one = Hosts(node), OneMailbox()
    for what, *arguments in steps:
        if what == "lose":
            if len(hosts.left) > 1:
                gone = hosts.lose(hosts.left[0])
                one.lose(gone)
                for agent in gone:
                    # Signals that are sent meanwhile wait for the agent; only one sender's, because
                    # the order of two senders is undefined.
                    other = next(one for one in AGENTS if hosts.homes[one] is not None)
                    assert hosts.send(other, agent, "go") is None
                    one.send(other, agent, "go")
                    hosts.settle()
                hosts.open_another()
                for number, agent in enumerate(gone):
                    hosts.come_back(agent, hosts.left[-1 - number % 2])
        else:
            assert getattr(hosts, what)(*arguments) is None
            getattr(one, what)(*arguments)
        hosts.settle()
        assert sorted(hosts.delivered) == sorted(one.delivered)
        for agent in AGENTS:  # each agent's signals in order of arrival
            mine = [signal for signal in hosts.delivered if signal[0] == agent]
            assert mine == [signal for signal in one.delivered if signal[0] == agent]


@given(st.lists(sends | waits | moves, max_size=60))
@settings(max_examples=60)
def test_signals_in_transit_are_neither_lost_nor_duplicated(node, steps):
    hosts, sent = Hosts(node), Counter()
    for what, *arguments in steps:
        getattr(hosts, what)(*arguments)
        if what == "send":
            sender, to, name = arguments
            targets = [to] if to else [agent for agent in AGENTS if agent != sender]
            sent.update((target, sender, name) for target in targets)
    hosts.settle()
    for (to, sender, name), count in sent.items():
        for _ in range(count):
            hosts.wait(to, sender, name)
    hosts.settle()
    assert Counter(hosts.delivered) == sent
    assert Counter((to, sender, name) for sender, to, name in hosts.recorded) == sent


def test_the_limit_on_pending_signals_applies_across_hosts(node):
    hosts = Hosts(node)
    assert hosts.homes["Anna"] != hosts.homes["Bert"]
    assert [hosts.send("Anna", "Bert", "go") for _ in range(1000)] == [None] * 1000
    hosts.settle()
    assert hosts.send("Anna", "Bert", "go") == "Bert has not taken 1000 of your signals"
    assert hosts.send("Anna", None, "go") == "Bert has not taken 1000 of your signals"
    assert hosts.send("Cleo", "Bert", "go") is None, "others may"
    hosts.wait("Bert", "Anna", "go")
    hosts.settle()
    assert hosts.send("Anna", "Bert", "go") is None
    assert hosts.send("Anna", "Bert", "go") == "Bert has not taken 1000 of your signals"


def test_clearing_also_discards_signals_in_transit(node):
    hosts = Hosts(node)
    for _ in range(1000):
        hosts.send("Anna", "Bert", "go")
    for _ in range(10):
        hosts.bring_on(hosts.homes["Anna"])
    hosts.clear()
    hosts.take_in(hosts.homes["Anna"])
    assert hosts.send("Anna", "Bert", "go") is None, "none is untaken"
    hosts.settle()
    hosts.wait("Bert", "Anna", "go")
    hosts.wait("Bert", "Anna", "go")
    hosts.settle()
    assert hosts.delivered == [("Bert", "Anna", "go")], "the one that was sent afterwards"
