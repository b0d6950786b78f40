"""Reference implementation in plain Python of the rules in docs/reference/grid.md.

Slow but readable. One environment. Dictionaries instead of arrays, words instead of numbers: an
action is "pick wood" or "join 2". Illegal actions have no effect; :meth:`Reference.legal` defines
legality. ``tests/grid/test_rules.py`` plays random games in kernel and reference, and compares
masks and effects after each step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from voxpolis.grid.adasociety.game import Game, Rules

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15
CELLS, ORDER, ACTORS, MOVERS, CHOICE = range(5)
WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def mix(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % WORD
    return word ^ (word >> 31)


def below(word: int, bound: int) -> int:
    return ((word >> 32) * bound) >> 32


class Reference:
    """A game with a single environment."""

    def __init__(self, rules: Rules, game: Game, seed: int) -> None:
        self.rules, self.game, self.seed = rules, game, seed
        self.jobs = game.jobs
        self.agents = range(len(self.jobs))
        self.height, self.width = game.map
        self.episode = 0

    # --- Chance ----------------------------------------------------------------------------------

    def draw(self, step: int, stream: int, index: int) -> int:
        counter = (((step * 8 + stream) << 32) + index) % WORD
        return mix((self.key + (counter + 1) * GOLDEN) % WORD)

    # --- Reset -----------------------------------------------------------------------------------

    def reset(self) -> None:
        self.episode += 1
        self.step_number = 0
        first = mix((self.seed + GOLDEN) % WORD)
        self.key = mix((first + self.episode * GOLDEN) % WORD)
        self.place_everything()
        self.held: list[Counter[str]] = [Counter() for _ in self.agents]
        self.groups: list[dict[int, float]] = [{} for _ in self.agents]
        self.shares: set[tuple[int, int]] = set()
        self.unions: list[dict[int, float]] = []
        self.partner: dict[int, int] = {}
        self.moves_next: set[int] = set()
        self.offer: dict[int, int] = {}
        self.executed: Counter[str] = Counter()
        done = ("gathered", "taken", "put", "dropped")
        self.counts = {what: [Counter[str]() for _ in self.agents] for what in done}
        self.score = [0.0 for _ in self.agents]
        self.order = list(self.agents)
        for i in reversed(self.agents[1:]):
            j = below(self.draw(0, ORDER, i), i + 1)
            self.order[i], self.order[j] = self.order[j], self.order[i]
        self.change_structure()

    def place_everything(self) -> None:
        cells = [(x, y) for x in range(self.height) for y in range(self.width)]
        self.drawn = 0

        def take(place: int) -> tuple[int, int]:
            word = self.draw(0, CELLS, self.drawn)
            other = place + below(word, len(cells) - place)
            self.drawn += 1
            cells[place], cells[other] = cells[other], cells[place]
            return cells[place]

        if self.game.layout:
            self.place_by_layout(cells, take)
            return
        self.chests: set[tuple[int, int]] = set()
        blocks = self.game.blocks
        self.blocks = {take(number) for number in range(blocks)}
        piles = [(n, u) for n, (count, u) in self.game.piles.items() for _ in range(count)]
        self.piles: dict[tuple[int, int], Counter[str]] = {}
        for number, (name, units) in enumerate(piles):
            self.piles[take(blocks + number)] = Counter({name: units})
        stations = [name for name, count in self.game.events.items() for _ in range(count)]
        self.stations = {take(blocks + n): name for n, name in enumerate(stations)}
        self.position = [take(blocks + i) for i in self.agents]

    def place_by_layout(self, cells: list[Any], take: Callable[[int], Any]) -> None:
        at = dict(zip(list(cells), "".join(self.game.rows), strict=True))
        self.blocks = {cell for cell, symbol in at.items() if symbol == "#"}
        marks = {cell: self.game.legend[s] for cell, s in at.items() if s in self.game.legend}
        self.chests = {cell for cell, mark in marks.items() if mark.chest is not None}
        self.piles = {cell: Counter(mark.holds) for cell, mark in marks.items() if mark.holds}
        self.stations = {cell: mark.event for cell, mark in marks.items() if mark.event}
        self.position = [cell for cell, symbol in at.items() if symbol == "@"]
        # the first cells are those of blocks; each cell taken is swapped to its place in the list
        if not self.position:
            for number, block in enumerate(sorted(self.blocks)):
                other = cells.index(block)
                cells[number], cells[other] = cells[other], cells[number]
            self.drawn = len(self.blocks) + sum(map(len, self.piles.values())) + len(self.stations)
            self.position = [take(len(self.blocks) + i) for i in self.agents]

    def change_structure(self) -> None:
        for part in self.game.structure:
            if part.step == self.step_number:
                for i in self.agents:
                    self.groups[i] = {g: m[i] for g, m in enumerate(part.groups) if i in m}
                known = {"none": [], "all": [self.agents], "groups": part.groups}
                circles = known[part.shares] if isinstance(part.shares, str) else part.shares
                self.shares = {(i, j) for c in circles for i in c for j in c if i != j}
                self.unions = [dict(union) for union in part.unions]

    # --- What is legal ---------------------------------------------------------------------------

    def legal(self, i: int, action: str) -> bool:
        """Return whether an agent may take an action."""
        if self.is_contract():
            is_turn = self.order[self.step_number % len(self.agents)] == i
            return action.startswith("join ") if is_turn else action == "stay"
        if self.is_negotiation():
            return self.legal_in_bargain(i, action)
        return self.legal_in_play(i, action)

    def legal_in_play(self, i: int, action: str) -> bool:
        verb, _, what = action.partition(" ")
        if verb == "join":  # contracts are binding
            return not self.game.stage.contract and list(self.groups[i]) != [int(what)]
        if verb in ("message", "share"):
            return int(what) != i
        if verb in ("pick", "dump"):
            return self.may_pick(i, what) if verb == "pick" else self.may_dump(i, what)
        if action in WAYS:
            return self.next_to(i, action) not in self.blocks
        return action == "stay" or (action == "produce" and self.legal_event(i) is not None)

    def is_contract(self) -> bool:
        return self.step_number < self.game.stage.contract * len(self.agents)

    def is_negotiation(self) -> bool:
        return self.step_number < self.game.stage.negotiation

    def legal_in_bargain(self, i: int, action: str) -> bool:
        """Return whether an action is legal in a bargain.

        Only free agents in different groups may start a bargain; an agent cannot pass its turn.
        """
        verb, _, what = action.partition(" ")
        if i not in self.partner:
            if verb != "request":
                return action == "stay"
            other = int(what)
            return other != i and other not in self.partner and other not in self.members(i)
        if i not in self.moves_next:
            return action == "stay"
        is_proposed = i in self.offer or self.partner[i] in self.offer
        return {"propose": True, "accept": i in self.offer, "end": is_proposed}.get(verb, False)

    # --- Step ------------------------------------------------------------------------------------

    def step(self, actions: list[str]) -> tuple[list[float], bool]:
        self.earned = [0.0 for _ in self.agents]
        self.sent: dict[int, int] = {}
        done = [a if self.legal(i, a) else "stay" for i, a in enumerate(actions)]
        if self.is_contract():
            self.choose_group(done)
        elif self.is_negotiation():
            self.negotiate(done)
        else:
            self.play(done)
        rewards = self.shared()
        self.step_number += 1
        self.change_structure()
        return rewards, self.step_number >= self.game.length

    def play(self, actions: list[str]) -> None:
        actors = [i for i in self.agents if actions[i] not in WAYS and actions[i] != "stay"]
        for k in reversed(range(len(actors))):
            other = below(self.draw(self.step_number, ACTORS, k), k + 1)
            actors[k], actors[other] = actors[other], actors[k]
            self.act(actors[k], *actions[actors[k]].split())
        self.move({i: actions[i] for i in self.agents if actions[i] in WAYS})

    def act(self, i: int, verb: str, what: str = "") -> None:
        here = self.piles.setdefault(self.position[i], Counter())
        is_chest = self.position[i] in self.chests
        if verb == "produce":
            event = self.stations[self.position[i]]
            for name, units in self.rules.events[event].inputs.items():
                self.change(i, name, -units)
            self.change(i, self.rules.events[event].output, 1)
            self.executed[event] += 1
        elif verb == "pick":
            here[what] -= 1
            self.change(i, what, 1)
            self.counts["taken" if is_chest else "gathered"][i][what] += 1
        elif verb == "dump":
            here[what] += 1
            self.change(i, what, -1)
            self.counts["put" if is_chest else "dropped"][i][what] += 1
        elif verb == "message":
            self.sent[i] = int(what)
        elif verb == "share":
            self.shares ^= {(i, int(what))}
        else:
            self.groups[i] = {int(what): 1.0}

    def change(self, i: int, name: str, units: int) -> None:
        self.held[i][name] += units
        self.earned[i] += units * self.rules.score(self.jobs[i], {name: 1})

    def has(self, i: int, names: tuple[str, ...]) -> bool:
        return all(self.held[i][name] for name in names)

    def room(self, i: int, name: str) -> float:
        return self.rules.jobs[self.jobs[i]].capacity.get(name, float("inf"))

    def may_pick(self, i: int, name: str) -> bool:
        here = self.piles.get(self.position[i], Counter())
        has_room = self.held[i][name] < self.room(i, name)
        resource = self.rules.resources[name]
        has_tool = not resource.tools or any(self.held[i][tool] for tool in resource.tools)
        return here[name] > 0 and has_room and has_tool and self.has(i, resource.requires)

    def may_dump(self, i: int, name: str) -> bool:
        if self.chests and self.position[i] not in self.chests:
            return False
        return self.held[i][name] > 0 and self.piles.get(self.position[i], Counter())[name] < 255

    def legal_event(self, i: int) -> str | None:
        name = self.stations.get(self.position[i])
        if name is None:
            return None
        event = self.rules.events[name]
        has_inputs = all(self.held[i][r] >= n for r, n in event.inputs.items())
        left = self.held[i][event.output] - event.inputs.get(event.output, 0)
        fits = left + 1 <= self.room(i, event.output)
        return name if has_inputs and fits and self.has(i, event.requires) else None

    # --- Moves -----------------------------------------------------------------------------------

    def next_to(self, i: int, way: str) -> tuple[int, int]:
        x, y = self.position[i]
        dx, dy = WAYS[way]
        return (x + dx) % self.height, (y + dy) % self.width

    def move(self, wishes: dict[int, str]) -> None:
        wanted: dict[tuple[int, int], list[int]] = {}
        for i, way in wishes.items():
            wanted.setdefault(self.next_to(i, way), []).append(i)

        def lot(i: int) -> tuple[int, int]:
            return self.draw(self.step_number, MOVERS, i), -i

        going = {min(rivals, key=lot): cell for cell, rivals in wanted.items()}
        while True:  # an agent stays put if the occupant of its target cell does
            stays = {self.position[i] for i in self.agents if i not in going}
            free = {i: cell for i, cell in going.items() if cell not in stays}
            if len(free) == len(going):
                break
            going = free
        for i, cell in going.items():
            self.position[i] = cell

    # --- Before play -----------------------------------------------------------------------------

    def choose_group(self, actions: list[str]) -> None:
        """Let the agent whose turn it is join a group: a random one if it makes no choice."""
        chooser = self.order[self.step_number % len(self.agents)]
        group = below(self.draw(self.step_number, CHOICE, chooser), len(self.agents))
        if actions[chooser] != "stay":
            group = int(actions[chooser].split()[1])
        self.groups[chooser] = {group: 1.0}

    def negotiate(self, actions: list[str]) -> None:
        """Bargain: the lowest number goes first; requests made when bargains end remain."""
        asked = {i: int(a.split()[1]) for i, a in enumerate(actions) if a.startswith("request")}
        for i, j in sorted((i, j) for i, j in self.partner.items() if i < j):
            mover, other = (i, j) if i in self.moves_next else (j, i)
            self.bargain(mover, other, actions[mover])
        for i, j in asked.items():
            if j > i and asked.get(j) == i:
                self.partner |= {i: j, j: i}
                i_first = self.draw(self.step_number, CHOICE, i) % 2
                self.moves_next.add(i if i_first else j)
        if self.step_number + 1 == self.game.stage.negotiation:
            for i in self.agents:
                self.end(i)

    def bargain(self, mover: int, other: int, action: str) -> None:
        self.moves_next.remove(mover)
        self.moves_next.add(other)
        verb, _, part = action.partition(" ")
        if verb == "propose":
            self.offer[other] = round(10 * float(part))
        elif verb == "accept":
            self.merge(other, mover, self.offer[mover] / 10)
        if verb in ("accept", "end"):
            self.end(other)
            self.end(mover)

    def end(self, i: int) -> None:
        self.partner.pop(i, None)
        self.offer.pop(i, None)
        self.moves_next.discard(i)

    def merge(self, one: int, other: int, share: float) -> None:
        sides = [self.members(one), self.members(other)]
        if one in sides[1]:
            return
        into = next((g for i in (one, other) for g in self.groups[i]), one)
        for side, part in zip(sides, (share, 1 - share), strict=True):
            weights = {i: next(iter(self.groups[i].values()), 1.0) for i in side}
            for i in side:
                self.groups[i] = {into: weights[i] * (part / sum(weights.values()))}

    def members(self, i: int) -> list[int]:
        """Return the members of an agent's group, or the agent alone."""
        own = self.groups[i].keys()
        return [j for j in self.agents if own and self.groups[j].keys() == own] or [i]

    # --- Rewards ---------------------------------------------------------------------------------

    def pot(self, group: int) -> float:
        """Return the group's total payout: its earnings, or its share of its union's earnings."""

        def earned(g: int) -> float:
            inside = [j for j in self.agents if g in self.groups[j]]
            return sum(self.earned[j] / len(self.groups[j]) for j in inside)

        union = next((union for union in self.unions if group in union), None)
        if union is None:
            return earned(group)
        peopled = {g: w for g, w in union.items() if any(g in groups for groups in self.groups)}
        return sum(map(earned, peopled)) * union[group] / sum(peopled.values())

    def shared(self) -> list[float]:
        rewards = []
        for i in self.agents:
            reward = 0.0 if self.groups[i] else self.earned[i]
            for group, weight in self.groups[i].items():
                inside = [j for j in self.agents if group in self.groups[j]]
                reward += self.pot(group) * weight / sum(self.groups[j][group] for j in inside)
            rewards.append(reward)
            self.score[i] += reward
        return rewards

    def view(self) -> dict[str, Any]:
        """Return the state for comparison with the kernel."""
        lying = {c: {n: u for n, u in p.items() if u} for c, p in self.piles.items()}
        return {
            "position": self.position,
            "held": [{n: u for n, u in h.items() if u} for h in self.held],
            "piles": {cell: pile for cell, pile in lying.items() if pile},
            "stations": self.stations,
            "blocks": self.blocks,
            "groups": [{g: round(w, 9) for g, w in groups.items()} for groups in self.groups],
            "shares": self.shares,
            "partner": self.partner,
            "offer": self.offer,
            "moves_next": self.moves_next,
            "sent": self.sent if self.step_number else {},
            "executed": {e: n for e, n in self.executed.items() if n},
            "counts": self.counts,
        }
