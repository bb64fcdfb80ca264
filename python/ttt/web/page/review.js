// Review: the value of every move of the game as a graph, the errors, and the move that lost it.

import { announce, h, s, toast } from "./dom.js";
import { engine } from "./engine.js";
import { SIGNS, percent, words } from "./values.js";

const WIDTH = 360;
const HEIGHT = 130;

export class ReviewTab {
  constructor(app) {
    this.app = app;
    this.record = null;
    this.key = "";
  }

  /** Names the game that is reviewed. */
  get now() {
    const { state } = this.app;
    return state.record ? JSON.stringify(state.ref(state.moves)) : "";
  }

  get current() {
    return this.key === this.now ? this.record : null;
  }

  render(panel) {
    this.progress = h("progress", { max: 1, value: 0, "aria-label": "Review", hidden: true });
    this.button = h("button", { type: "button", class: "primary", onclick: () => (this.control ? this.stop() : this.start()) });
    this.graph = h("div", { class: "graph" });
    this.list = h("div", { class: "findings" });
    panel.replaceChildren(h("section", { class: "card" },
      h("div", { class: "row spread" }, h("h2", {}, "Review"), this.button),
      this.progress, this.graph, this.list));
    this.draw();
  }

  enter() {
    if (!this.current && this.app.state.over && this.app.state.moves.length) this.start();
    this.draw();
  }

  leave() {
    this.stop();
  }

  changed(detail) {
    if (this.key !== this.now) this.stop();
    if (detail.opened) this.enter();
    this.draw();
  }

  stop() {
    this.control?.abort();
    this.control = null;
    this.draw();
  }

  async start() {
    this.stop();
    const { state } = this.app;
    const control = (this.control = new AbortController());
    this.key = this.now;
    this.record = null;
    const take = (record) => {
      if (control.signal.aborted) return;
      this.record = record;
      this.draw();
      this.app.redraw();
      this.app.refreshMoves();
    };
    this.draw();
    try {
      take(await engine.review(state.ref(state.moves), {}, take, control.signal));
      announce(`Review finished. ${this.summary()}`);
    } catch (error) {
      if (!control.signal.aborted) toast(error.message);
    } finally {
      if (this.control === control) this.control = null;
      this.draw();
    }
  }

  label(ply) {
    return this.current?.moves.find((entry) => entry.ply === ply)?.label ?? "";
  }

  entry(ply) {
    return this.current?.moves.find((one) => one.ply === ply);
  }

  summary() {
    const turning = this.entry(this.current?.turning_point);
    return turning ? `${turning.side.toUpperCase()} lost it with move ${turning.ply}, ${turning.move}; best was ${turning.best}.` : "No single move decided it.";
  }

  draw() {
    if (!this.button?.isConnected) return;
    const { state } = this.app;
    const record = this.current;
    this.button.textContent = this.control ? "Cancel" : record ? "Review again" : "Review this game";
    this.button.disabled = !state.moves.length;
    this.progress.hidden = !this.control;
    this.progress.max = state.moves.length || 1;
    this.progress.value = record?.reviewed ?? 0;
    if (!record) {
      this.graph.replaceChildren();
      this.list.replaceChildren(h("p", { class: "soft" }, state.moves.length
        ? "Finds the errors of both sides and the move that decided the game."
        : "Play a game first, or paste one with Share."));
      return;
    }
    this.drawGraph(record);
    this.drawFindings(record);
  }

