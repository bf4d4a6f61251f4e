"""Tournaments with bots that fail: each kind of fault, in each phase, under each policy, and what is made of it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bidwhist.bot.sources.python import PythonSource
from bidwhist.cards import SEATS
from bidwhist.cli import group
from bidwhist.engine.moment import MOMENTS, decision_name
from bidwhist.errors import BotFault, BotSpecError, RunError
from bidwhist.faults import Fault
from bidwhist.play import run_tournament
from bidwhist.process.fault import ProcessFault
from bidwhist.replay.hand import HandAgain
from bidwhist.results import load
from bidwhist.results.derive import derive
from bidwhist.results.faults import is_disqualified
from bidwhist.results.hands import hands_of
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import planned_parts, read_parts
from bidwhist.results.schema import PARTS
from bidwhist.results.standings import standings_of
from bidwhist.rules import PRESETS, Rules, preset
from bidwhist.score import ALL_BOOKS, BASE, hand_scores, most_points
from runs import make_run, manifest_of, part_files, rewrite_part, set_values, table_of
from support import every_preset, rule_sets

# Answers with the highest legal action, and fails in some phases and some hands in one of five ways, by its own chance.
FAILS = """
from bidwhist.engine.decider import DecisionFailed
from bidwhist.faults import Fault


class Bot:
    def __init__(self, phase="none", often=4):
        self.phase, self.often = phase, often

    def act(self, obs):
        if obs.phase == self.phase and obs.random.below(self.often) == 0:
            kind = 1 + obs.random.below(5)
            if kind == 1:
                raise ValueError("no idea")
            if kind == 3:
                return 97 if obs.phase != "name" else 0
            raise DecisionFailed(0, "as told", Fault(kind))
        return obs.legal[-1]
"""
PHASES = ("call", "name", "discard", "play")
KINDS = {Fault.CRASH, Fault.TIME, Fault.ILLEGAL, Fault.MESSAGE, Fault.LIMIT}


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots")
    (folder / "fails.py").write_text(FAILS, encoding="utf-8")
    return folder


def fails(bots: Path, phase: str, often: int = 4) -> dict[str, str]:
    return {"spec": f"{bots / 'fails.py'}:Bot?phase={phase}&often={often}", "name": "fails"}


def fields_of(bots: Path, phase: str, often: int = 4, **more: Any) -> dict[str, Any]:
    own = fails(bots, phase, 12 * often if phase == "play" else often)
    fields = {"name": "t", "seed": 3, "boards": 160, "rules": "traditional", "bots": ["random", own]}
    return {**fields, "most_faults": 0.2, **more}


def content(run: Path) -> dict[str, bytes]:
    """All that is the same whatever happens on the way."""
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*.parquet"))}


def bw_arena(*arguments: object) -> str:
    result = CliRunner().invoke(group, [str(each) for each in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


# ------------------------------------------------------------------------------------------ what is played for a bot


def check_hand(run: Path, hand: Any, bot: int) -> None:
    """The bot's seats take the highest action until they fail, and from there on the lowest."""
    again = HandAgain(run, read_manifest(run), hand)
    table, moment, discards = again.table(), 0, 0
    expected = 0  # the mask of discards
    while not table.is_done:
        seat, legal = table.turn, table.legal
        now = {"call": moment, "name": 4, "discard": 5 + discards, "play": 16 + int(table.public["played"])}[
            table.phase
        ]
        at = int(hand.row["faults_at"][seat])
        own = hand.row["lineup"][seat] == bot
        action = again.recorded.next(table)
        if own:
            due = legal[0] if 0 <= at <= now else legal[-1]
            if table.phase == "discard":
                expected |= 1 << due
                action = due
            else:
                assert action == due
        discards += table.phase == "discard"
        moment += 1
        table.act(action)
    if hand.row["lineup"][int(hand.derived["declarer"])] == bot:
        assert expected == again.recorded.discards


