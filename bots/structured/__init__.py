"""Structured answers: asking a model until its answer can be read, and reading what models answer.

Every question has a section ``# Your answer`` that states its forms; a complaint repeats it.
Readers take a form with all that chat models put around it: thoughts and pleasantries, bold,
bullets, headings, fences, upper or lower case, words before and a full stop after. What says
several things at once, or nothing that was asked for, is refused.
"""

from bots.structured.alone import alone
from bots.structured.asking import (
    CHARACTERS_A_TOKEN,
    MAX_ANSWERS,
    MAX_TOKENS,
    all_answered,
    complete_parsed,
    forms,
)
from bots.structured.attached import SCRIPTS
from bots.structured.blocks import (
    fenced,
    in_steps,
    places,
    read_object,
    read_objects,
    read_program,
)
from bots.structured.choosing import Chosen, chosen, is_another
from bots.structured.confirming import UnconfirmedError, remembered, said_before, was_said
from bots.structured.fields import as_object, beside_fields, only_reading, said_fields
from bots.structured.fields_alone import fields_alone
from bots.structured.framing import bare, says_how_sure, takes_leave
from bots.structured.labels import Names
from bots.structured.nested import Inside, Parts, refuse_torn
from bots.structured.neutral import NEUTRAL, is_harmless, is_neutral, is_why, own_words
from bots.structured.programs import read_javascript
from bots.structured.reading import (
    SEVERAL,
    is_frame,
    is_remark,
    lines,
    listed,
    one_reading,
    said_text,
    says_nothing,
    short_lines,
    tagged,
    without_explanations,
    without_lead,
    without_leave,
)
from bots.structured.refusals import RefusedError, is_refusal, refuse_nothing, refuse_question
from bots.structured.remarks import has_other_number, is_aside, without_former
from bots.structured.taking_back import CORRECTS, refuse_taken_back, settled, takes_back
from bots.structured.text import (
    AnswerError,
    NotThereError,
    UnclearError,
    plain,
    spoken,
    without_thinking,
)
from bots.structured.unboxing import rows_of, unboxed
from bots.structured.verdicts import after_verdict, read_verdict
from bots.structured.withdrawn import refuse_withdrawn, says_whether_it_holds
from bots.structured.words import read_choice, read_word, settles, word_of
from bots.values import REMEMBERED

__all__ = [
    "CHARACTERS_A_TOKEN",
    "CORRECTS",
    "MAX_ANSWERS",
    "MAX_TOKENS",
    "NEUTRAL",
    "REMEMBERED",
    "SCRIPTS",
    "SEVERAL",
    "AnswerError",
    "Chosen",
    "Inside",
    "Names",
    "NotThereError",
    "Parts",
    "RefusedError",
    "UnclearError",
    "UnconfirmedError",
    "after_verdict",
    "all_answered",
    "alone",
    "as_object",
    "bare",
    "beside_fields",
    "chosen",
    "complete_parsed",
    "fenced",
    "fields_alone",
    "forms",
    "has_other_number",
    "in_steps",
    "is_another",
    "is_aside",
    "is_frame",
    "is_harmless",
    "is_neutral",
    "is_refusal",
    "is_remark",
    "is_why",
    "lines",
    "listed",
    "one_reading",
    "only_reading",
    "own_words",
    "places",
    "plain",
    "read_choice",
    "read_javascript",
    "read_object",
    "read_objects",
    "read_program",
    "read_verdict",
    "read_word",
    "refuse_nothing",
    "refuse_question",
    "refuse_taken_back",
    "refuse_torn",
    "refuse_withdrawn",
    "remembered",
    "rows_of",
    "said_before",
    "said_fields",
    "said_text",
    "says_how_sure",
    "says_nothing",
    "says_whether_it_holds",
    "settled",
    "settles",
    "short_lines",
    "spoken",
    "tagged",
    "takes_back",
    "takes_leave",
    "unboxed",
    "was_said",
    "without_explanations",
    "without_former",
    "without_lead",
    "without_leave",
    "without_thinking",
    "word_of",
]
