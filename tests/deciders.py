"""Oracle readers: a sensible model's decisions in each role, from the text of its prompt alone.

They use only words, not voxpolis objects, so their actions show what the prompts convey.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.record_oracles import OF_RECORDS
from tests.saying import drawn, last


def decide(messages: Sequence[Mapping[str, str]]) -> Any:
    """Return the answer to a conversation."""
    first = "\n".join(m["content"] for m in messages if m["role"] != "assistant")
    for sign, decider in DECIDERS.items():
        if sign in first:
            return decider(first)
    raise AssertionError(f"nobody knows this prompt: {first[:300]}")


# Meeting place of believers.
HOLY = "Meadowbrook"

# --- Societies -----------------------------------------------------------------------------------


def _decision(do: str, about: str | None = None, **fields: object) -> dict[str, Any]:
    return {"action": {"do": do, **fields}, "about": about, "expects": None}


def _decides(prompt: str) -> dict[str, Any]:
    season = last(r"(?m)^Tax season (\d+) is open", prompt)
    paid = re.findall(r"\d+", last(r"(?m)^You paid .*in season ([\d, ]+)", prompt))
    if "\nPAY (percent)" in prompt and season and season not in paid:
        owed = last(r"by the law you owe (\S+) %", prompt)
        percent = float(owed or 100 * float(last(r"(?m)^tax_rate = (\S+)$", prompt, "0")))
        return _decision("PAY", "the tax", percent=round(percent))
    if "\nWORK: " in prompt and "you vote" in prompt and drawn(prompt, 4):
        return _decision("WORK")
    if "\nMINE (item)" in prompt:
        return _works(prompt)
    if "\nCLEAN: " in prompt:
        return _cooks(prompt)
    places = re.split(r",\s*", last(r"Places: (.+?)\.\n", prompt, "home"))
    place = HOLY if HOLY in places else places[drawn(prompt, len(places))]
    return _decision("GO", "what I believe in", place=place)


def _talks(prompt: str) -> dict[str, Any]:
    if "Pastafarian" in prompt or "Spaghetti" in prompt:
        return {"say": "The Spaghetti Monster loves you: become a Pastafarian!"}
    if "tax" in prompt:
        return {"say": "I say the tax should be 10 %, and not more."}
    return {"say": "Good day to you."}


# Trades in the village: goals, and the steps toward each goal from an empty inventory.
TRADES = (
    ("You gather logs for everybody.", "GATHER oak_log"),
    ("You gather apples, so that nobody is hungry.", "GATHER apple"),
    ("You pick flowers for the square.", "GATHER poppy"),
    ("You explore what lies around the village.", "EXPLORE"),
)


def _trade(prompt: str) -> tuple[str, str]:
    """Return the trade that belongs to a person's name: its goal and its work."""
    name = last(r"(?m)^You are (\w+)\.", prompt.partition("\n")[0])
    return TRADES[drawn(name, len(TRADES))]


def _works(prompt: str) -> dict[str, Any]:
    """Eat if hungry and able to; otherwise do the work of one's trade if possible."""
    held = last(r"(?m)^You hold: (.+)\.$", prompt)
    if "\nYou are hungry." in prompt and " apple" in held:
        return _decision("EAT", "food", item="apple")
    verb, _, item = _trade(prompt)[1].partition(" ")
    is_offered = bool(re.search(rf"(?m)^{verb}\b.*\b{item}\b", prompt))
    if verb == "EXPLORE" and re.search(r"(?m)^MINE\b.*\bdirt\b", prompt):
        verb, item, is_offered = "MINE", "dirt", True  # available on all land
    if not (is_offered and item):
        return _decision("EXPLORE", "my work")
    expects = {"item": item, "amount": 1, "place": None, "within_s": 60}
    return {**_decision(verb, "my work", item=item), "expects": expects}


def _steps(prompt: str) -> dict[str, Any]:
    """State the goal, do the work of one's trade, and announce it."""
    action = _works(prompt)["action"]
    return {"goal": _trade(prompt)[0], "action": action, "say": "I do my work."}


def _writes_steps(prompt: str) -> dict[str, Any]:
    first = _steps(prompt)
    return {"steps": [first, {**first, "goal": None, "say": None}]}


