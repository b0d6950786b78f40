"""The Ray cluster that hosts a run's bots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from voxpolis.experiments.run.options import UsageError


@contextmanager
def ray_cluster(address: str | None, server: str) -> Iterator[None]:
    """Connect to a cluster, or start one on this machine, while the context is open.

    Args:
        address: address of the cluster; None: RAY_ADDRESS, or a new cluster.
        server: address of the Minecraft server, which all machines must reach.

    Raises:
        UsageError: there is no cluster, or it cannot reach the server.
    """
    from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

    try:
        is_own = ray_host.connect(address)
    except RuntimeError as error:
        raise UsageError(str(error)) from error
    try:
        _check(server)
        yield
    finally:
        if is_own:
            ray_host.disconnect()


def _check(server: str) -> None:
    from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

    try:
        ray_host.reachable(server)
    except RuntimeError as error:
        raise UsageError(str(error)) from error
