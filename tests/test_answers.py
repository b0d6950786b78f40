"""What models answer, in ten styles, against what is to be read of it (tests/data/answers)."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from bots.agents.code_writer import JAVASCRIPT
from bots.agents.critic import read_assessment
from bots.agents.piano import NOTHING, SHARE, ActionSet, Known, Verb, announcement
from bots.agents.piano.modules.goals import read_goal
from bots.agents.piano.modules.planning import read_plan as read_steps
from bots.agents.piano.modules.self_reflection import read_insights
from bots.agents.piano.modules.social_awareness import read_profiles, read_social
from bots.agents.piano.modules.talking import read_talk
from bots.agents.planner.observation_text import read_choice
from bots.agents.planner.plan_program import plan_format
from bots.agents.planner.situation import Bargain, ChooseGroup, FindPartner, Play
from bots.agents.voyager.curriculum import read_questions, read_task
from bots.models import Completion, ScriptedModel
from bots.structured import (
    AnswerError,
    UnconfirmedError,
    complete_parsed,
    forms,
    read_program,
    said_before,
    settled,
)
from judge import Contract, Outcome, Terms
from judge.ballots import read_ballot
from judge.compiling import read_clauses
from judge.constitution import Amendment, read_amendments
from judge.law_in_words import read_compiled, read_dues
from judge.negotiation import read_move
from judge.settlement import Case, read_judgement
from records.yaml_text import load_yaml
from scenarios.coherence.questions import read_verdict as read_kept
from scenarios.religion.questions import SummaryRequest, read_topics, read_verdict
from scenarios.sentiment.questions import ScoreRequest
from scenarios.specialisation.questions import RoleRequest, SynonymsRequest
from scenarios.taxation.questions import read_sentiment
from scenarios.taxation.referendum import read_feedback

#: Prompts, but for the parts of some that follow them, and what is said in free words.
QUESTIONS = [
    path
    for room in ("bots", "judge", "scenarios")
    for path in sorted(Path(__file__).parents[1].joinpath(room).rglob("prompts/**/*.md"))
    if path.parent.name not in ("cooperation", "generative")
    and not path.stem.endswith("_situation")
    and path.stem not in ("vocabulary", "describe", "judge_examples")
]
STYLES = {
    *("plain", "bold", "bullets", "headings", "fences"),
    *("json", "case", "chatty", "thinking", "prefix"),
}
ANSWERS = [
    (role, style, answer, reading)
    for file in sorted((Path(__file__).parent / "data" / "answers").glob("*.yaml"))
    for role, answers in load_yaml(file.read_text(encoding="utf-8")).items()
    for style, answer, reading in answers
]
PLAYERS = ("Gizmo", "Glitch")
TERMS = Terms(PLAYERS, {"iron": 12, "diamond": 6})
CASE = Case(Contract("free", "Gizmo pays."), PLAYERS, Outcome(), "They mined.")
RESOURCES = ["wood", "stone", "hammer", "iron_ore"]
ACTIONS = ActionSet(
    [
        Verb("PAY", SHARE, lambda _task: None, announcement("pay")),
        Verb("WORK", NOTHING, lambda _task: None, announcement("work")),
    ]
)
KNOWN = Known("", ("market", "temple", "home", "chest"), ("Ada", "Ben", "Cora"))
PLANS = plan_format(["stone_pickaxe", "iron_pickaxe", "raw_iron", "diamond"], PLAYERS)


def decision(answer):
    action, about = ACTIONS.read_decision(answer, KNOWN)
    return f"{action} | {about}"


def plan(choice, answer):
    """A plan as agent 0 of 4 is asked for it."""
    names = ("Ada", "Ben", "Cora", "Dan")
    situation = SimpleNamespace(
        choice=choice,
        agents=4,
        number=0,
        goods=RESOURCES,
        has_chests=False,
        society=SimpleNamespace(names=names),
    )
    return str(read_choice(situation, answer))


def move(answer):
    found = read_move("Gizmo", answer, TERMS, Contract("standing", "Peace."))
    fields = {
        "thought": found.thought,
        "message": found.message,
        "proposal": found.proposal and found.proposal.text,
        "accepts": found.accepts,
    }
    return {name: value for name, value in fields.items() if value}


def task(answer):
    found = read_task(answer)
    return found and [found.name, found.obtain]


def clauses(answer):
    found = read_clauses(answer, TERMS)
    return found and list(found.lines)


def compiled(answer):
    """What a reader of laws makes of two amendments: numbers, what is judged, or nothing."""
    amendments = (Amendment(1, "Lowered to 8 percent."), Amendment(2, "The poor pay nothing."))
    found = read_compiled(answer, amendments, {"tax_rate": (0.0, 1.0)})
    return [dict(one.sets) or ("judged" if one.is_judged else "nothing") for one in found]


#: How each role's answers are read alone, and as they are when they are asked for.
ALONE = {
    "decide": decision,
    "goal": read_goal,
    "kept goal": partial(read_goal, before="You dig."),
    "plan": read_steps,
    "reflect": read_insights,
    "social": lambda answer: list(read_social(answer)[:2]),
    "profiles": lambda answer: read_profiles(answer, ("Ben", "Cora"))[2],
    "talk": partial(read_talk, speaker="Ada"),
    "feedback": read_feedback,
    "amendments": lambda answer: [
        [one.text, dict(one.sets)] for one in read_amendments(answer, {"tax_rate": (0.0, 1.0)})
    ],
    "ballot": lambda answer: list(read_ballot(answer, 3)),
    "compile": compiled,
    "assess": lambda answer: dict(read_dues(answer, ("Ada", "Ben"))),
    "believes": read_verdict,
    "kept": lambda answer: read_kept(answer).value,
    "sentiment": read_sentiment,
    "summary": SummaryRequest(()).read,
    "topics": read_topics,
    "play": partial(plan, Play()),
    "group": partial(plan, ChooseGroup(4)),
    "partner": partial(plan, FindPartner()),
    "bargain": partial(plan, Bargain(1, 5)),
    "plans": lambda answer: PLANS.read(answer).splitlines(),
    "code": lambda answer: JAVASCRIPT.read(answer).removesuffix("\n"),
    "critic": lambda answer: [read_assessment(answer).success, read_assessment(answer).critique],
    "judge": lambda answer: dict(read_judgement(answer, CASE).transfers),
    "compiler": clauses,
    "negotiator": move,
    "score": ScoreRequest("Ada", "Ben", "I like Ben.").read,
    "role": RoleRequest(("Grow wheat.",)).read,
    "synonyms": SynonymsRequest(("farmer", "grower", "miner")).read,
    "curriculum": task,
    "questions": read_questions,
}
READERS = {role: settled(read) for role, read in ALONE.items()}


@pytest.mark.parametrize(("role", "style", "answer", "reading"), ANSWERS)
def test_an_answer_is_read_as_it_is_meant(role, style, answer, reading):
    if isinstance(reading, dict) and "refused" in reading:
        with pytest.raises(AnswerError) as refusal:
            READERS[role](answer)
        assert reading["refused"] in str(refusal.value)
        assert not isinstance(refusal.value, UnconfirmedError)
    elif isinstance(reading, dict) and "again" in reading:
        with pytest.raises(UnconfirmedError) as unconfirmed:
            READERS[role](answer)
        with said_before(unconfirmed.value.value):
            assert READERS[role](answer) == reading["again"]
    else:
        assert READERS[role](answer) == reading


FLOODS = {
    "braces": "{" * 50_000,
    "braces of which one closes": "{" * 1_000 + "}",
    "elements": "<ab>x</ab>" * 5_000,
    "rows": "|a|b|\n" * 7_500,
    "fields": "Success: no. " * 4_000,
    "payments": "Finding: a\nPayments: " + "Gizmo pays Glitch 1; " * 2_500,
    "items": "Task: x\nObtain: " + "1 " * 20_000,
    "a long line": "Success: not " + "a " * 20_000,
    "brackets": "Finding 1" + "(" * 50_000,
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_takes_little_time(flood):
    """Seconds of this thread alone, and many times what it takes: quadratic work takes minutes."""
    for role, read in READERS.items():
        began = time.thread_time()
        with contextlib.suppress(AnswerError):
            read(FLOODS[flood])
        assert time.thread_time() - began < 5, role


@pytest.mark.parametrize(
    "flood", [" " * 200_000, "\n" * 200_000, "GOAL: a" + "\t" * 13_000 + "b", "a, " * 66_000]
)
async def test_a_flood_is_not_read_at_all(flood):
    def read(_):
        raise AssertionError("somebody reads it")

    question = [{"role": "user", "content": "What do you want?\n# Your answer\nGOAL: …"}]
    how = {"role": "goal", "agent": "Ada", "temperature": 0.7}
    with pytest.raises(
        AnswerError, match=r"it has more than 48000 characters|a line of it has more"
    ):
        await complete_parsed(ScriptedModel(lambda _: flood), question, read, **how)


def test_a_block_of_calls_below_a_block_of_functions_is_the_program():
    helpers = "async function mine(bot, n) {\n  await mineBlock(bot, 'iron_ore', n)\n}\n"
    helpers += "async function report(bot) {\n  bot.chat('done')\n}"
    for calls in ("await mine(bot, 12);", "await mine(bot, 12);\nawait report(bot);"):
        answer = f"```javascript\n{helpers}\n```\nThe main program:\n```javascript\n{calls}\n```"
        assert read_program(answer).split("\n\n") == [helpers, f"{calls}\n"]
    shown = f"```javascript\n{helpers}\n```\nSo:\n```javascript\nawait report(bot);\n```"
    assert read_program(shown) == f"{helpers}\n"


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_a_complaint_repeats_the_forms_of_its_question(path):
    text = path.read_text(encoding="utf-8")
    asked = forms([{"role": "user", "content": text}, {"role": "user", "content": "A situation."}])
    assert asked
    assert asked in text


async def test_an_empty_answer_is_repeated_in_words():
    """Endpoints refuse messages without text, and such a conversation with them."""
    asked = []

    def says_nothing_first(request):
        asked.append(request.messages)
        return "GOAL: Rest." if len(asked) > 1 else " \n"

    question = [{"role": "user", "content": "What do you want?\n# Your answer\nGOAL: …"}]
    model = ScriptedModel(says_nothing_first)
    how = {"role": "goal", "agent": "Ada", "temperature": 0.7}
    assert await complete_parsed(model, question, read_goal, **how) == "Rest."
    assert [message["role"] for message in asked[1]] == ["user", "assistant", "user"]
    assert all(message["content"].strip() for message in asked[1])


@pytest.mark.parametrize(
    "refusal",
    [
        "I'm sorry, but I can't assist with that.",
        "I\u2019m sorry, but I can\u2019t help with that request.",
        "Sorry, I am unable to continue this conversation.",
        "I cannot fulfill this request.",
        "As an AI language model, I cannot speak.",
        "I am an AI and cannot speak.",
        "I'm just an AI, I can't vote.",
        "I must decline.",
        "I cannot role-play as a person.",
        "I'm not able to generate that content.",
        "Unfortunately, I'm not able to participate in that.",
        "<think>Should I?</think>I apologize, but I won't engage in this scenario. Be kind!",
    ],
)
@pytest.mark.parametrize("role", ["talk", "goal", "plan", "reflect", "feedback", "decide"])
async def test_a_model_that_declines_says_and_wants_nothing(role, refusal):
    question = [{"role": "user", "content": "What do you say?\n# Your answer\nOne line."}]
    how = {"role": role, "agent": "Ada", "temperature": 0.7}
    with pytest.raises(AnswerError) as error:
        await complete_parsed(ScriptedModel(lambda _: refusal), question, READERS[role], **how)
    assert error.value.cause == "refused by the model"


@pytest.mark.parametrize(
    "said",
    [
        "I'm sorry, Ben, but I can't help you with the wheat today.",
        "Sorry, the mine is empty. I can't help it!",
        "I can't help thinking of the harvest.",
        "I won't pay that tax.",
        "I must decline your offer, Ben.",
        "I am an aide of the mayor, and cannot stay.",
        "I'm sorry to say that I cannot come to the market.",
    ],
)
async def test_a_neighbour_that_declines_something_says_so(said):
    question = [{"role": "user", "content": "What do you say?\n# Your answer\nOne line."}]
    how = {"role": "talk", "agent": "Ada", "temperature": 0.7}
    assert await complete_parsed(ScriptedModel(lambda _: said), question, read_talk, **how) == said


class Cut:
    """A model whose first answer was cut off, and whose second is ``GOAL: Rest.``"""

    def __init__(self, first):
        second = Completion("GOAL: Rest.", "m")
        self.answers = [Completion(first, "m", finish_reason="length"), second]
        self.asked = []

    async def complete(self, request):
        self.asked.append(request.messages)
        return self.answers[len(self.asked) - 1]


@pytest.mark.parametrize(
    ("read", "first", "is_whole"),
    [
        (read_goal, "GOAL: Go to the mar", False),
        (read_goal, "GOAL: Go to the market.\nReason: I wan", True),
        (decision, "ACTION: PAY 2", False),
        (decision, "ACTION: WORK\n\nReason: I shall do so for as long as it takes, sin", True),
        (PLANS.read, "I do my part.\n\n```\nGATHER 1 diamond\nGATHER 1 diamond", False),
        (PLANS.read, "GATHER 1 diamond\nGATHER 1 diamond", False),
        (PLANS.read, "```\nGATHER 1 diamond\n```", True),
        (PLANS.read, "```\nGATHER 1 diamond\n```\nThis is", True),
        (read_program, "```javascript\nawait bot.chat('a');\nawait bot.chat('b');\n", False),
        (read_program, "```javascript\nawait bot.chat('a');\n```\nIt says", True),
        (read_assessment, '{"success": true, "critique": "Fine."}', True),
        (read_assessment, '```json\n{"success": true, "critique": "Fine."}\n```\nI', True),
        (read_assessment, "Success: yes\nCritique: Next time you shou", False),
        (read_insights, "1. Ben gives.\n2. Cleo ta", False),
        (ScoreRequest("Ada", "Ben", "I like Ben.").read, "1", False),
    ],
)
async def test_what_was_cut_off_is_an_answer_where_its_end_changes_nothing(read, first, is_whole):
    """Its stump is none: `PAY 2` may have been `PAY 20 %`."""
    model = Cut(first)
    question = [{"role": "user", "content": "What?"}]
    how = {"role": "goal", "agent": "Ada", "temperature": 0.7}
    model.answers = [model.answers[0]] * 3
    if is_whole:
        assert await complete_parsed(model, question, read, **how) == read(first)
        assert len(model.asked) == 1
        return
    with pytest.raises(AnswerError, match="the answer was cut off") as refused:
        await complete_parsed(model, question, read, **how)
    assert refused.value.cause == "cut off by max_tokens"
    assert "cut off" in model.asked[1][-1]["content"]


async def test_a_long_answer_is_not_sent_back_whole():
    model = Cut("blah " * 40_000)
    how = {"role": "goal", "agent": "Ada", "temperature": 0.7, "max_tokens": 400}
    question = [{"role": "user", "content": "What?"}]
    assert await complete_parsed(model, question, read_goal, **how) == "Rest."
    (said,) = [one["content"] for one in model.asked[1] if one["role"] == "assistant"]
    assert len(said) < 400 * 4 + 50
    assert "198400 characters" in said


def test_the_corpus_has_all_styles_and_roles():
    assert len({(role, answer) for role, _, answer, _ in ANSWERS}) >= 300
    assert {style for _, style, _, _ in ANSWERS} == STYLES
    assert {role for role, _, _, _ in ANSWERS} == set(READERS)
    assert min(Counter(style for _, style, _, _ in ANSWERS).values()) >= 15