def _cooks(prompt: str) -> dict[str, Any]:
    """A chef gives its items to the people nearby, in turn; other people wait."""
    foods = re.findall(r"\d+ (\w+)", last(r"(?m)^You hold: (.+)\.$", prompt))
    near = re.split(r", ", last(r"Near you: (.+?)\.\n", prompt))
    if "You are the chef" in prompt and foods:
        to = near[drawn(prompt, len(near))]
        return _decision("GIVE", "food", count=1, item=foods[0], person=to)
    return _decision("REST", "food")


# Feelings about another person, chosen by that person's name.
FELT = ("like", "dislike", "love", "hate")


def _heard_of(prompt: str) -> list[str]:
    heard = prompt.partition("# You heard")[2].partition("\n# ")[0]
    return list(dict.fromkeys(re.findall(r'(?m)^(\w+): "', heard)))


def _writes_profiles(prompt: str) -> dict[str, Any]:
    seen = prompt.partition("# You saw what others did")[2].partition("\n# ")[0]
    found = dict.fromkeys(_heard_of(prompt), "speak")
    found |= dict(re.findall(r"(?m)^(\w+): (.+)$", seen))
    felt = {who: FELT[drawn(who, len(FELT))] for who in found}
    lines = {who: f"I {felt[who]} how they {what}" for who, what in found.items()}
    return {"about": [{"name": who, "profile": told} for who, told in lines.items()]}


def _judges_others(prompt: str) -> dict[str, Any]:
    likes = [{"name": name, "liking": 7} for name in _heard_of(prompt)]
    believes = [{"subject": "the talk", "belief": "it is worth hearing"}]
    return {"likes": likes, "believes": believes}


# A law without numbers, and the pattern that finds it in a prompt.
BY_WEALTH = "Who holds 60 pieces or more pays 30 % of it; all others pay 5 %."
_BY_WEALTH = r"Who holds (\d+) pieces or more pays (\d+) % of it; all others pay (\d+) %\."


def _thinks_of_the_law(prompt: str) -> dict[str, Any]:
    """People who support taxes demand more from the rich; all others demand less."""
    if "taxes are vital" in prompt:
        return {"opinion": f"The law asks too little of the rich. {BY_WEALTH}"}
    return {"opinion": "The tax should be 10 %; all else may stay."}


def _proposes(prompt: str) -> dict[str, Any]:
    feasts = {"words": "More feasts.", "sets": [], "judged": False}
    if re.search(_BY_WEALTH, prompt):
        return {"amendments": [{"words": BY_WEALTH, "sets": [], "judged": True}, feasts]}
    sets = [{"parameter": "tax_rate", "value": 0.1}]
    words = "The tax is 10 % of what each holds."
    return {"amendments": [{"words": words, "sets": sets, "judged": False}, feasts]}


def _reads_laws(prompt: str) -> dict[str, Any]:
    found = re.findall(r"(?m)^Amendment (\d+):\n> (.+)", prompt)
    return {
        "readings": [
            {"amendment": int(n), "sets": [], "judged": bool(re.search(_BY_WEALTH, text))}
            for n, text in found
        ]
    }


def _assesses(prompt: str) -> dict[str, Any]:
    """Apply the latest article about debts to each person's items."""
    articles, people = re.split(r"what each person holds now, in pieces", prompt)
    least, much, little = re.findall(_BY_WEALTH, articles)[-1]
    held = re.findall(r"(?m)^(\w+): (\d+) in all", people)
    rich = [name for name, pieces in held if int(pieces) >= int(least)]
    exceptions = [{"person": name, "percent": int(much)} for name in rich]
    return {"everybody": int(little), "exceptions": exceptions}


def _votes(prompt: str) -> dict[str, Any]:
    numbers = map(int, re.findall(r"(?m)^Amendment (\d+):$", prompt))
    return {"votes": [{"amendment": n, "vote": "yes" if n == 1 else "no"} for n in numbers]}


# --- Games ---------------------------------------------------------------------------------------


