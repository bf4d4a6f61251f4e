"""`bw-arena doctor`."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bidwhist.doctor.examine import Diagnosis, Finding


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Machine output.")
def command(as_json: bool) -> None:
    """Say whether this machine can contain strangers' bots.

    Attacks of all kinds are tried in jailed processes, on files and processes made for that. Exit code 0 if the level
    is jail and every attack was held, else 1.
    """
    from bidwhist.activity import tell
    from bidwhist.doctor.examine import examine

    diagnosis = examine(tell)
    tell(None)
    if as_json:
        click.echo(json.dumps(diagnosis.as_dict(), indent=1))
    else:
        _show(diagnosis)
    if not diagnosis.is_sound:
        raise click.exceptions.Exit(1)


_LEVELS = {
    "jail": "strangers' bots reach no files but their own, no network and no other process",
    "process": "bots have processes of their own, with limits of memory and time, and nothing keeps them from the rest",
    "none": "bots cannot have processes of their own",
}


def _show(diagnosis: "Diagnosis") -> None:
    table = [*_table(diagnosis.findings), *_table(diagnosis.channels, "open channel")]
    width = max((len(title) for title, _, _, _ in table), default=0)
    theme = ""
    for title, found, result, words in table:
        if found.theme != theme:
            theme = found.theme
            click.echo(f"{theme}:")
        click.echo(f"  {title:<{width}}  {result:<17}  {words}".rstrip())
    click.echo("")
    click.echo(f"level {diagnosis.level}: {_LEVELS[diagnosis.level]}")
    if diagnosis.findings:
        held = len(diagnosis.findings) - len(diagnosis.successes)
        click.echo(f"{held} attacks held, {len(diagnosis.successes)} succeeded")
    for each in diagnosis.missing:
        click.echo(each)


def _table(findings: "Sequence[Finding]", success: str = "SUCCEEDED") -> "list[tuple[str, Finding, str, str]]":
    """Title, finding, result and words of each attack; of a bot and of a program in one line if they agree."""
    from bidwhist.doctor.attack import Outcome

    by_attack: dict[str, list[Finding]] = {}
    for each in findings:
        by_attack.setdefault(each.attack.name, []).append(each)
    rows = []
    for tried in by_attack.values():
        differ = len({each.outcome for each in tried}) > 1
        for each in tried if differ else tried[:1]:
            result = success if each.outcome == Outcome.SUCCEEDED else str(each.outcome)
            rows.append((each.attack.title + (f" ({each.kind})" if differ else ""), each, result, each.words))
    return rows
