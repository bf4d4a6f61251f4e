"""What the house bots are worth, and what the game is like: plays what is missing of the plan, and writes the page.

    python benchmarks/strength.py                hours: docs/strength.md (`make strength`)
    python benchmarks/strength.py --quick        ten minutes on two cores: results/strength/quick.md
    python benchmarks/strength.py --only NAME    an experiment, no page
    python benchmarks/strength.py --list         the experiments

It is run in the project's folder. What is played lies in results/strength/; what is there is not played again, and
whatever stopped it, the next run goes on from there.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bidwhist.errors import BidWhistError
from evidence.found import Found, Run
from evidence.page import write_page
from evidence.plan import SEED, Plan, plan
from evidence.playing import play

RESULTS = Path("results") / "strength"


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description="Measures how strong the house bots are.")
    parser.add_argument("--quick", action="store_true", help="fewer boards; the page goes to results/strength/quick.md")
    parser.add_argument("--only", metavar="NAME", action="append", help="play this experiment, and write no page")
    parser.add_argument("--list", action="store_true", help="list the experiments and play nothing")
    parser.add_argument("--jobs", type=int, help="processes; default: the machine's processors")
    parser.add_argument("--page", type=Path, help="where the page goes")
    parser.add_argument("--results", type=Path, default=RESULTS, help=f"where runs are kept; default {RESULTS}")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    """Do what the options say."""
    options = arguments(given)
    if not Path("benchmarks/strength.py").is_file():
        raise SystemExit("error: run it in the project's folder, which the bots' paths start from")
    planned = plan()
    if options.list:
        _list(planned)
        return
    unknown = set(options.only or []) - {experiment.name for experiment in planned.experiments}
    if unknown:
        raise SystemExit(f"error: no experiment {', '.join(sorted(unknown))}; --list lists them")
    try:
        runs = _play(planned, options)
        if not options.only:
            _write(Found(runs, planned.missing), options)
    except (BidWhistError, OSError) as error:
        raise SystemExit(f"error: {error}") from None
    except KeyboardInterrupt:
        print("interrupted; what is finished stays, and the same command goes on", file=sys.stderr)
        raise SystemExit(130) from None


def _write(found: Found, options: argparse.Namespace) -> None:
    page = options.page or (options.results / "quick.md" if options.quick else Path("docs") / "strength.md")
    most, seconds = (150, 2.0) if options.quick else (2000, 5.0)
    write_page(found, page, SEED, most, seconds)
    print(page)


def _list(planned: Plan) -> None:
    for each in planned.experiments:
        kind = "games" if each.games else "boards"
        print(f"{each.name}: {each.quick:,} quick, {each.full:,} {kind}: {', '.join(each.bots)}")
    for name, bots in planned.missing.items():
        print(f"{name} lacks bots that are not there yet: {', '.join(bots)}")


def _play(planned: Plan, options: argparse.Namespace) -> dict[str, Run]:
    runs = {}
    for experiment in planned.experiments:
        if not options.only or experiment.name in options.only:
            units = experiment.quick if options.quick else experiment.full
            print(f"{experiment.name}: {units:,} {'games' if experiment.games else 'boards'}", flush=True)
            folder = play(experiment, options.results, SEED, units, jobs=options.jobs)
            runs[experiment.name] = Run(experiment, folder)
    return runs


if __name__ == "__main__":
    main()