@pytest.mark.parametrize("policy", ["substitute", "forfeit", "games"])
@pytest.mark.parametrize("phase", PHASES)
def test_field_fault_42_a_bot_fails_in_every_phase(phase: str, policy: str, bots: Path, tmp_path: Path) -> None:
    fields = fields_of(bots, phase, on_fault=policy)
    if policy == "games":
        del fields["boards"]
        fields |= {"on_fault": "substitute", "format": "games", "games": 100}
    run = run_tournament(fields, out=tmp_path / "run", executor="inline")
    manifest = read_manifest(run)
    assert (manifest.state, manifest.bots[1].on_fault) == ("finished", fields["on_fault"])
    codes: set[int] = set()
    for _, rows, _ in read_parts(run, manifest, planned_parts(manifest)):
        failed = rows["faults"] != 0
        assert (rows["lineup"][failed] == 1).all(), "nobody else fails"
        codes |= set(rows["faults"][failed].tolist())
        own = np.isin(rows["faults"], [*KINDS - {Fault.TIME}])  # what is not asked may be marked as out of time
        assert {decision_name(at).partition(":")[0] for at in rows["faults_at"][own].tolist()} <= {phase}
    assert codes >= KINDS
    boards = load(run)["board"].unique()[:: 5 if policy == "games" else 1][:60]
    for board in boards.tolist():
        for hand in hands_of(run, manifest, board)[0, 1]:
            check_hand(run, hand, 1)


@pytest.mark.parametrize("phase", PHASES)
def test_a_bot_that_is_trusted_stops_the_run(phase: str, bots: Path, tmp_path: Path) -> None:
    for number, more in enumerate(({}, {"on_fault": "stop"})):
        with pytest.raises(
            BotFault, match=rf"^bot 'fails' failed on board \d+, seat [NESW], decision {phase}"
        ) as caught:
            run_tournament(fields_of(bots, phase, **more), out=tmp_path / str(number), executor="inline", trust=True)
        assert caught.value.bot == "fails"


# ------------------------------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize("phase", PHASES)
def test_field_fault_43_a_forfeit_is_no_gain(phase: str, bots: Path, tmp_path: Path) -> None:
    """Both tables of a board are scored against who failed; the others are those of the same run with substitutes."""
    runs = [
        run_tournament(fields_of(bots, phase, 40, on_fault=policy), out=tmp_path / policy, executor="inline")
        for policy in ("substitute", "forfeit")
    ]
    played, scored = (load(run) for run in runs)
    penalty = most_points(preset("traditional").record())
    faulty = played[[f"fault_{seat}" for seat in "nesw"]].notna().any(axis=1)
    by_board = faulty.groupby(played["board"]).any()
    assert 0 < by_board.sum() < len(by_board)
    for board, rows in scored.groupby("board"):
        own = rows["points"].where(rows["bot_ns"] == "fails", -rows["points"])
        before = played.loc[rows.index, "points"].where(rows["bot_ns"] == "fails", -played.loc[rows.index, "points"])
        if by_board[board]:
            assert own.to_list() == [-penalty] * 2
            assert (own <= before).all()
            assert rows["forfeit"].to_list() == ["NS" if bot == "fails" else "EW" for bot in rows["bot_ns"]]
        else:
            assert own.to_list() == before.to_list()
            assert rows["forfeit"].isna().all()
    for frame, run in ((played, runs[0]), (scored, runs[1])):
        own = frame["points"].where(frame["bot_ns"] == "fails", -frame["points"])
        [standing] = [each for each in standings_of(run).standings if each.bot == "fails"]
        assert standing.score.points_per_board == pytest.approx(own.mean(), abs=1e-8)
        assert standing.score.tables == len(frame) == 320
    board = int(by_board.idxmax())
    shown = bw_arena("show", runs[1], "--board", board)
    assert f"net {-2 * penalty:+d}" in shown or f"net {2 * penalty:+d}" in shown
    assert len(re.findall(r"^result .* and forfeited by (NS|EW): ", shown, re.MULTILINE)) == 2


