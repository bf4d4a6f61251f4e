"""`bw-arena bots`."""

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Machine output.")
def command(as_json: bool) -> None:
    """List the house bots with their parameters (the default value first)."""
    from bidwhist_bots import HOUSE_BOTS

    if as_json:
        rows = [
            {"name": name, "about": bot.about, "parameters": {key: list(each) for key, each in bot.parameters.items()}}
            for name, bot in HOUSE_BOTS.items()
        ]
        click.echo(json.dumps(rows, indent=1))
        return
    for name, bot in HOUSE_BOTS.items():
        click.echo(f"{name}: {bot.about}")
        for key, values in bot.parameters.items():
            click.echo(f"  ?{key}={'|'.join(values)}")
    click.echo("\nYour own: path/file.py[:Name] or package.module:Name, anywhere a bot is named.")
