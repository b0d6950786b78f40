"""Readers of records decide by a prompt's text alone as one does who sees what happened.

What happened is drawn: somebody believes or jokes, wants a tax, feels, has a work. Of that a text
is made as people would write it, and a prompt of the text. And each sentence of these prompts is
needed: without it the reader is wrong.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.record_oracles import FEELINGS, OF_RECORDS, SAME
from tests.saying import asked_in, read_from
from voxpolis.bots.models.typed import AnswerError
from voxpolis.scenarios.religion import questions as religion
from voxpolis.scenarios.sentiment import questions as feelings
from voxpolis.scenarios.specialisation import questions as specialisation
from voxpolis.scenarios.taxation import questions as taxation

CASES = 50
NAMES = ("Ada", "Ben", "Cora", "Dan")

# --- What is drawn: each returns a question, and what says whether its reading is right ----------

SAYINGS = {
    True: ("I believe in the {}.", "Praise the {}, who made us!", "I follow the {} now. Join us."),
    False: (
        "They say that the {} has a temple in town.",
        "I heard of the {} today.",
        "Who is the {}?",
        "Ha, I had the {} for lunch!",
        "I will never follow the {}.",
        "I believe in the Great Pumpkin.",
    ),
}


def drawn_belief(rng):
    believes = rng.random() < 0.5
    parts = ["Good day to you.", rng.choice(SAYINGS[believes]).format("Spaghetti Monster")]
    text = " ".join(rng.sample(parts, 2))
    return religion.BelievesRequest(text), lambda read: read is believes


def drawn_sentiment(rng):
    rate, own = rng.sample((5, 10, 12.5, 20, 30, 45), 2)
    own = rng.choice((own, own, rate, None))
    own_words = ("I want {} %.", "The tax should be {} %.", "With {} % I would be glad.")
    said = [] if own is None else [rng.choice(own_words).format(own)]
    others = ("{} wants {} %.", "{} told me that it should be {} %.", "{} asks for {} %.")
    told = rng.choice(others).format(rng.choice(NAMES), rng.choice((1, 60)))
    said += [told, "The law is clear."]
    rng.shuffle(said)
    truth = 0.0 if own is None else float((own > rate) - (own < rate))
    request = taxation.SentimentRequest(" ".join(said), rate / 100)
    return request, lambda read: read == truth


def drawn_score(rng):
    observer, about, other = rng.sample(NAMES, 3)
    said, strength = rng.choice([*FEELINGS.items(), ("", 0.0)])
    own = [f"{rng.choice((observer, 'I'))} {said}s {about}"] if said else []
    told = [f"{other} hates {observer}", f"{observer} loves {other}", f"{other} hates {about}"]
    parts = [*own, *rng.sample(told, 2)]
    rng.shuffle(parts)
    request = feelings.ScoreRequest(observer, about, ", and ".join(parts))
    return request, lambda read: read == int(5 + 5 * strength)


#: What people pursue: the word that all of its goals have, and the goals.
PURSUITS = {
    "fish": ("Catch fish at the pond", "Sell fish to Ben", "Cook fish for lunch"),
    "paint": ("Paint the hall", "Find paint of any colour", "Paint my door blue"),
    "dance": ("Learn a dance", "Dance in the square", "Show Cora the dance"),
    "garden": ("Water the garden", "Plan a garden of roses", "Weed my garden"),
    "boat": ("Build a boat", "Repair the boat", "Name the boat Hope"),
    "bread": ("Bake bread", "Bring bread to Dan", "Eat bread"),
    "tower": ("Climb the tower", "Draw the tower", "Guard the tower"),
    "song": ("Sing a song", "Write a song", "Hear the song of Ada"),
}


def drawn_summary(rng):
    goals, periods, t = [], [], 0
    for word in rng.sample(sorted(PURSUITS), rng.randint(2, 8)):
        t += 100
        for text in PURSUITS[word][: rng.randint(1, 3)]:
            t += rng.choice((100, 130, 170))
            goals.append((float(t), text))
        periods.append((word, t))
    begun = {}
    for t, text in goals:
        word = next(one for one in PURSUITS if one in text.lower())
        begun.setdefault(word, t)
    told = [(begun[word], ends, word) for word, ends in periods]
    longest = sorted(told, key=lambda one: one[0] - one[1])[:6]

    def is_right(read):
        bullets = [
            re.fullmatch(r"- (\d+) s to (\d+) s: .*\[(.+)\]\W*", line) for line in read.splitlines()
        ]
        if not all(bullets) or any(not 2 <= len(one[3].split(", ")) <= 4 for one in bullets):
            return False
        found = [(int(one[1]), int(one[2]), one[3].split(", ")) for one in bullets]
        lengths = [end - begin for begin, end, _ in found]
        return (
            [begin for begin, _, _ in found] == sorted(begin for begin, _, _ in found)
            and sorted(lengths) == sorted(end - begin for begin, end, _ in longest)
            and all((b, e) in {(x, y): w for x, y, w in told} for b, e, _ in found)
            and all({(x, y): w for x, y, w in told}[b, e] in words for b, e, words in found)
        )

    return religion.SummaryRequest(tuple(goals)), is_right


def drawn_topics(rng):
    shared = rng.sample(sorted(PURSUITS), rng.randint(0, 4))
    alone = [word for word in PURSUITS if word not in shared]
    people = [set() for _ in range(6)]
    for word in shared:
        for person in rng.sample(people, rng.randint(2, 4)):
            person.add(word)
    for person, word in zip(people, alone, strict=False):
        person.add(word)
    summaries = []
    for own in people:
        bullets = [(word, text) for word in sorted(own) for text in PURSUITS[word][:2]]
        lines = [
            f"- {n}00 s to {n}50 s: {text} [{word}, {text.split()[-1].lower()}]"
            for n, (word, text) in enumerate(bullets)
        ]
        summaries.append("\n".join([*lines, "- 990 s to 999 s: talk [weather, morning]"]))

    def is_right(read):
        return set(read) == set(shared) and all(
            any(word in text.lower() for word in words)
            for name, words in read.items()
            for text in PURSUITS[name]
        )

    return religion.TopicsRequest(tuple(summaries)), is_right


WORK = {
    "lumberjack": ("Fell a tree", "Bring logs to the market"),
    "gatherer": ("Pick apples", "Look for berries"),
    "gardener": ("Plant flowers in the square", "Water the flowers"),
    "explorer": ("Explore the hills", "Draw a map"),
    "farmer": ("Grow wheat", "Plough the field"),
    "fisher": ("Go fishing", "Mend the nets"),
}


def drawn_role(rng):
    first, then = rng.sample(sorted(WORK), 2)
    before = rng.randint(0, 2)
    after = rng.randint(max(before, 1), 3)
    goals = [rng.choice(WORK[first]) for _ in range(before)]
    goals += [rng.choice(WORK[then]) for _ in range(after)]
    return specialisation.RoleRequest(tuple(goals)), lambda read: read == then


def drawn_synonyms(rng):
    groups = [rng.sample(same, rng.randint(1, 2)) for same in rng.sample(SAME, 4)]
    words = [word for group in groups for word in group]
    rng.shuffle(words)

    def is_right(read):
        kept = Counter(read.values())
        return set(kept) <= set(words) and all(
            len({read[word] for word in group}) == 1 and read[group[0]] in group for group in groups
        )

    return specialisation.SynonymsRequest(tuple(words)), is_right


DRAWN = {
    "believes": drawn_belief,
    "sentiment": drawn_sentiment,
    "score": drawn_score,
    "summary": drawn_summary,
    "topics": drawn_topics,
    "role": drawn_role,
    "synonyms": drawn_synonyms,
}
ROOMS = ("religion", "sentiment", "specialisation", "taxation")


def prompt_file(role):
    room = Path(religion.__file__).parents[1]
    (path,) = [one for name in ROOMS for one in room.glob(f"{name}/prompts/{role}.md")]
    return path.read_text(encoding="utf-8")


def right(role, cut=""):
    """How many of the drawn cases the reader decides rightly by a prompt without a part."""
    rng, count = random.Random(f"{role} is read"), 0
    for _ in range(CASES):
        question, is_right = DRAWN[role](rng)
        assert question.role == role
        prompt, cuts = (
            re.subn(cut, "", asked_in(question), count=1) if cut else (asked_in(question), 1)
        )
        assert cuts == 1, f"{cut} is not in the prompt"
        try:
            count += bool(is_right(read_from(question, OF_RECORDS[role].answer(prompt))))
        except (AnswerError, LookupError, ValueError):
            continue
    return count


@pytest.mark.parametrize("role", DRAWN)
def test_a_reader_of_a_record_decides_by_its_prompt_as_one_who_saw_what_happened(role):
    assert right(role) == CASES


def sentences(role):
    """The sentences of a prompt, as regular expressions: what fills it in may be anything."""
    text = re.sub(r"(?m)^(?:#.*|---)$", "", prompt_file(role))
    for part in re.split(r"(?<=[.?])\s+|(?<=:)\n|\n\n+", text):
        if re.sub(r"\{\{\w+\}\}|\W", "", part):
            words = re.escape(" ".join(part.split())).replace(r"\ ", r"\s+")
            yield re.sub(r"\\\{\\\{\w+\\\}\\\}", r"[^\\n]+?", words)


#: Parts of sentences that are needed as well.
CLAUSES = {
    "believes": (
        "To mention it, ",
        "to ask about it, ",
        r"to\s+joke\s+about it ",
        "or to refuse it",
    ),
    "sentiment": ("What others want, ", r"and what the speaker only reports,\s+"),
    "score": (
        r" \(hate\)",
        r" \(love\)",
        ", where 5 is neither",
        r"from \d+ \(hate\) to \d+ \(love\)",
    ),
    "summary": (
        r": up to \d+ periods",
        "in the order of time",
        r"two to four\s+keywords",
        "with the second at which each was set",
    ),
    "topics": (
        r"that several people",
        "; not plain small talk",
    ),
    "role": (", the newest last", ": one lower-case noun"),
    "synonyms": ("one of the words",),
}
#: Questions and first sentences of prompts that repeat what the rules ask.
REPEATS = re.compile(
    r"Does\\s\+the\\s\+speaker\\s\+believe|What\\s\+did|Which\\s\+(?:of|role|topics)"
    r"|You\\s\+tell\\s\+what\\s\+a\\s\+speaker\\s\+wants"
)
NEEDED = [
    (role, part)
    for role in DRAWN
    for part in (*sentences(role), *CLAUSES[role])
    if not REPEATS.match(part)
]


@pytest.mark.parametrize(("role", "part"), NEEDED)
def test_a_reader_is_wrong_without_any_sentence_of_its_prompt(role, part):
    assert right(role, part) < CASES
