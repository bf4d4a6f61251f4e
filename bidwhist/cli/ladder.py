"""`bw-arena ladder`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from bidwhist.cli.table import DISQUALIFIED, interval_text, statistic_columns, value_text
from bidwhist.cli.views.screen import Column, dim, sheets, show
from bidwhist.ladder.ladder import FILE, Ladder, open_ladder
from bidwhist.ladder.standing import Place, set_aside, standing_of, unplayed
from bidwhist.results.statistics import POINTS, POINTS_RATING, STATISTICS
from bidwhist.text import printable_name

_SHOWN: Final = [statistic for statistic in STATISTICS if statistic.on_ladder]


@click.command()
@click.argument("folder", metavar="DIR", default="ladder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(folder: Path, as_json: bool) -> None:
    """Show the standing of the ladder in folder DIR (default: ladder)."""
    ladder = open_ladder(folder)
    if as_json:
        click.echo(json.dumps(ladder_json(ladder), indent=2))
    else:
        show_ladder(ladder)


def ladder_json(ladder: Ladder) -> dict[str, Any]:
    """The standing of a ladder for programs. Raises RunError."""
    config = ladder.config
    return {
        "ladder": {
            "name": config.name,
            "format": config.format,
            "rules": {**config.rule_set().as_dict(), "preset": config.rule_set().preset},
            "units": config.units,
            "unplayed": unplayed(ladder),
            "set_aside": set_aside(ladder),
        },
        "standing": [_place_json(place) for place in standing_of(ladder)],
    }


def _place_json(place: Place) -> dict[str, Any]:
    return {
        "place": place.place,
        "bot": place.bot,
        "version": place.version,
        "spec": place.spec,
        "sha256": place.sha256,
        **{name: place.score.values[name] for statistic in _SHOWN for name in statistic.names},
        "submitted": place.submitted,
        "disqualified": place.disqualified,
    }


def show_ladder(ladder: Ladder) -> None:
    """Print the standing of a ladder. Raises RunError."""
    show(_screen(ladder))


def place_line(ladder: Ladder, bot: str) -> str:
    """A bot's place in a line: `place 2 of 4: +1.23 points a board (+0.90 to +1.56)`."""
    places = standing_of(ladder)
    place = next(each for each in places if each.bot == bot)
    unit = "hand" if ladder.config.format == "games" else "board"
    points = f"{value_text(POINTS, place.score)} points a {unit} ({interval_text(POINTS, place.score)})"
    label = ", disqualified" if place.disqualified else ""
    return f"place {place.place} of {len(places)}{label}: {points}"


def _screen(ladder: Ladder) -> Iterator[Any]:
    config, manifest = ladder.config, ladder.manifest()
    units = manifest.units if manifest else config.units
    against = "every bot" if config.rounds is None else f"{config.rounds} bots, the nearest in strength"
    yield f"{printable_name(str(config.name))}: {units:,} {config.format} against {against}"
    if units != config.units:
        yield f"{FILE} says {config.units:,}, which the next submission plays, if it can"
    waiting = unplayed(ladder)
    if waiting:
        names = ", ".join(map(printable_name, waiting))
        yield f"unfinished: {names}; the next `bw-arena submit` goes on with it"
    for bot, reason in set_aside(ladder).items():
        yield f"set aside: {printable_name(bot)}: {printable_name(reason)}"
    yield ""
    places = standing_of(ladder)
    if not places:
        yield "nobody has played yet"
        return
    columns = [
        Column("version", [printable_name(place.version or "") for place in places]),
        Column("SHA-256", [place.sha256[:12] for place in places]),
        *statistic_columns(_SHOWN, [place.score for place in places], config.format == "games"),
        *([] if config.rounds is None else [Column("rating\n(points)", [_rating(place) for place in places])]),
        Column("submitted", [_minute(place.submitted) for place in places]),
    ]
    yield from sheets("Standing", [_ranked(place) for place in places], columns)
    if config.rounds is not None:
        yield dim("Places are by rating: points a board depend on whom a bot has met.")
    yield dim("All opponents weigh the same. Times are UTC; bots without one are the field.")
    if any(place.disqualified for place in places):
        yield dim(
            f"{DISQUALIFIED} disqualified: has failed at too many tables; `bw-arena table {ladder.run}` tells how."
        )


def _rating(place: Place) -> str:
    return f"{value_text(POINTS_RATING, place.score)} ({interval_text(POINTS_RATING, place.score)})"


def _ranked(place: Place) -> str:
    mark = DISQUALIFIED if place.disqualified else " "
    return f"{place.place}{mark} {printable_name(place.bot)}"


def _minute(time: str | None) -> str:
    return "" if time is None else time[:16].replace("T", " ")