@given(rules=rule_sets(), level=st.integers(1, 7), is_nt=st.booleans(), books=st.integers(0, ALL_BOOKS))
def test_no_hand_costs_more_than_a_forfeit(rules: Rules, level: int, is_nt: bool, books: int) -> None:
    for others in range(ALL_BOOKS + 1 - books):
        own, other = hand_scores(rules.record(), level, is_nt, books, others)
        assert abs(own - other) <= most_points(rules.record())


@every_preset
def test_a_forfeit_costs_what_a_hand_can_cost(name: str) -> None:
    rules = PRESETS[name].record()
    points = [
        own - others
        for level in range(1, ALL_BOOKS - BASE + 1)
        for is_nt in (False, True)
        for books in range(ALL_BOOKS + 1)
        for own, others in [hand_scores(rules, level, is_nt, books, ALL_BOOKS - books)]
    ]
    assert most_points(rules) == max(max(points), -min(points)) > 0


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A run without faults, and its rows."""
    manifest = manifest_of(["a", "b"], [(2, 12)])
    run = make_run(tmp_path_factory.mktemp("plain") / "run", manifest)
    [(_, rows, _)] = read_parts(run, manifest, planned_parts(manifest))
    return run, rows


@given(data=st.data())
def test_whoever_fails_never_gains_by_it(data: st.DataObject, plain: tuple[Path, Any]) -> None:
    """Any faults of any seats: each table's points add up to nothing, and the side that failed first pays most."""
    run, rows = plain
    manifest = read_manifest(run)
    before = derive(rows, manifest, run)
    changed = rows.copy()
    changed["faults_at"] = -1
    for place in data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=10)):
        seats = data.draw(st.lists(st.integers(0, SEATS - 1), min_size=1, max_size=4, unique=True))
        moments = data.draw(
            st.lists(st.integers(0, MOMENTS - 1), min_size=len(seats), max_size=len(seats), unique=True)
        )
        for seat, moment in zip(seats, moments, strict=True):
            changed["faults"][place, seat] = data.draw(st.sampled_from(list(Fault)[1:]))
            changed["faults_at"][place, seat] = moment
    forfeiting = [msgspec.structs.replace(bot, on_fault="forfeit") for bot in manifest.bots]
    after = derive(changed, msgspec.structs.replace(manifest, bots=forfeiting), run)
    assert (derive(changed, manifest, run) == before).all(), "with substitutes it counts as it was played"
    penalty = most_points(manifest.rule_set().record())
    points = after["change"][:, 0].astype(int) - after["change"][:, 1]
    for place in range(len(rows)):
        at = [int(changed["faults_at"][place, seat]) for seat in range(SEATS)]
        first = min((moment, seat) for seat, moment in enumerate(at) if moment >= 0) if max(at) >= 0 else None
        other = place ^ 1
        own_before = int(before["change"][place, 0]) - int(before["change"][place, 1])
        if first is not None:
            side = first[1] % 2
            assert after["forfeit"][place] == side
            assert points[place] == (-penalty if side == 0 else penalty)
            assert abs(own_before) <= penalty
        elif max(changed["faults_at"][other].tolist()) >= 0:
            # The bot that forfeits there sits on the other side here.
            assert points[place] == points[other] * -1
            assert after["forfeit"][place] == 1 - after["forfeit"][other]
        else:
            assert (points[place], after["forfeit"][place]) == (own_before, -1)


# ------------------------------------------------------------------------------------------------------ the same bytes


