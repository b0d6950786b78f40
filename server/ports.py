"""Ports: whether one is free, and who has it if not."""

from __future__ import annotations

import errno
import socket

import psutil


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there (port 0 always can).

    Raises:
        OSError: the host is no address of this machine, or the port needs rights one lacks.
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
    """The first free port from one on; 0, which takes any, where there is none."""
    return next((number for number in range(port, 65536) if is_free(host, number)), 0)


def owner_of(port: int) -> str:
    """Who listens on a port, as words for an error; without the rights to know, says that."""
    try:
        for connection in psutil.net_connections("tcp"):
            local = connection.laddr
            if local and local.port == port and connection.status == psutil.CONN_LISTEN:
                return _describe(connection.pid)
    except (psutil.AccessDenied, OSError):
        pass
    return "another process (which one cannot be seen from here)"


def _describe(pid: int | None) -> str:
    if pid is None:
        return "another user's process"
    try:
        process = psutil.Process(pid)
        return f"{process.name()} (process {pid}: {' '.join(process.cmdline())[:80]})"
    except psutil.Error:
        return f"process {pid}"
