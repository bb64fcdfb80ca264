// Play: against a level or any other player, with another person, or players among themselves.

import { $, announce, h, remember, toast } from "./dom.js";
import { engine } from "./engine.js";

const HUMAN = "human";
const OTHER = { x: "o", o: "x" };

export class PlayTab {
  constructor(app) {
    this.app = app;
    this.seats = { x: remember.get("seat-x", HUMAN), o: remember.get("seat-o", "level-5") };
    this.delay = Number(remember.get("delay", "600"));
    this.threats = remember.get("threats", "") === "yes";
    this.running = false; // whether players without a person are playing
    this.seed = this.newSeed();
  }

  newSeed() {
    return Math.floor(Math.random() * 2 ** 40);
  }

  get people() {
    return ["x", "o"].filter((side) => this.seats[side] === HUMAN);
  }

  // --- the panel --------------------------------------------------------------------------------

  render(panel) {
    const { app } = this;
    const choices = (side) => {
      const seat = this.seats[side];
      const guests = app.catalogue.guests ?? []; // added by the operator of the server
      const known = seat === HUMAN || /^level-\d+$/.test(seat) || guests.includes(seat);
      const option = (value, text) => h("option", { value, selected: known ? value === seat : value === "other" }, text);
      const select = h("select", { id: `seat-${side}`, onchange: () => this.seatChanged(side, select.value) },
        option(HUMAN, "a person"),
        app.catalogue.levels.map((_, i) => option(`level-${i + 1}`, `level ${i + 1}${i === 0 ? ", easy" : i === app.catalogue.levels.length - 1 ? ", strongest" : ""}`)),
        guests.map((name) => option(name, name)),
        option("other", "another player …"));
      const text = h("input", {
        value: known ? "" : seat, hidden: known, placeholder: "such as mcts:time=2", "aria-label": `Player of ${side.toUpperCase()}`,
        list: "players", onchange: () => this.seatChanged(side, text.value.trim() || HUMAN),
      });
      return h("div", { class: "seat" }, h("label", { for: `seat-${side}`, class: `side ${side}` }, side.toUpperCase()), select, text);
    };
    const players = [...Object.keys(app.catalogue.players), ...(app.state.record?.players ?? [])];
    this.button = h("button", { type: "button", class: "primary", onclick: () => this.toggle() });
    this.resignButton = h("button", { type: "button", onclick: () => this.resign() }, "Resign");
    this.onButton = h("button", { type: "button", onclick: () => this.playOn() }, "Play on from here");
    const speed = h("input", {
      id: "speed", type: "range", min: 0, max: 2000, step: 100, value: 2000 - this.delay,
      oninput: () => remember.set("delay", (this.delay = 2000 - Number(speed.value))),
    });
    this.machines = h("div", { class: "row" }, this.button, h("label", { for: "speed", class: "soft" }, "Speed"), speed);
    const threats = h("input", { type: "checkbox", checked: this.threats, onchange: () => this.showThreats(threats.checked) });
    panel.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, "Players"), choices("x"), choices("o"),
        h("datalist", { id: "players" }, players.map((value) => h("option", { value }))),
        this.machines,
        h("div", { class: "row spread" }, h("label", { class: "check" }, threats, "Show threats"), this.onButton, this.resignButton)),
      this.optionsCard());
    this.refresh();
  }

  optionsCard() {
    const { record } = this.app.state;
    if (!record.choices.length) return "";
    const fields = record.choices.map((choice) => {
      const id = `option-${choice.name}`;
      const value = record.options[choice.name];
      const field = choice.values
        ? h("select", { id, name: choice.name }, choice.values.map((one) => h("option", { value: one, selected: one === value }, one)))
        : h("input", { id, name: choice.name, type: "number", min: choice.least, max: choice.most, value, required: true });
      return h("div", { class: "option" }, h("label", { for: id }, choice.name), field, h("span", { class: "soft small" }, choice.help));
    });
    const form = h("form", {}, fields, h("button", { type: "submit" }, "New game with these rules"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const options = [...new FormData(form)].map(([name, value]) => `${name}=${value}`).join(",");
      this.app.openGame(record.game, options);
    });
    return h("details", { class: "card", open: remember.get("rules-open", "") === "yes", ontoggle: (event) => remember.set("rules-open", event.target.open ? "yes" : "") },
      h("summary", {}, h("h2", {}, "Rules of this game")), form);
  }

  seatChanged(side, value) {
    const field = $(`seat-${side}`).nextElementSibling;
    if (value === "other") {
      field.hidden = false;
      field.focus();
      return;
    }
    if (value === HUMAN || /^level-\d+$/.test(value)) field.hidden = true;
    this.seats[side] = value;
    remember.set(`seat-${side}`, value);
    this.running = false;
    this.seed = this.newSeed();
    this.app.refreshWords();
    this.changed({});
  }

  showThreats(on) {
    this.threats = on;
    remember.set("threats", on ? "yes" : "");
    this.app.redraw();
  }

  refresh() {
    const { state } = this.app;
    if (!this.machines?.isConnected || !state.position) return;
    const alone = this.people.length === 0;
    this.machines.hidden = !alone;
    this.button.textContent = this.running ? "Pause" : state.moves.length ? "Continue" : "Start";
    this.button.disabled = state.over;
    this.resignButton.hidden = alone;
    this.resignButton.disabled = state.over || state.at === 0;
    this.onButton.hidden = alone || state.over || state.at === state.moves.length || this.seats[state.position.turn] === HUMAN;
  }

  /** Who plays, in a few words. */
  words() {
    const name = (side) => (this.seats[side].startsWith("level-") ? this.seats[side].replace("-", " ") : this.seats[side]);
    if (this.people.length === 2) return "two people";
    if (this.people.length === 0) return `X: ${name("x")} · O: ${name("o")}`;
    const [side] = this.people;
    return `you play ${side.toUpperCase()} · ${name(OTHER[side])} plays ${OTHER[side].toUpperCase()}`;
  }

  /** The end of the game for the person who plays. */
  verdict(winner) {
    if (this.people.length !== 1 || !winner) return "";
    return winner === this.people[0] ? "You win." : "You lose.";
  }

  // --- the game ---------------------------------------------------------------------------------

  enter() {
    this.changed({});
  }

  leave() {
    this.stop();
  }

  stop() {
    this.control?.abort();
    this.control = null;
    this.app.board.locked = false;
  }

  changed(detail) {
    if (detail.opened) {
      this.running = false;
      this.seed = this.newSeed();
    }
    this.stop();
    this.refresh();
    this.think();
  }

  /** Asks the player to move for its move, if no person plays that side. */
  async think() {
    const { state, board } = this.app;
    if (!state.position || state.over || state.preview || state.at < state.moves.length) return;
    const { turn } = state.position;
    const player = this.seats[turn];
    if (player === HUMAN || (this.people.length === 0 && !this.running)) return;
    const control = (this.control = new AbortController());
    board.locked = true;
    const slow = setTimeout(() => !control.signal.aborted && this.app.refreshWords(`${turn.toUpperCase()} is thinking …`), 400);
    const began = performance.now();
    try {
      const found = await engine.move(state.ref(), player, this.seed + state.at, control.signal);
      const rest = this.people.length ? 0 : this.delay - (performance.now() - began);
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
      if (!control.signal.aborted) await state.play(found.move, found.position);
    } catch (error) {
      if (control.signal.aborted) return;
      this.running = false;
      toast(`${player}: ${error.message}`);
      this.refresh();
    } finally {
      clearTimeout(slow);
      if (this.control === control) board.locked = false;
    }
  }

  onmove(move) {
    const { state } = this.app;
    if (state.over || this.seats[state.shown.turn] !== HUMAN) return;
    state.play(move);
  }

  toggle() {
    this.running = !this.running;
    this.changed({});
  }

  playOn() {
    const { state } = this.app;
    state.moves = state.moves.slice(0, state.at);
    state.resigned = "";
    state.changed({});
  }

  resign() {
    const { state } = this.app;
    const side = this.people.length === 1 ? this.people[0] : state.position.turn;
    state.resign(side);
    announce(`${side.toUpperCase()} resigns.`);
  }

  /** Takes back the last move of a person, and the reply to it. */
  undo() {
    const { state } = this.app;
    this.running = false;
    let at = state.at - 1;
    if (this.people.length === 1) {
      const turn = (ply) => ((state.at - ply) % 2 ? OTHER[state.position.turn] : state.position.turn);
      while (at > 0 && turn(at) !== this.people[0]) at--;
    }
    return state.go(at);
  }

  redo() {
    const { state } = this.app;
    let at = state.at + 1;
    if (this.people.length === 1) {
      const turn = (ply) => ((ply - state.at) % 2 ? OTHER[state.position.turn] : state.position.turn);
      while (at < state.moves.length && turn(at) !== this.people[0]) at++;
    }
    return state.go(at);
  }

  view() {
    return { threats: this.threats };
  }
}
