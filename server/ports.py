"""Find out whether ports are free, and which processes use them."""

from __future__ import annotations

import errno
import socket

import psutil


def is_free(host: str, port: int) -> bool:
    """Return whether a server could listen on a port. The result is always true for port 0.

    Raises:
        OSError: the host is not an address of this machine, or the port needs more rights.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
    return True


def free_from(host: str, port: int) -> int:
    """Return the first free port from ``port`` on.

    If there is none, return 0, which means any port.
    """
    return next((number for number in range(port, 65536) if is_free(host, number)), 0)


def owner_of(port: int) -> str:
    """Describe the process that listens on a port, if this user may see the process."""
    try:
        for connection in psutil.net_connections("tcp"):
            local = connection.laddr
            if local and local.port == port and connection.status == psutil.CONN_LISTEN:
                return _describe(connection.pid)
    except (psutil.AccessDenied, OSError):
        pass
    return "another process (not visible to this user)"


def _describe(pid: int | None) -> str:
    if pid is None:
        return "another user's process"
    try:
        process = psutil.Process(pid)
        return f"{process.name()} (process {pid}: {' '.join(process.cmdline())[:80]})"
    except psutil.Error:
        return f"process {pid}"
