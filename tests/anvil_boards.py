"""Scoreboards of a world of Minecraft as their format is described, made without code of ours.

Source: https://minecraft.wiki/w/Scoreboard#NBT_format
"""

from __future__ import annotations

import gzip

from nbt import nbt

from tests.anvil_worlds import DATA_VERSION, compound, listed, text, written

#: What is told of such a world, and of one in which `CHANGES` were made.
TOLD = {
    "scoreboard players list Ann": "Ann has 1 score(s):\n[Stones dug]: -7",
    "team list reds": "Team [Red ones] has 1 member(s): Ann",
    "data get storage town:laws": "Storage town:laws has the following contents: {tax: 3b}",
}
CHANGES = [
    "scoreboard players add Ann dug 10",
    "scoreboard objectives add hp health",
    "scoreboard objectives setdisplay list hp",
    "team modify reds friendlyFire false",
    'bossbar add town:trial "Trial"',
    "bossbar set town:trial value 30",
    "data merge storage town:laws {fine:[I;1,2]}",
]
AFTERWARDS = {
    "scoreboard players get Ann dug": "Ann has 3 [Stones dug]",
    "scoreboard objectives list": "There are 2 objective(s): [Stones dug], [hp]",
    "team list reds": "Team [Red ones] has 1 member(s): Ann",
    "bossbar get town:trial value": "Custom bossbar [Trial] has a value of 30",
    "data get storage town:laws fine[1]": "Storage town:laws has the following contents: 2",
}


def write_board(world):
    objective = compound(
        Name=text("dug"),
        CriteriaName=text("minecraft.mined:minecraft.stone"),
        DisplayName=text('"Stones dug"'),
        RenderType=text("integer"),
    )
    score = compound(
        Name=text("Ann"),
        Objective=text("dug"),
        Score=nbt.TAG_Int(-7),
        Locked=nbt.TAG_Byte(0),
    )
    team = compound(
        Name=text("reds"),
        DisplayName=text('{"text":"Red ones"}'),
        TeamColor=text("red"),
        AllowFriendlyFire=nbt.TAG_Byte(1),
        Players=listed(nbt.TAG_String, [text("Ann")]),
    )
    _write(
        world / "data" / "scoreboard.dat",
        Objectives=listed(nbt.TAG_Compound, [objective]),
        PlayerScores=listed(nbt.TAG_Compound, [score]),
        Teams=listed(nbt.TAG_Compound, [team]),
        DisplaySlots=compound(sidebar=text("dug")),
    )
    laws = compound(laws=compound(tax=nbt.TAG_Byte(3)))
    _write(world / "data" / "command_storage_town.dat", contents=laws)


def _write(path, **parts):
    path.parent.mkdir(exist_ok=True)
    tag = compound(data=compound(**parts), DataVersion=nbt.TAG_Int(DATA_VERSION))
    path.write_bytes(gzip.compress(written(tag)))


def check_board(world, level):
    """What another library reads after `CHANGES`; `level` is what `level.dat` says."""
    board = nbt.NBTFile(str(world / "data" / "scoreboard.dat"))["data"]
    told = [(str(one["Name"]), str(one["CriteriaName"])) for one in board["Objectives"]]
    assert told == [("dug", "minecraft.mined:minecraft.stone"), ("hp", "health")]
    assert str(board["Objectives"][1]["RenderType"]) == "hearts"
    (score,) = board["PlayerScores"]
    assert (str(score["Name"]), score["Score"].value, score["Locked"].value) == ("Ann", 3, 0)
    assert {slot: str(name) for slot, name in board["DisplaySlots"].items()} == {
        "sidebar": "dug",
        "list": "hp",
    }
    (team,) = board["Teams"]
    assert (str(team["TeamColor"]), team["AllowFriendlyFire"].value) == ("red", 0)
    assert [str(one) for one in team["Players"]] == ["Ann"]
    bar = level["CustomBossEvents"]["town:trial"]
    assert (bar["Value"].value, bar["Max"].value, str(bar["Overlay"])) == (30, 100, "progress")
    storage = nbt.NBTFile(str(world / "data" / "command_storage_town.dat"))["data"]
    laws = storage["contents"]["laws"]
    assert (laws["tax"].value, list(laws["fine"].value)) == (3, [1, 2])
