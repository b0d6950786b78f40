"""Who lives in the taxed village: jobs, names, what each begins with and is told of itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from worlds.society import CHEST, Place, Resident, scatter

#: Where people work, by the name that each has for its own place.
WORKPLACE = "work"
#: Jobs and what they make, items of Minecraft.
JOBS: Mapping[str, str] = {
    "farmer": "wheat",
    "miner": "coal",
    "lumberjack": "oak_log",
    "fisher": "cod",
    "smith": "iron_ingot",
}
NAMES = (
    *("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena"),
    *("Max", "Nora", "Otto", "Pia", "Quin", "Rosa", "Sam", "Tess", "Udo", "Vera", "Will", "Xena"),
    *("Yann", "Zoe"),
)
MANAGER = "Manager"
#: What everybody knows; the chest is in the middle.
PLACES: Mapping[str, Place] = {CHEST: (0.0, 0.0)}
#: How far from the middle influencers begin, in blocks; ours.
INFLUENCERS_WITHIN_BLOCKS = 8.0

VOTER = "You are a {job}, you pay taxes and you vote. You want a good life for yourself. {nature}"
#: What constituents are like, by job; ours.
NATURES: Mapping[str, str] = {
    "farmer": "You plan from harvest to harvest. You dislike waste. You listen long before you "
    "speak.",
    "miner": "You work hard where nobody sees it. You are careful with what you own. You say what "
    "you think.",
    "lumberjack": "You like company after a day alone. You are generous in good weeks. You hold "
    "grudges.",
    "fisher": "You are patient and calm. You share with neighbours. You distrust grand plans.",
    "smith": "You are proud of your craft. You keep accounts in your head. You want rules that are "
    "the same for all.",
}
#: What influencers want. Source: Project Sid, appendix D, in our words.
WISHES = {
    "anti": "You think that the village flourishes by what its people earn, and that 20 % is an "
    "incredibly high tax. You want 5 to 10 %. You look for people, ask what they think, and talk "
    "with them in depth until they want that, too.",
    "pro": "You think that taxes are vital for the village, and that not to pay them is selfish. "
    "You want at least 25 %. You look for people, ask what they think, and talk with them in depth "
    "until they want that, too.",
}
WITHOUT_WISHES = "You manage the elections and live far away. You have no wishes."


def constituents(count: int) -> list[str]:
    """Return the names of those who pay and vote."""
    rounds = range(count // len(NAMES) + 1)
    names = [name if not k else f"{name}{k + 1}" for k in rounds for name in NAMES]
    return names[:count]


def influencers(count: int, stance: str) -> dict[str, str]:
    """Return the influencers' stances by name: all pro or all anti; none: there are none."""
    if stance == "none":
        return {}
    return {f"Voice{k + 1}": stance for k in range(count)}


def residents(
    people: Sequence[str],
    voices: Sequence[str],
    *,
    seed: int,
    radius_blocks: float,
    far_blocks: float,
    goods: tuple[int, int],
) -> list[Resident]:
    """Return everybody with a workplace, and what each begins with.

    Args:
        people: the constituents.
        voices: the influencers.
        seed: of places and goods.
        radius_blocks: how far from the chest constituents work.
        far_blocks: how far to the east and to the south the election manager lives.
        goods: the fewest and the most pieces that a constituent begins with.
    """
    rng = random.Random(f"{seed} village")
    spots = list(scatter(rng, (0.0, 0.0), radius_blocks, len(people)))
    items = list(JOBS.values())
    found = []
    for k, (name, spot) in enumerate(zip(people, spots, strict=True)):
        item = items[k % len(items)]
        held = Counter({item: rng.randint(*goods)})
        found.append(Resident(name, spot, {WORKPLACE: spot}, item, held))
    around = scatter(rng, (0.0, 0.0), INFLUENCERS_WITHIN_BLOCKS, len(voices))
    for name, spot in zip(voices, around, strict=True):
        found.append(Resident(name, spot, {WORKPLACE: spot}))
    far = (far_blocks, far_blocks)
    found.append(Resident(MANAGER, far, {WORKPLACE: far}))
    return found


def traits(people: Sequence[str], voices: Mapping[str, str]) -> dict[str, str]:
    """Return what each is told of itself, by name: constituents, influencers, the manager."""
    jobs = list(JOBS)
    of = {name: jobs[k % len(jobs)] for k, name in enumerate(people)}
    texts = {name: VOTER.format(job=job, nature=NATURES[job]) for name, job in of.items()}
    texts |= {name: WISHES[stance] for name, stance in voices.items()}
    return {**texts, MANAGER: WITHOUT_WISHES}
