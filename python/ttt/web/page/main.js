// The page: puts the board, the tabs and the game together.

import { $, FIRST_GAME, announce, h, remember, toast } from "./dom.js";
import { engine } from "./engine.js";
import { GameState, query, readQuery } from "./game.js";
import { BoardView } from "./board.js";
import { CubeView } from "./cube.js";
import { PlayTab } from "./play.js";
import { SIGNS, percent } from "./values.js";

const NAMES = { play: "Play", analyse: "Analyse", review: "Review", puzzles: "Puzzles" };
const THEMES = { auto: ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };

class App {
  constructor() {
    this.state = new GameState();
    this.board = new BoardView($("board"), $("minimap"), (move) => this.onmove(move));
    this.cube = new CubeView($("cube"), (move) => this.onmove(move));
    this.board.onpoint = (cell) => {
      this.cube.point(cell);
      this.pointed = cell;
      this.refreshWords();
    };
    this.tabs = { play: new PlayTab(this) };
    this.tabName = "play";
  }

  get tab() {
    return this.tabs[this.tabName];
  }

  async begin() {
    this.setTheme(remember.get("theme", "auto"));
    const asked = readQuery(location.search);
    this.tabName = NAMES[asked.tab] ? asked.tab : "play";
    this.drawTabs();
    this.state.addEventListener("change", (event) => this.changed(event.detail));
    engine.oncomplete = () => {
      this.redraw();
      if (this.state.shown?.outcome) this.refreshWords();
    };
    const first = { ...asked, game: asked.game || remember.get("game", FIRST_GAME) };
    const catalogue = engine.games().then((found) => {
      this.catalogue = found;
      this.state.know(found.games);
      this.drawGames();
    });
    const ready = Promise.all([catalogue, this.tabName === "play" ? null : this.loadRest()]);
    try {
      await Promise.all([ready, this.open(first, false, ready)]);
    } catch (error) {
      await ready;
      toast(error.message);
      await this.open({ game: FIRST_GAME });
    }
    performance.mark("board"); // for measurements: bench/web.py
    await this.loadRest();
    this.listen();
    $("board").dataset.ready = "yes";
  }

  /** Loads what the first board does not need. */
  loadRest() {
    this.loading ??= Promise.all(["analyse", "review", "puzzles", "share", "keyboard"].map((name) => import(`./${name}.js`)))
      .then(([{ AnalyseTab }, { ReviewTab }, { PuzzlesTab }, sharing, keyboard]) => {
        Object.assign(this.tabs, { analyse: new AnalyseTab(this), review: new ReviewTab(this), puzzles: new PuzzlesTab(this) });
        this.sharing = sharing;
        this.keyboard = keyboard;
      });
    return this.loading;
  }

  listen() {
    $("undo").onclick = () => this.undo();
    $("redo").onclick = () => this.redo();
    $("new").onclick = () => this.newGame();
    $("share").onclick = () => this.share();
    $("help").onclick = () => this.keyboard.showHelp(this);
    $("theme").onclick = () => {
      const names = Object.keys(THEMES);
      this.setTheme(names[(names.indexOf(remember.get("theme", "auto")) + 1) % names.length]);
    };
    window.addEventListener("popstate", () => {
      const asked = readQuery(location.search);
      this.quiet = true;
      this.open(asked).then(() => this.select(NAMES[asked.tab] ? asked.tab : "play")).catch((error) => toast(error.message)).finally(() => (this.quiet = false));
    });
    this.keyboard.listen(this);
  }

  setTheme(name) {
    const [sign, text] = THEMES[name] ?? THEMES.auto;
    remember.set("theme", name);
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    $("theme").textContent = sign;
    $("theme").setAttribute("aria-label", `Colours: ${text}`);
    $("theme").title = `Colours: ${text}`;
  }

  // --- the game ---------------------------------------------------------------------------------

  /** Opens a game; `ready` must come first. */
  async open(what, push = false, ready = null) {
    await this.state.open(what, push, ready);
    remember.set("game", this.state.record.game);
  }

  openGame(game, options = "") {
    this.open({ game, options }, true).catch((error) => toast(error.message));
  }

