"""What the house bots play today is what they played when the playthroughs were written."""

from golden import FOLDER, playthroughs


def test_every_preset_and_house_bot_plays_as_written() -> None:
    played = playthroughs()
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")}
    assert sorted(written) == sorted(played), "a preset or house bot without a playthrough: python tests/golden.py"
    for name, text in played.items():
        assert text == written[name], f"{name} has changed: if that is meant, python tests/golden.py"
