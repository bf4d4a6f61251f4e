"""Asking a bot for the decisions of a seat in a hand of a run."""

from bidwhist.bot.author.asking import Answer, Seated
from bidwhist.cards import Seat
from bidwhist.errors import RunError
from bidwhist.notation import format_seat
from bidwhist.replay.hand import HandAgain, Question
from bidwhist.text import echo


def ask_until(bot: Seated, again: HandAgain, seat: Seat, name: str) -> tuple[list[tuple[Question, Answer]], Question]:
    """Ask a bot for all decisions of a seat before that of a name: these with its answers, and the one of the name.

    Raises RunError if the seat was not asked for a decision of this name.
    """
    asked = [question.name for question in again.questions(seat)]
    if name not in asked:
        told = f"it was asked for {', '.join(asked)}" if asked else "it was asked for nothing"
        raise RunError(f"--decision: {format_seat(seat)} was not asked for {echo(name)} in this hand; {told}")
    questions = again.questions(seat)
    earlier = []
    question = next(questions)
    while question.name != name:
        answer = bot.ask(question.obs, question.state)
        earlier.append((question, answer))
        question = questions.send(answer.action)
    return earlier, question
