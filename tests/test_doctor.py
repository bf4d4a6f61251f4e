"""What `bw-arena doctor` says of a machine."""

import json
from collections.abc import Sequence

import pytest
from click.testing import CliRunner, Result

from bidwhist.bot.jailed.isolation import Level, level
from bidwhist.cli import group
from bidwhist.doctor import examine as examining
from bidwhist.doctor import missing as lacks
from bidwhist.doctor.attack import Attack, Outcome
from bidwhist.doctor.attacks import ATTACKS, BY_NAME, CHANNELS
from bidwhist.doctor.examine import Diagnosis, Finding
from bidwhist.doctor.missing import missing

READS = BY_NAME["read_file"]


def finding(outcome: Outcome, kind: str = "bot", attack: Attack = READS, words: str = "") -> Finding:
    return Finding("files", attack, kind, outcome, words)


def doctor(*options: str) -> Result:
    return CliRunner().invoke(group, ["doctor", *options], catch_exceptions=False)


@pytest.fixture
def diagnosed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(examining, "level", lambda: Level.JAIL)
    return monkeypatch


def say(patch: pytest.MonkeyPatch, findings: Sequence[Finding], words: Sequence[str] = ()) -> None:
    channels = [finding(Outcome.SUCCEEDED, attack=CHANNELS[0])]
    patch.setattr(examining, "examine", lambda progress: Diagnosis(findings, channels, words))


def test_all_is_held(diagnosed: pytest.MonkeyPatch) -> None:
    say(diagnosed, [finding(Outcome.HELD, words="Permission denied"), finding(Outcome.HELD, "program")])
    result = doctor()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:2] == ["files:", f"  {READS.title:<{len(CHANNELS[0].title)}}  held               Permission denied"]
    assert f"  {CHANNELS[0].title}  open channel" in lines
    assert "2 attacks held, 0 succeeded" in lines
    assert "level jail: " in result.stdout


def test_an_attack_that_succeeds_lowers_the_level(diagnosed: pytest.MonkeyPatch) -> None:
    say(diagnosed, [finding(Outcome.HELD), finding(Outcome.SUCCEEDED, "program")], ["Buy a lock."])
    result = doctor()
    assert result.exit_code == 1
    assert f"  {READS.title} (bot)" in result.stdout
    assert "(program)" in result.stdout
    assert "SUCCEEDED" in result.stdout
    assert "level process: " in result.stdout
    assert result.stdout.endswith("Buy a lock.\n")


def test_what_is_not_possible_is_no_success(diagnosed: pytest.MonkeyPatch) -> None:
    say(diagnosed, [finding(Outcome.IMPOSSIBLE, words="only x86-64 has it")])
    result = doctor()
    assert result.exit_code == 0
    assert "not possible here  only x86-64 has it" in result.stdout


def test_machine_output(diagnosed: pytest.MonkeyPatch) -> None:
    say(diagnosed, [finding(Outcome.SUCCEEDED, words="files are not as they were")], ["Buy a lock."])
    result = doctor("--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (told["level"], told["missing"]) == ("process", ["Buy a lock."])
    assert told["attacks"] == [
        {
            "theme": "files",
            "attack": "read_file",
            "title": READS.title,
            "kind": "bot",
            "outcome": "succeeded",
            "words": "files are not as they were",
        }
    ]
    assert told["channels"][0]["outcome"] == "succeeded"


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (0, ["no Landlock", "CONFIG_SECURITY_LANDLOCK=y", "lsm=landlock"]),
        (1, ["version 1;", "moving files", "shortening files", "signals to others"]),
        (3, ["version 3;", "TCP", "Linux 6.12 or later"]),
    ],
)
def test_a_kernel_that_lacks_something(version: int, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lacks.platform, "system", lambda: "Linux")
    monkeypatch.setattr(lacks.seccomp, "is_available", lambda: True)
    monkeypatch.setattr(lacks.landlock, "version", lambda: version)
    [sentence] = missing()
    assert all(each in sentence for each in words), sentence
    assert ("shortening files" in sentence) == (version in (1, 2))


def test_a_machine_that_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lacks.platform, "system", lambda: "Linux")
    monkeypatch.setattr(lacks.seccomp, "is_available", lambda: True)
    monkeypatch.setattr(lacks.landlock, "version", lambda: 7)
    assert missing() == []


def test_a_processor_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lacks.platform, "system", lambda: "Linux")
    monkeypatch.setattr(lacks.platform, "machine", lambda: "riscv64")
    monkeypatch.setattr(lacks.landlock, "version", lambda: 7)
    [sentence] = missing()
    assert "riscv64" in sentence


def test_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lacks.platform, "system", lambda: "Darwin")
    assert missing()[0].startswith("Darwin has neither Landlock nor seccomp")
    monkeypatch.delattr(lacks.os, "fork")
    assert "cannot fork" in missing()[1]


def test_where_no_process_can_be_had_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examining, "level", lambda: Level.NONE)
    diagnosis = examining.examine()
    assert (diagnosis.level, diagnosis.findings, diagnosis.is_sound) == (Level.NONE, [], False)


def test_names_of_attacks_are_their_own() -> None:
    attacks = [*(attack for found in ATTACKS.values() for attack in found), *CHANNELS]
    assert len(attacks) == len(BY_NAME) == len({attack.title for attack in attacks}) > 150


@pytest.mark.jail
@pytest.mark.skipif(level() != Level.JAIL, reason="this machine has no jails")
def test_this_machine() -> None:
    result = doctor("--json")
    told = json.loads(result.stdout)
    assert [each["attack"] for each in told["attacks"] if each["outcome"] == "succeeded"] == []
    assert (result.exit_code, told["level"]) == (0, "jail")
    assert {each["kind"] for each in told["attacks"]} == {"bot", "program"}
