"""How scripted minds of contract games answer for modules of cooperation, and act by them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.experiments.loops.cooperation.rules import MODULE_ROLES
from voxpolis.experiments.loops.cooperation.scripted import ActsCompanion

#: Of minds without modules.
NOBODY: Mapping[str, ActsCompanion] = MappingProxyType({})
_ROLES = {role for roles in MODULE_ROLES.values() for role in roles}


def answer_of(companions: Mapping[str, ActsCompanion], request: ChatRequest) -> Answer | str:
    """Return a scripted mind's answer to a module's question; empty: no module asks."""
    own = companions.get(request.agent or "")
    if own is None or request.role not in _ROLES:
        return ""
    return own.answer(request.about)


def keeps_its_part(companions: Mapping[str, ActsCompanion], situation: Situation) -> bool:
    """Return whether a scripted mind plays its part in an episode; without modules it does not."""
    own = companions.get(situation.agent)
    if own is None or situation.known is None:
        return False
    return own.keeps_its_part(situation.known, len(situation.past) + 1)
