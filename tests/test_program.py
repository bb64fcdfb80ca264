"""Programs as players: games equal to those in this process, failures, supervision, clocks."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.bots import TTT, python_bot, ugi_bot
from support.inprocess import run
from support.processes import wait_until
from ttt import Board
from ttt.matches.match import play_match
from ttt.matches.series import Series
from ttt.players.spec import make_player
from ttt.protocols.clock import Clock
from ttt.protocols.dialogs import Dialog
from ttt.protocols.process import Process, ProgramError
from ttt.protocols.program import Program, split_program

NINE = {"full": "draw"}
ULTIMATE = {"tie": "boards"}


# --- the text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "command", "options"),
    [
        ("program:./bot", "./bot", {"protocol": "ugi"}),
        ("program:./bot -x 1,protocol=unsw", "./bot -x 1", {"protocol": "unsw"}),
        (
            "program:ttt ugi mnk --set m=4,n=4,protocol=ugi,time=0.5,Hash=16",
            "ttt ugi mnk --set m=4,n=4",
            {"protocol": "ugi", "time": "0.5", "Hash": "16"},
        ),
    ],
)
def test_text(spec: str, command: str, options: dict[str, str]) -> None:
    assert split_program(spec) == (command, options)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("program:", "expected a command"),
        ("program:./missing-bot", "'./missing-bot': not found"),
        ("program:/etc/passwd", "'/etc/passwd': not executable"),
        ("program:'sh", "no closing quotation"),
        ("program:sh,protocol=uci", "protocol='uci': choose from ugi, codingame, unsw"),
        ("program:sh,protocol=ugi,speed=3", "unknown option 'speed' with protocol=ugi"),
        ("program:sh,protocol=ugi,time=0", "time='0': expected a positive number of seconds"),
        ("program:sh,protocol=ugi,nodes=x", "expected a whole number"),
        ("program:sh,protocol=ugi,clock=fast", "clock 'fast': expected seconds"),
        ("program:sh,protocol=unsw", "protocol=unsw plays nineboard with full=draw"),
        ("program:sh,protocol=codingame", "protocol=codingame plays ultimate with tie=boards"),
    ],
)
def test_bad_texts(spec: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        make_player(spec, Board("connect4"))


def test_options_that_a_protocol_does_not_have() -> None:
    board = Board("nineboard", **NINE)
    for option in ("nodes=5", "Hash=5"):
        with pytest.raises(ValueError, match="option"):
            make_player(f"program:sh,protocol=unsw,{option}", board)


def test_time_of_a_match() -> None:
    def with_options(options: str) -> Program:
        made = make_player(f"program:sh,protocol=ugi{options}", Board("connect4"), 0.3)
        assert isinstance(made, Program)
        return made

    assert with_options("").pace.time == 0.3
    assert with_options(",time=0.2").pace.time == 0.2
    assert with_options(",clock=1+0.1").pace == (None, Clock(1, 0.1), None, None)
    slow = Series("connect4", ["program:sh,protocol=ugi,time=9", "first"], time=1.0)
    with pytest.raises(ValueError, match="takes 9 s per move"):
        slow.check()


@pytest.mark.parametrize(
    ("game", "options", "protocol", "most"),
    [("ultimate", ULTIMATE, "codingame", 0), ("nineboard", NINE, "unsw", 1)],
)
def test_openings_that_a_protocol_cannot_tell(
    game: str, options: dict[str, str], protocol: str, most: int
) -> None:
    players = [f"program:sh,protocol={protocol}", "first"]
    Series(game, players, options=options, openings=f"random:{most}").check()
    with pytest.raises(ValueError, match=f"cannot begin after {most + 1} moves"):
        Series(game, players, options=options, openings=f"random:{most + 1}").check()


# --- games equal to those in this process --------------------------------------------------------


def check_equal(
    game: str,
    options: dict[str, str],
    programs: list[str],
    players: list[str],
    games: int,
    openings: str = "",
) -> None:
    """Both pairs of players play the same games, without an error."""
    first, second = (
        play_match(game, one, two, games=games, options=options, openings=openings)
        for one, two in (programs, players)
    )
    assert len(first.games) == games
    for program_game, player_game in zip(first.games, second.games, strict=True):
        assert {**program_game, "ms": []} == {**player_game, "ms": []}
        assert "error" not in program_game


@pytest.mark.parametrize(
    ("game", "options"),
    [("connect4", {}), ("mnk", {"m": "5", "n": "4", "k": "4"}), ("nineboard", NINE)],
)
def test_equal_games_by_ugi(game: str, options: dict[str, str]) -> None:
    texts = [f"program:{TTT} ugi {game},protocol=ugi,nodes={nodes}" for nodes in (200, 1000)]
    plain = ["engine:nodes=200", "engine:nodes=1000"]
    check_equal(game, options, texts, plain, games=20, openings="random:2")


def check_codingame(games: int) -> None:
    for number in range(games // 2):
        players = [f"engine:nodes={50 + 20 * number}", f"engine:nodes={150 - 5 * number}"]
        texts = [
            f"program:{TTT} codingame --player {p},protocol=codingame,time=60" for p in players
        ]
        check_equal("ultimate", ULTIMATE, texts, players, games=2)


def test_equal_games_by_codingame() -> None:
    check_codingame(2)


@pytest.mark.slow
def test_twenty_equal_games_by_codingame() -> None:
    check_codingame(20)


def test_equal_games_by_unsw() -> None:
    players = ["engine:nodes=200", "engine:nodes=300"]
    texts = [f"program:{TTT} unsw agent --player {player},protocol=unsw" for player in players]
    check_equal("nineboard", NINE, texts, players, games=2, openings="random:1")


def test_first_move_of_x_by_unsw() -> None:
    player = f"program:{TTT} unsw agent -p {{port}} --player first,protocol=unsw"
    played = play_match("nineboard", player, "random", games=4, options=NINE, sides="fixed")
    assert not any("error" in game for game in played.games)
    assert len({game["moves"][:3] for game in played.games}) > 1


# --- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "kind", "error"),
    [
        ("sys.exit(3)", "crash", "it ended with status 3"),
        ("os.abort()", "crash", "it was ended by SIGABRT"),
        ("sys.stderr.write('out of' + ' luck'); sys.exit(1)", "crash", "status 1; stderr: out of"),
        ("os.close(1)", "crash", "it closed its output"),
        ("print('bestmove', 9, flush=True)", "illegal", "'9' is not a move"),
        ("print('bestmove', flush=True)", "illegal", "not a single move"),
        ("print('bestmove 1\\n' * 9, flush=True)", "illegal", "is full"),
        ("time.sleep(600)", "timeout", "over 0.6 s"),
        ("print('1\\n\\x00' * 1000, flush=True)", "timeout", "over 0.6 s"),
        ("raise ValueError('my bug')", "crash", "ValueError: my bug"),
    ],
)
def test_a_failure_loses_the_game(tmp_path: Path, behaviour: str, kind: str, error: str) -> None:
    seconds = 0.05 if kind == "timeout" else 60
    text = f"program:{ugi_bot(tmp_path, behaviour)},protocol=ugi,time={seconds}"
    opponent = "first" if "is full" in error else "random"
    played = play_match("connect4", text, opponent, games=2)
    for game in played.games:
        assert (game["termination"], game["result"]) == (kind, "0-1" if game["x"] == 1 else "1-0")
        assert error in game["error"]
    assert played.standings[0].errors[kind] == 2


@pytest.mark.parametrize(
    ("protocol", "game", "options", "answer", "error"),
    [
        ("codingame", "ultimate", ULTIMATE, "print(9, 9, flush=True)", "expected ROW COL, 0-8"),
        ("codingame", "ultimate", ULTIMATE, "print('?', flush=True)", "expected ROW COL, 0-8"),
        ("unsw", "nineboard", NINE, "link.sendall(b'0\\n')", "'0' is not a cell, 1-9"),
        ("unsw", "nineboard", NINE, "link.shutdown(2)", "it disconnected|status 0"),
        ("unsw", "nineboard", NINE, "sys.exit(2)", "it ended with status 2"),
    ],
)
def test_failures_of_other_protocols(
    tmp_path: Path, protocol: str, game: str, options: dict[str, str], answer: str, error: str
) -> None:
    source = {
        "codingame": "import sys\nfor line in sys.stdin:\n    ANSWER\n",
        "unsw": "import socket, sys\n"
        "link = socket.create_connection(('127.0.0.1', int(sys.argv[sys.argv.index('-p') + 1])))\n"
        "for line in link.makefile():\n    if '_move' in line:\n        ANSWER\n",
    }[protocol]
    command = python_bot(tmp_path, source.replace("ANSWER", answer))
    text = f"program:{command},protocol={protocol},time=60"
    played = play_match(game, "random", text, games=1, options=options)
    (lost,) = played.games
    assert lost["result"] == "1-0"
    assert lost["termination"] in ("exception", "illegal", "crash")
    assert any(part in lost["error"] for part in error.split("|"))


def test_an_agent_that_never_connects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, kind, seconds in (
        ("import time; time.sleep(600)", "timeout", 0.3),
        ("", "crash", 300.0),
    ):
        monkeypatch.setattr("ttt.protocols.dialogs.START_SECONDS", seconds)
        text = f"program:{python_bot(tmp_path, source)},protocol=unsw"
        (game,) = play_match("nineboard", text, "first", games=1, options=NINE).games
        assert game["termination"] == kind


def test_a_program_that_is_gone_between_games_starts_again(tmp_path: Path) -> None:
    behaviour = "print('bestmove', moves, flush=True); moves < 4 or sys.exit(1)"
    text = f"program:{ugi_bot(tmp_path, behaviour)},protocol=ugi,time=60"
    played = play_match("connect4", text, "engine:depth=6", games=3, sides="fixed")
    assert len(played.games) == 3


def test_a_flood_of_output_is_harmless(tmp_path: Path) -> None:
    flood = "sys.stdout.write('x' * 10**6 + '\\n'); sys.stdout.write('info\\n' * 10**5);"
    flood += "sys.stderr.write('y' * 10**6); print('bestmove 1', flush=True)"
    player = Program(f"program:{ugi_bot(tmp_path, flood)},protocol=ugi,time=60", Board("connect4"))
    assert player.choose(Board("connect4")) == "1"
    player.close()


def test_taking_back_moves(tmp_path: Path) -> None:
    board = Board("ultimate", **ULTIMATE)
    player = Program(f"program:{TTT} codingame --player first,protocol=codingame,time=60", board)
    board.push(player.choose(board))
    board.push(board.legal_moves[0])
    board.push(player.choose(board))
    board.push(board.legal_moves[0])
    board.pop()
    board.push(board.legal_moves[-1])
    assert player.choose(board)
    board.pop()
    board.pop()
    with pytest.raises(ProgramError, match="cannot take back moves"):
        player.choose(board)


# --- supervision ---------------------------------------------------------------------------------


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def wait_for_end(pid: int) -> None:
    wait_until(lambda: not alive(pid))


CHILD = "child = subprocess.Popen(['sleep', '600']); print('info pv', child.pid, flush=True);"


def test_children_are_killed_too(tmp_path: Path) -> None:
    bot = ugi_bot(tmp_path, CHILD + "print('bestmove 1', flush=True)")
    player = Program(f"program:{bot},protocol=ugi,time=60", Board("connect4"))
    player.choose(Board("connect4"))
    child = int(player.summary().split()[-1])
    assert alive(child)
    player.close()
    wait_for_end(child)
    player.close()  # does nothing


def test_killed_on_time_out(tmp_path: Path) -> None:
    bot = ugi_bot(tmp_path, "time.sleep(600)")
    source = Path(bot.split()[-1])
    source.write_text("import os; open('pid', 'w').write(str(os.getpid()))\n" + source.read_text())
    board = Board("connect4")
    player = Program(f"program:env -C {tmp_path} {bot},protocol=ugi,time=0.2", board)
    with pytest.raises(ProgramError, match="over"):
        player.choose(board)
    wait_for_end(int((tmp_path / "pid").read_text()))


def test_killed_with_this_process(tmp_path: Path) -> None:
    """Even by SIGKILL, which leaves no time to clean up."""
    bot = python_bot(tmp_path, "import time; time.sleep(600)")
    source = "import sys, time; from ttt.protocols.process import Process, split_command\n"
    source += f"p = Process(split_command({bot!r})); print(p.pid, flush=True); time.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_for_end(pid)


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(ProgramError, match="cannot start"):
        Process([str(script)])


def test_input_that_nobody_reads() -> None:
    process = Process(["true"])

    def send_for_long() -> None:
        for _ in range(15_000):
            process.send("x" * 1000)
            time.sleep(0.02)

    with pytest.raises(ProgramError, match="status 0"):
        send_for_long()
    process.close()


# --- play, match, tournament ---------------------------------------------------------------------


def test_on_the_command_line(tmp_path: Path) -> None:
    bot = ugi_bot(tmp_path, "print('bestmove', 1 + moves % 7, flush=True)")
    text = f"program:{bot},protocol=ugi,time=60"
    done = run("match", "connect4", text, "first", "--games", "2", "--time", "60")
    assert done.returncode == 0
    assert "errors 0" in done.stdout
    done = run("tournament", "connect4", text, "first", "random", "--games", "2")
    assert done.returncode == 0
    done = run("play", "connect4", "--player", text, "--opponent", "first", "--games", "1")
    assert done.returncode == 0
    assert "wins" in done.stderr
    assert "program:CMD" in run("players").stdout


def test_a_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players = [f"program:{TTT} ugi connect4,protocol=ugi,clock={clock}" for clock in ("90+1", "50")]
    played = play_match("connect4", players[0], players[1], games=1, openings="random:20")
    assert not any("error" in game for game in played.games)
    arrived = Dialog.arrived  # each answer comes 20 seconds later
    monkeypatch.setattr(Dialog, "arrived", lambda dialog: arrived(dialog) + 20)
    bot = ugi_bot(tmp_path, "print('bestmove', 1 + moves, flush=True)")
    text = f"program:{bot},protocol=ugi,clock=50"
    (game,) = play_match("connect4", text, "random:seed=3", games=1).games
    assert game["termination"] == "timeout"
    assert len(game["moves"].split()) == 4
