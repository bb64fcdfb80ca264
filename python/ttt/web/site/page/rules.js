// Positions before the engine runs: by the rules of the game, compiled to a WebAssembly module of a
// few kilobytes (../rules.pxi). They have all that two people need to play. What takes more than the
// rules comes with the engine: threats, the text of the position, the lines through winning cells.

const SIDES = ["x", "o"];
const RUNNING = 2; // as in rules.pxi

export class Rules {
  /** The rules of a game, from its record in games.json. */
  static async load(record) {
    const response = await fetch(new URL(`rules/${record.game}.wasm`, import.meta.url));
    const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), {});
    return new Rules(record, instance.exports);
  }

  constructor(record, core) {
    this.game = record;
    this.core = core;
    this.numbers = new Map(record.move_names.map((name, number) => [name, number]));
    this.size = record.first.marks.length;
  }

  /** The moves in the address of the page, as game.js writes them; null if it needs the engine to read them. */
  split(text) {
    const moves = text.replaceAll("-", " ");
    const found = this.numbers.has(moves) ? [moves] : moves.includes(",") ? moves.split(",") : [...moves];
    return found.every((move) => this.numbers.has(move)) ? found : null;
  }

  bytes(at, length) {
    return new Uint8Array(this.core.memory.buffer, at, length);
  }

  marks() {
    return String.fromCharCode(...this.bytes(this.core.marks(), this.size));
  }

  /** Goes to the position after some moves, by number; false if one of them cannot be played. */
  go(moves) {
    this.core.begin();
    return moves.every((move) => this.core.push(move));
  }

  /** The cell that the last of some moves marks. */
  landing(moves) {
    this.go(moves.slice(0, -1));
    const before = this.marks();
    this.core.push(moves.at(-1));
    return [...this.marks()].findIndex((mark, cell) => mark !== before[cell]);
  }

  /** The position after some moves; null if one of them cannot be played: the engine says why. */
  position(moves) {
    const { core, game } = this;
    const { layout } = game;
    const numbers = moves.map((move) => this.numbers.get(move) ?? -1);
    if (!this.go(numbers)) return null;
    const marks = this.marks();
    const ply = core.plies();
    const turn = SIDES[ply % 2];
    const value = core.outcome_value();
    const owners = String.fromCharCode(...this.bytes(core.owners(), 9));
    const won = [...this.bytes(core.line(), this.size)].flatMap((mark, cell) => (mark ? [cell] : []));
    const playable = game.move_names.map((_, number) => number).filter((number) => core.can_play(number));
    const legal = playable.map((number) => ({ move: game.move_names[number], cell: this.landing([...numbers, number]) }));
    const boards = layout.block_word === "board" ? legal.map(({ cell }) => Math.floor(cell / (layout.width * layout.height))) : [];
    const force = [...new Set(boards)];
    const outcome = value === RUNNING ? null : this.outcome(value, ply, won);
    return {
      game: game.game, option_text: game.option_text, position: `after ${moves.join(", ")}`, start: "",
      moves, marks, turn, ply, last: numbers.length ? this.landing(numbers) : null, legal, force,
      owners: owners.startsWith("\0") ? "" : owners, threats: [], outcome, status: status(turn, force, outcome),
    };
  }

  outcome(value, ply, cells) {
    const winner = value ? SIDES[value > 0 ? ply % 2 : 1 - (ply % 2)] : null;
    return { winner, result: { x: "1-0", o: "0-1" }[winner] ?? "1/2-1/2", cells, lines: [], block_lines: [] };
  }
}

function status(turn, force, outcome) {
  if (outcome) return outcome.winner ? `${outcome.winner.toUpperCase()} wins` : "Draw";
  const where = force.length === 1 ? ` on board ${force[0] + 1}` : " on any open board";
  return `${turn.toUpperCase()} to move${force.length ? where : ""}`;
}
