"""Asks the user before language models cost money, and limits what they cost.

Endpoints on this machine or in a private network count as free, so the user is not asked. At other
endpoints, each run stops at a default budget (:mod:`experiments.run.model_choice`), unless the user
types ``--budget``. The user is asked for consent if only the environment chose the model (an
exported ``OPENAI_API_KEY``), or if one command plays several runs. If there is no terminal for this
question, the command fails, unless ``--yes`` or ``--budget`` was given.
"""

from __future__ import annotations

import socket
import sys
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.experiments.run.earlier import MIND_OPTIONS
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import UsageError
from voxpolis.records.text import many


@dataclass(frozen=True)
class Purchase:
    """Runs that one command plays with the same models.

    Attributes:
        choice: the models.
        runs: number of runs. Each run has its own budget.
        estimate: returns the total cost in dollars, or None if prices are unknown.
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
    """Ask the user for consent to pay, unless the command line already gives it.

    Args:
        what: what the user wants to do, such as "taxation".
        purchases: everything for which the command pays.
        typed: options on the command line, by field.
        free: says how the user can avoid paying.

    Raises:
        UsageError: the user does not agree, or there is no terminal.
    """
    paid = [purchase for purchase in purchases if purchase.choice.is_paid]
    runs = sum(purchase.runs for purchase in paid)
    is_chosen = any(typed.get(name) for name in MIND_OPTIONS)
    if not paid or typed.get("yes") or typed.get("budget") or (is_chosen and runs == 1):
        return
    who = "; ".join(dict.fromkeys(purchase.choice.who for purchase in paid))
    why = "" if is_chosen else " (chosen by the environment)"
    ways = f"add --yes or --budget '$5' to pay, {free}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{what} would call {who}{why}, which costs money: {ways}")
    print(f"{what}: {many(runs, 'run')} would ask {who}{why}.", file=sys.stderr)
    print("estimating the price …", file=sys.stderr, flush=True)
    limits = ", ".join(dict.fromkeys(str(purchase.choice.budget) for purchase in paid))
    limit = f"a run stops at its budget of {limits}" if runs == 1 else f"each stops at {limits}"
    print(f"{_price(paid)}; {limit} (--budget sets another).", file=sys.stderr)
    print("Pay for this? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError(f"nothing was played: {ways}")


def check_endpoints(purchases: Sequence[Purchase]) -> None:
    """Connect to each endpoint once, so that many runs do not fail one after the other.

    Raises:
        UsageError: an endpoint cannot be reached.
    """
    for address in sorted({one for each in purchases for one in each.choice.endpoints}):
        try:
            urllib.request.urlopen(address, timeout=10).close()
        except OSError as error:
            why = getattr(error, "reason", error)
            # After any other error, an endpoint may exist, and each run reports its answers.
            if isinstance(why, ConnectionRefusedError | socket.gaierror):
                raise UsageError(
                    f"{address} cannot be reached ({why}): check --base-url, or start the endpoint"
                ) from error


def _price(paid: Sequence[Purchase]) -> str:
    try:
        dollars = [purchase.estimate() for purchase in paid]
    except UsageError as error:
        return f"Estimate: unknown ({error})"
    known = [each for each in dollars if each is not None]
    if len(known) < len(dollars):
        return "Estimate: unknown"
    return f"Estimate: about ${max(0.01, sum(known)):.2f}"
