"""What planners of grid games would be asked, for ``--show-prompts``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from voxpolis.bots.agents.planner.belief_map import BeliefMap
from voxpolis.bots.agents.planner.observation_text import plan_messages
from voxpolis.bots.agents.planner.situation import (
    Bargain,
    ChooseGroup,
    FindPartner,
    PlanSituation,
    situation_of,
)
from voxpolis.bots.agents.planner.society import Said, job_views, society_of
from voxpolis.experiments.loops.grid.game import GridGame
from voxpolis.grid.adasociety.vector import VectorGame

#: What stands for a bargain that is under way: what the other keeps, in tenths.
OFFER = 6


def grid_prompts(played: GridGame, seed: int) -> str:
    """Return the prompts of each agent at each stage, as an episode begins."""
    table = VectorGame(played.rules, played.game, 1, action_masks=True, execution="auto")
    observed, info = table.reset(seed=seed)
    t, names = table.tables, table.names._replace(agents=list(played.agents))
    society = society_of(t, names, job_views(t, names, played.rules), table.state)
    shown = []
    for i, agent in enumerate(names.agents):
        know = BeliefMap(i, t, names)
        shared = ("step", "social")
        own = {name: rows[0, i] for name, rows in observed.items() if name not in shared}
        know.see({**own, "step": observed["step"][0]})
        mask = np.asarray(info["action_mask"][0, i])
        situation = situation_of(know, played.rules, own, mask, None, society)
        for stage, at_stage in _stages(situation, t.contract_steps, t.negotiation_steps):
            title = f" planner, {agent}{stage} "
            asked = "\n\n".join(message["content"] for message in plan_messages(at_stage))
            shown.append(f"{title:=^80}\n{asked}")
    return "\n\n".join(shown)


def _stages(
    s: PlanSituation, contract_steps: int, negotiation_steps: int
) -> Iterator[tuple[str, PlanSituation]]:
    """Yield what is asked at each of the game's stages, each with a word for the title."""
    society = s.society
    if contract_steps:
        at_turn = replace(society, turn=s.number)
        yield ", choosing a group", replace(s, choice=ChooseGroup(s.agents), society=at_turn)
    if negotiation_steps:
        yield ", looking for a partner", replace(s, choice=FindPartner())
        partner = (s.number + s.agents // 2) % s.agents
        said = [Said(0, partner, s.number, f"offers to keep 0.{OFFER}")]
        talks = replace(society, bargains=[(s.number, partner)], said=said)
        yield ", bargaining", replace(s, choice=Bargain(partner, OFFER), society=talks)
    steps = contract_steps or negotiation_steps
    playing = replace(society, order=(), turn=-1, left=0)
    stage = ", playing" if steps else ""
    yield stage, replace(s, step=steps, choice=s.play, society=playing)