def _writes_plans(prompt: str) -> dict[str, object]:
    me = last(r"You are (\w+)\.", prompt)
    if "step" in prompt and "plates" in prompt:
        x, z = re.findall(r"walk to \((-?\d+), (-?\d+)\)", prompt)[0]
        return {"plans": [{"do": "GO", "first": int(x), "second": int(z)}]}
    if "slime_block" in prompt:
        thing = "slime_block" if me == "Glitch" else "red_mushroom_block"
        return {"plans": [_gathers(3, thing), {"do": "REPEAT"}]}
    if "red_mushroom_block" in prompt:
        return {"plans": [_gathers(2, "red_mushroom_block", keep=3), {"do": "REPEAT"}]}
    tool, ore = ("iron_pickaxe", "diamond") if me == "Glitch" else ("stone_pickaxe", "raw_iron")
    return {"plans": [_gathers(1, tool), _gathers(6, ore), _gathers(6, ore)]}


def _gathers(count: int, thing: str, keep: int = 0) -> dict[str, object]:
    return {"do": "GATHER", "count": count, "thing": thing, "keep": keep, "until": None}


def _negotiates(prompt: str) -> dict[str, Any]:
    """Offer ten emeralds for the roles, in words; accept any offer from another player."""
    standing = last(r"(?m)^You may accept proposal (\d+)\.$", prompt)
    if standing:
        move: dict[str, Any] = {"do": "accept", "proposal": int(standing)}
        return {"note": None, "message": "That is fair to both of us.", "move": move}
    terms = [
        "Gizmo mines all of the iron ore, and Glitch mines all of the diamond ore.",
        "When the episode ends, Gizmo pays Glitch 10 emeralds.",
    ]
    move = {"do": "propose", "terms": terms, "clauses": []}
    return {"note": "Eleven is too much.", "message": "Let us specialise.", "move": move}


def _compiles(prompt: str) -> dict[str, Any]:
    payer, receiver, amount = re.findall(r"(\w+) pays (\w+) (\d+) emeralds", prompt)[0]
    clause = {"payer": payer, "receiver": receiver, "amount": amount, "condition": None}
    return {"clauses": [clause]}


# --- Games of the grid ---------------------------------------------------------------------------


def _plans(prompt: str) -> dict[str, object]:
    if "turn to join a group" in prompt:
        return {"plan": {"do": "JOIN", "group": 1}}
    if "ask another player to bargain" in prompt:
        me = last(r"You are (\w+), one of", prompt)
        job = last(rf"(?m)^- {me} \(you\): (\w+)$", prompt)
        others = re.findall(r"(?m)^- (\w+): (\w+)$", prompt.partition("# The players")[2])
        found = [name for name, theirs in others if theirs != job] or [name for name, _ in others]
        return {"plan": {"do": "BARGAIN", "player": found[0]}}
    if "You bargain with" in prompt:
        accepts = "It offers to keep" in prompt
        return {"plan": {"do": "ACCEPT"} if accepts else {"do": "PROPOSE", "tenths": 5}}
    return {"plan": _collects(prompt)}


def _collects(prompt: str) -> dict[str, object]:
    """Craft whatever is possible, otherwise gather the nearest item."""
    held = {name: int(n) for n, name in re.findall(r"(\d+) (\w+)", _held(prompt))}
    failed = re.findall(r"Your last plan: (?:GATHER|CRAFT) \d+ (\w+): (?!done)", prompt)
    for output, inputs in re.findall(r"station makes 1 (\w+) of (.+?)(?:,|$)", prompt, re.M):
        needs = [(name, int(n)) for n, name in re.findall(r"(\d+) (\w+)", inputs)]
        if output not in failed and all(held.get(name, 0) >= n for name, n in needs):
            return {"do": "CRAFT", "count": 1, "thing": output}
    lying = re.findall(r"^- \d+ (\w+) at .*?(\d+) steps? away", prompt, re.M)
    near = sorted((held.get(name, 0), int(away), name) for name, away in lying)
    near = [one for one in near if one[2] not in failed]
    return _gathers(1, near[0][2]) if near else {"do": "EXPLORE"}


def _held(prompt: str) -> str:
    return last(r"You hold: (.+?)\.\n", prompt)


