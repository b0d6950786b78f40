"""Reference implementation of the commons rules in plain Python, independent of the kernel.

Slow but readable: sets of cells (row, column) instead of bytes. :func:`play_beside` plays random
games in the kernel and in the reference, and compares everything after each step.
"""

from __future__ import annotations

import numpy as np

from tests.grid_reference import GOLDEN, WORD, below, mix
from voxpolis.grid.commons import Commons
from voxpolis.grid.commons.vector import VectorCommons

Cell = tuple[int, int]
GROWING, DIRTYING, ORDER, COMING_BACK, ENDING, STARTING = range(6)
# North, east, south, west.
HEADINGS = ((-1, 0), (0, 1), (1, 0), (0, -1))
QUARTERS = {"forward": 0, "backward": 2, "step_left": 3, "step_right": 1}


def ahead(cell: Cell, heading: int, forward: int, right: int) -> Cell:
    """Return the cell at an offset ahead and to the right."""
    (fx, fy), (rx, ry) = HEADINGS[heading % 4], HEADINGS[(heading + 1) % 4]
    return cell[0] + forward * fx + right * rx, cell[1] + forward * fy + right * ry


class Reference:
    """A commons with a single environment."""

    def __init__(self, game: Commons, seed: int) -> None:
        self.game, self.seed, self.episode = game, seed, 0
        rows = game.rows
        self.letters = {(x, y): c for x, row in enumerate(rows) for y, c in enumerate(row)}
        self.sites, self.river = self.cells("aA"), self.cells("rd")
        self.spawns, self.water = self.cells("@"), set(self.cells("rd~"))
        self.players = range(game.players)
        self.never = [0 for _ in self.players]

    def cells(self, letters: str) -> list[Cell]:
        return [cell for cell, letter in self.letters.items() if letter in letters]

    def is_wall(self, cell: Cell) -> bool:
        return self.letters.get(cell, "#") == "#"

    # --- Chance ----------------------------------------------------------------------------------

    def draw(self, stream: int, index: int) -> int:
        counter = (((self.step_number * 8 + stream) << 32) + index) % WORD
        return mix((self.key + (counter + 1) * GOLDEN) % WORD)

    def happens(self, chance: float, stream: int, index: int = 0) -> bool:
        return (self.draw(stream, index) >> 11) / 2**53 < chance

    # --- Play ------------------------------------------------------------------------------------

    def reset(self) -> None:
        self.episode += 1
        self.step_number = 0
        self.key = mix((mix((self.seed + GOLDEN) % WORD) + self.episode * GOLDEN) % WORD)
        self.apples, self.dirt = set(self.cells("A")), set(self.cells("d"))
        self.zap_beams: set[Cell] = set()
        self.clean_beams: set[Cell] = set()
        self.out = [0 for _ in self.players]
        self.zap_wait = [0 for _ in self.players]
        self.clean_wait = [0 for _ in self.players]
        self.eaten = [0 for _ in self.players]
        self.cleaned = [0 for _ in self.players]
        self.zapped = [0 for _ in self.players]
        self.places: list[Cell] = []
        self.headings: list[int] = []
        left = list(self.spawns)
        for i in self.players:
            word = self.draw(STARTING, i)
            k = i + below(word, len(left) - i)
            left[i], left[k] = left[k], left[i]
            self.places.append(left[i])
            self.headings.append(word % 4)

    def standing(self) -> dict[Cell, int]:
        return {self.places[i]: i for i in self.players if not self.out[i]}

    def legal(self, i: int, action: str) -> bool:
        """Return whether a player may take an action; walls block moves, and beams recharge."""
        if self.out[i] or action == "stay":
            return action == "stay"
        if action in QUARTERS:
            to = ahead(self.places[i], self.headings[i] + QUARTERS[action], 1, 0)
            return not self.is_wall(to)
        return not {"zap": self.zap_wait, "clean": self.clean_wait}.get(action, self.never)[i]

    def step(self, actions: list[str]) -> tuple[list[float], bool]:
        self.step_number += 1
        self.zap_beams, self.clean_beams = set(), set()
        rewards = [0.0 for _ in self.players]
        if self.game.river:
            self.grow_by_river()
        order = list(self.players)
        for k in reversed(self.players):
            other = below(self.draw(ORDER, k), k + 1)
            order[k], order[other] = order[other], order[k]
        for i in order:
            if not self.out[i]:
                rewards[i] = self.move(i, actions[i])
        self.come_back(self.fire(order, actions))
        if self.game.regrowth:
            self.regrow()
        end = self.game.ending
        due = self.step_number >= end.least and self.step_number % end.interval == 0
        return rewards, due and self.happens(end.chance, ENDING)

    def grow_by_river(self) -> None:
        river = self.game.river
        fraction = len(self.dirt) / len(self.river)
        if fraction < river.threshold:
            room = river.threshold - fraction
            chance = river.growth * min(1.0, room / river.threshold)
            for k, site in enumerate(self.sites):
                if site not in self.apples and self.happens(chance, GROWING, k):
                    self.apples.add(site)
        clean = [cell for cell in self.river if cell not in self.dirt]
        if self.step_number > river.quiet_steps and clean and self.happens(river.dirt, DIRTYING):
            self.dirt.add(clean[below(self.draw(DIRTYING, 1), len(clean))])

    def regrow(self) -> None:
        grown = set()
        for k, site in enumerate(self.sites):
            live = sum(
                (apple[0] - site[0]) ** 2 + (apple[1] - site[1]) ** 2 <= self.game.radius**2
                for apple in self.apples
            )
            chance = self.game.regrowth[min(live, 3)]
            if site not in self.apples and self.happens(chance, GROWING, k):
                grown.add(site)
        self.apples |= grown

    def move(self, i: int, action: str) -> float:
        if action in ("turn_left", "turn_right"):
            self.headings[i] = (self.headings[i] + (1 if action == "turn_right" else 3)) % 4
        if action not in QUARTERS:
            return 0.0
        to = ahead(self.places[i], self.headings[i] + QUARTERS[action], 1, 0)
        if self.is_wall(to) or to in self.standing():
            return 0.0
        self.places[i] = to
        if to not in self.apples:
            return 0.0
        self.apples.remove(to)
        self.eaten[i] += 1
        return 1.0

    def fire(self, order: list[int], actions: list[str]) -> set[int]:
        hit: set[int] = set()
        for i in order:
            if self.out[i]:  # a removed player's beam does not recharge
                continue
            if self.zap_wait[i]:
                self.zap_wait[i] -= 1
            elif actions[i] == "zap":
                self.zap_wait[i] = self.game.zap.cooldown
                for ray in self.rays(i):
                    self.zap_along(i, ray, hit)
            if self.clean_wait[i]:
                self.clean_wait[i] -= 1
            elif actions[i] == "clean":
                self.clean_wait[i] = self.game.river.cooldown
                for ray in self.rays(i):
                    self.clean_along(i, ray)
        return hit

    def rays(self, i: int) -> list[list[Cell]]:
        """Return the nine cells of a beam: three ahead, and three on each side of the player."""
        starts = {-1: 0, 0: 1, 1: 0}
        found = []
        for right, start in starts.items():
            ray = []
            for forward in range(start, start + 3):
                cell = ahead(self.places[i], self.headings[i], forward, right)
                if self.is_wall(cell):
                    break
                ray.append(cell)
            found.append(ray)
        return found

    def zap_along(self, i: int, ray: list[Cell], hit: set[int]) -> None:
        for cell in ray:
            self.zap_beams.add(cell)
            if cell in self.standing():
                hit.add(self.standing()[cell])
                self.zapped[i] += 1
                return

    def clean_along(self, i: int, ray: list[Cell]) -> None:
        for cell in ray:
            self.clean_beams.add(cell)
            if cell in self.dirt:
                self.dirt.remove(cell)
                self.cleaned[i] += 1
                return

    def come_back(self, hit: set[int]) -> None:
        for i in hit:  # counts whole steps, including the step at whose end the player is back
            self.out[i] = self.game.zap.out_for + 1
        for i in self.players:
            if i in hit or not self.out[i]:
                continue
            if self.out[i] > 1:
                self.out[i] -= 1
                continue
            free = [cell for cell in self.spawns if cell not in self.standing()]
            if free:
                word = self.draw(COMING_BACK, i)
                self.places[i] = free[below(word, len(free))]
                self.headings[i] = word % 4
                self.out[i] = 0

    # --- Observations -----------------------------------------------------------------------------

    def window(self, i: int) -> list[list[list[int]]]:
        view = self.game.view
        columns = range(-view.sideways, view.sideways + 1)
        forward = range(view.ahead, -view.behind - 1, -1)
        return [[self.seen(i, f, right) for right in columns] for f in forward]

    def seen(self, i: int, forward: int, right: int) -> list[int]:
        if self.out[i]:
            return [0] * 8
        cell = ahead(self.places[i], self.headings[i], forward, right)
        who = self.standing().get(cell)
        turned = 0 if who is None else (self.headings[who] - self.headings[i]) % 4 + 1
        flags = [self.is_wall(cell), cell in self.apples, 0 if who is None else who + 1, turned]
        flags += [cell in self.zap_beams, cell in self.water, cell in self.dirt]
        return [int(flag) for flag in [*flags, cell in self.clean_beams]]


