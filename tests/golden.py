"""Golden playthroughs: hands of every preset by every house bot, as text in tests/golden/.

They change only when rules, dealing, random streams or a bot change, and then on purpose:

    python tests/golden.py        writes them anew
"""

from pathlib import Path

from bidwhist.play import play_board
from bidwhist.record import format_record
from bidwhist.rules import PRESETS
from bidwhist_bots import HOUSE_BOTS

FOLDER = Path(__file__).parent / "golden"
BOARDS = 3


def playthroughs() -> dict[str, str]:
    """File name and content of every playthrough."""
    return {f"{preset}.{bot}.txt": _play(preset, bot) for preset in PRESETS for bot in HOUSE_BOTS}


def _play(preset: str, bot: str) -> str:
    searches = HOUSE_BOTS[bot].searches and not HOUSE_BOTS[bot].cheats
    spec = f"{bot}?worlds=4" if searches else bot
    tables = [play_board(spec, spec, seed=1, board=board, rules=preset) for board in range(BOARDS)]
    return "\n".join(f"{format_record(table)}score {table.score()[0]} {table.score()[1]}\n" for table in tables)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for stale in FOLDER.glob("*.txt"):
        stale.unlink()
    for name, text in playthroughs().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(list(FOLDER.glob('*.txt')))} playthroughs in {FOLDER.name}/")
