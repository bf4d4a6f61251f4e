"""Names of earlier versions whose modules have moved: they can still be imported, with a DeprecationWarning.

An old module is made when nothing else can be imported by its name; what is taken from it is loaded then.
"""

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


def _seat_player(player: Any, rules: Any, limits: Any = None) -> Any:
    return player.load(rules) if limits is None else player.load(rules, limits)


def _claims_of_player(player: Any) -> Any:
    return player.metadata()


def _of_text(target: str) -> Callable[..., Any]:
    """A function that was given a Spec and is given its text now."""
    return lambda spec, *others: _load(target)(spec.text, *others)


def _find_file(target: str, folders: Any) -> Any:
    return _load("bidwhist.bot.sources.files:find_path")(target, target, folders)


def _play_in_processes(job: Any, parts: Any, workers: int, keep_output: Any = lambda text: None) -> Any:
    return _load("bidwhist.arena.executors:play_in_processes")(job, parts, workers, keep_output)


_PLAYERS: Final = "bidwhist.bot.sources.source:BotSource"

ADAPTED: Final[Mapping[str, Mapping[str, tuple[Callable[..., Any], str]]]] = {
    "bidwhist.arena.players": {
        "claims_of_player": (_claims_of_player, f"{_PLAYERS}.metadata"),
        "seat_player": (_seat_player, f"{_PLAYERS}.load"),
    },
    "bidwhist.arena.workers": {
        "play_in_processes": (_play_in_processes, "bidwhist.arena.executors:play_in_processes"),
    },
    "bidwhist.bot.found": {
        "check_function": (
            _of_text("bidwhist.bot.python.found:check_function"),
            "bidwhist.bot.python.found:check_function",
        ),
    },
    "bidwhist.bot.importing": {
        name: (_of_text(f"bidwhist.bot.python.importing:{name}"), f"bidwhist.bot.python.importing:{name}")
        for name in ("blamed_on", "import_file")
    },
    "bidwhist.bot.spec": {"find_file": (_find_file, "bidwhist.bot.sources.files:find_path")},
}
"""By old module and name, a function that takes what the old one took, and `module:name` of what replaces it."""


def _all_in(module: str, *names: str) -> dict[str, str]:
    return {name: f"{module}:{name}" for name in names}


MOVED: Final[Mapping[str, Mapping[str, str]]] = {
    "bidwhist.arena.asking": {
        **_all_in("bidwhist.bot.author.asking", "Answer", "Seated"),
        **_all_in("bidwhist.replay.asking", "ask_until"),
    },
    "bidwhist.arena.block": _all_in("bidwhist.arena.part", "Setting", "play_part"),
    "bidwhist.arena.house": _all_in("bidwhist.bot.deciders.kernel", "play_compiled"),
    "bidwhist.arena.players": {"Player": _PLAYERS, "find_player": "bidwhist.bot.sources.find:find_bot"},
    "bidwhist.arena.schedule": _all_in("bidwhist.results.schedule", "MOST_TABLES", "Plan", "lineup"),
    "bidwhist.arena.replay": _all_in("bidwhist.replay.hand", "HandAgain", "Question", "replay_columns"),
    "bidwhist.arena.workers": _all_in("bidwhist.arena.executors", "Job", "PlayedPart", "play_inline"),
    "bidwhist.bot.batch": _all_in("bidwhist.bot.deciders.batch", "ActBatch", "BatchBot"),
    "bidwhist.bot.claims": {
        "Claims": "bidwhist.bot.metadata:Metadata",
        "claims_of": "bidwhist.bot.metadata:metadata_of",
        "explanation": "bidwhist.bot.deciders.answers:explanation",
    },
    "bidwhist.bot.command": _all_in("bidwhist.bot.deciders.command", "CommandBot"),
    "bidwhist.bot.compiled": _all_in("bidwhist.bot.deciders.compiled", "CompiledBot", "WORKSPACE", "which"),
    "bidwhist.bot.debugger": _all_in("bidwhist.bot.author.debugger", "Debugger"),
    "bidwhist.bot.dump": _all_in(
        "bidwhist.bot.author.dump", "dump_observation", "load_observation", "replay_observation"
    ),
    "bidwhist.bot.fault": {
        **_all_in("bidwhist.actions", "is_action"),
        **_all_in("bidwhist.bot.deciders.answers", "no_action"),
        **_all_in("bidwhist.bot.python.errors", "describe_error"),
        **_all_in("bidwhist.text", "shown"),
    },
    "bidwhist.bot.found": _all_in("bidwhist.bot.python.found", "ACCEPTED", "BATCH", "FUNCTIONS", "Found", "method_of"),
    "bidwhist.bot.importing": {},
    "bidwhist.bot.protocol": {
        **_all_in("bidwhist.bot.deciders.protocol", "LINE_LIMIT", "QUIT", "RANDOM_NUMBERS"),
        **_all_in("bidwhist.bot.deciders.protocol", "Title", "action_of", "end", "hello", "line_of"),
        **_all_in("bidwhist.bot.deciders.protocol", "observation", "observe"),
        **_all_in("bidwhist.text", "quoted"),
        "ProtocolFault": "bidwhist.process.fault:ProcessFault",
    },
    "bidwhist.bot.provided": _all_in("bidwhist.bot.sources.provided", "GROUP", "Provided", "provided_bots"),
    "bidwhist.bot.scalar": _all_in("bidwhist.bot.deciders.scalar", "Act", "ScalarBot"),
    "bidwhist.bot.source": _all_in("bidwhist.bot.sources.package", "package_hash"),
    "bidwhist.bot.spec": {},
}
"""By old module and name, `module:name` of what it is now."""


class _Finder:
    """Makes the old modules that are no longer there. It stands last, so it is asked for nothing else that exists."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> "ModuleSpec | None":
        if name not in MOVED:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _Loader())  # type: ignore[arg-type]  # what it needs of a loader

    @staticmethod
    def invalidate_caches() -> None:
        """There are none."""


class _Loader:
    @staticmethod
    def create_module(spec: "ModuleSpec") -> ModuleType:
        return ModuleType(spec.name, f"Names that have moved out of {spec.name}.")

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        module.__getattr__ = moved_names(module.__name__)  # type: ignore[method-assign]


def install() -> None:
    """Let the old modules be imported."""
    sys.meta_path.append(_Finder)


def moved_names(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that names have moved out of."""

    def moved(name: str) -> Any:
        adapted = ADAPTED.get(module, {}).get(name)
        target = adapted[1] if adapted else MOVED[module].get(name)
        if target is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        now = target.replace(":", ".")
        warnings.warn(f"{module}.{name} has moved: it is {now} now", DeprecationWarning, stacklevel=2)
        return adapted[0] if adapted else _load(target)

    return moved


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
