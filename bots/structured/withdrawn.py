"""Objects that say of themselves that they do not hold: ``"valid": false``, ``"note": "draft"``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bots.structured.text import AnswerError
from records.text import caseless

#: Fields that say that an object holds, and fields that say that it does not.
_HOLDS = re.compile(r"(?:is_?)?(?:valid|binding|in_force|final)")
_FAILS = re.compile(
    r"(?:is_?|only_?|a_?)?(?:void(?:ed)?|draft|invalid|tentative|provisional|superseded|obsolete"
    r"|placeholder|hypothetical|withdrawn|revoked|retracted|disregarded?|cancell?ed|rejected"
    r"|replaced)"
)
#: Fields that name what holds instead.
_REPLACED = re.compile(r"(?:superseded|replaced)_by|instead")
#: Fields that limit what their object says, or say something else, whatever it is about.
_LIMITS = re.compile(
    r"(?:only_)?(?:if|when|unless|until|while)|(?:pre)?conditions?|conditional(?:_on)?"
    r"|provided(?:_that)?|except(?:ions?)?|exempt(?:ions?)?|but|skip(?:ped)?|optional|approximate"
    r"|valid_(?:from|until|for)|(?:corrections?|corrected)|errat(?:um|a)|as_long_as"
    r"|depends_on|counts|denied|negated|inverted|limit(?:s|ed_to|ations?)"
)
#: The same of the payments of a term.
_MOVES = re.compile(
    r"(?:is_?)?(?:appl(?:y|ies|icable)|effective|active|enforced?|confirmed|approved|due|triggered"
    r"|pay(?:able)?)"
)
_STAYS = re.compile(r"(?:is_?)?(?:cancell?ed|waived|ignored?|disputed|pending|forgiven|suspended)")
#: Yes and no in words, and words that say that an object is none to go by.
_YES = caseless(r"\W*(?:yes|true|y|1)\b.*")
_NO = caseless(r"\W*(?:no|not|false|none|never|n|0)\b.*")
_SUBJECT = r"(?:this|it|the (?:above|answer|judge?ment|object|finding|payment)s?)"
_IS_NONE = caseless(
    rf"\W*(?:{_SUBJECT}\s+(?:is|are|was)\s+)?"
    r"(?:(?:only|just|still|a|an|the|first|rough|mere|working)\s+)*"
    r"(?:drafts?|void|invalid|tentative|provisional|placeholder|superseded|withdrawn|retracted"
    r"|rejected|cancell?ed|discarded|abandoned|revoked|obsolete"
    r"|hypothetical|not (?:yet )?(?:final|valid|binding|to be (?:used|paid|applied))"
    r"|(?:ignore|disregard|do not (?:use|apply|pay|count)) (?:this|it|that|the)\b.*)\b\W*"
)
_IS_WAIVED = caseless(
    rf"\W*(?:{_SUBJECT}\s+(?:is|are|was)\s+)?(?:waived|cancell?ed|forgiven|suspended|pending|disputed"
    r"|not (?:triggered|due|owed|payable))\W*"
)
_SAYS_NOTHING = caseless(r"\W*(?:none|null|nothing|n/?a|no)?\W*")
_REMARKS = re.compile(r"(?:notes?|comments?|remarks?|status|state|stage|disclaimer|warning)")


def says_it_holds(name: str) -> bool:
    """Whether a field, of any object, says that this holds or does not: see below."""
    return bool(_HOLDS.fullmatch(name) or _FAILS.fullmatch(name))


def refuse_limited(found: object) -> None:
    """Refuse an object a field of which limits it, or one in it: ``"condition": "if he pays"``.

    Only fields of known names are seen (:data:`_LIMITS`), for what a role was asked for is not
    known here; where it is, see :mod:`bots.structured.others`.

    Raises:
        AnswerError: one does, and says something.
    """
    inside = [found]
    while inside:  # answers nest as deep as Python's own calls
        one = inside.pop()
        if isinstance(one, list):
            inside += one
        elif isinstance(one, Mapping):
            inside += one.values()
            for key, value in one.items():
                _refuse_limit("_".join(str(key).strip().lower().split()), value)


def _refuse_limit(name: str, value: Any) -> None:
    is_nothing = isinstance(value, str) and _SAYS_NOTHING.fullmatch(value)
    says = value not in (None, "", [], {}) and not is_nothing
    if _LIMITS.fullmatch(name) and says and (value is not False or name == "counts"):
        raise AnswerError(
            f"{name[:30]!r} beside it would limit what it says; say what holds as it is, and leave "
            "that out"
        )


def says_whether_it_holds(name: str) -> bool:
    """Whether a field says that its object holds or does not, or that a payment is made."""
    name = "_".join(name.strip().lower().split())
    return any(form.fullmatch(name) for form in (_HOLDS, _FAILS, _MOVES, _STAYS))


def refuse_withdrawn(found: Mapping[Any, Any], moves: bool = False) -> None:
    """Refuse an object one of whose fields says that it does not hold.

    Args:
        found: the object.
        moves: whether it is about payments that are made, so that it may say as well that these
            are waived, or that what they hang on did not happen.

    Raises:
        AnswerError: one does.
    """
    for key, value in found.items():
        name = "_".join(str(key).strip().lower().split())
        no = value is False or (isinstance(value, str) and _NO.fullmatch(value))
        yes = value is True or (isinstance(value, str) and _YES.fullmatch(value))
        holds = _HOLDS.fullmatch(name) or (moves and _MOVES.fullmatch(name))
        fails = _FAILS.fullmatch(name) or (moves and _STAYS.fullmatch(name))
        is_told = isinstance(value, str) and (moves or _REMARKS.fullmatch(name))
        is_none = is_told and _IS_NONE.fullmatch(value)
        is_waived = is_told and moves and _IS_WAIVED.fullmatch(value)
        is_replaced = _REPLACED.fullmatch(name) and value and not no
        if (holds and no) or (fails and yes) or is_none or is_waived or is_replaced:
            raise AnswerError(
                f"the object says that it does not hold; leave out {name[:30]!r}, or answer anew"
            )