  newGame() {
    const { record } = this.state;
    if (this.tabName === "puzzles" || this.tabName === "review") this.select("play");
    this.openGame(record.game, record.option_text);
  }

  undo() {
    const { state } = this;
    if (state.preview) return state.show(state.preview.moves, state.preview.step - 1);
    return this.tab.undo ? this.tab.undo() : state.go(state.at - 1);
  }

  redo() {
    const { state } = this;
    if (state.preview) return state.show(state.preview.moves, state.preview.step + 1);
    return this.tab.redo ? this.tab.redo() : state.go(state.at + 1);
  }

  onmove(move) {
    if (!this.state.shown || this.state.shown.outcome) return;
    this.tab.onmove(move);
  }

  share() {
    this.sharing.share(this);
  }

  paste(text) {
    this.sharing.paste(this, text).then(() => toast("Game opened.")).catch((error) => toast(error.message));
  }

  /** Who played, for a saved game. */
  headers() {
    const { seats } = this.tabs.play;
    return { X: seats.x, O: seats.o, Date: new Date().toISOString().slice(0, 10) };
  }

  // --- drawing ----------------------------------------------------------------------------------

  changed(detail) {
    const { state } = this;
    if (detail.opened) this.gameOpened();
    this.redraw(detail.played);
    this.refreshWords();
    this.refreshMoves();
    this.drawPreview();
    this.setAddress(detail.push);
    if (detail.played || detail.resigned) this.say(detail);
    if (detail.opened && this.tab.render) this.tab.render($("panel"));
    this.tab.changed(detail);
    $("board").dataset.ply = state.at;
    $("undo").disabled = state.at === 0 && !state.preview;
    $("redo").disabled = state.at === state.moves.length && !state.preview;
  }

