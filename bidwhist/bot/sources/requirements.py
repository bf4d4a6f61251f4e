"""`requirements.txt` of a bot: packages that it needs, compared with those that are installed here."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement

from bidwhist.errors import BotSpecError
from bidwhist.text import echo

FILE: Final = "requirements.txt"
_MOST: Final = 1 << 16  # bytes


def check_requirements(text: str, file: Path) -> None:
    """Hold the requirements of the bot with the spec `text` against what is installed.

    Raises BotSpecError that names all that is missing, and for a file that cannot be read.
    """
    try:
        data = file.read_bytes()[: _MOST + 1]
        lines = data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise BotSpecError(f"bot {echo(text)}: its {FILE} cannot be read: {reason}") from error
    if len(data) > _MOST:
        raise BotSpecError(f"bot {echo(text)}: its {FILE} has more than {_MOST:,} bytes")
    missing = []
    for number, line in enumerate(lines, 1):
        wanted = line.partition("#")[0].strip()
        if not wanted:
            continue
        try:
            requirement = Requirement(wanted)
        except InvalidRequirement:
            raise BotSpecError(
                f"bot {echo(text)}: its {FILE}, line {number}: {echo(wanted)} is no name of a package, with or without "
                f"versions"
            ) from None
        if requirement.url is not None:
            raise BotSpecError(
                f"bot {echo(text)}: its {FILE}, line {number}: {echo(wanted)} names an address; only packages that are "
                f"installed by their names can be compared"
            )
        if requirement.marker is None or requirement.marker.evaluate():
            missing += _lack(requirement)
    if missing:
        raise BotSpecError(f"bot {echo(text)}: its {FILE} needs what is not installed here: {', '.join(missing)}")


def _lack(requirement: Requirement) -> list[str]:
    """The lack of a requirement in this environment, in words: nothing, or one entry."""
    wanted = echo(f"{requirement.name}{requirement.specifier}", bare=True)
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        return [wanted]
    if requirement.specifier.contains(found, prereleases=True):
        return []
    return [f"{wanted} ({found} is installed)"]