def _settles(prompt: str) -> dict[str, Any]:
    contract = prompt.rpartition("# The contract")[2]
    payer, receiver, amount = re.findall(r"(\w+) pays (\w+) (\d+) emeralds", contract)[0]
    payment = {"from": payer, "to": receiver, "amount": int(amount)}
    terms = [int(n) for n in dict.fromkeys(re.findall(r"(?m)^> (\d)\.", contract))] or [1]
    findings = [
        {"term": term, "reason": "As agreed.", "payments": [payment] * (term == terms[-1])}
        for term in terms
    ]
    return {"findings": findings, "critiques": []}


# --- Turns: generative agents and their cooperation modules ---------------------------------------

Json = dict[str, Any]


def _takes_a_turn(prompt: str) -> Json:
    """Go for the first listed apple, else clean a river, else explore."""
    listed = prompt.partition("What you can do:\n")[2]
    can = {text: int(number) for number, text in re.findall(r"(?m)^(\d+)\. (.+)$", listed)}
    seen = re.findall(r"(?m)^- There is an apple at \[(\d+), (\d+)\]", prompt)
    wanted = [f"go to position ({row}, {column})" for row, column in seen]
    wanted += [one for one in can if one.startswith("clean")]
    explored = [one for one in can if one.startswith("explore")]
    action = next((one for one in wanted if one in can), None)
    return {"number": can[action or explored[drawn(prompt, len(explored))]]}


def _is_by_a_river(prompt: str) -> bool:
    """Return whether the claim templates mention a river."""
    return "river is N % dirty" in prompt


def _act(prompt: str) -> tuple[str, ...]:
    """Return an act's name and promise template if rounds are counted; else empty texts."""
    name = last(r"\(or: at most\), act (\w+)", prompt)
    return (name, f"{name}_at_least") if name else ()


def _amount(prompt: str, least: int = 1) -> Json:
    act = _act(prompt)[0]
    return {"who": "everyone together", "act": act, "at_least": True, "number": least}


def _asked_state(prompt: str) -> Json:
    if _act(prompt):
        return {"form": "last_round", "amount": _amount(prompt)}
    if _is_by_a_river(prompt):
        return {"form": "river", "dirt": {"percent": 40, "or_more": True}}
    return {"form": "tree", "tree": 1, "is_alive": True}


def _finds_rules(prompt: str) -> Json:
    test: Json = {"form": "grass", "near": NEAR, "stays": False}
    if _is_by_a_river(prompt):
        dirt = {"percent": 40, "or_more": True}
        test = {"form": "river_growth", "dirt": dirt, "grows": False, "hours": 9}
    if _act(prompt):
        test = {"form": "each_round", "amount": _amount(prompt)}
    me = last(r"(?m)^You are (\w+)\.", prompt)
    found = [
        {"statement": "Lonely grass dies.", "about": "world", "test": test},
        {"statement": f"{me} is in a hurry.", "about": me, "test": None},
    ]
    return {"hypotheses": found}


NEAR = {"apples": 0, "or_more": False, "radius": 2}


def _checks(prompt: str) -> Json:
    supposed = prompt.partition("# Your hypotheses\n")[2]
    return {"verdicts": ["unknown"] * len(re.findall(r"(?m)^\d+\. ", supposed))}


def _speaks(prompt: str) -> Json:
    """Promise peace in even rounds; in odd rounds, ask about tree 1 or the river."""
    me, number = last(r"(?m)^You are (\w+)\.", prompt), int(last(r"It is round (\d+)", prompt))
    to = last(r"# Who hears you\n(\w+)", prompt)
    if number % 2:
        act = {"do": "ASK", "to": to, "message": "Is it so?", "test": _asked_state(prompt)}
    else:
        term: Json = {"form": "peace", "by": me, "other": to, "until": number + 1}
        if _act(prompt):
            term = {"form": _act(prompt)[1], "by": me, "number": 1, "until": number + 1}
        act = {"do": "OFFER", "to": to, "message": "Peace?", "terms": [term], "words": None}
    return {"act": act, "claims": []}


def _trust(prompt: str, percent: int = 50) -> list[int]:
    return [percent] * len(re.findall(r"(?m)^\d+\. ", prompt.partition("It claims:\n")[2]))


