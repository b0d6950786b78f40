"""What cannot be played is told in one line, with exit code 2, before anything is played."""

from __future__ import annotations

import shlex

import pytest

from tests.conftest import ROOT
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command
from voxpolis.front import run_app

#: By scenario: what is typed behind its name, and what is said of it.
BAD_INPUT = {
    "adasociety": [
        ("--game chess", "there is no game 'chess'"),
        ("--set length=0", "setting length: Input should be greater than 0"),
        ("--set size=0", "there is no setting 'size'; there are: length, map"),
        ("--set length", "--set takes KEY=VALUE"),
        ("--agent wise", "there is no kind of agent 'wise'; there are: planner, scripted"),
        ("--agent trained", "trained: the kind trained takes a file: trained:FILE"),
        ("--agent random:x", "random:x: the kind random takes nothing behind it"),
        ("--rules nowhere.yaml", "cannot read nowhere.yaml"),
    ],
    "commons": [
        ("--condition kind", "there is no condition 'kind'; there are: none, coop"),
        ("--set rounds=0", "setting rounds: Input should be greater than 0"),
        ("--set trees=2", "setting trees: "),
        ("--set targets.Pedro=1.5", "targets are parts of all attacks"),
        ("--set persons.Zoe=greedy", "setting persons.Zoe"),
        (
            "--condition bots --set persons.Pedro=greedy",
            "setting persons.Pedro: bots is played by Juan and Laura",
        ),
        (
            "--condition bots --set targets.Pedro=1",
            "setting targets.Pedro: bots is played by Juan and Laura",
        ),
        ("--set rate=2", "setting rate: "),
        ("--game chess", "'chess' is not one of 'harvest', 'clean_up'"),
        ("--game clean_up --condition one_tree", "clean_up has no condition 'one_tree'; it has: "),
        ("--game clean_up --modules shouting", "there is no module shouting; there are: "),
        ("--condition bots --set bots=wild", "bots are scripted, trained or trained:FILE"),
        ("--condition bots --set bots=trained:no.npz", "no.npz cannot be read: No such file"),
        ("--set bots=trained", "setting bots: none is played without bots"),
        ("--game clean_up --set trees=1", "setting trees: clean_up has no trees"),
        (
            "--game clean_up --set persons.Juan=greedy",
            "setting persons.Juan: clean_up is played by: cleaner, eater, sharer",
        ),
        (
            "--set persons.Juan=eater",
            "setting persons.Juan: harvest is played by: sparing, greedy, guard, pacifist",
        ),
        ("--set pace=0", "setting pace: Input should be greater than 0"),
        ("--world ocean", "there is no world 'ocean' for commons"),
        ("--agent planner", "planner agents cannot play commons"),
    ],
    "crafting_tree": [
        ("--until cheese", "there is no milestone 'cheese': wooden, stone, iron, diamond"),
        ("--set 'jobs={Ada: king}'", "there is no job 'king'"),
        ("--set 'jobs={Zoe: miner}'", "there is no agent 'Zoe'"),
        ("--agents 99", "less than or equal to 10"),
        ("--tree oak", "there is no tree 'oak'; there are: minecraft, adasociety"),
        ("--skills nowhere", "there is no folder nowhere"),
        ("--resume nowhere", "there is no run folder nowhere"),
        ("--resume docs", "docs holds no run"),
        ("--episodes 2", "No such option"),
    ],
    "double_vein": [
        ("--contract 7", "there is no contract '7'"),
        ("--contract missing.txt", "No such file"),
        ("--mind genius", "'genius' is not one of"),
        ("--set colour=red", "there is no setting 'colour'"),
        ("--set max_attempts", "KEY=VALUE"),
        ("--set max_attempts=many", "max_attempts"),
        ("--set 'values.Gizmo.iron=[]'", "values.Gizmo.iron"),
        ("--time-limit -1", "--time-limit: Input should be greater than 0"),
        ("--config missing.yaml", "cannot read missing.yaml"),
        ("--set 'values.Anna={iron: 1, diamond: 1}'", "the players are"),
        ("--judge jury", "'jury' is not one of 'exact', 'model', 'both'"),
        ("--replay nowhere", "there is no run folder nowhere"),
        ("--replay docs", "docs holds no run"),
        ("--replay docs --seed 3", "docs holds no run"),
        ("--replay a --resume b", "either replayed or gone on"),
        ("--models nowhere.yaml", "cannot read nowhere.yaml"),
        ("--models pyproject.toml", "pyproject.toml is not YAML"),
        ("--prices docker-compose.yml", "docker-compose.yml: "),
        ("--compile", "--compile and --renegotiate need --condition negotiate"),
        ("--budget much", "a budget is such as"),
        ("--world grid --budget lots --mind scripted", "leave out --budget"),
        ("--model my-own --budget '1 dollars'", "no price is known for my-own"),
        ("--set time_limit_s=0", "setting time_limit_s: "),
        ("--world moon", "there is no world 'moon'"),
        ("--contract 1 --condition=none", "--condition and --contract are one option: leave one"),
        ("--show-prompts --estimate", "--estimate and --show-prompts print a thing of their own"),
    ],
    "items": [
        ("--condition alone", "there is no condition 'alone'"),
        ("--set success=0", "greater than 0"),
        ("--set trades.market=moon", "the market 'moon' is no site"),
        ("--set 'modules={telepathy: 1}'", "there is no module telepathy"),
        ("--world minecraft --replay nowhere", "there is no run folder nowhere"),
    ],
    "matrix": [
        ("--game poker", "there is no game 'poker'"),
        ("--set strategies.Ann=nice", "there is no strategy 'nice'"),
        ("--set strategies.Zoe=grim", "the players are Ann and Bob"),
        ("--game custom", "a custom game needs a table"),
        (
            "--set 'table={actions: [a, a], payoffs: [[[1,1],[1,1]],[[1,1],[1,1]]]}'",
            "two different",
        ),
    ],
    "coherence": [
        ("--condition calm", "there is no condition 'calm'"),
        ("--set ways.lies=2", "less than or equal to 1"),
        ("--agents 1", "greater than or equal to 2"),
    ],
    "sentiment": [
        ("--condition cook", "there is no condition 'cook'"),
        ("--condition society --agents 2", "greater than or equal to 3"),
        ("--condition society --set ways.dulled=0", "greater than or equal to 1"),
        ("--set feeling.moved=2", "less than or equal to 1"),
        ("--set line_s=1e-9", "greater than or equal to 0.05"),
    ],
    "specialisation": [
        ("--world moon", "there is no world 'moon' for specialisation"),
        ("--condition anarchy", "there is no condition 'anarchy'"),
        ("--set trades=none.yaml", "cannot read none.yaml"),
        ("--set trades.market=moon", "the market 'moon' is no site"),
        ("--set ways.doubt=0", "greater than or equal to 1"),
        (
            "--set 'modules={controller: 0}'",
            "module controller: a period is a number of seconds, 0.05 at",
        ),
        ("--set 'modules={goals: -1}'", "module goals: a period is a number of seconds, 0.05 at"),
        ("--set 'modules={goals: .inf}'", "module goals: a period is a number of seconds, 0.05 at"),
    ],
    "taxation": [
        ("--condition anarchy", "there is no condition 'anarchy'"),
        ("--influencers loud", "--influencers: there is no 'loud'"),
        ("--world moon", "there is no world 'moon'"),
        ("--set window_s=500", "a season's window must be shorter"),
        ("--set vote_s=1", "come in this order"),
        ("--set 'modules={telepathy: 1}'", "there is no module telepathy"),
        ("--resume nowhere", "there is no run folder nowhere"),
        ("--resume docs", "docs holds no run"),
        ("--episodes 2", "leave out --episodes"),
        ("--agent voyager", "voyager agents cannot play taxation in the world grid"),
    ],
}
ROWS = [(scenario, *row) for scenario, rows in BAD_INPUT.items() for row in rows]


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Types a command, which must come to nothing but one line; returns that."""
    out = tmp_path / "out"
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "no server"))

    def type_words(scenario, *words):
        monkeypatch.setattr("sys.argv", [scenario, *words, "--out", str(out)])
        with pytest.raises(SystemExit) as ended:
            run_app(command(registry.experiment(scenario)))
        said = capsys.readouterr()
        (line,) = said.err.splitlines()
        assert (ended.value.code, line[:7], said.out, out.exists()) == (2, "error: ", "", False)
        assert len(line) < 400
        return line

    return type_words


@pytest.mark.parametrize(("scenario", "words", "says"), ROWS)
def test_what_cannot_be_played_is_one_clear_line(refused, monkeypatch, scenario, words, says):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert says in refused(scenario, *shlex.split(words))


def test_a_model_needs_a_key(refused):
    assert "OPENAI_API_KEY" in refused("double_vein", "--mind", "openai")


@pytest.mark.parametrize(
    ("name", "content", "option"),
    [
        ("empty.txt", b"", "--contract"),
        ("binary.txt", bytes(range(256)), "--contract"),
        ("wrong_type.yaml", b"time_limit_s: soon", "--config"),
        ("unknown_key.yaml", b"colour: red", "--config"),
        ("list.yaml", b"- a\n- b", "--config"),
        ("broken.yaml", b"a: [", "--config"),
        ("binary.yaml", b"\xff\xfe\x00", "--config"),
    ],
)
def test_bad_files(refused, tmp_path, name, content, option):
    path = tmp_path / name
    path.write_bytes(content)
    refused("double_vein", option, str(path))
