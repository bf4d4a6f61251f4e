"""`bw-arena table`."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from rich.text import Text

from bidwhist.cli.views.screen import Column, dim, sheets, shortened, show
from bidwhist.results.faults import FEWEST_FAULTS
from bidwhist.results.manifest import Manifest, Outcome, read_manifest
from bidwhist.results.parts import planned_parts, present_parts, stray_files
from bidwhist.results.reasons import Place, read_reasons
from bidwhist.results.schedule import PARTNERS
from bidwhist.results.schema import PARTS
from bidwhist.results.standings import Score, Standing, Standings, standings_of
from bidwhist.results.statistics import (
    GROUPS,
    OF_PARTNERS,
    OF_STANDINGS,
    POINTS,
    POINTS_RATING,
    RATING,
    Bids,
    Statistic,
)
from bidwhist.results.terms import Stop
from bidwhist.rules import CLASSIC, PRESETS
from bidwhist.stats.intervals import ENOUGH
from bidwhist.text import printable_name

_NOTHING: Final = "–"
_CHEATS: Final = "*"  # in place of a rank
DISQUALIFIED: Final = "!"  # after a rank
_MOST_UNSURE: Final = 5  # pairs of bots that are not told apart, listed
_HEAD: Final = 14  # columns of a bot's name above the cross table


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(run: Path, as_json: bool) -> None:
    """Show the standings of the run in folder RUN."""
    if as_json:
        click.echo(json.dumps(standings_json(run), indent=2))
    else:
        show_standings(run)


def show_standings(run: Path) -> None:
    """Print the standings of a run. Raises RunError."""
    manifest = read_manifest(run)
    done, planned = _progress(run, manifest)
    standings = standings_of(run)
    show(_screen(manifest, standings, done, planned, read_reasons(run) if standings.faults else {}))


def standings_json(run: Path) -> dict[str, Any]:
    """The standings of a run as in the contract's machine output. Raises RunError."""
    manifest = read_manifest(run)
    done, planned = _progress(run, manifest)
    standings = standings_of(run)
    return {
        "run": {
            "name": manifest.name,
            "format": manifest.format,
            "rules": manifest.rules,
            "parts": done,
            "parts_planned": planned,
            "tables": standings.rows,
            "tables_counted": standings.counted,
            "stop": _stop_json(manifest, standings),
        },
        "standings": [_standing_json(standing, standings) for standing in standings.standings],
        "pairings": [{"bot": pairing.bot, **pairing.other, **pairing.score.values} for pairing in standings.pairings],
        "differences": [asdict(each) for each in standings.differences],
    }


def _stop_json(manifest: Manifest, standings: Standings) -> dict[str, Any] | None:
    if manifest.stop is None:
        return None
    outcome = dict.fromkeys(Outcome.__struct_fields__) if standings.outcome is None else standings.outcome
    return {**msgspec.to_builtins(manifest.stop), **msgspec.to_builtins(outcome)}


def _standing_json(standing: Standing, standings: Standings) -> dict[str, Any]:
    return {
        "rank": standing.rank,
        "rank_range": standing.rank_range,
        "rank_probabilities": standing.probabilities,
        "runoff": standing.runoff,
        "bot": standing.bot,
        "cheats": standing.cheats,
        "disqualified": standing.disqualified,
        "faults": [
            {name: value for name, value in asdict(each).items() if name != "bot"}
            for each in standings.faults
            if each.bot == standing.bot
        ],
        **standing.score.values,
        "by_level": {level: _bids_json(part) for level, part in standing.by_level.items()},
        "by_strain": {strain: _bids_json(part) for strain, part in standing.by_strain.items()},
    }


def _bids_json(bids: Bids) -> dict[str, Any]:
    return {"contracts": bids.declared, "made": bids.made, "bids_made": bids.rate}


def _progress(run: Path, manifest: Manifest) -> tuple[int, int]:
    """Parts that are finished, and that are planned. Files that are no parts of the run are told of."""
    strays = stray_files(run, manifest)
    if strays:
        more = f" and {len(strays) - 1} more" if len(strays) > 1 else ""
        click.echo(f"not counted: {strays[0]}{more} in {run / PARTS}: no part of this run", err=True)
    return len(present_parts(run, manifest)), len(planned_parts(manifest))


