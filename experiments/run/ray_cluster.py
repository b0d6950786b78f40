"""The Ray cluster on which the bots of a run live."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from voxpolis.experiments.run.options import UsageError


@contextmanager
def ray_cluster(address: str | None, server: str) -> Iterator[None]:
    """Connect to a cluster, or start a cluster on this machine, while the context is open.

    Args:
        address: address of the cluster. If it is None, the environment variable RAY_ADDRESS names
            the cluster; without this variable, a cluster is started.
        server: address of the Minecraft server, which all machines of the cluster must reach.

    Raises:
        UsageError: there is no cluster, or it cannot reach the server.
    """
    from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

    is_own = False
    try:
        try:
            is_own = ray_host.connect(address)
            ray_host.reachable(server)
        except RuntimeError as error:
            raise UsageError(str(error)) from error
        yield
    finally:
        if is_own:
            ray_host.disconnect()
