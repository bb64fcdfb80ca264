"""Games in the terminal: the moves and commands of people, the moves of the computer, the result.

The moves of the computer go to stdout, so that another program can read them; everything else goes
to stderr.
"""

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ttt.board import Board
from ttt.cli.common import players_print_to_stderr
from ttt.cli.prompts import (
    Quit,
    ask,
    complete_words,
    find_choice,
    is_interactive,
    say,
    wrap,
)
from ttt.cli.seats import Seats, other_side
from ttt.cli.thinking import LiveLine
from ttt.cli.unfinished import Unfinished
from ttt.cli.words import outlook, prospect
from ttt.game import Game
from ttt.matches.game import call_player
from ttt.notation import RESULTS
from ttt.players.builtin import BuiltinPlayer, EnginePlayer
from ttt.render.terminal import draw
from ttt.search.result import Interrupted
from ttt.storage.atomic import check_target

if TYPE_CHECKING:
    from ttt.engine import Engine

COMMANDS = {
    "moves": "list the legal moves",
    "hint": "suggest a move",
    "undo": "take back your last move",
    "rules": "tell the rules again",
    "save FILE": "save the game to a file",
    "load FILE": "go on with a saved game",
    "resign": "give up",
    "quit": "leave; `ttt play --resume` continues the game",
    "help": "this text; also h or ?",
}
HELP = ("help", "h", "?")
HINT_NODES, HINT_SECONDS = 200_000, 2.0
FEW_MOVES = 12
"""So many legal moves are listed after a mistake."""
AGAIN = "Another game? (yes, no, review, save FILE)"


class View(NamedTuple):
    """What is shown, and how."""

    hints: bool = False
    summary: bool = False
    ascii: bool = False


class Ending(NamedTuple):
    """How a game ended."""

    text: str
    winner: str | None
    """None: a draw."""