@pytest.fixture(scope="module")
def three(bots: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tournament file with a bot that fails among three, and the folder of its undisturbed run."""
    file = bots / "three.toml"
    own = fails(bots, "call")
    file.write_text(
        f"seed = 9\nboards = 320\non_fault = 'forfeit'\n"
        f'bots = ["heuristic", {{ spec = "{own["spec"]}", name = "fails" }}, "random?calls=pass"]\n',
        encoding="utf-8",
    )
    return file, run_tournament(file, out=tmp_path_factory.mktemp("three") / "run", executor="inline")


def test_faults_are_the_same_for_any_number_of_processes(three: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = three
    assert any(fault.incidents for fault in standings_of(whole).faults)
    for jobs in (1, 2):
        assert content(run_tournament(file, out=tmp_path / str(jobs), jobs=jobs)) == content(whole)


def test_faults_are_the_same_after_a_kill(three: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = three
    out = tmp_path / "run"
    command = [sys.executable, "-m", "bidwhist", "run", str(file), "--out", str(out), "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        end = time.monotonic() + 60
        while len(list((out / PARTS).glob("part-*.parquet"))) < 2 and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.005)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    part_files(out)[-1].unlink()
    assert content(run_tournament(file, out=out, resume=True, executor="inline")) == content(whole)


def test_pairings_of_others_have_the_same_bytes_as_without_it(
    three: tuple[Path, Path], bots: Path, tmp_path: Path
) -> None:
    file, whole = three
    text = file.read_text(encoding="utf-8").replace("phase=call", "phase=none")
    (bots / "sound.toml").write_text(text, encoding="utf-8")
    sound = run_tournament(bots / "sound.toml", out=tmp_path / "run", executor="inline", name="three")
    parts = planned_parts(read_manifest(whole))
    others = {f"{PARTS}/{part.file_name}" for part in parts if 1 not in (part.a, part.b)}
    assert 0 < len(others) < len(parts)
    for name in others:
        assert (whole / name).read_bytes() == (sound / name).read_bytes()
    assert standings_of(sound).faults == []


def test_field_fault_28_a_run_with_faults_has_all_its_rows(three: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = three
    announced = re.search(r"3 pairings, (\d+) tables", bw_arena("run", file, "--dry-run"))
    assert announced
    assert sum(table_of(path).num_rows for path in part_files(whole)) == int(announced[1]) == 1920
    assert standings_of(whole).rows == standings_of(whole).counted == 1920
    done = subprocess.run(
        [sys.executable, "-m", "bidwhist", "run", str(file), "--out", str(tmp_path / "run"), "--boards", "64"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "\nFaults\n" in done.stdout


# ----------------------------------------------------------------------------------------------- standings and screen


def test_faults_are_counted_by_kind_with_the_first_of_each(three: tuple[Path, Path]) -> None:
    _, run = three
    frame = load(run)
    counted = standings_of(run).faults
    kinds = [fault.word for fault in Fault if fault]
    assert [each.fault for each in counted] == [kind for kind in kinds if kind in {each.fault for each in counted}]
    for each in counted:
        found = [
            (row["board"], seat) for seat in "nesw" for _, row in frame[frame[f"fault_{seat}"] == each.fault].iterrows()
        ]
        assert each.incidents == len(found)
        assert each.board == min(board for board, _ in found)
        here = frame[(frame["board"] == each.board) & (frame[f"fault_{each.seat.lower()}"] == each.fault)]
        at_seat = here[here[{"N": "north", "E": "east", "S": "south", "W": "west"}[each.seat]] == "fails"]
        assert each.decision in at_seat[f"fault_at_{each.seat.lower()}"].to_list()
        assert each.opponent in {*here["bot_ns"], *here["bot_ew"]} - {"fails"}


def test_the_table_shows_faults_and_disqualifications(three: tuple[Path, Path]) -> None:
    _, run = three
    told = json.loads(bw_arena("table", run, "--json"))["standings"]
    by_name = {standing["bot"]: standing for standing in told}
    assert {name: standing["disqualified"] for name, standing in by_name.items()} == {
        "fails": True, "heuristic": False, "random?calls=pass": False,
    }  # fmt: skip
    assert by_name["heuristic"]["faults"] == []
    crash = next(each for each in by_name["fails"]["faults"] if each["fault"] == "crash")
    assert set(crash) == {"fault", "incidents", "board", "opponent", "seat", "decision"}
    screen = bw_arena("table", run)
    assert re.search(r"^ \d! fails ", screen, re.MULTILINE)
    assert re.search(rf"^ \d! fails +crash +{crash['incidents']} +{crash['board']} ", screen, re.MULTILINE)
    assert f"fails, crash on board {crash['board']}: fails.py, line 14: ValueError: no idea" in screen.replace(
        "\n", " "
    )
    assert "! disqualified: has failed at more than 1% of its tables, and at 3 at least." in screen


def test_without_faults_the_screen_is_as_ever(tmp_path: Path) -> None:
    out = run_tournament(
        {"seed": 1, "boards": 8, "bots": ["random", "heuristic"], "on_fault": "substitute"},
        out=tmp_path / "run",
        executor="inline",
    )
    screen = bw_arena("table", out)
    assert "ault" not in screen
    assert "!" not in screen
    assert not (out / "timings" / "faults.jsonl").exists()
    assert table_of(out / "faults.parquet").num_rows == 0


@pytest.mark.parametrize("left", ["nothing", "junk"])
def test_reasons_need_not_be_there(left: str, three: tuple[Path, Path], tmp_path: Path) -> None:
    run = shutil.copytree(three[1], tmp_path / "run")
    reasons = run / "timings" / "faults.jsonl"
    reasons.unlink() if left == "nothing" else reasons.write_bytes(b'{"bot": 1}\n\xff\n[[[\n')
    screen = bw_arena("table", run)
    assert "\nFaults\n" in screen
    assert "no idea" not in screen


@pytest.mark.parametrize(
    ("faulty", "tables", "share", "expected"),
    [(2, 10, 0, False), (3, 10, 0, True), (3, 300, 0.01, False), (4, 300, 0.01, True), (9, 9, 1, False)],
)
def test_when_a_bot_is_disqualified(faulty: int, tables: int, share: float, expected: bool) -> None:
    assert is_disqualified(faulty, tables, share) == expected


def test_show_names_the_faults_of_a_hand(three: tuple[Path, Path]) -> None:
    _, run = three
    first = standings_of(run).faults[0]
    shown = bw_arena("show", run, "--board", first.board, "--pairing", f"fails,{first.opponent}")
    assert re.search(rf"^faults +(\w+ of \w at .*\n +)*{first.fault} of {first.seat} at {first.decision}$", shown, re.M)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("fault_n", 1, "has a fault without its moment, or a moment without a fault"),
        ("fault_n", 7, "column fault_n: has values that are not from 0 to 6"),
        ("fault_at_w", 68, "column fault_at_w: has values that are not from -1 to 67"),
        ("fault_at_w", 4, "has a fault without its moment"),
    ],
)
def test_a_fault_that_cannot_be_is_damage(name: str, value: int, words: str, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 8)]))
    rewrite_part(run, 0, set_values(name, 3, value))
    for read in (standings_of, load):
        with pytest.raises(RunError, match=words):
            read(run)


def test_an_auction_without_a_bid_is_damage(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 8)]))
    for place in range(1, 5):
        rewrite_part(run, 0, set_values(f"call_{place}", 3, 54))
    with pytest.raises(RunError, match="has an auction without a bid"):
        load(run)


@pytest.mark.parametrize("games", [False, True])
def test_a_hand_with_faults_is_played_again(games: bool, bots: Path, tmp_path: Path) -> None:
    """Also after so many faults that the bot was not asked any more, and where time had run out."""
    units = {"format": "games", "games": 6} if games else {"boards": 24}
    fields = fields_of(bots, "play", record="results", on_fault="substitute", **units)
    if games:
        del fields["boards"]
    run = run_tournament(fields, out=tmp_path / "run", executor="inline")
    manifest = read_manifest(run)
    frame = load(run)
    faulty = frame[frame[[f"fault_{seat}" for seat in "nesw"]].notna().any(axis=1)]
    assert len(faulty) > 4
    for board in faulty["board"].unique()[::3].tolist():
        for hand in hands_of(run, manifest, board)[0, 1]:
            check_hand(run, hand, 1)


# ------------------------------------------------------------------------------------------- policies, and a resume


def test_contained_bots_are_substituted_and_others_stop(
    bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PythonSource, "contained", True)
    run = run_tournament(fields_of(bots, "none", boards=2), out=tmp_path / "run", executor="inline")
    assert [bot.on_fault for bot in read_manifest(run).bots] == ["stop", "substitute"]


def test_a_bot_that_sees_all_hands_always_stops(tmp_path: Path) -> None:
    fields = {"seed": 1, "boards": 1, "bots": ["random", "oracle-rollout"], "on_fault": "substitute"}
    run = run_tournament(fields, out=tmp_path / "run", executor="inline")
    assert [bot.on_fault for bot in read_manifest(run).bots] == ["substitute", "stop"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"on_fault": "forfeit"}, "bot 1 on_fault: 'substitute' in the run, 'forfeit' now"),
        ({"on_fault": "stop"}, "bot 2 on_fault: 'substitute' in the run, 'stop' now"),
        ({"most_faults": 0.5}, "most_faults: 0.2 in the run, 0.5 now"),
    ],
)
def test_a_resume_with_another_policy_is_refused(
    change: Mapping[str, Any], words: str, bots: Path, tmp_path: Path
) -> None:
    fields = fields_of(bots, "none", boards=4, on_fault="substitute")
    run = run_tournament(fields, out=tmp_path / "run", executor="inline")
    with pytest.raises(RunError, match=words):
        run_tournament({**fields, **change}, out=run, resume=True, executor="inline")
    part_files(run)[0].write_bytes(b"")
    assert content(run_tournament(fields, out=run, resume=True, executor="inline"))


# ------------------------------------------------------------------------------------ processes that die, or are slow

DIES = """
import os


def act(obs):
    if obs.phase == "play" and obs.random.below(900) == 0:
        print("dying", flush=True)
        os._exit(3)
    return obs.legal[0]
"""


def test_field_fault_1_and_2_a_bot_that_ends_its_process_does_not_end_the_run(
    tmp_path: Path, nothing_left: None
) -> None:
    (tmp_path / "dies.py").write_text(DIES, encoding="utf-8")
    fields = {"name": "t", "seed": 1, "boards": 32, "bots": ["heuristic", str(tmp_path / "dies.py")]}
    fields |= {"on_fault": "substitute", "record": "results"}
    run, again = (run_tournament(fields, out=tmp_path / str(jobs), jobs=jobs, trust=True) for jobs in (2, 1))
    assert content(run) == content(again)
    assert len(load(run)) == 64
    kinds = {each.fault for each in standings_of(run).faults}
    assert kinds == {"crash", "unasked"}
    reasons = (run / "timings" / "faults.jsonl").read_text(encoding="utf-8")
    assert "exited with code 3, the third time" in reasons
    assert "dying" in (run / "timings" / "output.txt").read_text(encoding="utf-8")


SPEAKS = """
import json, random, sys, time

way = sys.argv[1]
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "observe":
        seen = message["observation"]
        if seen["phase"] == "play" and seen["hand"][0] < 4 and len(seen["hand"]) == 9:
            print("in trouble", file=sys.stderr, flush=True)
            if way == "time":
                time.sleep(60)
            if way == "crash":
                sys.exit(3)
            if way == "message":
                print("Welcome!", flush=True)
                continue
        action = 97 if way == "illegal" and seen["phase"] == "play" and len(seen["hand"]) == 9 else seen["legal"][0]
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""


@pytest.mark.parametrize("way", ["crash", "time", "message", "illegal"])
def test_field_fault_32_programs_have_codes_of_their_own(way: str, tmp_path: Path, nothing_left: None) -> None:
    (tmp_path / "speaks.py").write_text(SPEAKS, encoding="utf-8")
    file = tmp_path / "t.toml"
    command = f"cmd:{sys.executable} speaks.py {way}"
    limits = "idle = 0.7" if way == "time" else "answer = 8"
    file.write_text(
        f"seed = 5\nboards = 8\non_fault = 'substitute'\nlimits = {{ {limits} }}\n"
        f'bots = ["heuristic", {{ spec = "{command}", name = "speaks" }}]\n',
        encoding="utf-8",
    )
    run = run_tournament(file, out=tmp_path / "run", jobs=1)
    assert len(load(run)) == 16
    faults = standings_of(run).faults
    assert {(each.bot, each.fault) for each in faults} - {("speaks", "unasked")} == {("speaks", way)}
    assert all(each.decision.startswith("play:") for each in faults if each.fault == way)
    if way != "illegal":
        printed = (run / "timings" / "output.txt").read_text(encoding="utf-8")
        assert re.search(r"^speaks, seat [NESW], standard error:\nin trouble$", printed, re.MULTILINE)


COMPILED = """
from bidwhist import compiled
from bidwhist.bits import lowest
from bidwhist.state import first_action


def call(private, public, stream):
    return 54 + lowest(private.legal)


def prepare(private, public, stream):
    return first_action(public.phase) + lowest(private.legal)


def play(private, public, stream):
    if private.hand % 97 == 0:
        return 97
    return lowest(private.legal)
"""


def test_a_compiled_bot_that_fails_is_substituted(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(COMPILED, encoding="utf-8")
    fields = {"seed": 2, "boards": 40, "bots": ["heuristic", str(tmp_path / "own.py")]}
    with pytest.raises(BotFault, match="answered 97"):
        run_tournament(fields, out=tmp_path / "stop", executor="inline", trust=True)
    run = run_tournament({**fields, "on_fault": "substitute"}, out=tmp_path / "run", executor="inline", trust=True)
    assert {each.fault for each in standings_of(run).faults} <= {"illegal", "unasked"}
    assert len(load(run)) == 80


def test_a_bot_that_is_too_slow_to_start_again_has_run_out_of_time(
    bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    load_as_ever = PythonSource.load

    def load_slowly(source: PythonSource, *arguments: Any) -> Any:
        if (run / "manifest.json").exists():
            raise BotSpecError("bot 'fails' cannot be started") from ProcessFault("wrote nothing", Fault.TIME)
        return load_as_ever(source, *arguments)

    monkeypatch.setattr(PythonSource, "load", load_slowly)
    fields = fields_of(bots, "none", boards=8, on_fault="substitute")
    run_tournament(fields, out=run, executor="inline", trust=True)
    assert {each.fault: each.incidents for each in standings_of(run).faults} == {"time": 32}


def test_a_bot_that_does_not_load_any_more_is_lost_for_a_part(tmp_path: Path) -> None:
    """It is loaded before the run, and in the process that plays it fails."""
    code = (
        "import pathlib\n"
        f"seen = pathlib.Path({str(tmp_path / 'seen')!r})\n"
        "if seen.exists():\n    raise ValueError('not again')\n"
        "seen.touch()\n"
        "def act(obs):\n    return obs.legal[0]\n"
    )
    (tmp_path / "once.py").write_text(code, encoding="utf-8")
    fields = {"seed": 2, "boards": 8, "bots": ["heuristic", str(tmp_path / "once.py")], "on_fault": "substitute"}
    run = run_tournament(fields, out=tmp_path / "run", jobs=1, trust=True)
    assert {each.fault: each.incidents for each in standings_of(run).faults} == {"crash": 3, "unasked": 29}
    assert "not again" in (run / "timings" / "faults.jsonl").read_text(encoding="utf-8")