# --- Play in kernel and reference -----------------------------------------------------------------


def compare(reference: Reference, env: VectorCommons, b: int = 0) -> None:
    """Check that an environment and the reference have the same state and observations."""
    s, seen = env.state, env.observation
    places = [tuple(place) for place in seen["position"][b].tolist()]
    playing = [i for i in reference.players if not reference.out[i]]
    assert s.out[b].tolist() == reference.out
    assert [places[i] for i in playing] == [reference.places[i] for i in playing]
    assert s.heading[b].tolist() == reference.headings
    assert s.zap_wait[b].tolist() == reference.zap_wait
    assert s.clean_wait[b].tolist() == reference.clean_wait
    assert s.eaten[b].tolist() == reference.eaten
    assert s.cleaned[b].tolist() == reference.cleaned
    assert s.zapped[b].tolist() == reference.zapped
    assert s.dirty[b] == len(reference.dirt)
    for i in reference.players:
        assert seen["window"][b, i].tolist() == reference.window(i)


def play_beside(game: Commons, seed: int, steps: int = 0) -> int:
    """Play randomly in kernel and reference, for ``steps`` across episodes or for one episode.

    Masks of all actions and all effects are compared after every step. Returns the number of
    agent-steps.
    """
    env, reference = VectorCommons(game, 1, action_masks=True), Reference(game, seed)
    _, info = env.reset(seed=seed)
    reference.reset()
    chance, played, ended = np.random.default_rng(seed), 0, False
    while played < steps or not (steps or ended):
        compare(reference, env)
        legal = [[reference.legal(i, a) for a in game.actions] for i in reference.players]
        assert info["action_mask"][0].tolist() == legal
        actions = chance.integers(0, len(game.actions), (1, game.players))
        _, rewards, terminated, truncated, info = env.step(actions)
        earned, over = reference.step([game.actions[a] for a in actions[0]])
        assert rewards[0].tolist() == earned
        assert bool(terminated[0]) == over
        played += 1
        ended = over or bool(truncated[0])
        if ended:
            compare(reference, env)
            *_, info = env.step(actions)
            reference.reset()
    return played * game.players
