"""Talking: words that follow from the controller's decision, where somebody can hear them."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Sequence
from functools import lru_cache, partial
from typing import Any, ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.digest import Digest, digest
from bots.agents.piano.task import Decision
from bots.prompts import render
from bots.structured import (
    REMEMBERED,
    AnswerError,
    UnconfirmedError,
    bare,
    is_frame,
    is_neutral,
    is_remark,
    plain,
    read_objects,
    refuse_nothing,
    remembered,
    said_text,
    was_said,
    without_explanations,
    without_thinking,
)
from bots.values import made_often
from records import events
from records.text import caseless

MAX_CHARACTERS = 240
#: What is said in up to so many characters is known again.
BRIEF = 500
#: Stands for a speaker whom the words do not name.
NOBODY = "\0"
#: A line that is nothing but words in quotation marks, with or without who says them.
_WHO = r"(?:\w+(?: \w+)?|i (?:would|'d|will) say|(?:sure|okay|ok)\b[^\"]*\b(?:line|say|answer))"
_NAMED = caseless(rf"^{_WHO}\s*:\s*")
_QUOTED = caseless(rf"(?:{_WHO}\s*:\s*)?\"[^\"]+\"")
_SAYS = r"(?:say|speak|repl(?:y|ie)|answer|whisper|shout|call|greet|tell|ask)(?:s|es)?"
_TOLD = caseless(rf"\"([^\"]+)\",? (?P<who>\w+) {_SAYS}\b[^\"]*")
#: How the same is told before it, and a label that says who speaks, how, and to whom.
_NARRATED = caseless(
    rf"(?P<who>\w+) (?:(?:[\w' ]+,? and )?{_SAYS}(?: (?:to )?[\w']+){{0,4}}[,:]"
    r"|(?:turn|look|walk|smile|nod|wave|lean|step|go)e?s [\w', ]+[.,:])\s*\"(?P<said>[^\"]+)\"\W*"
)
_SPEAKS = caseless(
    rf"(?:(?P<who>\w+) )?(?:{_SAYS}|(?P<noun>spoken|speech)(?: line| words)?)"
    r"(?: (?:aloud|out loud|softly|quietly|loudly|now|back))?(?: to [\w ]{1,30})?"
    r"(?: ?\([\w ]+\))?\s*:\s*(?P<said>\S.*)"
)
_NAMED_SO = caseless(r"(?P<who>\w+) ?\([\w ,]+\)\s*:\s*(?P<said>\S.*)")
_PRONOUNS = ("i", "he", "she", "they")
#: What speech may be called, where it has a tag.
_TAGGED = caseless(
    r"(?:(?:final )?(?:answer|response|output)|say|speech|aloud|message|text|talk"
    r"|(?-i:SAY|TELL|SPEAK)(?: to)? \w+)\"?\s*:\s*(.*)"
)
_TAGS = {"Answer", "Response", "Say", "Speech", "Aloud", "Message", "Text", "Talk", "Line", "Reply"}
_TAGS |= {"Output"}
#: What an object says beside speech: to whom, and how.
_BESIDE = {"To", "Target", "Recipient", "Listener", "Addressee", "Hearer", "Tone", "Emotion"}
_BESIDE |= {"Confidence", "Certainty", "Mood", "Volume"}
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
#: What is done while speaking: (smiles), *waves to Ben*.
_BRACKETED = re.compile(r"\([^)]*\)")
_STAGE = re.compile(r"^\([^)]*\)(?=.)|(?<=.)\([^)]*\)$")
_ACTED = re.compile(
    r"(?:^\s*|(?<=:)\s+|(?<=:\*\*)\s+)(\*|_)[a-z]\w*s\b[^*_\n]*\1\s+(?=\S)"
    r"|(?<=\S)\s+(\*|_)[a-z]\w*s\b[^*_\n]*\2\s*$"
)
#: A line that leads to what is said.
_MEANT = (
    r"line|answer|response|reply|speech|words|message"
    r"|(?:what )?i(?:'d| would| will|'ll)? (?:say|said)"
)
_LEAD = caseless(
    rf"(?:sure|certainly|of course|okay|ok|alright|great|absolutely|got it)?[\s,.!]*"
    rf"(?:(?:as \w+,? )?(?:(?:here|this|that)(?:'s| is| are)? |my |the |what )?"
    rf".{{0,60}}\b(?:{_MEANT}|says)\b[^.!?]*)?:"
    r"|(?-i:SPEAK|SAY|TALK|SPEECH|TELL)"
)
_SAME_LINE = caseless(
    rf"^(?:(?:sure|certainly|of course|okay|ok|alright)\b[\s,.!]*)?(?:here|this)(?:'s| is) "
    rf"(?:my|the|a|one|what i)\s(?:\w+\s)?(?:{_MEANT}|(?:would |'d )?say)[^.!?:]{{0,30}}:\s*"
)
#: What leads to words in their own line, perhaps behind a thought.
_WOULD_SAY = caseless(
    r"(?:.*[.!?]\s+)?(?:so,? |then,? )?i(?:'d| would| will|'ll) say(?: to \w+)?:\s*(?P<said>\S.*)"
)
#: How an answer takes leave of whoever asked, which nobody says to a neighbour.
_LEAVE = caseless(
    r"(?:i )?hope (?:this|that) (?:helps|works)[.!]*(?:\s+let me know.*|\s*\W*$)"
    r"|(?:let me know if|feel free to|would you like me)\b"
    r".*\b(?:anything else|another|different|change|adjust|revise|adapt|rewrite"
    r"|shorter|longer|to ask)\b.*"
)
#: The form's own word, which nobody says aloud.
_CAPITALS = re.compile(r"\bSILENT\b")
#: It begins or ends an answer, of oneself.
_SILENT_SAID = re.compile(r"^\W*SILENT\b(?!.*\?)|^(?!.*\b(?:you|won't|not|never)\b).*\bSILENT\W*$")
#: What somebody writes that says nothing.
_SILENT = re.compile(
    r"(?i:[\[(*\"]*(?:silent|silence|nothing|nichts|nada|rien|niente|null|nil|none|n/?a"
    r"|undefined|\.{2,}|\u2026"
    r"|(?:(?:i|he|she|they|we) )?(?:say|stay|remain|keep|am|will be)s? (?:nothing|silent|quiet)"
    r"|i'll stay (?:silent|quiet)"
    r"|i(?: have|'ve) (?:got )?nothing (?:more |else )?to (?:say|add)(?: (?:right )?now)?"
    r"|i(?:'d| would|'ll| will)? (?:say|choose|answer) silent)[\])*\".!]*)"
    r"|\W*(?:SILENT\b\s*(?:[\u2013\u2014(.:;,-].*|because .*|since .*)"
    r"|Silent\s*[\u2013\u2014(-].*)",
)
#: Who speaks, before what it says, as in a play; and what is told of speech instead of it.
_LABEL = re.compile(r"([A-Z]\w+)(?: ?\([^()]*\))?:\s+\S")
_MARKS = re.compile(r"^\W*")
_SPEAKER = caseless(r"\W*(?:the|my) (?:agent|character|player|speaker|person|npc|villager)")
#: A label of a few words before what is said, and those with which people speak to others.
_ANY_LABEL = re.compile(r"\W*([^\W\d][^:.!?,;\"]{0,40}):\s+\S")
_ADDRESSES = caseless(
    r"(?:hey|hi|hello|dear|oh|so|well|and|but|please|listen|look|remember|you know"
    r"|think of it|imagine"
    r"|question|idea|news|good news|bad news|deal|offer|my offer|my advice|my point|my plan"
    r"|my question"
    r"|the truth(?: is)?|the point(?: is)?|fact|friends|neighbou?rs|everyone|everybody|people|folks"
    r"|great idea|here is what (?:i|we) \w+|one (?:thing|question)|i (?:say|propose|ask"
    r"|promise|tell you|wonder|think|know|believe) ?(?:it|this|you|that)?"
    r"|let me (?:ask|tell you|say) ?(?:this|it)?|here is (?:my|the|a) \w+|what (?:i"
    r"|we) \w+ is(?: this)?)"
    r"(?: (?:\w+|all|my \w+))?"
)
#: So many words are a name or a label, and more a sentence, unless it is about speech.
_NAMES = 2
_OF_SPEECH = caseless(
    r"\b(?:say|said|says|speak\w*|speech|think\w*|thought\w*|aloud|not|version)\b"
)
#: Two things to say of which only one would be said.
_EITHER = re.compile(r"\"[^\"]+\"\s*(?:or|/|\|)\s*\"")
_REPORTED = caseless(
    r" (?:would|could|might|will|should|says?|greets?|replies|answers|tells|asks|waves|nods|smiles"
    r"|decides)\b.*"
)


@made_often
class TalkRequest:
    """What the prompt for speech is rendered from.

    ``decision``: what the controller decided; None where speech is not told.
    """

    role: ClassVar[str] = "talk"

    agent: str
    traits: str
    decision: Decision | None
    digest: Digest

    def prompt(self) -> str:
        """Return the question in words."""
        decision = self.decision
        return render(
            "piano/talk",
            name=self.agent,
            traits=self.traits,
            decision="not known to you" if decision is None else str(decision.action),
            about=(decision.about if decision else "") or "whatever is on your mind",
            state=str(self.digest),
        )


def run(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Say something, if somebody is near and the mind wants to."""
    if not agent.body.near():
        return None
    decision = agent.task.decision if agent.broadcast else None
    request = TalkRequest(agent.name, agent.traits, decision, digest(agent))
    return agent.ask(request, partial(read_talk, speaker=agent.name), partial(speak, agent))


