// Analyse: a value on every legal cell while the search deepens, best lines, the evaluation bar.

import { h, remember, toast } from "./dom.js";
import { engine } from "./engine.js";
import { explain, figure, gameScore, kind, plies, short, words } from "./values.js";

const SECONDS = 20;
const KEPT = 200;

export class AnalyseTab {
  constructor(app) {
    this.app = app;
    this.known = new Map(); // analyses by position
    this.lines = Number(remember.get("lines", "3"));
    this.paused = false;
    document.addEventListener("visibilitychange", () => app.tab === this && (document.hidden ? this.stop() : this.start()));
  }

  render(panel) {
    this.list = h("ol", { class: "lines" });
    this.chain = h("div", { class: "chain", hidden: true });
    this.counts = h("p", { class: "counts" });
    this.button = h("button", { type: "button", onclick: () => this.toggle() }, "Pause");
    const lines = h("select", { "aria-label": "Number of lines", onchange: () => this.setLines(Number(lines.value)) },
      [1, 2, 3, 5, 10].map((n) => h("option", { value: n, selected: n === this.lines }, n === 1 ? "1 line" : `${n} lines`)));
    panel.replaceChildren(h("section", { class: "card" },
      h("div", { class: "row spread" }, h("h2", {}, "Best moves"), h("div", { class: "row" }, lines, this.button)),
      this.list, this.chain, this.counts,
      h("p", { class: "soft small" }, "W, D, L: proven win, draw, loss and its length in moves of both sides. Signed figures are estimates; point at one to see the chance.")));
    this.draw();
  }

  setLines(lines) {
    this.lines = lines;
    remember.set("lines", lines);
    this.draw();
  }

  get record() {
    const position = this.app.state.shown;
    return position && this.known.get(position.position);
  }

  enter() {
    this.paused = false;
    this.start();
  }

  leave() {
    this.stop();
  }

  changed() {
    this.start();
  }

  toggle() {
    this.paused = Boolean(this.control);
    if (this.paused) this.stop();
    else this.start(true);
    this.draw();
  }

  stop() {
    this.control?.abort();
    this.control = null;
  }

  /** Analyses the position shown; `deeper` continues after the time was over. */
  async start(deeper = false) {
    this.stop();
    const { state } = this.app;
    const position = state.shown;
    const known = this.record;
    this.draw();
    if (this.paused || document.hidden || !position || position.outcome || known?.proven || (known?.done && !deeper)) return;
    const control = (this.control = new AbortController());
    const line = state.preview ? state.preview.moves.slice(0, state.preview.step) : [];
    const ref = state.ref([...state.moves.slice(0, state.at), ...line]);
    const most = this.app.catalogue.limits.seconds;
    const take = (record) => {
      if (control.signal.aborted) return;
      const before = this.known.get(position.position);
      if (before && before.depth > record.depth && !record.proven && !record.done) return; // still behind the last run
      if (this.known.size > KEPT) this.known.clear();
      this.known.set(position.position, record);
      this.draw();
      this.app.redraw();
    };
    this.draw();
    try {
      const result = await engine.analyse(ref, { time: Math.min(deeper ? 3 * SECONDS : SECONDS, most) }, take, control.signal);
      take({ ...result, done: true });
    } catch (error) {
      if (!control.signal.aborted) toast(error.message);
    } finally {
      if (this.control === control) {
        this.control = null;
        this.draw();
      }
    }
  }

  draw() {
    if (!this.list?.isConnected) return;
    const { state } = this.app;
    const { record } = this;
    this.button.textContent = this.control ? "Pause" : record?.done && !record.proven ? "Deeper" : "Continue";
    this.button.disabled = !state.shown || Boolean(state.shown.outcome) || Boolean(record?.proven);
    if (!record) {
      const text = state.shown?.outcome ? "The game is over." : this.paused ? "Paused." : "Searching …";
      this.list.replaceChildren(h("li", { class: "soft" }, text));
      this.counts.textContent = "";
      this.chain.hidden = true;
      return;
    }
    this.list.replaceChildren(...record.moves.slice(0, this.lines).map((entry) => this.line(entry)));
    this.counts.replaceChildren(...[["depth", record.depth], ["nodes", short(record.nodes)], ["nodes/s", short(record.nodes_per_second)]]
      .map(([name, value]) => h("span", {}, h("b", {}, String(value)), ` ${name}`)));
    this.chain.hidden = !record.chain;
    if (record.chain) {
      this.chain.replaceChildren(h("h3", {}, "Winning chain of threats"), this.steps(record.chain));
    }
  }

  line(entry) {
    const exact = gameScore(entry);
    return h("li", {},
      h("span", { class: `tag ${kind(entry)}`, title: explain(entry) }, entry.value ? words(entry) : figure(entry)),
      exact && h("span", { class: "exact soft", title: "exact score: moves left at the end, for the winner" }, exact),
      this.steps(entry.line));
  }

  /** The moves of a line, each a button that shows the position after it. */
  steps(line) {
    const { state } = this.app;
    const base = state.preview ? state.preview.moves.slice(0, state.preview.step) : [];
    return h("span", { class: "pv" }, line.map((move, i) =>
      h("button", { type: "button", class: i === 0 ? "first" : "", title: "Show the position after this move", onclick: () => state.show([...base, ...line], base.length + i + 1) }, move)));
  }

  view() {
    const { record } = this;
    if (!record) return { threats: true };
    const [top] = record.moves;
    const equal = (entry) => entry.value === top.value && entry.plies === top.plies && entry.odds === top.odds;
    const best = record.moves.filter(equal).map((entry) => entry.move);
    return { values: record.moves, best: best.length < record.moves.length ? best : [], threats: true };
  }

  /** The chance of x, for the bar; null if it is not known. */
  chance() {
    const { shown } = this.app.state;
    if (shown?.outcome) return shown.outcome.winner === "x" ? 1 : shown.outcome.winner ? 0 : 0.5;
    return this.record?.moves[0]?.x ?? null;
  }

  /** What is known of the position, to add to the sentence below the board. */
  words() {
    const top = this.record?.moves[0];
    if (!top?.value) return "";
    if (top.value === "draw") return "best play: a draw";
    const turn = this.app.state.shown.turn;
    const winner = (top.value === "win") === (turn === "x") ? "X" : "O";
    return `best play: ${winner} wins${top.plies ? ` in ${plies(top)}` : ""}`;
  }

  onmove(move) {
    this.app.state.play(move);
  }
}
