"""What the API answers, as functions from JSON to JSON. It knows nothing of HTTP, so that the same
functions can serve a page whose engine runs elsewhere.

A request names its position by

    game        name of the game
    options     options by name, or text such as "full=draw"
    position    first position as text, as `Board.text()` writes it; instead of the options
    moves       moves since then, as a list or as text

Invalid requests raise ValueError or TypeError with the reason.
"""

import re
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ttt.board import Board, board_class
from ttt.engine import Engine
from ttt.game import RESULTS, Game, check_header
from ttt.limits import Limit
from ttt.notation import parse_options
from ttt.players.builtin import PLAYERS
from ttt.players.presets import PRESETS
from ttt.players.spec import Player, expand, known_players, make_player
from ttt.puzzles.collection import GRADES, attempt, find_shipped, shipped_puzzles
from ttt.review import DEFAULT_LIMIT, ReviewedMove, review
from ttt.search.result import MoveAnalysis
from ttt.solvers.base import solver_class
from ttt.version import __version__
from ttt.web.limits import WebLimits
from ttt.web.records import (
    Record,
    analysis_record,
    game_list,
    game_record,
    player_list,
    position_record,
    review_record,
)
from ttt_core.errors import BadNotation, shorten

if TYPE_CHECKING:
    from ttt.web.searches import Emit

POSITION = ("game", "options", "position", "moves")
"""Fields that name a position."""
FORMATS = ("game", "moves", "position", "text", "svg")
"""What `export` writes: a saved game, a list of moves, a position, a drawing as text or SVG."""
LEVEL = re.compile(r"level-\d{1,3}", re.ASCII)
LONGEST_TEXT = 20_000
"""Characters of a pasted text."""


# --- reading requests ----------------------------------------------------------------------------


def check_fields(request: object, *known: str) -> Record:
    """The request, if it is an object with known fields only."""
    if not isinstance(request, dict):
        raise TypeError("expected a JSON object")
    for name in request:
        if name not in known:
            raise ValueError(f"unknown field {shorten(name)}; choose from {', '.join(known)}")
    return request


def text_of(request: Record, name: str, default: str | None = None) -> str:
    """A field that is text."""
    found = request.get(name, default)
    if found is None and default is None:
        raise ValueError(f"{name} is missing")
    if not isinstance(found, str):
        raise TypeError(f"{name}={shorten(found)}: expected text")
    if len(found) > LONGEST_TEXT:
        raise ValueError(f"{name} is too long: at most {LONGEST_TEXT:,} characters")
    return found


def options_of(request: Record) -> dict[str, Any]:
    """The options of a game."""
    given = request.get("options", {})
    if isinstance(given, str):
        return dict(parse_options(text_of(request, "options")))
    if not isinstance(given, dict):
        raise TypeError(f"options={shorten(given)}: expected an object or text such as m=4,n=4")
    return given


def start_of(request: Record) -> Board:
    """The first position of a request."""
    game = text_of(request, "game")
    kind = board_class(game)
    position = text_of(request, "position", "")
    options = options_of(request)
    if not position:
        return kind(**options)
    if options:
        raise ValueError("give options or position, not both: the position names the options")
    if position.lower().partition(" ")[0].partition(":")[0] != game:
        raise ValueError(f"position={shorten(position)}: expected a position of {game}")
    return kind.parse(position)


def moves_of(request: Record, board: Board, limits: WebLimits) -> list[str]:
    """The moves of a request, in the notation of a board's game."""
    moves = request.get("moves", [])
    if isinstance(moves, str):
        moves = board.parse_moves(text_of(request, "moves"))
    if not isinstance(moves, list):
        raise TypeError(f"moves={shorten(moves)}: expected a list of moves or text")
    if len(moves) > limits.moves:
        raise ValueError(f"{len(moves):,} moves: at most {limits.moves} are allowed")
    return moves


def board_of(request: Record, limits: WebLimits) -> Board:
    """The position of a request, with its history."""
    board = start_of(request)
    board.push_moves(moves_of(request, board, limits))
    return board


def limit_of(request: Record, limits: WebLimits) -> Limit:
    """The limit of a search; within the limits of the server if it names none."""
    asked = {name: request[name] for name in ("depth", "nodes", "time") if name in request}
    limit = Limit(**asked)
    if limit.time is not None and limit.time > limits.seconds:
        raise ValueError(f"time={shorten(asked['time'])}: at most {limits.seconds:g} seconds")
    if "nodes" in asked and (limit.nodes is None or limit.nodes > limits.nodes):
        raise ValueError(f"nodes={shorten(asked['nodes'])}: at most {limits.nodes:,}")
    return Limit(
        depth=limit.depth, nodes=limit.nodes or limits.nodes, time=limit.time or limits.seconds
    )


def warm_up() -> None:
    """Loads the rules and the weights of every game, so that no first request waits for them."""
    for entry in game_list():
        with Engine(entry["game"], hash=1) as engine:
            engine.evaluate(Board(entry["game"]))


