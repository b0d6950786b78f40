"""Oracle readers: what a sensible model decides in each role, from the text of its prompt alone.

They know no object of ours, only words, so that what they do shows what prompts tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.record_oracles import OF_RECORDS
from tests.saying import Said, drawn, last
from tests.turn_deciders import TURNS


def decide(messages: Sequence[Mapping[str, str]]) -> Any:
    """Return what to say to a conversation."""
    first = "\n".join(m["content"] for m in messages if m["role"] != "assistant")
    for sign, decider in DECIDERS.items():
        if sign in first:
            return decider(first)
    raise AssertionError(f"nobody knows this prompt: {first[:300]}")


#: What citizens are told of a village who write programs.
VILLAGE = "# What people do here"
#: Where believers meet.
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


#: Trades of the village: goals, and what leads to each from bare hands.
TRADES = (
    ("You gather logs for everybody.", "GATHER oak_log"),
    ("You gather apples, so that nobody is hungry.", "GATHER apple"),
    ("You pick flowers for the square.", "GATHER poppy"),
    ("You explore what lies around the village.", "EXPLORE"),
)


def _trade(prompt: str) -> tuple[str, str]:
    """The goal and the work of a name: one of the trades."""
    name = last(r"(?m)^You are (\w+)\.", prompt.partition("\n")[0])
    return TRADES[drawn(name, len(TRADES))]


def _works(prompt: str) -> dict[str, Any]:
    """Eat what is held when hungry, else do the work of one's trade, where it can be done."""
    held = last(r"(?m)^You hold: (.+)\.$", prompt)
    if "\nYou are hungry." in prompt and " apple" in held:
        return _decision("EAT", "food", item="apple")
    verb, _, item = _trade(prompt)[1].partition(" ")
    is_offered = bool(re.search(rf"(?m)^{verb}\b.*\b{item}\b", prompt))
    if verb == "EXPLORE" and re.search(r"(?m)^MINE\b.*\bdirt\b", prompt):
        verb, item, is_offered = "MINE", "dirt", True  # all land has some
    if not (is_offered and item):
        return _decision("EXPLORE", "my work")
    expects = {"item": item, "amount": 1, "place": None, "within_s": 60}
    return {**_decision(verb, "my work", item=item), "expects": expects}


def _steps(prompt: str) -> dict[str, Any]:
    """Name one's goal, do the work of one's trade, and say so."""
    action = _works(prompt)["action"]
    return {"goal": _trade(prompt)[0], "action": action, "say": "I do my work."}


def _writes_steps(prompt: str) -> dict[str, Any]:
    first = _steps(prompt)
    return {"steps": [first, {**first, "goal": None, "say": None}]}


def _goes_to_the_forest(prompt: str) -> str:
    """Lines of a program that fetches a log where the prompt says that trees are."""
    place = last(r"forest \((new Vec3\([^)]*\))\)", prompt)
    return (
        f"  await goTo(bot, {place}, 6)\n  bot.chat('I fetch wood.')\n"
        "  await dig(bot, 'oak_log', 'oak_log', 1, 5)"
    )


def _cooks(prompt: str) -> dict[str, Any]:
    """A chef gives what it holds to those near, one after another; others wait."""
    foods = re.findall(r"\d+ (\w+)", last(r"(?m)^You hold: (.+)\.$", prompt))
    near = re.split(r", ", last(r"Near you: (.+?)\.\n", prompt))
    if "You are the chef" in prompt and foods:
        to = near[drawn(prompt, len(near))]
        return _decision("GIVE", "food", count=1, item=foods[0], person=to)
    return _decision("REST", "food")


#: What one may feel of another, drawn by its name.
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


#: A law that no number says, and where it stands in a prompt.
BY_WEALTH = "Who holds 60 pieces or more pays 30 % of it; all others pay 5 %."
_BY_WEALTH = r"Who holds (\d+) pieces or more pays (\d+) % of it; all others pay (\d+) %\."


def _thinks_of_the_law(prompt: str) -> dict[str, Any]:
    """Who thinks much of taxes wants more of those who hold much; all others want less."""
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
    """Apply the latest article that says who owes what to what each holds."""
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


def _writes_plans(prompt: str) -> Said | dict[str, object]:
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


