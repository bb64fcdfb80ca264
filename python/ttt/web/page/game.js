// The game on the board: its moves, the position shown, undo and redo, and the address of the page,
// which always holds all of it. Emits "change" when the position shown has changed.

import { engine } from "./engine.js";

const KEPT = 400;

export class GameState extends EventTarget {
  constructor() {
    super();
    this.record = null; // the game and its layout
    this.start = ""; // first position, if it is not the usual one
    this.moves = []; // all moves, also those taken back
    this.at = 0; // how many of them are on the board
    this.position = null;
    this.resigned = ""; // the side that gave up
    this.preview = null; // a line shown on the board: {moves, step, position}
    this.known = new Map();
    this.records = new Map(); // games by name and options
    this.queue = Promise.resolve();
  }

  /** What a request needs to name a position. */
  ref(moves = this.moves.slice(0, this.at)) {
    const ref = { game: this.record.game, moves };
    return this.start ? { ...ref, position: this.start } : { ...ref, options: this.record.option_text };
  }

  /** The position on the board: that of the line shown, if there is one. */
  get shown() {
    return this.preview?.position ?? this.position;
  }

  get over() {
    return Boolean(this.position.outcome) || (this.resigned !== "" && this.at === this.moves.length);
  }

  /** Runs one change after the other; errors reach the caller. */
  enqueue(change) {
    const result = this.queue.then(change);
    this.queue = result.catch(() => {});
    return result;
  }

  /** Takes note of the records of games with their usual options. */
  know(records) {
    for (const record of records) this.records.set(`${record.game}:`, record);
  }

  /** The record of a game; `start`, the text of a position, names the options too. */
  async fetchRecord(game, start, options) {
    if (start) options = start.split(" ")[0].split(":")[1] ?? "";
    const key = `${game}:${options}`;
    if (!this.records.has(key)) this.records.set(key, await engine.game(game, options));
    return this.records.get(key);
  }

  async fetchPosition(moves) {
    const key = JSON.stringify(this.ref(moves));
    if (!this.known.has(key)) {
      const position = await engine.position(this.ref(moves));
      if (this.known.size > KEPT) this.known.clear();
      this.known.set(key, position);
    }
    return this.known.get(key);
  }

  changed(detail = {}) {
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }

  /** Opens a game: {game, options, start, moves, at}. */
  open({ game, options = "", start = "", moves = [], at }, push = false, ready = null) {
    return this.enqueue(async () => {
      const ref = start ? { game, position: start, moves } : { game, options, moves };
      const fresh = !start && !moves.length; // its position comes with the record
      const [found] = await Promise.all([fresh ? null : engine.position(ref), ready]);
      const record = await this.fetchRecord(game, start, options);
      const position = found ?? record.first;
      this.record = record;
      this.start = start;
      this.moves = position.moves;
      this.at = this.moves.length;
      this.position = position;
      this.preview = null;
      this.resigned = "";
      if (at !== undefined && at < this.at) {
        this.position = await this.fetchPosition(this.moves.slice(0, at));
        this.at = at;
      }
      this.changed({ opened: true, push });
    });
  }

  /** Plays a move on the position shown, if it is legal there; the moves after it are dropped. */
  play(move, position = null) {
    return this.enqueue(async () => {
      if (!this.shown.legal.some((entry) => entry.move === move)) return false;
      const line = this.preview ? this.preview.moves.slice(0, this.preview.step) : [];
      const moves = [...this.moves.slice(0, this.at), ...line, move];
      this.position = position ?? (await this.fetchPosition(moves));
      this.moves = moves;
      this.at = moves.length;
      this.preview = null;
      this.resigned = "";
      this.changed({ played: true });
      return true;
    });
  }

  /** Goes to the position after `at` moves. */
  go(at) {
    return this.enqueue(async () => {
      at = Math.max(0, Math.min(at, this.moves.length));
      if (at === this.at && !this.preview) return;
      this.position = await this.fetchPosition(this.moves.slice(0, at));
      this.at = at;
      this.preview = null;
      this.changed({});
    });
  }

  /** Shows the first `step` moves of a line that begins at the position; 0 ends that. */
  show(moves, step) {
    return this.enqueue(async () => {
      step = Math.max(0, Math.min(step, moves.length));
      const line = [...this.moves.slice(0, this.at), ...moves.slice(0, step)];
      const position = step ? await this.fetchPosition(line) : null;
      this.preview = step ? { moves, step, position } : null;
      this.changed({ preview: true });
    });
  }

  resign(side) {
    this.resigned = side;
    this.changed({ resigned: true });
  }

  /** The result in the words of a saved game. */
  get result() {
    if (this.position.outcome) return this.position.outcome.result;
    return this.resigned ? (this.resigned === "x" ? "0-1" : "1-0") : "*";
  }
}

/** Moves as text for the address: 4455, or 5-6,6-1. */
function joinMoves(moves) {
  return moves.every((move) => move.length === 1) ? moves.join("") : moves.map((move) => move.replaceAll(" ", "-")).join(",");
}

const plain = (text) => encodeURIComponent(text).replaceAll("%20", "+").replace(/%(2C|2F|3A|3D)/g, decodeURIComponent);

/** The query that names a game, for the address of the page. */
export function query(state, tab) {
  const parts = [["game", state.record.game]];
  if (state.start) parts.push(["position", state.start]);
  else if (state.record.option_text) parts.push(["options", state.record.option_text]);
  if (state.moves.length) parts.push(["moves", joinMoves(state.moves)]);
  if (state.at < state.moves.length) parts.push(["at", String(state.at)]);
  if (tab !== "play") parts.push(["tab", tab]);
  return "?" + parts.map(([name, value]) => `${name}=${plain(value)}`).join("&");
}

/** The game that an address names, and the tab. */
export function readQuery(text) {
  const fields = new URLSearchParams(text);
  const at = fields.get("at");
  return {
    game: fields.get("game") ?? "",
    options: fields.get("options") ?? "",
    start: fields.get("position") ?? "",
    moves: fields.get("moves") ?? "",
    at: at !== null && /^\d{1,3}$/.test(at) ? Number(at) : undefined,
    tab: fields.get("tab") ?? "play",
  };
}