class Session:
    """One game after another, each from the position `start`."""

    def __init__(self, start: Board, seats: Seats, view: View, seed: int) -> None:
        self.start = start
        self.board = start.copy()
        self.seats = seats
        self.view = view
        self.seed = seed
        self.unfinished = Unfinished()
        self.ending: Ending | None = None
        self.interrupted = False
        """Whether Ctrl-C has ended a search since a person's latest move."""

    # --- what is shown ---------------------------------------------------------------------------

    def introduce(self) -> None:
        """The game, its rules, the sides and what can be typed."""
        say(self.start.title)
        say(self.start.rules())
        say(self.seats.describe(self.view.summary))
        if self.seats.people:
            say(wrap(f"{self.how_to_move()} Type help for more."))

    def how_to_move(self) -> str:
        text = f"A move is {self.board.spelling.help}."
        if self.board.has_board_in_force:
            text += " Boards and cells are numbered in reading order."
        return text

    def help(self) -> None:
        say(self.board.rules())
        say(wrap(self.how_to_move()))
        if self.board.has_board_in_force:
            say("On a given board, the cell alone is enough.")
        for name, text in COMMANDS.items():
            say(f"  {name:<11}{text}")
        say(f"  {'Enter':<11}draw the board again")

    def show(self) -> None:
        say(draw(self.board, self.view.ascii))
        if self.board.text_has_owners and not self.board.is_game_over():
            say(self.board.status())

    def prompt(self) -> str:
        where = self.board.where()
        turn = self.board.turn
        return f"Your move{where} ({turn}):" if self.seats.alone else f"{turn}'s move{where}:"

    def legal_text(self) -> str:
        """The legal moves, with no line break inside a move."""
        moves = ", ".join(move.replace(" ", "\xa0") for move in self.board.legal_moves)
        return wrap(f"Legal moves: {moves}").replace("\xa0", " ")

    def result_text(self, ending: Ending) -> str:
        """How a game ended and, if one person played, whether that person won."""
        if not self.seats.alone:
            return ending.text
        if ending.winner is None:
            return f"{ending.text}."
        won = ending.winner in self.seats.people
        return f"{ending.text}. {'You win!' if won else 'You lose.'}"

    # --- moves -----------------------------------------------------------------------------------

    def computer_move(self) -> str | None:
        """Plays the computer's move and shows it; returns what went wrong if the player failed."""
        board, player = self.board, self.seats.players[self.board.turn]
        stopped = ""
        with LiveLine("thinking", help="  (Ctrl-C: move now)") as line:
            if isinstance(player, BuiltinPlayer):
                player.on_info = line.inform
            if isinstance(player, EnginePlayer):
                engine = player.engine
                line.peek = lambda: engine.result
            try:
                with players_print_to_stderr():
                    move, error = call_player(player.choose, board.copy())
            except KeyboardInterrupt as stop:
                move, error, stopped = self.move_now(stop), None, " (stopped early)"
        side = board.turn
        if error is None:
            try:
                move = board.parse_move(move)
                board.push(move)
            except (ValueError, TypeError) as problem:
                error = "illegal", str(problem)
        if error is not None:
            return f"{self.seats.names[side]} failed ({error[0]}: {error[1]})"
        words = (
            "" if stopped or not self.seats.alone or self.view.summary else words_of(player, board)
        )
        say(f"{side} plays {move}{stopped}{f'. {words}' if words else ''}")
        if self.view.summary and not stopped:
            with players_print_to_stderr():
                summary, _ = call_player(getattr(player, "summary", str))
            if summary:
                say(f"  {summary}")
        if not (sys.stdout.isatty() and sys.stderr.isatty()):  # the terminal has just shown it
            print(move, flush=True)
        return None

    def move_now(self, stop: KeyboardInterrupt) -> str:
        """The best move of a search that Ctrl-C has ended. Raises `stop` again if this was the
        second time, nobody is at the terminal, or the player does not tell its best move."""
        if self.interrupted or not is_interactive() or not isinstance(stop, Interrupted):
            raise stop
        self.interrupted = True
        return stop.move or self.board.legal_moves[0]

    def person_move(self) -> Ending | None:
        """Asks until the position changes; returns the ending if the person resigns."""
        board = self.board
        if self.view.hints:
            self.hint()
        while True:
            answer = ask(self.prompt())
            word, _, rest = answer.partition(" ")
            word, rest = word.lower(), rest.strip()
            if word in ("save", "load"):
                if self.save(rest) if word == "save" else self.load(rest):
                    return None
            elif rest:
                if self.try_move(answer):
                    return None
            elif not word:
                self.show()
            elif word == "resign":
                other = other_side(board.turn)
                return Ending(f"{board.turn} resigns: {other} wins", other)
            elif word == "undo":
                if self.undo():
                    return None
            elif word in HELP:
                self.help()
            elif word == "rules":
                say(board.rules())
            elif word == "moves":
                say(self.legal_text())
            elif word == "hint":
                self.hint()
            elif word == "review":
                say("A review comes after the game.")
            elif self.try_move(answer):
                return None

    def try_move(self, text: str) -> bool:
        """Plays a move that a person has typed; says why if that is not possible."""
        try:
            move = self.board.parse_reply(text)
            if not self.board.is_legal(move):
                raise ValueError(self.board.why_illegal(move))
        except ValueError as error:
            say(wrap(f"{error}."))
            few = len(self.board.legal_moves) <= FEW_MOVES
            say(self.legal_text() if few else "Type moves for the legal moves, help for help.")
            return False
        self.board.push(move)
        self.interrupted = False
        return True

    def undo(self) -> bool:
        """Takes back the last move of a person, and the reply to it."""
        board, people = self.board, self.seats.people
        sides = ["xo"[(board.ply - i) % 2] for i in range(1, len(board.moves) + 1)]
        if not people.intersection(sides):
            say("No move to take back.")
            return False
        while board.moves:
            board.pop()
            if board.turn in people:
                break
        return True

    @cached_property
    def adviser(self) -> "Engine":
        """The engine that gives hints."""
        from ttt.engine import Engine

        return Engine(self.board.game, hash=16, **self.board.options)

    def hint(self) -> None:
        """Says the engine's choice, after a short search."""
        with LiveLine("thinking") as line:
            found = self.adviser.search(
                self.board, nodes=HINT_NODES, time=HINT_SECONDS, on_info=line.inform
            )
        words = prospect(found.score, found.proven)
        say(f"Hint: {found.move}{f' ({words})' if words else ''}")

    # --- files -----------------------------------------------------------------------------------

    def game(self) -> Game:
        """The game so far, with its players."""
        return Game.from_board(self.board, **self.seats.headers())

    def save(self, path: str) -> bool:
        """Saves the game to a file. False: the position has not changed."""
        try:
            path = file_name("save", path)
            if os.path.exists(path):
                Game.load(path)  # overwrites nothing but saved games
            check_target(path)
            game = self.game()
            if self.ending is not None and not self.board.is_game_over():
                game.headers["Result"] = RESULTS[self.ending.winner]
            game.save(path)
            say(f"Saved to {path}.")
        except (OSError, ValueError) as error:
            say(wrap(f"cannot save the game: {reason(error)}"))
        return False

    def load(self, path: str) -> bool:
        """Goes on with a saved game and, if the file names them, its players."""
        try:
            game = Game.load(file_name("load", path))
            board = game.board()
            if board.is_game_over():
                raise ValueError(f"the game is over: {board.status()}")
            seats = self.seats.for_game(game, board)
        except (OSError, ValueError) as error:
            say(wrap(f"cannot load the game: {reason(error)}"))
            return False
        self.take(board, seats)
        return True

    def take(self, board: Board, seats: Seats) -> None:
        """Goes on with another game."""
        self.seats.close()
        self.board, self.seats = board, seats
        self.start = type(board)(**board.options)
        self.__dict__.pop("adviser", None)
        self.seats.new_game(self.seed)
        self.introduce()

    # --- games -----------------------------------------------------------------------------------

    def play_game(self) -> None:
        """Plays the game on the board to its end."""
        self.ending = None
        complete_words([name.split()[0] for name in COMMANDS])
        if not self.computer_replies():
            self.show()
        while self.ending is None and not self.board.is_game_over():
            if self.board.turn in self.seats.people:
                self.ending = self.person_move()
            elif failure := self.computer_move():
                other = other_side(self.board.turn)
                self.ending = Ending(f"{failure}: {other} wins", other)
            if self.ending is None:
                self.keep()
                if not self.computer_replies():
                    self.show()
        outcome = self.board.outcome()
        if self.ending is None and outcome is not None:
            self.ending = Ending(self.board.status(), outcome.winner)
        self.unfinished.remove()
        assert self.ending is not None
        say(self.result_text(self.ending))

    def computer_replies(self) -> bool:
        """Whether the computer's reply will be shown together with the person's move."""
        return (
            self.seats.alone
            and self.board.turn not in self.seats.people
            and not self.board.is_game_over()
        )

    def keep(self) -> None:
        """Keeps the game for --resume."""
        if not self.seats.people or self.unfinished.problem:
            return
        self.unfinished.store(self.game())
        if self.unfinished.problem and is_interactive():
            say(wrap(f"This game cannot be resumed later: {self.unfinished.problem}"))

    def asks_again(self) -> bool:
        """Whether the person wants another game; shows the review and saves the game if asked."""
        complete_words(("yes", "no", "review", "save"))
        while True:
            answer = ask(AGAIN)
            word, _, rest = answer.partition(" ")
            if word.lower() == "save":
                self.save(rest.strip())
            elif answer.lower() == "review":
                self.review()
            else:
                try:
                    return find_choice(answer, ("yes", "no")) == "yes"
                except ValueError:
                    say(f"unknown answer {answer[:40]!r}; choose from yes, no, review, save FILE")

    def review(self) -> None:
        """Shows where the game was decided."""
        from ttt.cli.review import review_board, review_text

        if self.board.moves:
            say(review_text(self.board, review_board(self.board)))
        else:
            say("No move was played.")

    def play_games(self, count: int | None) -> None:
        """Plays `count` games; None: until the person has had enough, or one of two computers."""
        played = 0
        try:
            while True:
                self.seats.new_game(self.seed + 2 * played)
                self.play_game()
                played += 1
                asks = count is None and bool(self.seats.people)
                if not (self.asks_again() if asks else played < (count or 1)):
                    break
                self.board = self.start.copy()
        except (Quit, KeyboardInterrupt) as leaving:
            saved = "Your game is saved: `ttt play --resume` continues it."
            if isinstance(leaving, KeyboardInterrupt):  # the line is ended by `main`
                if self.unfinished.is_saved:
                    print(f"\n{saved}", end="", file=sys.stderr, flush=True)
                raise
            if self.unfinished.is_saved:
                say(saved)
            say("Bye.")
        finally:
            self.seats.close()
            self.unfinished.close()


def reason(error: Exception) -> str:
    """Why a file could not be used."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def file_name(command: str, path: str) -> str:
    """The file that a command names; raises ValueError for devices, pipes and folders."""
    if not path:
        raise ValueError(f"type {command} and the name of a file")
    path = os.path.expanduser(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path}: not a regular file")
    return path


def words_of(player: object, board: Board) -> str:
    """What a player says about the move that it has just made."""
    result = getattr(player, "result", None)
    if not isinstance(player, BuiltinPlayer) or result is None:
        return ""
    if result.score.value is None and not isinstance(player, EnginePlayer):
        return ""  # its evaluation has another unit
    return outlook(result.score, result.proven, board.evaluation_scale)