def speak(agent: Agent, text: str | None) -> None:
    """Let an agent say something, if there is anything."""
    if text:
        spoken(agent, text, agent.body.say(text))


def spoken(agent: Agent, text: str, hearers: list[str]) -> None:
    """Record what an agent has said, which it remembers; ``hearers``: who heard it."""
    told = f"I said: {text}"
    agent.happened(told)
    agent.memory.add(agent.time.now(), told, 0.2)
    agent.note(events.Spoke, text=text, hearers=hearers)


def read_talk(answer: str, speaker: str = "") -> str:
    """Return what is said aloud, as one line; empty: the agent says nothing.

    Speech is speech: only what leads to it with a colon, or stands beside a line in quotation
    marks, is none of it, nor is what takes leave of whoever asked.

    Raises:
        AnswerError: there is no line at all, or nobody knows which one is speech.
    """
    is_brief = len(answer) <= BRIEF and "{" not in answer
    if is_brief and speaker and speaker.casefold() not in _folded(answer):
        return _known_talk(answer)
    return _talk(answer, speaker)


def _talk(answer: str, speaker: str) -> str:
    """Return what is said aloud by somebody."""
    if "{" in answer and _says_null(answer):
        return ""
    answer = without_thinking(answer)
    said = [text for line in _said(answer) if (text := _aloud(line, speaker))]
    if not said:
        raise AnswerError("the answer is empty")
    if _SILENT.fullmatch(_unnamed(said[-1], speaker)):
        return ""
    if len(said) > 1:
        raise AnswerError("the answer says several things; write one line")
    if _CAPITALS.search(said[0]):
        if not _SILENT_SAID.search(said[0]):
            raise AnswerError("whoever says nothing answers SILENT, and nothing with it")
        if not was_said(""):
            raise UnconfirmedError("", _CAPITALS.sub("", said[0]))
        return ""
    if _BRACKETED.fullmatch(said[0]):
        raise AnswerError("what stands in brackets is not said; write what you say, or SILENT")
    _refuse_label(said[0])
    refuse_nothing(said[0])
    if _is_reported(said[0], speaker):
        raise AnswerError("that is told of you; write what you say, or SILENT")
    return said[0][:MAX_CHARACTERS]


