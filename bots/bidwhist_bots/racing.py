"""Candidates that are clearly behind are dropped, so that the worlds to come are spent on those left.

All are weighed in the same worlds, so two are compared by their differences, world by world, which vary less than what
each is worth (Maron and Moore 1994, "Hoeffding races", with the spread that is seen in place of a bound).
"""

from typing import Any

from bidwhist._jit import shared


@shared
def begin_race(ws: Any, worlds: int, errors: float) -> None:
    """Forget what was seen of other candidates. After so many worlds those are dropped that are so many standard errors
    of the mean difference behind the best."""
    ws["patience"], ws["errors"] = worlds, errors
    for one in range(ws["candidates"]):
        for other in range(ws["candidates"]):
            ws["apart"][one, other] = 0.0


@shared
def note_world(ws: Any) -> None:
    """Add a world, in which candidates are worth `ws["worths"]`."""
    for one in range(ws["candidates"]):
        ws["sums"][one] += ws["worths"][one]
        for other in range(one):
            difference = ws["worths"][one] - ws["worths"][other]
            ws["apart"][one, other] += difference * difference
            ws["apart"][other, one] = ws["apart"][one, other]
    ws["drawn"] += 1


@shared
def drop_those_behind(ws: Any) -> None:
    """Drop the candidates that are clearly behind, if it is not too early to tell."""
    if ws["drawn"] < ws["patience"]:
        return
    best = 0
    for place in range(1, ws["candidates"]):
        if ws["sums"][place] > ws["sums"][best]:
            best = place
    place = ws["candidates"] - 1
    while place >= 0:
        if _is_behind(ws, place, best):
            _remove(ws, place)
            if place < best:
                best -= 1
        place -= 1


@shared
def _is_behind(ws: Any, place: int, best: int) -> bool:
    """True if the mean difference d of n worlds is above z standard errors: d^2 > z^2 (mean of squares - d^2) / n."""
    gap, bound = ws["sums"][best] - ws["sums"][place], ws["errors"] * ws["errors"]
    return bool(gap * gap * (ws["drawn"] + bound) > bound * ws["drawn"] * ws["apart"][best, place])


@shared
def _remove(ws: Any, place: int) -> None:
    """Take a candidate off the list; the others keep their order."""
    last = ws["candidates"] - 1
    for at in range(place, last):
        ws["actions"][at], ws["sums"][at] = ws["actions"][at + 1], ws["sums"][at + 1]
        for other in range(last + 1):
            ws["apart"][at, other] = ws["apart"][at + 1, other]
    for at in range(place, last):
        for other in range(last):
            ws["apart"][other, at] = ws["apart"][other, at + 1]
    ws["candidates"] = last