def _replies(prompt: str) -> Json:
    claim = {"statement": "It is.", "test": _asked_state(prompt)}
    return {"trust": _trust(prompt), "message": "No.", "claims": [claim]}


def _rates(prompt: str) -> Json:
    names = re.findall(r"(?m)^(\w+):$", prompt.partition("# What the record says")[2])
    return {"scores": [{"name": name, "score": 6} for name in names]}


def _proposes_in_an_assembly(prompt: str) -> Json:
    number = last(r"(?s)# Numbers that can be set\n(\w+) from", prompt)
    sets = [{"parameter": number, "value": 5}]
    return {"amendment": {"words": "It costs more.", "sets": sets}}


def _votes_in_an_assembly(prompt: str) -> Json:
    numbers = re.findall(r"(?m)^Amendment (\d+):$", prompt)
    return {"votes": [{"amendment": int(number), "vote": "yes"} for number in numbers]}


# Each prompt is identified by words that no other prompt contains.
TURNS: Mapping[str, Callable[[str], Json]] = {
    "Say whether you should make a new plan": lambda _p: {
        "new_plan": False,
        "reason": "All is well.",
    },
    "Decide what you want to achieve": lambda _p: {
        "goals": "Apples",
        "plan": "I take what is near.",
    },
    "Ask yourself the three": lambda _p: {"questions": ["Where do apples grow?"] * 3},
    "Draw three insights": lambda _p: {"insights": ["Apples grow near others."] * 3},
    "Choose one action from the list": _takes_a_turn,
    "Name rules of the world": _finds_rules,
    "Predict what others will do": lambda p: {
        "predictions": [{"test": _asked_state(p), "percent": 90}]
    },
    "supports each of your hypotheses": _checks,
    "You can say one thing to one": _speaks,
    "Reply once to what is said": _replies,
    "Accept or refuse the agreement that is offered": lambda p: {
        "trust": _trust(p),
        "accept": True,
        "claims": [],
    },
    "Say how far you believe another agent": lambda p: {"trust": _trust(p, 60)},
    "Rate how reliable each of the others": _rates,
    "you may propose one amendment": _proposes_in_an_assembly,
    "All vote on changes to the constitution": _votes_in_an_assembly,
}


DECIDERS: Mapping[str, Callable[[str], Any]] = {
    "Whom do you punish?": lambda _: {"fines": []},
    "how many tokens do you give?": lambda _: {"tokens": 10},
    "How many do you give to the other?": lambda _: {"tokens": 5},
    "How many do you catch?": lambda prompt: {
        "tons": int(float(last(r"The lake has (\d+) tons", prompt)) / 10)
    },
    "What do you say?": lambda _: {"say": "Let us share what grows."},
    "You decide what to do next whenever": _decides,
    "You act by one step after another": _steps,
    "a list of steps, which is carried out": _writes_steps,
    "You speak to those near you": _talks,
    "You keep a line on each person": _writes_profiles,
    "You think about what others said": _judges_others,
    "what you want to do for the community": lambda p: {"goal": _trade(p)[0]},
    "You set yourself a goal for": lambda _p: {"goal": "Make friends at the market"},
    "You make a plan": lambda _p: {
        "steps": ["Walk to the market", "Greet whoever is there", "Listen"]
    },
    "You think about what happened to you": lambda _p: {
        "insights": ["People here talk a lot", "I like the market"]
    },
    "for their opinion of its constitution": _thinks_of_the_law,
    "You manage the elections of a village": _proposes,
    "A village votes on changes": _votes,
    "You read laws for a village": _reads_laws,
    "You are the judge of a village": _assesses,
    "You are Judy": _settles,
    "You negotiate for a player": _negotiates,
    "You turn a contract": _compiles,
    "You check whether": lambda _p: {"success": True, "critique": "Well done."},
    **TURNS,
    **{oracle.sign: oracle.answer for oracle in OF_RECORDS.values()},
    "You judge how well": lambda _p: {"success": True, "critique": "Well done."},
    "one program, a list of plans": _writes_plans,
    "You play a game on a grid": _plans,
}
