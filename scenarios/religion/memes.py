"""Memes: what people's goals are about, found by whole words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from voxpolis.bots.values import REMEMBERED
from voxpolis.records.text import caseless

#: Topics, and the words (regular expressions of whole words) that show them. Topics: Project Sid
#: (Altera.AL 2024), figure 11, but treasure and cooking; the words are ours.
WORDS: Mapping[str, str] = {
    "eco": r"eco|ecology|ecological(ly)?|eco-?friendly|sustainab(le|ly|ility)|environment(al)?|"
    r"recycl(e|es|ed|ing)|plant(ing)? (a |some |more )?trees?|green(er)? living",
    "dance": r"danc(e|es|ed|er|ers|ing)|music|musical|song|songs|concerts?",
    "meditation": r"meditat(e|es|ed|ing|ion|ions|ive)|mindful(ness|ly)?|inner peace|breathing",
    "prank": r"prank(s|ed|ing|ster|sters)?|practical jokes?|mischie(f|vous)",
    "treasure": r"treasures?|treasure ?hunt(s|ing|er|ers)?|buried (gold|chests?)",
    "cooking": r"cook(s|ed|ing|book|books)?|recipes?|bak(e|es|ed|ing)|cuisine|potlucks?",
    "talent show": r"talents?|talent ?shows?|auditions?",
    "volunteering": r"volunteer(s|ed|ing)?|charit(y|ies|able)|soup kitchens?",
    "vintage fashion": r"fashion(s|able)?|vintage|costumes?|outfits?|wardrobes?",
    "storytelling": r"storytell(er|ers|ing)|stor(y|ies)|tales?|legends?",
    "crafting": r"crafts?|crafted|crafting|handmade|potter(y)?|weav(e|es|ing)|knit(s|ting)?",
    "town hall": r"town ?halls?|town meetings?|assembl(y|ies)|council",
    "parody church": r"pastafarian(s|ism)?|spaghetti monster|parody (church|religion)",
    "pasta": r"pasta|spaghetti|noodles?",
    "oak logs": r"oak[ _]logs?",
}
_FINDERS = {topic: caseless(rf"\b({words})\b") for topic, words in WORDS.items()}


@lru_cache(REMEMBERED)
def memes_in(text: str) -> tuple[str, ...]:
    """Return the topics that a text names by a whole word; "become" is not about eco."""
    return tuple(topic for topic, finder in _FINDERS.items() if finder.search(text))
