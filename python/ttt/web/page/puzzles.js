// Puzzles: positions with exactly one winning move.

import { announce, h, remember, toast } from "./dom.js";
import { engine } from "./engine.js";

export class PuzzlesTab {
  constructor(app) {
    this.app = app;
    this.all = [];
    this.puzzle = null;
    this.solved = false;
    this.failed = false;
    this.message = "";
    this.streak = Number(remember.get("streak", "0"));
    this.best = Number(remember.get("best-streak", "0"));
    this.kept = null; // the game that was on the board before
    this.seen = new Set();
  }

  render(panel) {
    const { catalogue, state } = this.app;
    this.only = h("select", { id: "puzzle-game" }, h("option", { value: "" }, "all games"),
      catalogue.games.map((game) => h("option", { value: game.game, selected: game.game === state.record?.game }, game.title)));
    this.grade = h("select", { id: "puzzle-grade" });
    this.text = h("p", { class: "task" });
    this.note = h("p", { class: "note", role: "status" });
    this.nextButton = h("button", { type: "button", class: "primary", onclick: () => this.next() }, "Next puzzle");
    this.solutionButton = h("button", { type: "button", onclick: () => this.solution() }, "Solution");
    this.outButton = h("button", { type: "button", onclick: () => this.playOut() }, "Play it out");
    this.backButton = h("button", { type: "button", onclick: () => this.back() }, "Back to my game");
    this.score = h("p", { class: "soft" });
    panel.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Puzzles"),
      h("div", { class: "row" }, h("label", { for: "puzzle-game", class: "hidden" }, "Game"), this.only,
        h("label", { for: "puzzle-grade", class: "hidden" }, "Grade"), this.grade),
      this.text, this.note,
      h("div", { class: "row" }, this.nextButton, this.solutionButton, this.outButton, this.backButton), this.score));
    this.load().then(() => this.draw()).catch((error) => toast(error.message));
    this.draw();
  }

  async load() {
    if (!this.all.length) {
      const found = await engine.puzzles();
      this.all = found.puzzles;
      this.grades = found.grades;
    }
    const chosen = Number(this.grade.value || 0);
    this.grade.replaceChildren(...Array.from({ length: this.grades + 1 }, (_, i) => h("option", { value: i, selected: i === chosen }, i ? `grade ${i}` : "all grades")));
    const { start } = this.app.state;
    if (!this.puzzle && start) this.puzzle = this.all.find((puzzle) => puzzle.position === start) ?? null;
  }

  enter() {}

  leave() {}

  changed() {
    if (this.puzzle && this.app.state.start !== this.puzzle.position) this.puzzle = null;
    this.draw();
  }

  async next() {
    await this.load();
    const { state } = this.app;
    const fits = this.all.filter((puzzle) => (!this.only.value || puzzle.game === this.only.value) && (Number(this.grade.value) === 0 || puzzle.grade === Number(this.grade.value)));
    if (!fits.length) {
      this.message = "There is no puzzle of this kind.";
      this.draw();
      return;
    }
    let fresh = fits.filter((puzzle) => !this.seen.has(puzzle.id));
    if (!fresh.length) {
      for (const puzzle of fits) this.seen.delete(puzzle.id);
      fresh = fits.filter((puzzle) => puzzle.id !== this.puzzle?.id);
    }
    const puzzle = fresh[Math.floor(Math.random() * fresh.length)] ?? fits[0];
    if (!this.puzzle && state.moves.length) {
      this.kept = { game: state.record.game, options: state.record.option_text, start: state.start, moves: state.moves };
    }
    this.seen.add(puzzle.id);
    this.puzzle = puzzle;
    this.solved = this.failed = false;
    this.message = "";
    await this.app.open({ game: puzzle.game, start: puzzle.position }, true);
    this.draw();
    announce(this.task());
  }

  task() {
    const side = this.puzzle.position.split(" ")[2].toUpperCase();
    return `${side} to move and win. Only one move does it.`;
  }

  count(right) {
    if (this.failed || this.solved) return;
    this.streak = right ? this.streak + 1 : 0;
    this.best = Math.max(this.best, this.streak);
    remember.set("streak", this.streak);
    remember.set("best-streak", this.best);
  }

  async onmove(move) {
    const { state } = this.app;
    if (!this.puzzle || this.solved || state.preview) {
      state.play(move);
      return;
    }
    if (this.judging || !state.position.legal.some((entry) => entry.move === move)) return;
    this.judging = true;
    try {
      const found = await engine.attempt(this.puzzle.id, [...state.moves.slice(0, state.at), move]);
      await this.judged(move, found);
    } catch (error) {
      toast(error.message);
    } finally {
      this.judging = false;
      this.draw();
    }
  }

  /** Shows what a move was worth, and the reply of the defence. */
  async judged(move, { correct, solved, reply }) {
    const { state } = this.app;
    if (!correct) {
      this.count(false);
      this.failed = true;
      this.message = `${move} does not win. Try again.`;
      return;
    }
    if (solved) {
      this.count(true);
      this.solved = true;
      this.message = `Right: ${move} wins. Solved.`;
    } else {
      this.message = `Right: ${move}. The defence plays ${reply}; go on.`;
    }
    await state.play(move);
    if (reply) await state.play(reply);
  }

  /** Plays the rest of the solution as a line to step through. */
  solution() {
    if (!this.puzzle || this.solved) return;
    this.count(false);
    this.solved = true;
    const { state } = this.app;
    const rest = this.puzzle.line.slice(state.at);
    this.message = `The only winning move is ${rest[0]}.`;
    state.show(rest, 1);
    this.draw();
  }

  /** Lets the person finish the win against a strong player. */
  playOut() {
    const { play } = this.app.tabs;
    const winner = this.puzzle.position.split(" ")[2];
    play.seats = { [winner]: "human", [winner === "x" ? "o" : "x"]: "level-8" };
    this.app.select("play");
  }

  back() {
    const kept = this.kept;
    this.kept = this.puzzle = null;
    this.app.open(kept, true);
  }

  draw() {
    if (!this.text?.isConnected) return;
    const active = this.puzzle && this.app.state.start === this.puzzle.position;
    this.text.textContent = active ? `${this.task()} Grade ${this.puzzle.grade}.` : "Find the one move that wins. The solvers have proven every other move wrong.";
    if (active && this.solved) this.text.textContent = `Grade ${this.puzzle.grade}, solved.`;
    this.note.textContent = this.message;
    this.note.classList.toggle("good", this.solved && !this.failed);
    this.nextButton.textContent = active ? "Next puzzle" : "Start";
    this.solutionButton.hidden = !active || this.solved;
    this.outButton.hidden = !active || !this.solved || Boolean(this.app.state.position.outcome);
    this.backButton.hidden = !this.kept;
    this.score.textContent = this.streak || this.best ? `Streak ${this.streak}, best ${this.best}.` : "";
  }

  view() {
    return {};
  }
}
