"""Numbers and names in the sentences of captions."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from matplotlib.font_manager import FontProperties, findfont, get_font

from bidwhist.plots.picture import FONT, width_of
from bidwhist.results.standings import BotDifference
from bidwhist.stats.intervals import Estimate
from bidwhist.text import printable

_WIDEST: Final = 140.0  # points, of a bot's name: some 24 letters
_NAME: Final = FontProperties(family=FONT, size=9.5)
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"


def labels_of(names: Sequence[str]) -> dict[str, str]:
    """By the name of each bot a short text for it, different from all others, of characters that can be drawn."""
    has = get_font(findfont(FONT)).get_char_index
    labels: dict[str, str] = {}
    for name in names:
        text = "".join(each if has(ord(each)) else _UNKNOWN for each in printable(name, _UNKNOWN))
        short = _shortened(unicodedata.normalize("NFC", text))
        label, number = short, 1
        while label in labels.values():
            number += 1
            label = f"{short} ({number})"
        labels[name] = label
    return labels


def _shortened(text: str) -> str:
    """A text cut so that it is not too wide, with an ellipsis in place of what is missing."""
    short, length = text, len(text)
    while width_of(short, _NAME) > _WIDEST:
        length -= 1
        short = f"{text[:length]}…"
    return short


def signed(value: float) -> str:
    """A number of points, +0.12."""
    return f"{round(value, 2) + 0.0:+.2f}"


def between(interval: tuple[float, float] | None) -> str:
    """An interval of points."""
    return "no interval" if interval is None else f"{signed(interval[0])} to {signed(interval[1])}"


def estimated(estimate: Estimate) -> str:
    """A number of points with its interval."""
    return f"{signed(estimate.value)} ({between(estimate.interval)})"


def verdict(found: Estimate) -> str:
    """Words behind a number whose interval holds 0, or that has none."""
    if found.interval is None:
        return ", from which nothing follows"
    return "" if leaves_out_0(found.interval) else ", which is not told apart from 0"


def percent(share: float) -> str:
    """A share, 85%."""
    return f"{share:.0%}"


def leaves_out_0(interval: tuple[float, float] | None) -> bool:
    """Whether an interval says that the value is not 0."""
    return interval is not None and not interval[0] <= 0 <= interval[1]


def counted(number: int, what: str) -> str:
    """A number of things by their name in the singular: 1 board, 200 boards."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def listed(texts: Sequence[str]) -> str:
    """Texts as a list in a sentence: a, b and c."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def shown_of(shown: int, all_: int) -> str:
    """Words for a picture that does not have all bots."""
    return "" if shown >= all_ else f"Shown are the first {shown} of {all_} bots."


def told_apart(found: BotDifference, labels: dict[str, str], units: int, unit: str) -> str:
    """Whether two bots are told apart, and by what."""
    one, other = labels[found.bot], labels[found.other]
    if found.joint_ci95 is None:
        return f"From {counted(units, unit)} there is no interval: nothing can be said of {one} and {other}."
    seen = f"{signed(found.points_per_board)} points ({between(found.joint_ci95)})"
    if found.is_sure:
        return f"{one} makes {seen} more than {other}: they are told apart by {counted(units, unit)}."
    more = found.boards_to_settle
    rest = (
        ""
        if more is None
        else f" Some {float(f'{more:.2g}'):,.0f} more would tell them apart if they differ as it seems."
    )
    return f"{one} and {other} are not told apart by {counted(units, unit)}: the difference is {seen}.{rest}"