@lru_cache(REMEMBERED)
def _folded(answer: str) -> str:
    """Return the lines of an answer that are speech without regard to case."""
    return "\n".join(_said(answer)).casefold()


@remembered
def _known_talk(answer: str) -> str:
    """Return what is said aloud in words that do not name who speaks: the same by everybody."""
    return _talk(answer, NOBODY)


def _refuse_label(line: str) -> None:
    """Refuse a line whose label may say that it is thought, another's, or one of several.

    Raises:
        AnswerError: it has one with which people do not begin to speak.
    """
    label = _ANY_LABEL.match(line)
    is_name = label is not None and (len(label[1].split()) <= _NAMES or _OF_SPEECH.search(label[1]))
    if label and is_name and not (_ADDRESSES.fullmatch(label[1]) or is_neutral(label[1])):
        raise AnswerError(f"write what you say alone, without {label[1][:40]!r} before it")
    if _EITHER.search(line):
        raise AnswerError("the answer says several things; write one line")


def _says_null(answer: str) -> bool:
    """Whether an answer is an object in which nothing is said, with or without why."""
    try:
        (found,) = read_objects(answer)
    except (AnswerError, ValueError):
        return False
    said = [value for key, value in found.items() if not is_remark(f"{key}:")]
    return bool(said) and all(value is None for value in said)


def _is_reported(line: str, speaker: str) -> bool:
    """Return whether a line tells of the speaker's speech instead of being it.

    Patterns know no names: one for each of thousands of people would be compiled again and again.
    """
    found = _SPEAKER.match(line)
    end = found.end() if found else 0
    if not found and speaker:
        start = len(line) - len(_MARKS.sub("", line, count=1))
        if line[start : start + len(speaker)].casefold() == speaker.casefold():
            end = start + len(speaker)
    return end > 0 and bool(_REPORTED.fullmatch(line, end))


