"""Who lives in the country: names, what people are like, and what they begin with.

Source: in Project Sid (Altera.AL 2024) names, traits and inventories were generated; those are not
public. Ours come from lists, so that runs need no model: ``archetypes.yaml`` and the names here.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voxpolis.records.yaml_text import load_yaml

#: First and second halves of names. Together at most 16 letters: they are Minecraft players' names.
FIRST = (
    *("Ada", "Alma", "Anton", "Arlo", "Astrid", "Basil", "Bea", "Ben", "Bruno", "Cara", "Carl"),
    *("Cleo", "Clara", "Conrad", "Cora", "Dan", "Dara", "David", "Delia", "Dina", "Dora", "Edgar"),
    *("Edith", "Ella", "Elias", "Emil", "Emma", "Enno", "Erik", "Esther", "Eva", "Fabio", "Felix"),
    *("Fern", "Finn", "Flora", "Frida", "Gail", "Gena", "Gil", "Greta", "Gus", "Hana", "Hanno"),
    *("Hedda", "Henry", "Hilda", "Hugo", "Ida", "Igor", "Ilse", "Ines", "Irma", "Ivo", "Jakob"),
    *("Jana", "Jasper", "Joan", "Jonas", "Judith", "Juna", "Kai", "Karla", "Kira", "Knut", "Lara"),
    *("Lea", "Lena", "Leo", "Levi", "Lida", "Linus", "Lotte", "Lucas", "Luna", "Mara", "Marek"),
    *("Mats", "Max", "Mia", "Mila", "Moritz", "Nadia", "Nele", "Nico", "Nils", "Nina", "Nora"),
    *("Odo", "Olga", "Oskar", "Otto", "Paula", "Pia", "Quin", "Ralf", "Rhea", "Rita", "Robin"),
    *("Rosa", "Ruben", "Ruth", "Sam", "Selma", "Silas", "Simon", "Sofia", "Sven", "Tara", "Tess"),
    *("Theo", "Tilda", "Tim", "Tove", "Udo", "Ulla", "Vera", "Viktor", "Willa", "Yann"),
)
LAST = (
    *(
        "Abel",
        "Acker",
        "Alder",
        "Amsel",
        "Arndt",
        "Ash",
        "Baker",
        "Barley",
        "Bell",
        "Berg",
        "Birch",
    ),
    *("Bloom", "Boden", "Brandt", "Brook", "Bush", "Carver", "Clay", "Cliff", "Cooper", "Croft"),
    *("Dahl", "Dale", "Drake", "Dunn", "Eck", "Elm", "Esch", "Falk", "Fenn", "Field", "Finch"),
    *("Flint", "Ford", "Forst", "Fox", "Frost", "Gale", "Glen", "Grove", "Hale", "Hart", "Hazel"),
    *("Heath", "Hill", "Holt", "Horn", "Hunt", "Ivy", "Keller", "Kern", "Lake", "Lane", "Lark"),
    *("Linde", "Loch", "Lund", "Marsh", "Mead", "Mill", "Moor", "Moss", "North", "Oak", "Orth"),
    *("Peak", "Penn", "Pike", "Pond", "Quell", "Reed", "Ridge", "Rook", "Rose", "Rowan", "Sand"),
    *("Shore", "Stein", "Stone", "Thorn", "Vale", "Wald", "Wells", "West", "Wolf", "Wood"),
)
#: How many kinds of things somebody begins with (Project Sid), and how many pieces of each (ours).
KINDS, PIECES = (3, 5), (1, 16)

PRIEST = (
    "You are a passionate Pastafarian priest. You cannot help inviting everybody you meet to "
    "believe in the Spaghetti Monster. Whatever others are interested in, you find a way to show "
    "that it leads to your faith. You never give up on anybody."
)


@dataclass(frozen=True)
class Archetype:
    """What somebody is like: sentences for its prompt, and kinds of items that it may hold."""

    name: str
    traits: tuple[str, ...]
    items: tuple[str, ...]


@cache
def archetypes() -> tuple[Archetype, ...]:
    """Return all archetypes, in the order of their file."""
    text = (Path(__file__).parent / "archetypes.yaml").read_text(encoding="utf-8")
    return tuple(
        Archetype(one["name"], tuple(one["traits"]), tuple(one["items"])) for one in load_yaml(text)
    )


def name_of(number: int) -> str:
    """Return the name of the person of a number, from 0; no two people share one."""
    turn, first = divmod(number, len(FIRST))
    name = FIRST[first] + LAST[(first + turn * (len(FIRST) + 1)) % len(LAST)]
    namesakes = turn // len(LAST)
    return f"{name}{namesakes + 1}" if namesakes else name


def draw_archetype(rng: random.Random) -> Archetype:
    """Return what somebody is like."""
    return rng.choice(archetypes())


def draw_goods(rng: random.Random, archetype: Archetype) -> Counter[str]:
    """Return what somebody of an archetype begins with."""
    kinds = rng.sample(archetype.items, min(rng.randint(*KINDS), len(archetype.items)))
    return Counter({item: rng.randint(*PIECES) for item in kinds})
