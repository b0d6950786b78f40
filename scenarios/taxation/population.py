"""Who lives in the taxed village: jobs, names, what each begins with and is told of itself."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voxpolis.worlds.society import CHEST, Place, Resident, scatter

#: Where people work, by the name that each has for its own place.
WORKPLACE = "work"


@dataclass(frozen=True)
class Job:
    """What somebody lives by; ours.

    Attributes:
        makes: the item of Minecraft that its work makes; empty: none.
        holds: kinds of items that somebody of the job begins with, half of its pieces the first.
        nature: what constituents of the job are like.
    """

    makes: str
    holds: tuple[str, ...]
    nature: str


#: Source of the kinds of inventories: Project Sid, appendix D. Few kinds in all, so that the chests
#: of Minecraft hold what is paid.
JOBS: Mapping[str, Job] = {
    "farmer": Job(
        "wheat",
        ("wheat", "carrot", "bread"),
        "You plan from harvest to harvest. You dislike waste. You listen long before you speak.",
    ),
    "miner": Job(
        "coal",
        ("coal", "cobblestone", "torch"),
        "You work hard where nobody sees it. You are careful with what you own. You say what you "
        "think.",
    ),
    "lumberjack": Job(
        "oak_log",
        ("oak_log", "oak_planks", "birch_planks"),
        "You like company after a day alone. You are generous in good weeks. You hold grudges.",
    ),
    "fisher": Job(
        "cod",
        ("cod", "string", "bread"),
        "You are patient and calm. You share with neighbours. You distrust grand plans.",
    ),
    "smith": Job(
        "iron_ingot",
        ("iron_ingot", "coal", "torch"),
        "You are proud of your craft. You keep accounts in your head. You want rules that are the "
        "same for all.",
    ),
}
#: One of more constituents than there are jobs; it works at the community chest.
GUARD = "guard"
THE_GUARD = Job(
    "",
    ("bread", "torch", "cobblestone"),
    "You stand at the community chest and see who comes. You take orders seriously. You are slow "
    "to trust.",
)
NAMES = (
    *("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena"),
    *("Max", "Nora", "Otto", "Pia", "Quin", "Rosa", "Sam", "Tess", "Udo", "Vera", "Will", "Xena"),
    *("Yann", "Zoe"),
)
#: Influencers, and what they live by; ours.
INFLUENCERS: Mapping[str, str] = {
    "Alba": "an innkeeper",
    "Bruno": "a pedlar",
    "Clara": "a teacher",
    "Edgar": "a healer",
    "Frida": "a weaver",
}
MANAGER = "Manager"
#: What everybody knows; the chest is in the middle.
PLACES: Mapping[str, Place] = {CHEST: (0.0, 0.0)}
#: How far from the middle influencers begin, in blocks; ours.
INFLUENCERS_WITHIN_BLOCKS = 8.0

VOTER = "You are a {job}, you pay taxes and you vote. You want a good life for yourself. {nature}"
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


def _repeated(names: Sequence[str], count: int) -> list[str]:
    """Return so many names: each as it is, then each with a number."""
    rounds = range(count // len(names) + 1)
    return [name if not k else f"{name}{k + 1}" for k in rounds for name in names][:count]


def constituents(count: int) -> list[str]:
    """Return the names of those who pay and vote."""
    return _repeated(NAMES, count)


def influencers(count: int, stance: str) -> dict[str, str]:
    """Return the influencers' stances by name: all pro or all anti; none: there are none."""
    return {} if stance == "none" else dict.fromkeys(_repeated(list(INFLUENCERS), count), stance)


def job_of(number: int) -> str:
    """Return the job of the constituent of a number, from 0: the jobs in turn, and one guard."""
    return GUARD if number == len(JOBS) else list(JOBS)[number % len(JOBS)]


def goods_of(job: Job, pieces: int) -> Counter[str]:
    """Return what somebody of a job begins with: half of its pieces are the first of its kinds."""
    first, *others = job.holds
    held = Counter({first: pieces - pieces // 2})
    for k, item in enumerate(others):
        held[item] = (pieces // 2 + k) // len(others)
    return +held


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
    found = []
    for k, (name, home) in enumerate(zip(people, spots, strict=True)):
        is_guard = job_of(k) == GUARD
        job, spot = (THE_GUARD, PLACES[CHEST]) if is_guard else (JOBS[job_of(k)], home)
        held = goods_of(job, rng.randint(*goods))
        found.append(Resident(name, spot, {WORKPLACE: spot}, job.makes, held))
    around = scatter(rng, (0.0, 0.0), INFLUENCERS_WITHIN_BLOCKS, len(voices))
    for name, spot in zip(voices, around, strict=True):
        found.append(Resident(name, spot, {WORKPLACE: spot}))
    far = (far_blocks, far_blocks)
    found.append(Resident(MANAGER, far, {WORKPLACE: far}))
    return found


def traits(people: Sequence[str], voices: Mapping[str, str]) -> dict[str, str]:
    """Return what each is told of itself, by name: constituents, influencers, the manager."""
    jobs = {**JOBS, GUARD: THE_GUARD}
    of = {name: job_of(k) for k, name in enumerate(people)}
    texts = {name: VOTER.format(job=job, nature=jobs[job].nature) for name, job in of.items()}
    for (name, stance), trade in zip(voices.items(), itertools.cycle(INFLUENCERS.values())):
        texts[name] = f"You are {trade}. {WISHES[stance]}"
    return {**texts, MANAGER: WITHOUT_WISHES}