  gameOpened() {
    const { record } = this.state;
    if (this.drawn !== record) {
      this.drawn = record;
      this.board.setGame(record);
      this.cube.setGame(record);
      $("rules").textContent = record.rules.replaceAll("\n", " ");
      $("title").textContent = record.title;
      document.title = `${record.title} · ttt`;
      $("typed-move").title = record.notation;
      document.body.dataset.game = record.game;
      for (const link of $("games").children) {
        if (link.dataset.game === record.game) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      $("games").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  redraw(moved = false) {
    const { state } = this;
    if (!state.shown) return;
    this.board.update(state.shown, { moved, ...this.tab.view() });
    this.cube.update(state.shown);
    this.drawBar();
    if (this.tab.words && !moved) this.refreshWords();
  }

  drawBar() {
    const chance = this.tab.chance?.() ?? null;
    const bar = $("bar");
    bar.hidden = !this.tab.chance;
    if (bar.hidden) return;
    bar.classList.toggle("unknown", chance === null);
    bar.style.setProperty("--share", String(chance ?? 0.5));
    bar.lastElementChild.textContent = chance === null ? "" : percent(Math.max(chance, 1 - chance));
    bar.lastElementChild.className = chance !== null && chance < 0.5 ? "top" : "";
    bar.setAttribute("aria-label", chance === null ? "No evaluation yet" : `Evaluation: X ${percent(chance)}, O ${percent(1 - chance)}`);
  }

  /** The sentence below the board, and who plays. */
  refreshWords(instead = "") {
    const { state } = this;
    if (!state.shown) return;
    const { play } = this.tabs;
    const position = state.shown;
    let text = position.status;
    const gaveUp = state.resigned && state.at === state.moves.length && !state.preview && !position.outcome;
    if (gaveUp) text = `${state.resigned.toUpperCase()} resigned: ${state.resigned === "x" ? "O" : "X"} wins`;
    const winner = position.outcome?.winner ?? (gaveUp ? (state.resigned === "x" ? "o" : "x") : null);
    const verdict = this.tabName === "play" ? play.verdict(winner) : "";
    $("status").textContent = instead || (verdict ? `${text}. ${verdict}` : text);
    const more = this.tabName === "play" ? play.words() : this.tab.words?.() ?? "";
    $("seats").textContent = this.board.explanation(this.pointed ?? null) || more;
  }

  say({ resigned }) {
    const { state } = this;
    const move = state.moves[state.at - 1];
    const side = state.position.turn === "x" ? "O" : "X";
    announce(`${resigned ? "" : `${side} plays ${move}. `}${$("status").textContent}`);
  }

  refreshMoves() {
    const { state } = this;
    const review = this.tabs.review;
    const second = state.moves.length && this.firstSide() === "o" ? 1 : 0;
    const cells = [...Array(second).fill(null), ...state.moves.map((_, i) => i + 1)];
    const rows = [];
    for (let i = 0; i < cells.length; i += 2) {
      const buttons = cells.slice(i, i + 2).map((ply) => {
        if (ply === null) return h("span", { class: "soft" }, "…");
        const label = review?.label(ply) ?? "";
        const sign = SIGNS[label];
        const side = (ply + second) % 2 ? "x" : "o";
        return h("button", { type: "button", class: `move ${side}${ply > state.at ? " undone" : ""}`, "aria-current": ply === state.at && "true", "aria-label": `Move ${ply}, ${state.moves[ply - 1]}${sign ? `, ${label}` : ""}`, onclick: () => state.go(ply) },
          state.moves[ply - 1], sign && h("b", { class: `sign ${label}` }, sign));
      });
      rows.push(h("li", {}, h("span", { class: "number" }, String(i / 2 + 1)), buttons));
    }
    $("moves").replaceChildren(...rows);
    if (!rows.length) $("moves").replaceChildren(h("li", { class: "soft none" }, "No moves yet."));
    const now = $("moves").querySelector("[aria-current]");
    if (now) $("moves").scrollTop = now.offsetTop - $("moves").clientHeight / 2;
  }

  /** The side that made the first move of the list. */
  firstSide() {
    const { state } = this;
    return (state.at % 2 === 0) === (state.position.turn === "x") ? "x" : "o";
  }

  drawPreview() {
    const { state } = this;
    const box = $("preview");
    box.hidden = !state.preview;
    if (!state.preview) return;
    const { moves, step } = state.preview;
    const button = (text, label, to, off) => h("button", { type: "button", class: "icon", "aria-label": label, disabled: off, onclick: () => state.show(moves, to) }, text);
    box.replaceChildren(
      h("span", {}, `Line, move ${step} of ${moves.length}: `, h("b", {}, moves[step - 1])),
      h("span", { class: "row" }, button("‹", "Back one move", step - 1, false), button("›", "Forward one move", step + 1, step === moves.length),
        h("button", { type: "button", onclick: () => state.show(moves, 0) }, "Leave the line")));
  }

  setAddress(push) {
    if (this.quiet) return;
    const address = query(this.state, this.tabName);
    if (address === location.search) return;
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  // --- games and tabs ---------------------------------------------------------------------------

  drawGames() {
    $("games").replaceChildren(...this.catalogue.games.map((game) =>
      h("a", { href: `?game=${game.game}`, "data-game": game.game, onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (this.tabName === "puzzles" || this.tabName === "review") this.select("play");
        this.openGame(game.game);
      } }, game.title.replace(/ tic-tac-toe$/, ""))));
  }

  drawTabs() {
    const names = Object.keys(NAMES);
    $("tabs").replaceChildren(...names.map((name) => h("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel",
      "aria-selected": name === this.tabName ? "true" : "false", tabindex: name === this.tabName ? 0 : -1,
      onclick: () => this.select(name),
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        this.select(names[(names.indexOf(name) + step + names.length) % names.length]);
        $(`tab-${this.tabName}`).focus();
      },
    }, NAMES[name])));
    $("panel").setAttribute("aria-labelledby", `tab-${this.tabName}`);
  }

  select(name) {
    if (name === this.tabName) return undefined;
    if (!this.tabs[name]) return this.loadRest().then(() => this.select(name));
    this.tab.leave();
    this.tabName = name;
    this.drawTabs();
    this.tab.render($("panel"));
    this.redraw();
    this.refreshWords();
    this.setAddress(false);
    this.tab.enter();
    return undefined;
  }
}

const app = new App();
app.begin().catch((error) => toast(error.message));