# --- answers without a search --------------------------------------------------------------------


def games(request: Record, limits: WebLimits) -> Record:
    """All games, the players, and the limits of the server. `guests` are the names of the players
    that a server's operator has added."""
    check_fields(request)
    return {
        "version": __version__,
        "games": game_list(),
        **player_list(),
        "guests": [],
        "limits": limits._asdict(),
    }


def game(request: Record, limits: WebLimits) -> Record:
    """One game under some options."""
    return game_record(start_of(check_fields(request, *POSITION)))


def position(request: Record, limits: WebLimits) -> Record:
    """A position after some moves."""
    return position_record(board_of(check_fields(request, *POSITION), limits))


def parse(request: Record, limits: WebLimits) -> Record:
    """The game in a pasted text: a saved game, a position, or moves of the game that `game` and
    `options` name."""
    check_fields(request, "text", "game", "options")
    text = text_of(request, "text").strip()
    if not text:
        raise ValueError("nothing to read: paste moves, a position or a saved game")
    if text.startswith("["):
        game = Game.parse(text)
        board, headers = game.board(), game.headers
    else:
        board, headers = read_line(text, request), {}
    if len(board.moves) > limits.moves:
        raise ValueError(f"{len(board.moves):,} moves: at most {limits.moves} are allowed")
    return {"headers": headers, **position_record(board)}


def read_line(text: str, request: Record) -> Board:
    """The board of a position text, or after a list of moves."""
    from ttt.registry import games as names

    if text.lower().split()[0].partition(":")[0] in names():
        return Board.parse(text)
    if "game" not in request:
        raise ValueError("choose a game first: a list of moves does not name it")
    start = start_of(request)
    try:
        board = start.copy()
        board.push_moves(text)
    except ValueError as error:
        try:
            return type(start).parse(f"{start.text().split()[0]} {text}")
        except BadNotation:
            raise error from None
    return board


def puzzles(request: Record, limits: WebLimits) -> Record:
    """The shipped puzzles, of one game if `game` is given."""
    check_fields(request, "game")
    if "game" in request:
        board_class(text_of(request, "game"))
    return {
        "grades": GRADES,
        "puzzles": [
            {"id": puzzle.id, "game": puzzle.game, "move": puzzle.move, **puzzle._asdict()}
            for puzzle in shipped_puzzles()
            if request.get("game", puzzle.game) == puzzle.game
        ],
    }


def puzzle(request: Record, limits: WebLimits) -> Record:
    """Judges the latest of the `moves` played in the puzzle `id`, and answers with the best defence
    until the solution ends."""
    check_fields(request, "id", "moves")
    chosen = find_shipped(text_of(request, "id"))
    moves = moves_of(request, chosen.board(), limits)
    found = attempt(chosen, moves)
    return {
        "correct": found.correct,
        "solved": found.solved,
        "reply": found.reply,
        "position": position_record(found.board),
    }


def export(request: Record, limits: WebLimits) -> tuple[str, str, str]:
    """A game as (text, media type, file name), in one of FORMATS."""
    check_fields(request, *POSITION, "format", "headers", "result", "size")
    board = board_of(request, limits)
    form = text_of(request, "format")
    if form not in FORMATS:
        raise ValueError(f"unknown format {shorten(form)}; choose from {', '.join(FORMATS)}")
    if form == "svg":
        size = request.get("size")
        if size is not None and (
            not isinstance(size, int | float) or isinstance(size, bool) or not 16 <= size <= 4096
        ):
            raise ValueError(f"size={shorten(size)}: expected pixels, 16 to 4096")
        return board.svg(size), "image/svg+xml", f"{board.game}.svg"
    if form == "game":
        return f"{saved_game(board, request)}\n", "text/plain", f"{board.game}.txt"
    plain = {
        "moves": " ".join(str(move).replace(" ", "-") for move in board.moves),
        "position": board.text(),
        "text": str(board),
    }
    return f"{plain[form]}\n", "text/plain", f"{board.game}.txt"


def saved_game(board: Board, request: Record) -> Game:
    """The game with the headers that a request gives."""
    headers = request.get("headers", {})
    if not isinstance(headers, dict) or len(headers) > 20:
        raise ValueError(f"headers={shorten(headers)}: expected an object of at most 20 texts")
    for name, value in headers.items():
        check_header(name, value)
    result = text_of(request, "result", "")
    if result and result not in RESULTS:
        raise ValueError(f"unknown result {shorten(result)}; choose from {', '.join(RESULTS)}")
    return Game.from_board(board, **headers, **({"Result": result} if result else {}))


# --- players -------------------------------------------------------------------------------------


def player_of(request: Record, board: Board, limits: WebLimits) -> Player:
    """The player that a request names, within the limits of the server. Players that would load or
    start other programs are refused."""
    spec = text_of(request, "player")
    name = spec.partition(":")[0]
    if name not in (*PLAYERS, *PRESETS) and not LEVEL.fullmatch(name):
        known = known_players().replace(", program:COMMAND, or module:name", "")
        raise ValueError(f"unknown player {shorten(spec)}; {known}")
    _, options = expand(spec)
    check_resources(options, limits)
    return make_player(spec, board, None if "time" in options else limits.move_seconds)