def _screen(
    manifest: Manifest, standings: Standings, done: int, planned: int, reasons: Mapping[Place, str]
) -> Iterator[Any]:
    yield _headline(manifest)
    if manifest.stop is not None:
        yield from _verdict(manifest, manifest.stop, standings.outcome)
    if done < planned:
        yield f"unfinished: {done} of {planned} parts"
    left_out = standings.rows - standings.counted
    if left_out:
        yield f"{left_out:,} of {standings.rows:,} tables do not count: no complete duplicate"
    yield ""
    yield from _ranking(standings.standings, manifest.is_games)
    yield from _order(standings, manifest.is_games)
    yield from _bids_made(standings.standings)
    if manifest.is_mixed:
        yield from _partners(standings, manifest.is_games)
    elif len(standings.standings) > 2:
        yield from _cross_table(standings)
    if standings.faults:
        yield from _faults(standings, reasons)
    worth = [each.score.boards_worth for each in standings.pairings if each.score.boards_worth is not None]
    if worth:
        yield dim(f"A board tells as much as {_between(worth)} with new cards at every table.")
    yield from _explanation(manifest)
    units = [each.score.games if manifest.is_games else each.score.boards for each in standings.pairings]
    if units and min(units) < ENOUGH:
        yield dim(f"Intervals of fewer than {ENOUGH} {manifest.format} against {_opponent(manifest)} are rough.")
    if any(standing.disqualified for standing in standings.standings):
        share = f"{100 * manifest.most_faults:g}%"
        words = f"has failed at more than {share} of its tables, and at {FEWEST_FAULTS} at least"
        yield dim(f"{DISQUALIFIED} disqualified: {words}.")
    if any(standing.cheats for standing in standings.standings):
        yield dim(f"{_CHEATS} sees all hands: has no place, and counts for nobody who has met others.")


def _headline(manifest: Manifest) -> str:
    name = str(manifest.rules.get("preset", CLASSIC.preset))
    preset = PRESETS[name].as_dict()
    changed = (f"{field} {value}" for field, value in manifest.rule_set().as_dict().items() if value != preset[field])
    rules = " with ".join(filter(None, [name, ", ".join(changed)]))
    units = f"{manifest.units:,}" if manifest.stopped is None else f"{manifest.stopped:,} of {manifest.units:,}"
    opponents = min(manifest.rounds or 0, len(manifest.bots) - 1)
    rounds = "" if manifest.rounds is None else f", {opponents} opponents for every bot"
    mixed = ", partners mixed" if manifest.is_mixed else ""
    return f"{printable_name(manifest.name)}: {rules}; {units} {manifest.format} for every pairing{rounds}{mixed}"


def _verdict(manifest: Manifest, stop: Stop, outcome: Outcome | None) -> Iterator[Any]:
    """The verdict of a run that may stop early."""
    one, other = map(printable_name, stop.bots)
    if outcome is None:
        yield f"stops early once it is sure how {one} and {other} compare"
        return
    unit = "of the games" if manifest.is_games else "points a board"
    difference = f"{stop.difference:.1%}" if manifest.is_games else f"{stop.difference:g}"
    words = {
        "ahead": f"{one} is ahead of {other}",
        "behind": f"{other} is ahead of {one}",
        "close": f"{one} and {other} are less than {difference} {unit} apart",
        None: f"no verdict on {one} and {other}",
    }
    is_early = outcome.verdict is not None and outcome.units < manifest.units
    begin = "stopped early, " if is_early else ""
    yield f"{begin}after {outcome.units:,} {manifest.format}: {words[outcome.verdict]}"
    low, high = (f"{end:+.1%}" if manifest.is_games else f"{end:+.2f}" for end in outcome.interval)
    sure = f"wrong in {100 * stop.alpha:.3g} of 100 such runs at most, whenever one looks"
    yield dim(f"{one} less {other}: {low} to {high} {unit}, {sure}.")
    if outcome.verdict is not None:
        yield dim("All other estimates of a run that has stopped early lean towards its verdict.")


