// The keyboard: short cuts, typed moves, and the list of keys.

import { $, h, openDialog, toast } from "./dom.js";

const KEYS = [
  ["arrow keys", "move the focus on the board"],
  ["Enter", "play on the focused cell"],
  ["a move, Enter", "play it: 5 6, or 4, or b3"],
  ["U, R", "undo, redo"],
  ["Home, End", "first and last position"],
  ["A", "analyse, or pause"],
  ["P, V, Z", "play, review, puzzles"],
  [", and .", "step through the line shown"],
  ["Escape", "leave the line shown"],
  ["N", "new game"],
  ["S", "share"],
  ["?", "these keys"],
];

const bare = (text) => text.toLowerCase().replace(/[\s,.-]/g, "");

/** The legal move that a text means; shorter forms are fine if only one move ends so. */
export function typedMove(text, legal) {
  const wanted = bare(text);
  if (!wanted) return null;
  const moves = legal.map((entry) => entry.move);
  const exact = moves.find((move) => bare(move) === wanted);
  if (exact) return exact;
  const ending = moves.filter((move) => bare(move).endsWith(wanted));
  return ending.length === 1 ? ending[0] : null;
}

export function showHelp(app) {
  openDialog("Keys",
    h("table", { class: "keys" }, h("tbody", {}, KEYS.map(([key, text]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, text))))),
    h("p", { class: "soft small" }, "Where a letter begins a move, as in m,n,k, hold Shift for the short cut."),
    h("p", { class: "soft small" }, `ttt ${app.catalogue.version}. Nothing leaves this machine.`));
}

export function listen(app) {
  const field = $("typed-move");
  $("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const { shown, record } = app.state;
    const move = typedMove(field.value, shown.legal);
    if (move) {
      field.value = "";
      app.onmove(move);
    } else if (field.value.trim()) {
      toast(shown.outcome ? "The game is over." : `“${field.value}” is no legal move here. Type ${record.notation}.`);
      field.select();
    }
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      field.value = "";
      field.blur();
    }
  });
  document.addEventListener("paste", (event) => {
    if (!event.target.closest?.("input, textarea, dialog")) app.paste(event.clipboardData.getData("text"));
  });
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest?.("input, textarea, select, dialog, [role=tablist]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !app.state.shown) return;
    const starts = app.state.shown.legal.some((entry) => entry.move.toLowerCase().startsWith(event.key));
    if (/^[0-9]$/.test(event.key) || (/^[a-z]$/.test(event.key) && starts)) {
      field.focus(); // the key itself is typed into the field
      return;
    }
    const preview = app.state.preview;
    const actions = {
      u: () => app.undo(),
      r: () => app.redo(),
      a: () => (app.tabName === "analyse" ? app.tab.toggle() : app.select("analyse")),
      p: () => app.select("play"),
      v: () => app.select("review"),
      z: () => app.select("puzzles"),
      n: () => app.newGame(),
      s: () => app.share(),
      "?": () => showHelp(app),
      home: () => app.state.go(0),
      end: () => app.state.go(app.state.moves.length),
      escape: () => preview && app.state.show(preview.moves, 0),
      ",": () => preview && app.state.show(preview.moves, preview.step - 1),
      ".": () => preview && app.state.show(preview.moves, preview.step + 1),
    };
    const action = actions[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}