  drawGraph(record) {
    const { state } = this.app;
    const plies = record.plies;
    const across = (ply) => 6 + (ply * (WIDTH - 12)) / Math.max(plies, 1);
    const up = (x) => 8 + (1 - x) * (HEIGHT - 16);
    const points = record.moves.map((entry) => [across(entry.ply), up(entry.score.x), entry]);
    if (record.moves[0]) points.unshift([across(record.moves[0].ply - 1), up(record.moves[0].best_score.x), null]);
    const path = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const area = points.length ? `${path}L${points.at(-1)[0].toFixed(1)} ${HEIGHT / 2}L${points[0][0].toFixed(1)} ${HEIGHT / 2}Z` : "";
    const strips = record.moves.map((entry) => {
      const wide = (WIDTH - 12) / Math.max(plies, 1);
      return s("rect", {
        class: "strip", x: across(entry.ply) - wide / 2, y: 0, width: wide, height: HEIGHT, "data-ply": entry.ply,
        onclick: () => state.go(entry.ply),
      }, s("title", {}, `${entry.ply}. ${entry.side.toUpperCase()} ${entry.move}: X ${percent(entry.score.x)}${entry.label ? `, ${entry.label}` : ""}`));
    });
    this.graph.replaceChildren(s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Chance of X after each move. ${this.summary()}` },
      s("rect", { class: "half", x: 0, y: 0, width: WIDTH, height: HEIGHT / 2 }),
      s("path", { class: "area", d: area }),
      s("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      s("path", { class: "curve", d: path }),
      s("line", { class: "here", x1: across(state.at), x2: across(state.at), y1: 0, y2: HEIGHT }),
      points.filter(([, , entry]) => entry && SIGNS[entry.label]).map(([x, y, entry]) =>
        s("circle", { class: `dot ${entry.label}`, cx: x, cy: y, r: entry.ply === record.turning_point ? 6 : 4 })),
      s("text", { x: 6, y: 18 }, "X"), s("text", { x: 6, y: HEIGHT - 8 }, "O"),
      strips));
  }

  drawFindings(record) {
    const { state } = this.app;
    const count = (side, label) => record.moves.filter((entry) => entry.side === side && entry.label === label).length;
    const table = h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "side"), Object.keys(SIGNS).map((label) => h("th", { scope: "col" }, `${label === "inaccuracy" ? "inaccuracies" : `${label}s`}`)))),
      h("tbody", {}, ["x", "o"].map((side) => h("tr", {}, h("th", { scope: "row", class: `side ${side}` }, side.toUpperCase()), Object.keys(SIGNS).map((label) => h("td", {}, String(count(side, label))))))));
    const turning = this.entry(record.turning_point);
    const item = (entry) => h("li", {}, h("button", { type: "button", class: entry.ply === state.at ? "now" : "", onclick: () => state.go(entry.ply) },
      h("b", { class: `sign ${entry.label}` }, SIGNS[entry.label] ?? "•"), ` ${entry.ply}. ${entry.side.toUpperCase()} ${entry.move}`,
      h("span", { class: "soft" }, ` ${words(entry.score)}; best ${entry.best}, ${words(entry.best_score)}`)));
    const errors = record.moves.filter((entry) => SIGNS[entry.label]);
    this.list.replaceChildren(
      h("p", { class: "turning" }, this.control ? "Reviewing from the last move to the first …" : turning ? h("button", { type: "button", class: "link", onclick: () => state.go(turning.ply) }, this.summary()) : this.summary()),
      table, h("ol", { class: "errors" }, errors.map(item)));
  }

  view() {
    const next = this.entry(this.app.state.at + 1);
    return next && !this.app.state.preview ? { hints: [next.best] } : {};
  }

  chance() {
    const { state } = this.app;
    if (!this.current) return null;
    return this.entry(state.at)?.score.x ?? this.entry(state.at + 1)?.best_score.x ?? null;
  }

  words() {
    const entry = this.entry(this.app.state.at);
    if (!entry) return "";
    const said = entry.label === "best" ? "the best move" : entry.label === "only" ? "the only move" : SIGNS[entry.label] ? `${entry.label === "inaccuracy" ? "an" : "a"} ${entry.label}; best was ${entry.best}` : "a good move";
    return `${entry.move}: ${said}`;
  }

  onmove(move) {
    this.app.state.play(move);
  }
}