def _opponent(manifest: Manifest) -> str:
    return "two opponents" if manifest.is_mixed else "an opponent"


def _explanation(manifest: Manifest) -> Iterator[Any]:
    if manifest.is_games:
        yield dim("Points a hand: own score change less the opponents', mean over games, each played both ways round.")
    else:
        yield dim("Points a board: own score change less the opponents', mean of a board's two tables.")
    if manifest.is_mixed:
        yield dim(
            "Each bot plays beside every other one, and all partners and opponents weigh the same. Ratings: two of a"
        )
        yield dim("bot against two of another. Effect: what two make together beyond what their ratings expect.")
        yield dim(
            "The 95% interval holds the true value in 95 of 100 such runs. Ranks are shared by bots not told apart."
        )
        return
    yield dim(
        "All opponents weigh the same. The 95% interval holds the true value in 95 of 100 such runs. Ranks are shared"
    )
    if manifest.rounds is None:
        yield dim("by bots that are not told apart; the runoff drops the weakest, and rates the others anew.")
    else:
        yield dim("by bots that are not told apart. The order is by ratings: points depend on whom a bot has met.")


def _ranking(standings: list[Standing], is_games: bool) -> Iterator[Any]:
    scores = [standing.score for standing in standings]
    columns = statistic_columns(OF_STANDINGS, scores, is_games)
    return sheets("Standings", [_ranked(standing) for standing in standings], columns)


def statistic_columns(statistics: Sequence[Statistic], scores: Sequence[Score], is_games: bool) -> list[Column]:
    """The columns of those statistics that are shown in a format, each followed by its interval."""
    columns = []
    for statistic in statistics:
        head = statistic.heads[is_games]
        if head is not None:
            columns.append(Column(head, [value_text(statistic, score) for score in scores]))
            if statistic.ci95 and statistic.shows_ci95:
                columns.append(Column("95% interval", [interval_text(statistic, score) for score in scores]))
    return columns


def _order(standings: Standings, is_games: bool) -> Iterator[Any]:
    """Possible ranks, ratings, and the pairs of bots that are not told apart."""
    bots = [standing for standing in standings.standings if standing.rank_range and standing.probabilities]
    if len(bots) < 2:
        return
    columns = [
        Column("possible\nranks", [_range(each) for each in bots]),
        Column("chance\nof rank 1", [f"{each.probabilities[0]:.1%}" for each in bots]),
        Column("rating\n(Elo)", [_plus_minus(RATING, each.score) for each in bots]),
    ]
    if not all(each.runoff for each in bots):
        columns.insert(2, Column("rating\n(points)", [_plus_minus(POINTS_RATING, each.score, ".2f") for each in bots]))
    if any(each.runoff for each in bots):
        columns.append(Column("place by\nrunoff", [str(each.runoff) for each in bots]))
    yield from sheets("How sure the order is", [_ranked(each) for each in bots], columns)
    unsure = [each for each in standings.differences if not each.is_sure]
    for each in unsure[:_MOST_UNSURE]:
        more = "" if each.boards_to_settle is None else f"; some {_rounded_up(each.boards_to_settle):,} more "
        more += ("games" if is_games else "boards") + " would" if more else ""
        interval = "" if each.joint_ci95 is None else " ({:+.2f} to {:+.2f})".format(*each.joint_ci95)
        pair = f"{printable_name(each.bot)} and {printable_name(each.other)}"
        yield f"not told apart: {pair}: {each.points_per_board:+.2f}{interval}{more}"
    if len(unsure) > _MOST_UNSURE:
        yield f"and {len(unsure) - _MOST_UNSURE} more pairs"
    if unsure:
        yield ""


