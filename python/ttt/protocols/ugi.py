"""UGI, the Universal Game Interface: the engine for graphical programs and referees.

`UgiSession` answers lines of text. Searches run in a thread of their own, so that `stop`, `isready`
and `quit` are answered meanwhile.
"""

import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

from ttt.board import Board, board_class
from ttt.engine import Engine
from ttt.limits import DEEPEST, Limit
from ttt.notation import option_text
from ttt.options import Choice, Whole
from ttt.protocols.clock import OVERHEAD, RESERVE, Delays, limit_for_move, moves_left
from ttt.protocols.moves import read_token, token
from ttt.registry import games
from ttt.score import DECIDED, Score
from ttt.search.result import Line, Result
from ttt.version import __version__
from ttt_core.errors import BadNotation, shorten

COMMANDS = "ugi, isready, uginewgame, setoption, position, go, stop, query, quit"
CLOCK_WORDS = ("p1time", "p2time", "p1inc", "p2inc")
NUMBERS = (*CLOCK_WORDS, "movetime", "depth", "nodes")
"""What `go` takes with a number; times are in milliseconds."""
MOST_MS = 10**9
MOST_LINES = 81
"""Of MultiPV: the most moves that a position of any game has."""
NO_MOVE = "none"
"""The best move of a game that is over."""


class Setting:
    """An option of the engine: `name` in setoption, `key` in `Engine`."""

    def __init__(self, key: str, option: Whole | Choice, default: Any = None) -> None:
        self.name = option.name
        self.key = key
        self.option = option
        self.default = option.default if default is None else default

    def describe(self) -> str:
        """The line that announces it."""
        if isinstance(self.option, Whole):
            kind = f"type spin default {self.default} min 1 max {self.option.most}"
        else:
            values = " ".join(f"var {value}" for value in self.option.values)
            kind = f"type combo default {self.default} {values}"
        return f"option name {self.name} {kind}"

    def read(self, text: str) -> Any:
        """The value that a text means; raises BadNotation."""
        return self.option.decode(self.option.encode(text))


def warm_up(engine: Engine, start: Board) -> None:
    """Makes the first search as quick as any other: allocates the tables of the engine and of its
    solver, and reads their files. The start may be in a book, so a later position is used too.
    The system provides a page of a table when it is first written; for all of them that takes
    up to 100 ms, which no search could answer `stop` in. So the tables are overwritten here."""
    later = start.copy()
    later.push_moves([str(move) for move in start.playout(1).moves[:-1][:3]])
    for board in (start, later):
        if engine.has_own_solver(board):
            engine.solver.try_within(board, Limit(nodes=1))
        engine.search(board, Limit(nodes=100), multipv=2)  # without the solver
    engine.clear()


