"""Oracle readers of recorded runs: a sensible model's answers from its prompt alone.

They know words and the world, but no objects of voxpolis. The task, the format and the exceptions
come from the prompt's sentences: if a sentence is missing, they answer differently, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.records.text import caseless


@dataclass(frozen=True)
class Oracle:
    """An oracle reader for one prompt.

    ``sign``: words that only this prompt contains; ``answer``: maps the prompt's text to the
    answer.

    An answer raises ``ValueError``, ``KeyError`` or ``IndexError`` if the prompt lacks information.
    """

    sign: str
    answer: Callable[[str], dict[str, Any]]


def _parts(pattern: str, prompt: str) -> tuple[str, ...]:
    """Return the groups of a pattern that must match exactly once, ignoring white space.

    Raises:
        ValueError: the pattern does not match exactly once.
    """
    found = re.search(pattern.replace(" ", r"\s+"), prompt, re.MULTILINE)
    if found is None:
        raise ValueError(f"the prompt does not say {pattern}")
    return found.groups()


# --- Statements -----------------------------------------------------------------------------------

# Other common names for a faith.
FAITHS = {"Spaghetti Monster": ("Spaghetti Monster", "Pastafarian")}
# Ways of mentioning a faith without believing, by their names in prompts, with the words for each.
NOT_BELIEVING = {
    "mentioning it": caseless(r"^(?:they say|i heard|somebody spoke)\b"),
    "asking about it": re.compile(r"\?$"),
    "joking about it": caseless(r"^ha\b|\bfor lunch\b"),
    "refusing it": caseless(r"\b(?:never|not|no)\b"),
}


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text)


def believes(prompt: str) -> dict[str, Any]:
    """Return whether a statement has a sentence of faith to which no exception applies."""
    (said,) = _parts(r"^A person said this to people near them:\n\n> (.*)$", prompt)
    (faith,) = _parts(
        r"Does the speaker believe in the faith of the ([\w ]+?), or follow it\?", prompt
    )
    is_no, *_ = re.findall(r"(Mentioning [^.]*) does not count as believing\.", prompt) or [""]
    kept = " ".join(is_no.lower().split())
    excepted = [one for name, one in NOT_BELIEVING.items() if name in kept]
    told = [
        sentence.strip()
        for sentence in _sentences(said)
        if any(name in sentence for name in FAITHS.get(faith, (faith,)))
    ]
    is_one = any(not any(one.search(sentence) for one in excepted) for sentence in told)
    return {"believes": is_one}


def sentiment(prompt: str) -> dict[str, Any]:
    """Return whether a speaker wants a rate below or above the law's."""
    (rate,) = _parts(r"^The village's tax is ([\d.]+) % of what each person holds\.", prompt)
    (said,) = _parts(r"what they think of the law, and said:\n\n((?:>.*\n)+)", prompt)
    _parts(r"Does the speaker want the tax to be less than that, or more\?", prompt)
    heeds_others = not re.search(
        r"Ignore what others want, and what the speaker only reports\.", prompt
    )
    wanted = [
        float(number)
        for sentence in _sentences(said.replace("> ", ""))
        for number in re.findall(r"(\d+(?:\.\d+)?) ?%", sentence)
        if heeds_others or not re.search(r"\b(?:wants|told me|asks for)\b", sentence)
    ]
    own = sum(wanted) / len(wanted) if wanted else float(rate)
    words = {-1: "LESS", 0: "NEITHER", 1: "MORE"}
    return {"wants": words[(own > float(rate)) - (own < float(rate))]}


# Strength of a feeling by verb, as a fraction of the distance from the middle to either end.
FEELINGS = {"love": 1.0, "like": 0.5, "dislike": -0.5, "hate": -1.0}


def score(prompt: str) -> dict[str, Any]:
    """Return an observer's feeling about another person, on the scale in the prompt."""
    who, whom, text = _parts(r"^(\w+) wrote this about (\w+):\n(.*)", prompt)
    asked_of, about = _parts(r"^How does (\w+) feel about (\w+)\?", prompt)
    low, low_means, high, high_means, middle = _parts(
        r"from (\d+) \((\w+)\) to (\d+) \((\w+)\), where (\d+) is neither", prompt
    )
    felt = [
        FEELINGS[verb.rstrip("s")]
        for one, verb, other in re.findall(r"(\w+) ((?:dis)?likes?|hates?|loves?) (\w+)", text)
        if one in (who, "I") and other in (whom, "them", "how", "what") and asked_of == who
        if about == whom
    ]
    strength = felt[-1] if felt else 0.0
    ends = {low_means: float(low), high_means: float(high)}
    end = ends["love" if strength > 0 else "hate"]
    return {"score": int(float(middle) + abs(strength) * (end - float(middle)))}


