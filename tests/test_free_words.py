"""Sentences that a chat model may write behind an answer: none of them counts without a question.

tests/data/free_words.yaml holds what explains an answer, and what limits, denies or hands it over,
as those took them who wrote them before there was a rule; the rule is the same for all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bots.structured import AnswerError, UnconfirmedError, said_before
from tests.test_answers import READERS

DATA = Path(__file__).parent / "data" / "free_words.yaml"
FREE = {
    name: (one["role"], one["answer"], [*one["explains"], *one["turns"]])
    for name, one in yaml.safe_load(DATA.read_text(encoding="utf-8")).items()
}
#: So many of a hundred may be refused for good (they take it back), or be harmless.
MOST = 5


@pytest.mark.parametrize("name", FREE)
def test_free_words_are_asked_about_once_whatever_they_say(name):
    role, said, sentences = FREE[name]
    meant = READERS[role](said)
    otherwise = []
    for sentence in sentences:
        answer = f"{said}\n\n{sentence}"
        try:
            READERS[role](answer)
        except UnconfirmedError as asked:
            with said_before(asked.value):
                assert READERS[role](answer) == meant, answer
            continue
        except AnswerError:
            pass
        otherwise.append(sentence)
    assert len(otherwise) <= MOST * len(sentences) / 100, otherwise
