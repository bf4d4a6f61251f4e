"""`bw-arena`: one file a command. Nothing heavy is imported before a command needs it."""

import io
import os
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Final, NoReturn

import click

from bidwhist._version import __version__
from bidwhist.cli.reporter import reporting
from bidwhist.errors import BidWhistError, Stopped
from bidwhist.process.endings import end_all
from bidwhist.process.machine import limit_in_words
from bidwhist.process.tree import adopt_orphans, end_children
from bidwhist.rules import known_or_nearest
from bidwhist.text import echo, printable

# command: what it does, in a line. Each stands in bidwhist.cli.<command> as `command`.
_COMMANDS: Final = {
    "run": "Run a tournament, or go on with one.",
    "table": "Show the standings of a run.",
    "ratings": "Rate the bots of several runs together.",
    "compare": "Compare two bots of a run.",
    "plan": "Say how many boards it takes to find a difference.",
    "export": "Write the tables of a run as CSV or Parquet.",
    "show": "Show a hand of a run, trick by trick.",
    "close": "Publish the secret seed of a finished run.",
    "solve": "Solve deals with all cards seen.",
    "new": "Write a bot to start from.",
    "ask": "Ask a bot for one decision, and why.",
    "check": "Examine a bot, and print its report card.",
    "submit": "Submit a bot to a ladder, and let it play all bots there.",
    "ladder": "Show the standing of a ladder.",
    "bots": "List the bots that have names.",
    "rules": "Tell the rules of a preset in words.",
    "doctor": "Say whether this machine can contain strangers' bots.",
    "bench": "Measure how fast the engine is on this machine.",
}


_NO_THREAD: Final = "can't start new thread"  # as Python says it


class _Commands(click.Group):
    """Lists commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        wrong = known_or_nearest(cmd_name, list(_COMMANDS))
        if wrong:
            raise click.UsageError(f"there is no command {echo(cmd_name)}; {wrong}", ctx)
        command: click.Command = import_module(f"bidwhist.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bw-arena")
def group() -> None:
    """Let Bid Whist bots play each other, and trust the numbers."""
    click.get_current_context().with_resource(reporting())


def main(arguments: list[str] | None = None) -> NoReturn:
    """The command line. Exit codes: 0 done, 1 the answer is no, 2 wrong use or input, 3 stopped by a fault,
    130 interrupted.

    With `arguments` it raises SystemExit. Without them it is the program `bw-arena`, whose process ends with the
    command, whatever threads or processes bots have left in it.
    """
    if arguments is not None:
        raise SystemExit(_exit_code(arguments))
    code = 1
    try:
        adopt_orphans()
        code = _exit_code(sys.argv[1:])
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # it is closed, or cannot be written to, which has been told
                stream.flush()
        end_all()
        end_children()
        os._exit(code)


def _exit_code(arguments: list[str]) -> int:
    _prepare_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # an end like that by Ctrl-C: nothing is left behind
    try:
        code = _invoke(arguments)
        sys.stdout.flush()  # what cannot be written is told below
        return code
    except click.ClickException as error:
        error.show()
        return 2
    except BidWhistError as error:
        click.echo(f"error: {printable(str(error), '?')}", err=True)
        return 3 if isinstance(error, Stopped) else 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        # Who reads has read enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        limit = limit_in_words(error)
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: {where}{limit or error.strerror or error}", err=True)
        return 3 if limit else 2
    except MemoryError:
        click.echo("error: out of memory", err=True)
        return 3
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        click.echo("error: no thread can be started: too many processes (`ulimit -u` shows the limit)", err=True)
        return 3


def _invoke(arguments: list[str]) -> int:
    """Invoke the command of these arguments; its exit code."""
    try:
        # Not group.main: that takes a closed pipe for a failure.
        with group.make_context("bw-arena", arguments) as context:
            return group.invoke(context) or 0
    except click.exceptions.Exit as stop:
        return stop.exit_code


def _prepare_streams() -> None:
    """Have somewhere to write when a stream was closed, and write what the terminal cannot show as `?`."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # it was closed: the next file that is opened would take its place
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), "utf-8"))  # for the rest of the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