def check_resources(options: dict[str, str], limits: WebLimits) -> None:
    """Raises if the options of a player, as texts, exceed the limits. Invalid values pass: the
    player reports them."""
    most = {"time": limits.move_seconds, "hash": limits.hash, "threads": 1, "nodes": limits.nodes}
    for name, text in options.items():
        try:
            value = float(text)
        except ValueError:
            continue
        if name in most and value > most[name]:
            raise ValueError(f"{name}={shorten(text)}: this server allows at most {most[name]:,g}")


def seed_of(request: Record) -> int:
    """The seed of a player's random numbers."""
    seed = request.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**53:
        raise ValueError(f"seed={shorten(seed)}: expected a whole number from 0 to 2^53 - 1")
    return seed


class MoveTask:
    """A player's move. `run` is called in a thread, `stop` from another."""

    kind = "move"
    needs_engine = False

    def __init__(self, request: Record, limits: WebLimits) -> None:
        check_fields(request, *POSITION, "player", "seed")
        self.board = board_of(request, limits)
        if self.board.is_game_over():
            raise ValueError("no move to play: the game is over")
        self.label = text_of(request, "player")
        self.player = self.find_player(request, limits)
        self.seed = seed_of(request)

    def find_player(self, request: Record, limits: WebLimits) -> Player:
        return player_of(request, self.board, limits)

    def stop(self) -> None:
        stop = getattr(self.player, "stop", None)
        if stop is not None:
            stop()

    def run(self, emit: "Emit") -> Record:
        return self.play(new_game=True)

    def play(self, new_game: bool) -> Record:
        """Asks the player; `new_game` unless it has played the earlier moves of its side."""
        began = perf_counter()
        prepare = getattr(self.player, "new_game", None)
        if new_game and prepare is not None:
            prepare(self.seed)
        move = self.board.parse_move(self.player.choose(self.board.copy()))
        summary = getattr(self.player, "summary", str)()
        self.board.push(move)
        return {
            "move": str(move),
            "summary": summary,
            "seconds": round(perf_counter() - began, 3),
            "position": position_record(self.board),
        }


class EngineTask:
    """A search that needs an engine, which is set before `run`."""

    kind = ""
    label = ""
    needs_engine = True
    fields: tuple[str, ...] = ("depth", "nodes", "time")

    def __init__(self, request: Record, limits: WebLimits) -> None:
        check_fields(request, *POSITION, *self.fields)
        self.board = board_of(request, limits)
        self.limit = limit_of(request, limits)
        self.engine: Engine | None = None

    def stop(self) -> None:
        if self.engine is not None:
            self.engine.stop()

    def run(self, emit: "Emit") -> Record:
        raise NotImplementedError


class AnalysisTask(EngineTask):
    """The score of every legal move: emits what is known after each step."""

    kind = "analysis"

    def run(self, emit: "Emit") -> Record:
        engine = self.engine
        assert engine is not None
        kind = solver_class(self.board.game)
        chain = None
        if kind is not None and kind.has_threats:
            chain = engine.threats(self.board)

        def inform(now: MoveAnalysis) -> None:
            emit(lambda: analysis_record(now, chain))

        return analysis_record(engine.analyse_moves(self.board, self.limit, on_info=inform), chain)


class ReviewTask(EngineTask):
    """The value of every move of a game. `nodes` are those of each position, `time` the seconds of
    the whole review: what is not reviewed by then is left out."""

    kind = "review"
    fields = ("nodes", "time")

    def __init__(self, request: Record, limits: WebLimits) -> None:
        super().__init__(request, limits)
        if not self.board.moves:
            raise ValueError("nothing to review: no move has been played")
        self.seconds = self.limit.time or limits.seconds
        self.each = Limit(nodes=request.get("nodes", DEFAULT_LIMIT.nodes), time=self.seconds)

    def run(self, emit: "Emit") -> Record:
        engine = self.engine
        assert engine is not None
        began = perf_counter()

        def inform(moves: list[ReviewedMove]) -> None:
            emit(lambda: review_record(self.board, moves, perf_counter() - began))
            if perf_counter() - began > self.seconds:
                engine.stop()

        moves = review(self.board, engine, self.each, inform)
        return review_record(self.board, moves, perf_counter() - began)


ANSWERS: dict[str, Callable[[Record, WebLimits], Record]] = {
    "games": games,
    "game": game,
    "position": position,
    "parse": parse,
    "puzzles": puzzles,
    "puzzle": puzzle,
}
"""The requests that are answered at once with JSON; `export` answers with a text."""
TASKS: dict[str, Callable[[Record, WebLimits], MoveTask | EngineTask]] = {
    "move": MoveTask,
    "analyse": AnalysisTask,
    "review": ReviewTask,
}
"""The requests that start a search."""
