"""Figures of roles in a village (Project Sid, figures 8 and 9)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    align_samples,
    episodes_with_conditions,
    grouped_bars,
    minds,
    most_of,
    name_attempt,
    new_axes,
    new_sheet,
    samples,
    sheet_of,
    since_start,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import role_entropy

KEYS = ["run", "episode"]
# Sizes in inches of a panel, of a panel with a matrix, and of a column and a row of the heat map.
PANEL, MATRIX, CELL = (4.6, 3.4), (4.6, 4.6), (0.42, 0.17)
# Number of legend columns below a panel.
LEGEND_COLUMNS = 3
# Colours of the less frequent roles, and of moments without a known role.
OTHERS, UNKNOWN = to_rgba("0.85"), (1.0, 1.0, 1.0, 0.0)
# Preferred condition for the figure of actions.
FIRST = "normal"
# Minimum count for an action to be drawn.
FEWEST_DONE = 5
# Maximum number of rows in a matrix with names.
MOST_NAMES = 60


def _roles(runs: Runs) -> pd.DataFrame:
    """Return the ``role`` events of episodes that count, each with its episode's condition. ``t``
    is counted from the start of the episode.
    """
    roles = runs.events("role", whole=True)
    if roles.empty:
        return roles
    found = since_start(runs.drop_uncounted(roles), runs)
    return found.merge(episodes_with_conditions(runs, found["run"]), on=KEYS)


def _colours(names: list[str]) -> dict[str, tuple[float, float, float, float]]:
    """Return a colour for each of the most frequent roles, which come first. All others are grey,
    because more colours could not be told apart.
    """
    return dict(zip(names, map(to_rgba, COLOURS), strict=False))


def _panels(conditions: list[str], size: tuple[float, float]) -> list[Axes]:
    columns = min(2, len(conditions))
    rows = -(-len(conditions) // columns)
    panels = new_sheet(rows, columns, (size[0] * columns, size[1] * rows), is_one_scale=False)
    found = [axes for row in panels for axes in row]
    for axes in found[len(conditions) :]:
        axes.set_axis_off()
    return found[: len(conditions)]


def roles_over_time(runs: Runs) -> Figure | None:
    """Plot the role of each agent over time, for one episode per condition (figure 8 A and B)."""
    roles = _roles(runs)
    if roles.empty:
        return None
    conditions = sorted(roles["condition"].unique())
    colours = _colours(list(roles["role"].value_counts().index))
    panels = _panels(conditions, MATRIX)
    for axes, condition in zip(panels, conditions, strict=True):
        mine = roles[roles["condition"] == condition]
        keys = [(str(run), int(n)) for run, n in mine[KEYS].drop_duplicates().to_numpy()]
        shown = name_attempt(runs, keys, keys[0])
        one = mine[(mine[KEYS] == mine[KEYS].iloc[0]).all(axis=1)]
        one = align_samples(one, KEYS, ["agent"])
        matrix = one.pivot_table(index="agent", columns="t", values="role", aggfunc="last",
                                 observed=True)  # fmt: skip
        matrix = matrix.sort_values([*matrix.columns[::-1]], na_position="last")
        shades = [[colours.get(role, OTHERS) if isinstance(role, str) else UNKNOWN for role in row]
                  for row in matrix.to_numpy()]  # fmt: skip
        times = matrix.columns.to_numpy(float)
        step = times[1] - times[0] if len(times) > 1 else times[0]
        axes.imshow(np.array(shades), aspect="auto", interpolation="nearest",
                    extent=(times[0] - step, times[-1], len(matrix) - 0.5, -0.5))  # fmt: skip
        last = matrix.iloc[:, -1].value_counts()
        told = f"at the end, most often {most_of(last)} ({last.max()})"
        axes.set_title(f"{condition}{shown}: {told}")
        axes.set_xlabel("seconds")
        axes.grid(False)
        if len(matrix) <= MOST_NAMES:
            axes.set_yticks(range(len(matrix)), list(matrix.index), fontsize="xx-small")
        else:
            axes.set_ylabel("agents")
    drawn = sheet_of(panels[0])
    drawn.suptitle(f"Roles over time\n({minds(runs, roles['run'].unique())})")
    marks = [Patch(color=colour, label=name) for name, colour in colours.items()]
    marks += [Patch(color=OTHERS, label="other roles")] * (len(colours) < roles["role"].nunique())
    drawn.legend(handles=marks, loc="outside lower center", frameon=False, fontsize="small",
                 ncols=LEGEND_COLUMNS * min(2, len(conditions)))  # fmt: skip
    return drawn


def _at_the_end(roles: pd.DataFrame) -> pd.DataFrame:
    return roles.sort_values("t").groupby([*KEYS, "agent"], observed=True).last().reset_index()


def roles_at_the_end(runs: Runs) -> Figure | None:
    """Plot how many agents are in each role at the end, by condition (figure 8 C, D, F and G).

    The numbers have 95 % bootstrap intervals over episodes.
    """
    roles = _roles(runs)
    if roles.empty:
        return None
    last = _at_the_end(roles)
    counts = last.groupby(["condition", *KEYS, "role"], observed=True).size().rename("count")
    table = counts.unstack("role", fill_value=0)
    order = list(table.sum().sort_values(ascending=False).index)
    conditions = sorted(last["condition"].unique())
    panels = _panels(conditions, PANEL)
    for axes, condition in zip(panels, conditions, strict=True):
        mine = table.xs(condition, level="condition")
        there = [role for role in order if mine[role].any()]
        axes.set_title(condition)
        grouped_bars(axes, there, {condition: [list(mine[role]) for role in there]})
        axes.set_ylabel("agents")
    drawn = sheet_of(panels[0])
    drawn.suptitle(f"Roles at the end\n({minds(runs, roles['run'].unique())})")
    return drawn


def entropy_of_roles(runs: Runs) -> Figure | None:
    """Plot the entropy of roles at the end by condition, with 95 % bootstrap intervals (figure 8
    E).
    """
    roles = _roles(runs)
    if roles.empty:
        return None
    by_episode = _at_the_end(roles).groupby(["condition", *KEYS], observed=True)["role"]
    found = by_episode.agg(role_entropy).rename("entropy").reset_index()
    groups = sorted(found["condition"].unique())
    values = samples(found, ["condition"], "entropy")
    axes = new_axes("Entropy of roles at the end", runs, found["run"].unique(), "", "bits")
    grouped_bars(axes, groups, {"entropy": [values[group,] for group in groups]})
    return sheet_of(axes)


def actions_by_role(runs: Runs) -> Figure | None:
    """Plot which actions belong to which roles, as computed by :func:`shares_of` (figure 9).

    The condition ``normal`` is shown if it was played, and otherwise the first condition.
    """
    roles = _roles(runs)
    if roles.empty:
        return None
    conditions = sorted(roles["condition"].unique())
    played = runs.events("condition_started", whole=True).drop_duplicates(KEYS, keep="last")
    played = played[[*KEYS, "condition"]]
    named = roles[[*KEYS, "condition"]].merge(played, on=KEYS, suffixes=("", "_played"))
    normal = sorted(named.loc[named["condition_played"] == FIRST, "condition"].unique())
    condition = (normal or conditions)[0]
    shares = shares_of(runs, condition)
    if shares.empty:
        return None
    mine = roles[roles["condition"] == condition]
    size = (2.2 + CELL[0] * len(shares.columns), 2.4 + CELL[1] * len(shares))
    axes = new_axes(f"Actions by role: {condition}", runs, mine["run"].unique(), "", "", size)
    axes.grid(False)
    image = axes.imshow(shares.to_numpy(), cmap="viridis", aspect="auto", vmin=0, vmax=1)
    axes.set_xticks(range(len(shares.columns)), list(shares.columns))
    axes.set_yticks(range(len(shares)), list(shares.index), fontsize="x-small")
    sheet_of(axes).colorbar(image, label="share over roles of each action's frequency")
    return sheet_of(axes)


def shares_of(runs: Runs, condition: str) -> pd.DataFrame:
    """Return how strongly each action (rows) is associated with each role (columns).

    The counts of each role are first divided by their sum. Then the shares of each action are
    divided by their sum over roles. An action counts for the last role that its agent had before
    the action.
    """
    roles, done = _roles(runs), runs.events("action_done", whole=True)
    if roles.empty or done.empty:
        return pd.DataFrame()
    roles = roles[roles["condition"] == condition]
    done = since_start(runs.drop_uncounted(done[done["ok"].astype(bool)]), runs)
    by = [*KEYS, "agent"]
    for column in by:
        roles, done = (f.assign(**{column: f[column].astype(str)}) for f in (roles, done))
    joined = pd.merge_asof(
        done.sort_values("t"), roles.sort_values("t")[[*by, "t", "role"]], on="t", by=by
    ).dropna(subset="role")
    if joined.empty:
        return pd.DataFrame()
    named = joined.assign(what=(joined["action"] + " " + joined["item"].fillna("")).str.strip())
    counts = named.groupby(["what", "role"], observed=True).size().unstack("role", fill_value=0)
    counts = counts[counts.sum(axis=1) >= FEWEST_DONE]
    within = counts / counts.sum(axis=0).replace(0, 1)
    over = within.div(within.sum(axis=1), axis=0)
    order = over.idxmax(axis=1).to_frame("role").assign(top=-over.max(axis=1))
    return over.loc[order.sort_values(["role", "top"]).index]
