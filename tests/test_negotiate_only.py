"""Negotiations without play: what is agreed on, and what each contract would bring."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.endpoint import saying, serving
from tests.test_negotiation import accept, clause, offer, said
from voxpolis.experiments.run import command, registry
from voxpolis.records import events, read_record


def negotiate(capsys, name, out, **more):
    """The exit code and the result of the command."""
    values = {"world": "grid", "condition": "negotiate", "out": out, "json_output": True, **more}
    code = command.main(registry.experiment(name), values)
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else told.err


@pytest.mark.parametrize(
    ("name", "even"), [("double_vein", 39.0), ("cleanup", 46.5), ("harvest", 46.5)]
)
def test_scripted_negotiators_share_what_specialists_would_have(name, even, tmp_path, capsys):
    code, found = negotiate(capsys, name, tmp_path, negotiate_only=2)
    assert (code, found["agreed"], found["exact"], found["agreement_rate"]) == (0, 2, 2, 1.0)
    assert sum(found["expected_without"].values()) == 2 * even
    for number, entry in enumerate(found["runs"], start=1):
        assert sum(entry["transfers"].values()) == pytest.approx(0)
        assert list(entry["rewards"].values()) == pytest.approx([even, even], rel=0.15)
        assert Path(found["run_dir"], f"contracts/{number}.txt").read_text().startswith("1. ")
    record = read_record(Path(found["run_dir"]))
    assert not record.of(events.EpisodeStarted)  # nobody plays
    assert [event.episode for event in record.of(events.ContractAgreed)] == [0, 1]


def test_what_is_agreed_on_is_counted_and_replayed(tmp_path, capsys):
    """Of four negotiations one ends in clauses, one in words, and two in nothing."""
    answers = [
        offer("Share.", clauses=[clause("Gizmo", "Glitch", 9)]).text(),
        accept(1).text(),
        offer("Gizmo pays Glitch what is fair.").text(),
        accept(1).text(),
        *[said("No.").text()] * 4,
    ]
    with serving(saying(lambda _request: answers.pop(0))) as endpoint:
        model = {"base_url": endpoint.url, "model": "local-test", "rounds": 2}
        code, found = negotiate(capsys, "double_vein", tmp_path, negotiate_only=4, **model)
    assert (code, answers) == (0, [])
    counted = [found[name] for name in ("agreed", "exact", "agreement_rate")]
    assert counted == [2, 1, 0.5]
    assert found["runs"][0]["rewards"] == {"Gizmo": 39.0, "Glitch": 39.0}
    assert found["transfers"]["Glitch"] == {"mean": 9.0, "sd": None}
    assert [entry["agreed"] for entry in found["runs"]] == [True, True, False, False]
    assert found["runs"][1]["rewards"] is None  # a judge would settle it
    again = {"replay": Path(found["run_dir"]), "out": tmp_path, "json_output": True}
    assert command.main(registry.experiment("double_vein"), again) == 0
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["runs"] == found["runs"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"condition": "1"}, "--negotiate-only needs --condition negotiate"),
        ({"world": "minecraft"}, "--negotiate-only plays nothing: add --world grid"),
    ],
)
def test_what_cannot_be_negotiated_is_one_line(more, says, tmp_path, capsys):
    code, told = negotiate(capsys, "double_vein", tmp_path, negotiate_only=2, **more)
    assert code == 2
    assert says in told
