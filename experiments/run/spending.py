"""Consent to what language models cost: when a command asks, the default budget, what it prints.

A run at an endpoint on this machine or in a private network never asks. At any other endpoint it
stops at a default budget (:mod:`experiments.run.model_choice`) unless ``--budget`` was typed. It
asks first where the environment alone chose the model (an exported ``OPENAI_API_KEY``), or where
one command plays several runs. Without a terminal such a command needs ``--yes`` or ``--budget``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.experiments.run.earlier import NAMES_A_MIND
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import UsageError
from voxpolis.records.text import many


@dataclass(frozen=True)
class Purchase:
    """Runs that one command plays with the same models.

    Attributes:
        choice: the models.
        runs: number of runs, each with a budget of its own.
        estimate: returns the dollars that all of them cost, or None where no price is known.
    """

    choice: ModelChoice
    runs: int
    estimate: Callable[[], float | None]


def agree(
    what: str,
    purchases: Sequence[Purchase],
    typed: Mapping[str, Any],
    free: str = "or --mind scripted to play without a model",
) -> None:
    """Ask whether to pay, unless what was typed says so already.

    Args:
        what: what is played, such as "taxation".
        purchases: all that the command pays for.
        typed: the options of the command line by their fields.
        free: how to play without paying, for people.

    Raises:
        UsageError: the answer is no, or there is no terminal to ask on.
    """
    paid = [purchase for purchase in purchases if purchase.choice.is_paid]
    runs = sum(purchase.runs for purchase in paid)
    is_chosen = any(typed.get(name) for name in NAMES_A_MIND)
    if not paid or typed.get("yes") or typed.get("budget") or (is_chosen and runs == 1):
        return
    who = "; ".join(dict.fromkeys(purchase.choice.who for purchase in paid))
    why = "" if is_chosen else " (named by no option of this command)"
    ways = f"add --yes or --budget '$5' to pay, {free}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{what} would ask {who}{why}, which costs money: {ways}")
    print(f"{what}: {many(runs, 'run')} would ask {who}{why}.", file=sys.stderr)
    print("estimating the price …", file=sys.stderr, flush=True)
    limits = ", ".join(dict.fromkeys(str(purchase.choice.budget) for purchase in paid))
    limit = f"a run stops at its budget of {limits}" if runs == 1 else f"each stops at {limits}"
    print(f"{_price(paid)}; {limit} (--budget sets another).", file=sys.stderr)
    print("Pay for this? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError(f"nothing was played: {ways}")


def _price(paid: Sequence[Purchase]) -> str:
    """Return what purchases are estimated to cost, in words."""
    try:
        dollars = [purchase.estimate() for purchase in paid]
    except UsageError as error:
        return f"Estimate: unknown ({error})"
    known = [each for each in dollars if each is not None]
    if len(known) < len(dollars):
        return "Estimate: unknown"
    return f"Estimate: about ${max(0.01, sum(known)):.2f}"