def _writes_programs(prompt: str) -> Said:
    me = last(r"You are (\w+)\.", prompt)
    if VILLAGE in prompt:
        return _program(f"  // GOAL: You gather logs for everybody.\n{_goes_to_the_forest(prompt)}")
    if "step" in prompt and "plates" in prompt:
        place = re.findall(r"walk to x=(-?\d+), y=(-?\d+), z=(-?\d+)", prompt)[0]
        return _program(f"  await goTo(bot, new Vec3({', '.join(place)}), 0)")
    if "red_mushroom_block" in prompt:
        cleans = "slime_block" in prompt and me == "Glitch"
        return _program(OVER_AND_OVER % ("slime_block" if cleans else "red_mushroom_block"))
    tool, ore = ("iron_pickaxe", "diamond_ore") if me == "Glitch" else ("stone_pickaxe", "iron_ore")
    return _program(TAKE_AND_MINE % (tool, ore, 6 if me == "Glitch" else 12))


def _program(lines: str) -> Said:
    return Said("program", f"async function main(bot) {{\n{lines}\n}}", "javascript")


OVER_AND_OVER = """\
  for (;;) {
    try {
      await mineBlock(bot, '%s', 1)
    } catch (error) {
      await bot.waitForTicks(10)
    }
  }"""
TAKE_AND_MINE = """\
  const id = mcData.blocksByName.chest.id
  const chest = bot.findBlock({ matching: id, maxDistance: 32 })
  await getItemFromChest(bot, chest.position, { %s: 1 })
  await mineBlock(bot, '%s', %d)"""


def _negotiates(prompt: str) -> dict[str, Any]:
    """Offers ten emeralds for the roles, in words; takes what another offers."""
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


# --- Agents that learn skills --------------------------------------------------------------------


def _chooses_task(prompt: str) -> dict[str, object]:
    """Collect one of each pile that needs no tool, then make what takes only that; in a village,
    fetch wood.
    """
    if VILLAGE in prompt:
        return {"task": "Gather 1 oak_log", "obtain": []}
    world = prompt.partition("# What is asked for")[0]
    piles = dict(re.findall(r"(?m)^- (\w+): block `\w+`, item `(\w+)`$", world))
    made = re.findall(r"(?m)^- \w+: block `\w+`: (.+?) → \w+, item `(\w+)`$", world)
    can = [item for inputs, item in made if set(re.findall(r"[a-z_]+", inputs)) <= set(piles)]
    done = re.findall(r"(?m)^- Obtain 1 (\w+)", prompt)
    left = [item for item in (*piles.values(), *can) if item not in done]
    if not left:
        return {"task": None, "obtain": []}
    return {"task": f"Obtain 1 {left[0]}", "obtain": [{"name": left[0], "count": 1}]}


def _writes_skills(prompt: str) -> Said:
    if VILLAGE in prompt:
        lines = _goes_to_the_forest(prompt)
        return Said("program", f"async function fetchWood(bot) {{\n{lines}\n}}", "javascript")
    item = last(r"(?m)^Task: Obtain 1 (\w+)", prompt)
    blocks = dict(re.findall(r"(?m)^- \w+: block `(\w+)`.*, item `(\w+)`", prompt))
    block = next(block for block, one in blocks.items() if one == item)
    name = "obtain" + "".join(part.title() for part in item.split("_"))
    lines = f"  console.log(await useBlock(bot, '{block}'))\n  await bot.waitForTicks(20)"
    return Said("program", f"async function {name}(bot) {{\n{lines}\n}}", "javascript")


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
    """Craft what can be crafted of what is held, else gather what lies nearest."""
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


DECIDERS: Mapping[str, Callable[[str], Any]] = {
    "You decide for yourself what you do next": _decides,
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
    "what they think of its constitution": _thinks_of_the_law,
    "You manage the elections of a village": _proposes,
    "A village votes on changes": _votes,
    "You read laws for a village": _reads_laws,
    "You are the judge of a village": _assesses,
    "You are Judy": _settles,
    "You negotiate for a player": _negotiates,
    "You turn a contract": _compiles,
    "You choose what": _chooses_task,
    "Ask what one must know": lambda _p: {"questions": ["What does a pile give?"]},
    "What does a pile give?": lambda _p: {"answer": "One unit, each time."},
    "You check whether": lambda _p: {"success": True, "critique": "Well done."},
    "Describe what a function does": lambda _p: {"description": "It uses a block once."},
    "by writing one JavaScript program": _writes_programs,
    "by writing JavaScript: one function": _writes_skills,
    **TURNS,
    **{oracle.sign: oracle.answer for oracle in OF_RECORDS.values()},
    "You judge how well": lambda _p: {"success": True, "critique": "Well done."},
    "one program, a list of plans": _writes_plans,
    "You play a game on a grid": _plans,
}