@lru_cache(REMEMBERED)
def _said(answer: str) -> tuple[str, ...]:
    """Return the lines of an answer that are speech, whoever speaks."""
    paragraphs = _paragraphs(answer)
    _refuse_play([line for lines in paragraphs for line in lines])
    tagged = [found[1] for lines in paragraphs for line in lines if (found := _TAGGED.match(line))]
    spoken = [line for lines in paragraphs for line in lines if _QUOTED.fullmatch(line)]
    if tagged:
        said = [text for text in dict.fromkeys(tagged) if text] or [
            " ".join(line for lines in paragraphs for line in lines if not _TAGGED.match(line))
        ]
    elif spoken:
        said = [_NAMED.sub("", line) for line in spoken]
    else:
        if paragraphs and _SILENT.fullmatch(" ".join(paragraphs[-1])):
            return (" ".join(paragraphs[-1]),)
        paragraphs = _without_leads(paragraphs)
        said = [" ".join(line for lines in paragraphs for line in lines)] if paragraphs else []
    return tuple(said)


def _refuse_play(lines: Sequence[str]) -> None:
    """Refuse lines that several speak.

    Raises:
        AnswerError: they are.
    """
    found = [(n, label[1]) for n, line in enumerate(lines) if (label := _LABEL.match(line))]
    speakers = [(n, who) for n, who in found if who.capitalize() not in _TAGS | _BESIDE]
    is_answered = not any(map(_TAGGED.match, lines)) and any(
        n and not _LEAD.fullmatch(lines[n - 1]) for n, _ in speakers
    )
    if len({who for _, who in speakers}) > 1 or is_answered:
        raise AnswerError("write one line, which you say; others speak for themselves")


def _unnamed(text: str, speaker: str) -> str:
    """Return a text without the name of who speaks, such as Ada in ``Ada stays silent``."""
    bare = text.lstrip("([*")
    is_named = speaker and bare.casefold().startswith(f"{speaker.casefold()} ")
    return bare[len(speaker) + 1 :] if is_named else text


def _paragraphs(answer: str) -> list[list[str]]:
    """Return the lines of each paragraph, without headings, fences, stage directions and leave."""
    found: list[list[str]] = []
    own = "\n".join(without_explanations(said_text(answer).split("\n")))
    for paragraph in _PARAGRAPHS.split(own):
        raw = [line for line in paragraph.splitlines() if line.strip() and not is_frame(line)]
        kept = [plain(_ACTED.sub(" ", line)) for line in raw if not line.lstrip().startswith("#")]
        if kept := [line for line in kept if line]:
            found.append(kept)
    beside = [[line for line in lines if bare(line) and not _is_beside(line)] for lines in found]
    return [lines for lines in beside if lines] or found


def _is_beside(line: str) -> bool:
    """Whether a line is about the answer, and said to whoever asked."""
    return bool(is_remark(line) or _LEAVE.match(line) or _BRACKETED.fullmatch(line))


def _without_leads(paragraphs: list[list[str]]) -> list[list[str]]:
    """Return paragraphs without the lines before what is said that only lead to it."""
    lines = [(number, line) for number, one in enumerate(paragraphs) for line in one]
    leads = [at for at, (_, line) in enumerate(lines[:-1]) if _LEAD.fullmatch(line)]
    if leads:
        lines = lines[leads[-1] + 1 :]
    kept: dict[int, list[str]] = {}
    for number, line in lines:
        kept.setdefault(number, []).append(line)
    return list(kept.values())


def _own_words(text: str, speaker: str) -> str:
    """Return what is said of a line that tells of it, or that a label says how somebody says."""
    for form in (_TOLD, _NARRATED, _NAMED_SO, _SPEAKS):
        found = form.fullmatch(text)
        if found is None:
            continue
        who = (found["who"] or "").casefold()
        is_own = who == speaker.casefold() or (who in _PRONOUNS and form is not _NAMED_SO)
        if is_own or (not who and form is _SPEAKS):
            said = found[1] if form is _TOLD else found["said"]
            return said.strip().rstrip(",")
    return text


def _aloud(line: str, speaker: str) -> str:
    """Return what is heard of a line: no stage direction, no speaker's name, no quotation marks."""
    would = _WOULD_SAY.fullmatch(line)
    text = _STAGE.sub("", _SAME_LINE.sub("", would["said"] if would else line)).strip()
    if speaker and text.casefold().startswith(f"{speaker.casefold()}:"):
        text = text[len(speaker) + 1 :].strip()
    text = _own_words(text, speaker)
    if text.count('"') == 1 or (text[:1] == text[-1:] == '"' and text.count('"') == 2):
        text = text.replace('"', "")
    return text.strip()
