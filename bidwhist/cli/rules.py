"""`bw-arena rules`."""

import click


@click.command()
@click.argument("preset", default="classic")
@click.option("--list", "as_list", is_flag=True, help="List the presets.")
def command(preset: str, as_list: bool) -> None:
    """Tell the rules of PRESET (default: classic) in words, with what differs from classic."""
    from bidwhist import rules

    if as_list:
        for name in rules.PRESETS:
            click.echo(name)
        return
    chosen = rules.preset(preset)
    click.echo(f"{preset}: four players in two partnerships, {chosen.hand_size} cards each")
    different = chosen.differences()
    for name, option in rules.OPTIONS.items():
        value = getattr(chosen, name)
        words = option.words[option.values.index(value)] if option.words else str(value)
        mark = "  (classic: " + _classic(option) + ")" if name in different else ""
        click.echo(f"  {option.title}: {words}{mark}")


def _classic(option: object) -> str:
    from bidwhist.rules import Option

    assert isinstance(option, Option)
    return option.words[0] if option.words else str(option.values[0])