def _between(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def _range(standing: Standing) -> str:
    assert standing.rank_range is not None
    low, high = standing.rank_range
    return str(low) if low == high else f"{low} to {high}"


def _rounded_up(number: int) -> int:
    """A number with two digits that count."""
    unit = int(10 ** max(0, len(str(number)) - 2))
    return math.ceil(number / unit) * unit


def _bids_made(standings: list[Standing]) -> Iterator[Any]:
    names = [name for standing in standings for name in (_ranked(standing), dim("   of contracts"))]
    bids = [{"all": each.bids, **each.by_level, **each.by_strain} for each in standings]
    columns = [
        Column(group, [cell for each in bids for cell in _rate_and_count(each[group])]) for group in ("all", *GROUPS)
    ]
    return sheets("Bids made, by level and strain", names, columns)


def _rate_and_count(bids: Bids) -> tuple[str, Text]:
    return _NOTHING if bids.rate is None else f"{bids.rate:.0%}", dim(_short(bids.declared))


def _cross_table(standings: Standings) -> Iterator[Any]:
    bots = standings.standings
    scores = {(pairing.bot, pairing.opponent): pairing.score for pairing in standings.pairings}
    columns = [
        Column(shortened(_ranked(column), _HEAD), [_cell(scores.get((row.bot, column.bot))) for row in bots])
        for column in bots
    ]
    title = "Against each other: points of the row's bot, ± half its 95% interval"
    return sheets(title, [_ranked(standing) for standing in bots], columns)


def _partners(standings: Standings, is_games: bool) -> Iterator[Any]:
    """The points of every partnership against all others."""
    place = {each.bot: number for number, each in enumerate(standings.standings)}
    once = [each for each in standings.pairings if each.partner is not None and place[each.bot] < place[each.partner]]
    names = [printable_name(f"{each.bot}{PARTNERS}{each.partner}") for each in once]
    columns = statistic_columns(OF_PARTNERS, [each.score for each in once], is_games)
    return sheets("Together, against all others", names, columns)


def _faults(standings: Standings, reasons: Mapping[Place, str]) -> Iterator[Any]:
    ranked = {standing.bot: _ranked(standing) for standing in standings.standings}
    faults = standings.faults
    columns = [
        Column("kind", [each.fault for each in faults]),
        Column("faults", [f"{each.incidents:,}" for each in faults]),
        Column("first on\nboard", [str(each.board) for each in faults]),
        Column("against", [shortened(printable_name(each.opponent), _HEAD) for each in faults]),
        Column("seat", [each.seat for each in faults]),
        Column("decision", [each.decision for each in faults]),
    ]
    yield from sheets("Faults", [ranked[each.bot] for each in faults], columns)
    for each in faults:
        # The first fault may be of a seat that was not asked any more, which has no reason of its own.
        known = [(place[2], reason) for place, reason in reasons.items() if place[:2] == (each.bot, each.fault)]
        if known:
            board, reason = min(known)
            yield f"{printable_name(each.bot)}, {each.fault} on board {board}: {printable_name(reason)}"
    yield ""


def _cell(score: Score | None) -> str:
    if score is None or score.points_per_board is None:
        return ""
    return _plus_minus(POINTS, score, ".2f")


def _plus_minus(statistic: Statistic, score: Score, digits: str = ".0f") -> str:
    """A value, and half of its interval."""
    interval = score.values[statistic.ci95] if statistic.ci95 else None
    half = f" ±{(interval[1] - interval[0]) / 2:{digits}}" if interval else ""
    return value_text(statistic, score) + half


def _ranked(standing: Standing) -> str:
    mark = DISQUALIFIED if standing.disqualified else " "
    return f"{standing.rank or _CHEATS}{mark} {printable_name(standing.bot)}"


def value_text(statistic: Statistic, score: Score) -> str:
    """The value of a statistic as the tables show it."""
    value = score.values[statistic.name]
    return _NOTHING if value is None else statistic.show(value)


def interval_text(statistic: Statistic, score: Score) -> str:
    """The 95% interval of a statistic as the tables show it."""
    interval = score.values[statistic.ci95] if statistic.ci95 else None
    return _NOTHING if interval is None else " to ".join(map(statistic.show, interval))


def _short(number: int) -> str:
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= 10 * size:
            return f"{number // size:,}{unit}"
    return str(number)