def likeability(prompt: str) -> dict[str, Any]:
    """Return a person's likeability from its traits, on the scale in the prompt."""
    (traits,) = _parts(r" is described like this:\n(.*)$", prompt)
    low, high, middle = _parts(
        r"how likeable .* from (\d+) \(hated by all\) to (\d+) \(loved by all\), "
        r"where (\d+) is neither",
        prompt,
    )
    is_good = re.search(r"\b(?:warm|helpful|love people|comfort|patient and)\b", traits)
    is_bad = re.search(r"\b(?:cruel|rude|look down|impatient|fault)\b", traits)
    return {"score": int(high if is_good else low if is_bad else middle)}


# --- Goals ----------------------------------------------------------------------------------------

# Stop words of goals.
EMPTY = frozenset(
    ("about", "everybody", "friends", "into", "make", "that", "them", "this", "what", "with")
)
SMALL_TALK = frozenset(("weather", "talk", "chat"))


def _content(text: str) -> list[str]:
    """Return the distinct content words of a text."""
    words = re.findall(r"[a-z]{4,}", text.lower())
    return list(dict.fromkeys(word for word in words if word not in EMPTY))


@dataclass
class Period:
    """A period in which the topic of goals stays the same."""

    begins: float
    ends: float
    words: list[str]


def _periods(goals: Sequence[tuple[str, str]]) -> list[Period]:
    found: list[Period] = []
    for second, text in goals:
        words = _content(text)
        shared = [word for word in words if found and word in found[-1].words]
        if shared:
            found[-1].ends = float(second)
            found[-1].words = list(dict.fromkeys([*shared, *found[-1].words, *words]))
        else:
            found.append(Period(float(second), float(second), words))
    return found


def summary(prompt: str) -> dict[str, Any]:
    """Return a summary of each period, or of the longest periods up to the limit."""
    _parts(r"(goals) of one person, with the second at which each was set:", prompt)
    told = prompt.partition("the second at which each was set:")[2]
    goals = re.findall(r"(?m)^(\d+) s: (.+)$", told)
    (most,) = _parts(r"what a person cared about by their goals: up to (\d+) periods", prompt)
    least, many = _parts(r"(\w+) to (\w+) keywords", prompt)
    count = ("zero", "one", "two", "three", "four", "five", "six").index
    kept = sorted(_periods(goals), key=lambda one: one.begins - one.ends)[: int(most)]
    in_time = "in the order of time" in " ".join(prompt.split())
    kept.sort(key=lambda one: one.begins if in_time else -one.begins)
    periods = []
    for one in kept:
        words = one.words or ["nothing"]
        keywords = [*words, *["life"] * count(least)][: max(count(least), min(3, count(many)))]
        own = {"from_s": int(one.begins), "until_s": int(one.ends), "about": words[0]}
        periods.append({**own, "keywords": list(dict.fromkeys(keywords))})
    return {"periods": periods}


def _people(prompt: str) -> Iterator[str]:
    """Yield the description of each person."""
    told = prompt.partition("what people of a country cared about:")[2]
    told = told.partition("\n\nWhich topics")[0]
    found = re.split(r"(?m)^Person \d+:$", told)
    yield from found[1:] if len(found) > 1 else [told]


def topics(prompt: str) -> dict[str, Any]:
    """Return the first keywords that several people share, each with its adjacent words."""
    _parts(r"^These are (summaries) of what people of a country cared about:$", prompt)
    shared = " ".join(prompt.split())
    least = 2 if "topics that several people" in shared else 1
    skips = SMALL_TALK if "not plain small talk" in shared else frozenset()
    (most,) = _parts(r"Up to (\d+) topics", prompt)
    _parts(r"with (words) that identify it in a person's goals", prompt)
    cared: dict[str, int] = {}
    beside: dict[str, dict[str, None]] = {}
    for person in _people(prompt):
        brackets = [text.split(", ") for text in re.findall(r"\[([^\]]+)\]", person)]
        for words in brackets:
            beside.setdefault(words[0], {}).update(dict.fromkeys(words))
        for name in dict.fromkeys(words[0] for words in brackets):
            cared[name] = cared.get(name, 0) + 1
    names = [name for name, count in cared.items() if count >= least and name not in skips]
    names = sorted(names, key=lambda name: -cared[name])[: int(most)]
    return {"topics": [{"name": name, "keywords": [*beside[name]]} for name in names]}