class UgiSession:
    """The engine's side of a dialogue. `write` is called with the lines of an answer, one call at a
    time; `hash_limit` is the largest table in MiB."""

    def __init__(
        self,
        game: str,
        options: dict[str, Any],
        write: Callable[..., None],
        hash_limit: int = 65_536,
    ) -> None:
        self.start = Board(game, **options)
        """The start position, which has the options of the game."""
        self.board = self.start.copy()
        self.settings = self._settings(hash_limit)
        self.values: dict[str, Any] = {
            setting.name: setting.default for setting in self.settings.values()
        }
        self._write_lines = write
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._engine_key: object = None
        self._search: threading.Thread | None = None
        self._delays = Delays()
        self._planned: dict[str, tuple[float, float]] = {}
        """By side: what its clock would show after a move that takes no time, and the time of the
        search, as far as its limit allowed it. The next clock tells how much longer it took."""
        self._most = 0.0
        """The most seconds that a clock has shown in this game."""
        self._searching = False
        """Until just before the best move is written: the next command may follow at once."""

    def _settings(self, hash_limit: int) -> dict[str, Setting]:
        """The options by their names in lower case."""
        kind = board_class(self.start.game)
        evaluations = tuple(kind.engine_type.evaluations)
        own = [
            Setting("hash", Whole("Hash", min(64, hash_limit), hash_limit, "")),
            Setting("threads", Whole("Threads", 1, 256, "")),
            Setting("", Whole("MultiPV", 1, MOST_LINES, "")),
            Setting("", Whole("MoveOverhead", round(1000 * OVERHEAD), 5000, "")),
            Setting("evaluation", Choice("Evaluation", evaluations, ""), "default"),
        ]
        options = self.start.options
        own += [Setting("", option, options[option.name]) for option in self.start.choices]
        return {setting.name.lower(): setting for setting in own}

    # --- lines -----------------------------------------------------------------------------------

    def run(self, lines: Iterable[str]) -> None:
        """Answers lines until `quit` or their end; then ends a running search."""
        try:
            for line in lines:
                if not self.handle(line):
                    break
        finally:
            self._stop()

    def handle(self, line: str) -> bool:
        """Answers one line; False after `quit`."""
        words = line.split()
        if not words:
            return True
        name, given = words[0], words[1:]
        if name == "quit":
            return False
        answer = {
            "ugi": self._introduce,
            "isready": self._isready,
            "uginewgame": self._new_game,
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "query": self._query,
        }.get(name)
        if answer is None:
            self._write(f"info string unknown command {shorten(name)}; choose from {COMMANDS}")
            return True
        try:
            if name in ("uginewgame", "setoption", "position", "go") and self._searching:
                raise ValueError(f"{name} is not possible during a search; send stop first")
            answer(given)
        except (ValueError, MemoryError) as error:
            self._write(f"info string error: {error}")
        return True

    def _write(self, *lines: str) -> None:
        with self._lock:
            self._write_lines(*lines)

    # --- commands --------------------------------------------------------------------------------

    def _introduce(self, _: list[str]) -> None:
        self._write(
            f"id name ttt {__version__} {self.start.game}",
            "id author the ttt developers",
            *(setting.describe() for setting in self.settings.values()),
            "ugiok",
        )

    def _isready(self, _: list[str]) -> None:
        try:
            if not self._searching:
                self._prepare()
        except (ValueError, MemoryError) as error:
            self._write(f"info string error: {error}")
        self._write("readyok")

    def _new_game(self, _: list[str]) -> None:
        self.board = self.start.copy()
        self._most = 0.0
        self._planned.clear()
        self._prepare().clear()

    def _set_option(self, words: list[str]) -> None:
        if not (words[:1] == ["name"] and "value" in words[2:]):
            raise BadNotation("expected setoption name NAME value VALUE")
        at = words.index("value", 2)
        name, value = " ".join(words[1:at]), " ".join(words[at + 1 :])
        self.set_value(name, value)

    def set_value(self, name: str, value: str) -> None:
        """Sets an option, as `setoption` does."""
        setting = self.settings.get(name.lower())
        if setting is None:
            known = ", ".join(setting.name for setting in self.settings.values())
            raise BadNotation(f"unknown option {shorten(name)}; choose from {known}")
        self.values[setting.name] = setting.read(value)
        if setting.option in self.start.choices:
            self._apply_rules(final=False)

    def _apply_rules(self, final: bool) -> None:
        """Starts anew if options of the game have changed. They may be impossible together until
        all of them are set: that is an error only if `final`."""
        options = {choice.name: self.values[choice.name] for choice in self.start.choices}
        if options == self.start.options:
            return
        try:
            self.start = board_class(self.start.game)(**options)
        except ValueError:
            if final:
                self.values.update(self.start.options)
                raise
            return
        self.board = self.start.copy()

    def _set_position(self, words: list[str]) -> None:
        self._apply_rules(final=True)
        at = words.index("moves") if "moves" in words else len(words)
        if words[:1] == ["fen"] and at > 1:
            board = self._parse_fen(" ".join(words[1:at]))
        elif words[:at] == ["startpos"]:
            board = self.start.copy()
        else:
            raise BadNotation("expected position startpos or position fen TEXT, then moves")
        for word in words[at + 1 :]:
            board.push(read_token(board, word))
        self.board = board

    def _parse_fen(self, text: str) -> Board:
        named = text.lower().partition(" ")[0].partition(":")[0]
        if named not in games():
            options = option_text(self.start)
            text = f"{self.start.game}{options and ':'}{options} {text}"
        board = board_class(self.start.game).parse(text)
        if board.options != self.start.options:
            raise ValueError("the position has other options; set them by setoption first")
        return board

    def _query(self, words: list[str]) -> None:
        outcome = self.board.outcome()
        answers = {
            "p1turn": str(self.board.turn == "x").lower(),
            "gameover": str(outcome is not None).lower(),
            "result": {"1-0": "p1win", "0-1": "p2win", "1/2-1/2": "draw", "*": "none"}[
                self.board.result()
            ],
        }
        if len(words) != 1 or words[0] not in answers:
            raise BadNotation(f"expected query {', '.join(answers)}")
        self._write(f"response {answers[words[0]]}")

    # --- searching -------------------------------------------------------------------------------

    def _prepare(self) -> Engine:
        """The engine for the present options, ready to search at once."""
        self._apply_rules(final=True)
        names = [setting for setting in self.settings.values() if setting.key]
        given = {setting.key: self.values[setting.name] for setting in names}
        key = given, self.start.options
        if self._engine is None or key != self._engine_key:
            self._engine = None
            try:
                self._engine = Engine(self.start.game, **given, **self.start.options)
            except (ValueError, MemoryError):
                self.values.update({setting.name: setting.default for setting in names})
                raise
            self._engine_key = key
            warm_up(self._engine, self.start)
        return self._engine

    def _go(self, words: list[str]) -> None:
        limit = self._read_limit(words)
        if self.board.is_game_over():
            self._write("info string error: the game is over", f"bestmove {NO_MOVE}")
            return
        engine = self._prepare()
        multipv = min(self.values["MultiPV"], len(self.board.legal_moves))
        self._search = threading.Thread(
            target=self._run_search,
            args=(engine, self.board.copy(), limit, multipv),
            daemon=True,
        )
        self._searching = True
        self._search.start()

    def _read_limit(self, words: list[str]) -> Limit:
        numbers: dict[str, int] = {}
        rest = iter(words)
        for word in rest:
            if word == "infinite":
                continue
            if word not in NUMBERS:
                raise BadNotation(
                    f"go {shorten(word)}: expected infinite or {', '.join(NUMBERS)} with a number"
                )
            text = next(rest, "")
            if not (text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19):
                raise BadNotation(f"go {word} {shorten(text)}: expected a whole number")
            numbers[word] = int(text)
        times, soft = [], None
        overhead = self.values["MoveOverhead"] / 1000
        if "movetime" in numbers:
            times.append(max(numbers["movetime"] / 1000 - overhead, numbers["movetime"] / 2000))
        side = "p1" if self.board.turn == "x" else "p2"
        if f"{side}time" in numbers:
            clock, increment = (
                min(max(numbers.get(f"{side}{what}", 0), 0), MOST_MS) / 1000
                for what in ("time", "inc")
            )
            if side in self._planned:
                full, planned = self._planned[side]
                self._delays.add(min(max(full - clock - planned, 0.0), full))
            self._most = max(self._most, clock)
            moves = moves_left(self.board)
            spare = overhead + RESERVE * self._most + self._delays.expected(moves, increment)
            own = limit_for_move(clock, increment, moves, spare)
            assert own.time is not None
            times.append(own.time)
            soft = own.soft_time
            self._planned[side] = clock + increment, own.time
        depth = min(max(numbers["depth"], 1), DEEPEST) if "depth" in numbers else None
        nodes = max(numbers["nodes"], 1) if "nodes" in numbers else None
        limit = Limit(
            depth=depth,
            nodes=nodes,
            time=min(max(min(times), 0.001), MOST_MS) if times else None,
            soft_time=soft,
        )
        # Without any limit the search, unlike a solver, reports its progress.
        return limit or Limit(depth=DEEPEST)

    def _run_search(self, engine: Engine, board: Board, limit: Limit, multipv: int) -> None:
        """The thread of a search. It always ends with a best move."""
        move, began = board.legal_moves[0], monotonic()
        try:
            try:
                result = engine.search(board, limit, multipv=multipv, on_info=self._inform)
                assert result.move is not None
                move = result.move
                last = self._infos(result)
            except Exception as error:
                text = " ".join(f"{type(error).__name__}: {error}".split())
                last = [f"info string error: {text}"]
            self._note_time(board, monotonic() - began)
            self._searching = False
            self._write(*last, f"bestmove {token(move)}")
        except OSError:  # nobody reads the answers: the input will end too
            self._searching = False

    def _note_time(self, board: Board, seconds: float) -> None:
        """Notes how long the search of a position took."""
        side = "p1" if board.turn == "x" else "p2"
        if side in self._planned:
            full, most = self._planned[side]
            self._planned[side] = full, min(most, seconds)

    def _inform(self, result: Result) -> None:
        # Also in short searches: the lines wake the referee, which on a busy machine would
        # otherwise begin to wake up only when the best move comes.
        self._write(*self._infos(result))

    def _infos(self, result: Result) -> list[str]:
        return [self._describe(result, number, line) for number, line in enumerate(result.lines, 1)]

    def _describe(self, result: Result, number: int, line: Line) -> str:
        """The info line of one of the best lines."""
        return (
            f"info depth {result.depth} seldepth {result.selective_depth} multipv {number}"
            f" score {self._score(line.score)} nodes {result.nodes}"
            f" nps {result.nodes_per_second:.0f} hashfull {1000 * result.table_fill:.0f}"
            f" time {1000 * result.seconds:.0f} pv {' '.join(map(token, line.moves))}"
        )

    def _score(self, score: Score) -> str:
        """cp: 100 is a log-odds of 1; mate: plies to the win or, below 0, to the loss. A win in at
        most so many plies is a lower bound of the score, such a loss an upper bound."""
        if score.evaluation is not None:
            return f"cp {100 * score.evaluation / self.start.evaluation_scale:.0f}"
        kind = "lowerbound" if score.sign > 0 else "upperbound"
        if score.plies is None:
            return f"cp {score.sign * DECIDED} {kind}"
        return f"mate {score.sign * score.plies}{'' if score.exact else f' {kind}'}"

    def _stop(self) -> None:
        """Ends a search and waits for its best move. Repeated, because a search that is only about
        to start does not notice the first call."""
        while self._search is not None and self._search.is_alive():
            assert self._engine is not None
            if self._searching:
                self._engine.stop()
            self._search.join(0.002)
        self._search = None
