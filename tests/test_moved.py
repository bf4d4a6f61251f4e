"""Names of earlier versions can still be imported, with a warning that tells where they are now."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bidwhist._moved import ADAPTED, MOVED
from bidwhist.bot.limits import Limits
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.spec import parse_spec
from bidwhist.errors import BotSpecError
from bidwhist.rules import CLASSIC

NAMES = [(module, name, target) for module, names in MOVED.items() for name, target in names.items()]
ADAPTED_NAMES = [(module, name, entry[1]) for module, names in ADAPTED.items() for name, entry in names.items()]


def current(target: str) -> object:
    module, _, path = target.partition(":")
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def old(module: str, name: str, target: str) -> object:
    """What an old name gives, which has to warn of the place that it has now."""
    message = f"{module}.{name} has moved: it is {target.replace(':', '.')} now"
    with pytest.warns(DeprecationWarning, match=f"^{re.escape(message)}$") as warned:
        value: object = getattr(importlib.import_module(module), name)
    assert [warning.filename for warning in warned] == [__file__]
    return value


@pytest.mark.parametrize(("module", "name", "target"), NAMES)
def test_an_old_name_is_the_new_object(module: str, name: str, target: str) -> None:
    assert old(module, name, target) is current(target)


@pytest.mark.parametrize(("module", "name", "target"), ADAPTED_NAMES)
def test_an_old_function_stands_for_one_that_is_there(module: str, name: str, target: str) -> None:
    assert callable(old(module, name, target))
    assert callable(current(target))


def test_old_ways_to_load_a_bot() -> None:
    seat = ADAPTED["bidwhist.arena.players"]["seat_player"][0]
    claims = ADAPTED["bidwhist.arena.players"]["claims_of_player"][0]
    player = find_bot("heuristic", "mine", [])
    for loaded in (seat(player, CLASSIC), seat(player, CLASSIC, None), seat(player, CLASSIC, Limits(decision=1))):
        with loaded:
            assert loaded.name == "mine"
    assert claims(player) == player.metadata()


def test_old_functions_take_a_spec(tmp_path: Path) -> None:
    check = ADAPTED["bidwhist.bot.found"]["check_function"][0]
    blamed_on = ADAPTED["bidwhist.bot.importing"]["blamed_on"][0]
    spec = parse_spec("mine.py")
    with pytest.raises(BotSpecError, match=r"^bot 'mine\.py': act is a int"):
        check(spec, "act", 1)
    with pytest.raises(BotSpecError, match=r"^bot 'mine\.py' cannot be loaded: "), blamed_on(spec, None):
        raise ValueError
    file = tmp_path / "mine.py"
    file.write_text("answer = 7\n", encoding="utf-8")
    import_file = ADAPTED["bidwhist.bot.importing"]["import_file"][0]
    assert import_file(spec, file).answer == 7
    assert import_file(spec, file) is not import_file(spec, file, "another")


def test_an_old_call_that_keeps_no_output() -> None:
    play_in_processes = ADAPTED["bidwhist.arena.workers"]["play_in_processes"][0]
    assert list(play_in_processes(None, [], 2)) == []


@pytest.mark.parametrize("module", ["bidwhist.bot.dump", "bidwhist.bot.spec"])
def test_what_was_never_there(module: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nonsense'"):
        importlib.import_module(module).nonsense  # noqa: B018


@pytest.mark.parametrize("module", ["bidwhist.nonsense", "bidwhist.bot.nonsense", "nonsense"])
def test_an_unknown_module_is_not_found(module: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{module}'"):
        importlib.import_module(module)


@pytest.mark.parametrize("module", sorted(MOVED.keys() - {"bidwhist.bot.spec"}))
def test_no_module_hides_an_old_one(module: str) -> None:
    assert importlib.import_module(module).__spec__.origin is None


def test_names_that_are_imported_where_they_were() -> None:
    for module, names in {
        "bidwhist.bot.context": ("Context", "LIMITS", "Limits"),
        "bidwhist.engine.batch": ("Batch", "Decider", "DecisionFailed", "Seer"),
        "bidwhist.bot": ("dump_observation", "load_observation", "replay_observation"),
    }.items():
        for name in names:
            assert getattr(importlib.import_module(module), name)


def test_an_old_module_loads_nothing_before_it_is_used() -> None:
    code = "import sys, bidwhist.arena.house, bidwhist.bot.dump; sys.exit('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