# Trades by the words of goals.
TRADES = {
    "lumberjack": caseless(r"\blogs?\b|\bwood\b|\btrees?\b"),
    "gatherer": caseless(r"\bapples?\b|\bberries\b"),
    "gardener": caseless(r"\bflowers?\b"),
    "explorer": caseless(r"\bexplor\w+\b|\bmaps?\b"),
    "farmer": caseless(r"\bwheat\b|\bfields?\b"),
    "fisher": caseless(r"\bfish\w*\b|\bnets?\b"),
}


def role(prompt: str) -> dict[str, Any]:
    """Return the trade that most goals show; of equally frequent trades, the newest goal's."""
    (told,) = _parts(
        r"^These were the last goals of one person in a village(?:, the newest last)?:\n"
        r"((?:.+\n)+)",
        prompt,
    )
    goals = told.splitlines() if "the newest last" in prompt else told.splitlines()[::-1]
    _parts(r"the (role) that a villager has, .*: one lower-case noun", prompt)
    shown = [name for goal in goals for name, words in TRADES.items() if words.search(goal)]
    best = max(range(len(shown)), key=lambda at: (shown.count(shown[at]), at), default=None)
    return {"role": "villager" if best is None else shown[best]}


# Words that mean the same work.
SAME = (
    ("lumberjack", "woodcutter", "logger"),
    ("farmer", "grower", "planter"),
    ("fisher", "fisherman", "angler"),
    ("guard", "sentinel", "watchman"),
    ("explorer", "scout"),
    ("gatherer", "forager"),
)


def synonyms(prompt: str) -> dict[str, Any]:
    """Return a pair for each word that has an earlier synonym."""
    (told,) = _parts(r"^These words name the roles of people in a village:\n(.+)$", prompt)
    is_told = re.search(r"^You merge words that mean the same role", prompt, re.MULTILINE)
    chooses_theirs = "Choose one of the words for each role" in prompt
    words = told.split(", ")
    found = []
    for same in SAME if is_told else ():
        first, *others = [word for word in words if word in same] or [""]
        first = first if chooses_theirs else f"{same[0]}ish"
        found += [{"word": other, "into": first} for other in others]
    return {"merges": found}


def kept(prompt: str) -> dict[str, Any]:
    """Return whether a person does what it announces, judged by the verb in the announcement."""
    _parts(r"Answer (null) if they neither announce nor promise", prompt)
    (said,) = _parts(r"^Then they said to those near them:\n\n((?:>.*\n)+)", prompt)
    doing, then = _parts(
        r"was doing this: (.*)\n(?:.*\n)+?This is what they did next, in order:\n((?:.+\n)+)",
        prompt,
    )
    will = re.search(r"\bI(?:'m| am|'ll| will)(?: going to| off to)? (\w+)", said)
    if will is None:
        return {"kept": None}
    done = " ".join([doing, *then.splitlines()]).lower()
    return {"kept": will[1][:4].lower() in done}


def denied(prompt: str) -> dict[str, Any]:
    """Return whether a person claims to have something that it does not have."""
    _parts(r"Answer (null) if\s+they make no such claim", prompt)
    _parts(r"^Is what they claim about themselves (true)\?", prompt)
    (holds,) = _parts(r"holds this and nothing else: (.*)$", prompt)
    (said,) = _parts(r"^Now they said to those near them:\n\n((?:>.*\n)+)", prompt)
    has = re.search(r"\bI have (?:\d+ |an? |some )?(\w+)", said)
    if has is None:
        return {"is_so": None}
    return {"is_so": has[1].rstrip("s") in holds}


OF_RECORDS: Mapping[str, Oracle] = {
    "believes": Oracle("said this to people near them", believes),
    "kept": Oracle("Then they said to those near them", kept),
    "denied": Oracle("Now they said to those near them", denied),
    "likeability": Oracle(" is described like this:", likeability),
    "sentiment": Oracle("Does the speaker want the tax", sentiment),
    "score": Oracle(" wrote this about ", score),
    "summary": Oracle("These were the goals of one person", summary),
    "topics": Oracle("These are summaries of what people of a country", topics),
    "role": Oracle("These were the last goals of one person in a village", role),
    "synonyms": Oracle("These words name the roles of people in a village", synonyms),
}
