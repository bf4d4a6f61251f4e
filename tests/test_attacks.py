"""Attacks on the arena, the machine and other bots: each is held in the jail, and shown to succeed without one."""

import errno
import os
from collections.abc import Iterator

import pytest

from bidwhist.bot.jailed.isolation import Level, level
from bidwhist.doctor.attack import Attack, Outcome
from bidwhist.doctor.attacks import ATTACKS, CHANNELS
from bidwhist.doctor.examine import Ring, jailed, unconfined
from bidwhist.doctor.scene import Process
from bidwhist.jail.client import Server

pytestmark = pytest.mark.skipif(level() != Level.JAIL, reason="this machine has no jails")

ALL = [attack for attacks in ATTACKS.values() for attack in attacks]
names = pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
IS_ROOT = os.geteuid() == 0

# Attacks that a machine may hold without a jail, and why.
ELSEWHERE = {"read_disk": "the rules of a container for devices keep root from disks"}
# A kernel that has none of it is no place to show that.
LACKING = {os.strerror(code) for code in (errno.ENOSYS, errno.EAFNOSUPPORT, errno.EOPNOTSUPP)}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server("bidwhist.doctor.inside:prepare")
    yield made
    made.close()


@pytest.fixture(scope="module")
def of_bots(server: Server) -> Iterator[Ring]:
    with Ring(jailed(server, program=False), Process(server.pid), server.folder) as ring:
        yield ring


@pytest.fixture(scope="module")
def of_programs(server: Server) -> Iterator[Ring]:
    with Ring(jailed(server, program=True), Process(server.pid), server.folder) as ring:
        yield ring


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ring]:
    folder = tmp_path_factory.mktemp("free")
    with Ring(unconfined, None, folder) as ring:
        yield ring


@names
def test_it_is_held_in_the_jail_of_a_bot(attack: Attack, of_bots: Ring) -> None:
    finding = of_bots.try_out("", attack, "bot")
    assert finding.outcome != Outcome.SUCCEEDED, finding.words


@pytest.mark.jail
@names
def test_it_is_held_in_the_jail_of_a_program(attack: Attack, of_programs: Ring) -> None:
    finding = of_programs.try_out("", attack, "program")
    if attack.allowed:
        assert finding.outcome == Outcome.SUCCEEDED, f"a program may do this: {finding.words}"
    else:
        assert finding.outcome != Outcome.SUCCEEDED, finding.words


@pytest.mark.jail
@names
def test_it_succeeds_without_a_jail(attack: Attack, free: Ring) -> None:
    if attack.needs_root and not IS_ROOT:
        pytest.skip("only root can do this at all")
    finding = free.try_out("", attack, "free")
    if finding.words in LACKING or finding.outcome == Outcome.IMPOSSIBLE:
        pytest.skip(f"this kernel has none of it: {finding.words}")
    if finding.outcome == Outcome.HELD and attack.name in ELSEWHERE:
        pytest.skip(ELSEWHERE[attack.name])
    assert finding.outcome == Outcome.SUCCEEDED, finding.words


@pytest.mark.parametrize("attack", CHANNELS, ids=lambda attack: attack.name)
def test_a_channel_is_one_without_a_jail(attack: Attack, free: Ring) -> None:
    assert free.try_out("", attack, "free").outcome == Outcome.SUCCEEDED
