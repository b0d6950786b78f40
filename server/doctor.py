"""What voxpolis needs on a machine, checked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass

import environment
from server import paper
from server.state import ROOT, read_state

MINIMUM_DISK_GB = 1


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: ``found`` says what is there, or what to do."""

    name: str
    ok: bool
    found: str
    optional: bool = False


def check_all() -> list[Check]:
    """Look at everything."""
    return [_python(), _node(), _packages(), _disk(), _docker(), _server()]


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("Python 3.11 or newer", sys.version_info >= (3, 11), f"{version} {sys.executable}")


def _node() -> Check:
    try:
        node = str(environment.node_executable())
        version = subprocess.check_output([node, "--version"], text=True).strip()
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        return Check("Node 22 or newer", False, f"{error}")
    return Check("Node 22 or newer", int(version[1:].split(".")[0]) >= 22, f"{version} {node}")


def _packages() -> Check:
    missing = [
        name
        for name in ("mineflayer", "flying-squid", "ses")
        if not (ROOT / "node_modules" / name / "package.json").exists()
    ]
    found = f"missing {', '.join(missing)}; run: make server" if missing else "installed"
    return Check("Node packages", not missing, found)


def _disk() -> Check:
    free_gb = shutil.disk_usage(ROOT).free / 1e9
    return Check("disk space", free_gb > MINIMUM_DISK_GB, f"{free_gb:.1f} GB free")


def _docker() -> Check:
    reason = paper.why_unavailable()
    found = f"{reason}; the embedded server is used instead" if reason else "ready for Paper"
    return Check("Docker", reason is None, found, optional=True)


def _server() -> Check:
    state = read_state()
    if state is None or not state.is_process_alive():
        return Check("server", False, "not running; start it with: make server", optional=True)
    return Check("server", True, f"{state.kind} on port {state.port}")
