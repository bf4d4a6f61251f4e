"""All rows of a run as a pandas frame, with everything that follows from them."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist.actions import FIRST_NAMING, LAST_BID, NAMINGS, PASS, direction_of, trump_of
from bidwhist.errors import RunError
from bidwhist.notation import DIRECTION_LETTERS, SEAT_LETTERS, SUIT_NAMES, format_call, format_contract
from bidwhist.results.derive import derive, read_rows
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.results.schema import STRAINS, part_files, row_count
from bidwhist.score import UNDECIDED

_SEATS: Final = ("north", "east", "south", "west")
_SIDES: Final = ("NS", "EW")
_CALLS: Final = [format_call(action) for action in range(PASS, LAST_BID + 1)]
_NAMINGS: Final = range(FIRST_NAMING, FIRST_NAMING + NAMINGS)
_CONTRACTS: Final = [format_contract(level, naming) for level in range(1, 8) for naming in _NAMINGS]
_TRUMPS: Final = np.array([trump_of(naming) for naming in _NAMINGS], np.int8)
_DIRECTIONS: Final = np.array([direction_of(naming) for naming in _NAMINGS], np.int8)


def load(path: str | Path, *, plays: bool = False) -> pd.DataFrame:
    """The rows of the run in folder `path`, one for each table (in the format `games` for each hand).

    Columns, texts as categories:

    * `board`; in `games` also `game`, `hand` (from 0) and `orientation` (0, or 1 for the turned lineup);
    * `north east south west`: the bots' names; `bot_ns bot_ew`: by side, `declaring_bot`;
    * `dealer`, `declarer` (N E S W); `call_1` .. `call_4`: in the order spoken, from the dealer's left;
    * `contract` (as `4US`), `level`, `strain` (uptown, downtown, no trump), `trump` (spades .., none),
      `direction` (U, D, L: downtown with aces low);
    * `tricks` and, with the kitty where it counts, `books` of the declaring side; `kitty_side` (NS, EW, none);
      `made`;
    * `change_ns change_ew`: of the scores by the hand; `points`: of NS, its own change minus the opponents';
    * in `games`: `score_ns score_ew` before the hand, and `winner` of the game (NS, EW, draw) at its last hand;
    * `fault`: 0 for a hand that the bots played to its end;
    * with `plays`: `discards` (mask) and `plays` (a byte a card, in the order played), where the run recorded them.

    Raises RunError for a folder that is no run's, or `plays` that were not recorded.
    """
    run = Path(path)
    manifest = read_manifest(run)
    paths = part_files(run)
    if not paths:
        raise RunError(f"{run}: has no finished part yet")
    columns: dict[str, NDArray[Any]] = {}
    rows, filled = sum(map(row_count, paths)), 0
    for path in paths:
        part = _columns(run, path, manifest, plays)
        end = filled + len(part["board"])
        for name, values in part.items():
            columns.setdefault(name, np.empty(rows, values.dtype))[filled:end] = values
        filled = end
    return pd.DataFrame(_with_texts(columns, manifest), copy=False)


def _columns(run: Path, path: Path, manifest: Manifest, plays: bool) -> dict[str, NDArray[Any]]:
    """The frame's columns of one part; texts still as codes."""
    rows, cards = read_rows(path, manifest, plays=plays)
    if plays and not cards.num_columns:
        raise RunError(f"{path}: its plays were not recorded (record = {manifest.record!r})")
    derived = derive(rows, manifest, run)
    columns: dict[str, NDArray[Any]] = {"board": rows["board"]}
    if manifest.is_games:
        columns |= {"game": rows["unit"].astype(np.int32), "hand": rows["hand"], "orientation": rows["orientation"]}
    columns |= _players(rows, derived) | _contract(rows, derived) | _result(rows, derived)
    if manifest.is_games:
        winner = derived["winner"]
        columns |= {"score_ns": derived["scores"][:, 0], "score_ew": derived["scores"][:, 1]}
        columns["winner"] = np.where(winner == UNDECIDED, np.int8(-1), winner)
    columns["fault"] = rows["fault"]
    return columns | {name: cards.column(name).to_numpy() for name in cards.column_names}


def _players(rows: NDArray[np.void], derived: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    lineup, declarer = rows["lineup"], derived["declarer"]
    columns = {name: lineup[:, seat] for seat, name in enumerate(_SEATS)}
    columns |= {"bot_ns": lineup[:, 0], "bot_ew": lineup[:, 1]}
    declaring = np.take_along_axis(lineup, np.maximum(declarer, 0)[:, None].astype(np.intp), axis=1)[:, 0]
    return {**columns, "declaring_bot": np.where(declarer < 0, np.int16(-1), declaring)}


def _contract(rows: NDArray[np.void], derived: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    played = derived["declarer"] >= 0
    naming = np.where(played, rows["naming"] - FIRST_NAMING, 0).astype(np.int8)
    columns = {"dealer": derived["dealer"]}
    columns |= {f"call_{place + 1}": np.maximum(rows["calls"][:, place] - PASS, -1) for place in range(4)}
    codes = {
        "declarer": derived["declarer"],
        "contract": (derived["level"] - 1) * np.int16(NAMINGS) + naming,
        "strain": derived["strain"],
        "trump": _TRUMPS[naming],
        "direction": _DIRECTIONS[naming],
    }
    columns |= {name: np.where(played, code, -1).astype(code.dtype) for name, code in codes.items()}
    return {**columns, "level": derived["level"]}


def _result(rows: NDArray[np.void], derived: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    change = derived["change"]
    return {
        "tricks": rows["tricks"],
        "kitty_side": np.where(rows["kitty_side"] < 0, np.int8(len(_SIDES)), rows["kitty_side"]),
        "books": derived["books"],
        "made": derived["made"],
        "change_ns": change[:, 0],
        "change_ew": change[:, 1],
        "points": change[:, 0] - change[:, 1],
    }


def _with_texts(columns: dict[str, NDArray[Any]], manifest: Manifest) -> dict[str, Any]:
    """The columns with codes turned into categories; -1 becomes missing."""
    bots = [bot.name for bot in manifest.bots]
    texts: dict[str, list[str]] = dict.fromkeys((*_SEATS, "bot_ns", "bot_ew", "declaring_bot"), bots)
    texts |= {"dealer": list(SEAT_LETTERS), "declarer": list(SEAT_LETTERS)}
    texts |= {f"call_{place + 1}": _CALLS for place in range(4)}
    texts |= {"contract": _CONTRACTS, "strain": list(STRAINS), "trump": [*SUIT_NAMES, "none"]}
    texts |= {"direction": list(DIRECTION_LETTERS), "kitty_side": [*_SIDES, "none"], "winner": [*_SIDES, "draw"]}
    return {
        name: pd.Categorical.from_codes(values, pd.Index(texts[name])) if name in texts else values
        for name, values in columns.items()
    }
