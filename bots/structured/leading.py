"""What leads to a program with a colon, in words that can neither limit nor deny it.

Models begin with a sentence on what they are going to do: ``I take the tool first, and then do
this:``. What turns such words round is said with rather few words of English: what denies,
conditions, contrasts, permits or corrects, or tells of another's. A lead with one of them is free
words, about which the model is asked once more (:mod:`bots.structured.confirming`).
"""

from __future__ import annotations

import re

from bots.structured.text import plain
from records.text import caseless

#: No lead is longer, in characters.
_LONGEST = 400
_LATIN = re.compile(r"[^\u0000-\u024f\u2000-\u206f\u20ac\u2190-\u21ff\u2600-\u27bf\ufe0f"
                    r"\U0001f300-\U0001faff]")  # fmt: skip
_TURNS = caseless(
    r"(?:\b|_)(?:"
    # denies
    r"not?|nor|never|none|nothing|nobody|nowhere|neither|without|cannot|\w+n['\u2019]t|dont|cant|wont|non|nay"
    r"|hardly|barely|scarcely|rarely|seldom|un(?:less|til|true|der)|against|oppos\w*|den(?:y|ies|ied)"
    r"|refus\w*|refut\w*|disprov\w*|doubt\w*|reject\w*|declin\w*|disagree\w*|dislik\w*|hat(?:e|es|ed)|object(?:s|ed|ion)?"
    r"|contrar\w*|opposite|revers\w*|invert\w*|wrong\w*|false\w*|untrue|mistak\w*|errors?|incorrect\w*"
    r"|invalid\w*|void|joke\w*|kidding|sarcas\w*|iron(?:y|ic|ically)|pretend\w*|li(?:e|es|ed|ar)"
    # the same in other languages
    r"|nicht|kein\w*|nur|nie|niemals|au\u00dfer|ausser|wenn|falls|aber|sondern|ohne|pas|jamais|sauf"
    r"|seulement|sans|mais|nunca|s\u00f3lo|solo|salvo|sin|pero|mai|senza|tranne|nem|s\u00f3|sem|mas"
    # conditions and limits
    r"|if|when(?:ever)?|while|once|till|provided|providing|assum\w*|suppos\w*|conditional\w*"
    r"|condition|conditions|depend\w*|only|solely|merely|just|except\w*|exempt\w*|exclud\w*|limit\w*"
    r"|restrict\w*|apply|applies|applied|holds?|valid|effect\w*|starting|begin\w*|temporar\w*|partly"
    r"|partial\w*|half|double|twice|triple|quarter|maximum|minimum|at (?:most|least)"
    r"|(?:most|least) of|less|fewer|more than|bad(?:ly)?|worse|worst|naive|broken"
    r"|per cent|percent|up to"
    # contrasts and corrects
    r"|but|however|though|although|yet|despite|instead|rather|otherwise|else|alternativ\w*|whereas"
    r"|nevertheless|even so|actually|wait|sorry|oops|hmm|correct\w*|revis\w*|chang\w*"
    r"|replac\w*|swap\w*|switch\w*|amend\w*|adjust\w*|updat\w*|edit\w*|rethink\w*|reconsider\w*"
    r"|second thoughts?|withdr\w*|cancel\w*|repeal\w*|undo\w*|skip\w*|ignor\w*|remov\w*"
    r"|drop(?:s|ped)?|delet\w*|disregard\w*|stop\w*|avoid\w*|forget\w*"
    r"|discard\w*|scrap\w*|typo\w*"
    r"|meant|means?|read as|should|would|could|might|may|must|ought|perhaps|maybe|possibly"
    r"|prefer\w*"
    # another answer, or somebody else's
    r"|or|vs|versus|other|others|another|option\w*|version\w*|drafts?|examples?|hypothe\w*|pseudo\w*"
    r"|templates?|candidates?|previous\w*|earlier|former\w*|old|last|before|later|afterwards|after"
    r"|initially|originally|ago|back then|at first|in the past|(?<!is )(?<!are )(?<!be )used to"
    r"|votes?|voted|voting|answers?|answered|answering|responds?|repl(?:y|ies|ied)|verdicts?|shares?"
    r"|ballots?|accept\w*|propos\w*|yes|nah|nope|quot\w*|thinks?|claims?|according"
    r"|for (?:the (?:rich|poor|week|season|day|time|first|next|moment)|those|people|some)"
    r"|lapses?|lapsed|released?|forgiv\w*|waiv\w*"
    r")\b"
)
#: What belongs to somebody, and what is for, of or by somebody who has a name.
_OF_ANOTHER = re.compile(
    r"\b(?!(?:[Ii]t|[Tt]hat|[Tt]here|[Hh]ere|[Ww]hat|[Ll]et|[Hh]e|[Ss]he|[Ww]ho|[Tt]his)"
    r"['\u2019]s\b)"
    r"\w+['\u2019]s\b|\b[Ff]or [A-Z]\w|\b[Bb]y [A-Z]\w|\b[Aa]s [A-Z]\w|\b[Oo]f [A-Z]\w"
)
#: A word in capitals is a form of an answer.
_FORM = re.compile(r"\b[A-Z][A-Z_]{2,}\b")
#: What is no such word, though it looks like one.
_TURNS_NOTHING = caseless(
    r"\b(?:each other|all (?:two|three|four|five|six)|(?:there is )?no contract"
    r"|(?:this|the) amendment)\b"
)
#: How such a lead begins: one's own doing, or the program that does it.
_SELF = r"(?:i|i['\u2019](?:ll|m|ve)|we|we['\u2019](?:ll|re)|let['\u2019]s|let me)\b"
_OWN_DOING = caseless(
    r"\W*(?:(?:so|ok|okay|sure|alright|great|now|then|therefore|thus|first|here|well)\b\W*)*"
    rf"(?:{_SELF}|(?:this|these|to)\b"
    r"|(?:the|my|our)(?: \w+)? (?:programs?|plans?|code|scripts?|functions?|steps?|following)\b"
    rf"|(?:since|given|based|with|in|by|as)\b.*\b{_SELF})"
)
#: Somebody else in a label: what stands below it may be theirs.
_SOMEBODY = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]ers?|[Hh]im|[Tt]hey|[Tt]heirs?|[Tt]hem|[Yy]ours?|[Yy]ou)\b"
    r"|(?<=[\w,;] )(?!(?:I|JavaScript|Minecraft|Mineflayer|Step)\b)[A-Z]\w*"
)


def leads_to_own(line: str) -> bool:
    """Whether a line that ends with a colon leads to what one does oneself, below it.

    It does not where it names somebody else, who may do it.
    """
    said = _TURNS_NOTHING.sub("", plain(line)).strip().rstrip(":*_ ")
    return (
        bool(_OWN_DOING.match(said))
        and len(said) <= _LONGEST
        and not _SOMEBODY.search(said)
        and not _LATIN.search(said)
        and not _FORM.search(said)
        and not _TURNS.search(said)
        and not _OF_ANOTHER.search(said)
    )
