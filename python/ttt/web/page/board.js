// The board as SVG: one drawing for all games, made from the layout. Every block is a grid of cells
// that can be focused; the board is told what to show and calls back with the moves chosen.

import { h, s } from "./dom.js";
import { CELL, arrange, middle, neighbour } from "./geometry.js";
import { explain, figure, gameScore, kind, words } from "./values.js";

const PHONE = 560; // pixels below which nine boards zoom to one of them
const TOUCH = 40; // pixels of a cell, at least, where fingers play
const INSET = 27;

/** A mark as SVG elements around (0, 0); `size` is half its width. */
export function markShape(side, size, discs = false) {
  if (discs) {
    const sign = side === "x"
      ? s("path", { d: `M${-size / 3} ${-size / 3}L${size / 3} ${size / 3}M${size / 3} ${-size / 3}L${-size / 3} ${size / 3}` })
      : s("circle", { r: size / 2.6 });
    return s("g", { class: `disc ${side}` }, s("circle", { class: "body", r: size }), sign);
  }
  if (side === "x") return s("path", { class: "x stroke", d: `M${-size} ${-size}L${size} ${size}M${size} ${-size}L${-size} ${size}` });
  return s("circle", { class: "o stroke", r: size * 1.08 });
}

export class BoardView {
  /** `place` is the element to draw in; `onmove(move)` is called when a cell is chosen. */
  constructor(place, minimap, onmove) {
    this.place = place;
    this.minimap = minimap;
    this.onmove = onmove;
    this.focus = 0;
    this.zoom = null; // the block shown alone, on a phone
    this.chosen = null; // the block that a person has chosen there
    this.values = new Map();
    this.svg = s("svg", { class: "drawing", role: "group" });
    this.overlay = s("g", { class: "overlay", "aria-hidden": "true" });
    place.append(this.svg);
    this.svg.addEventListener("click", (event) => this.choose(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointermove", (event) => this.hover(this.cellAt(event)));
    this.svg.addEventListener("pointerleave", () => this.hover(null));
    this.svg.addEventListener("focusin", (event) => this.focused(event));
    new ResizeObserver(() => this.resize()).observe(place);
  }

  // --- making the cells -------------------------------------------------------------------------

  setGame(record) {
    this.record = record;
    this.layout = record.layout;
    this.position = null;
    this.zoom = this.chosen = null;
    this.focus = Math.floor(this.layout.cells.length / 2);
    this.across = 0;
    this.places = null;
    this.resize();
  }

  get narrow() {
    return this.place.clientWidth > 0 && this.place.clientWidth < PHONE;
  }

  /** Arranges the cells anew if the width calls for it: on a phone, levels are drawn two by two, and
   * wide boards without the names of rows and columns. */
  resize() {
    if (!this.layout) return;
    const { layout } = this;
    const across = layout.stacked && this.narrow ? 2 : layout.across;
    const labelled = !this.narrow || layout.headings_below || layout.width * across < 8;
    if (across !== this.across || labelled !== this.places?.labelled) {
      this.across = across;
      this.places = arrange(layout, across, labelled);
      this.build();
    }
    this.aim();
  }

  build() {
    const { layout, places, svg } = this;
    this.svg.setAttribute("aria-label", `${this.record.title}: ${this.record.goal}`);
    this.cells = [];
    this.underlay = s("g", { class: "underlay", "aria-hidden": "true" });
    this.labels = s("g", { class: "labels", "aria-hidden": "true" });
    const grids = [];
    places.blocks.forEach((block, number) => {
      this.underlay.append(this.drawBlock(block, number));
      this.drawLabels(block, number);
      const name = layout.block_word ? `${layout.block_word} ${number + 1}` : this.record.title;
      const grid = s("g", { role: "grid", "aria-label": name });
      for (let row = 0; row < layout.height; row++) {
        const line = s("g", { role: "row" });
        for (let column = 0; column < layout.width; column++) line.append(this.makeCell(this.cells.length));
        grid.append(line);
      }
      grids.push(grid);
    });
    this.owners = s("g", { class: "owners", "aria-hidden": "true" });
    this.figures = s("g", { class: "figures", "aria-hidden": "true" });
    svg.replaceChildren(this.underlay, this.labels, ...grids, this.owners, this.figures, this.overlay);
    svg.classList.toggle("discs", layout.drops);
    if (this.position) this.draw(false);
  }

  drawBlock(block, number) {
    const { layout } = this;
    const group = s("g", { class: "block", "data-block": number });
    const pad = layout.drops ? 8 : 6;
    group.append(s("rect", {
      class: "panel", x: block.x - pad, y: block.y - pad, rx: 16,
      width: block.width + 2 * pad, height: block.height + 2 * pad,
    }));
    if (layout.drops) return group;
    let lines = "";
    for (let i = 1; i < layout.width; i++) lines += `M${block.x + i * CELL} ${block.y + 10}v${block.height - 20}`;
    for (let i = 1; i < layout.height; i++) lines += `M${block.x + 10} ${block.y + i * CELL}h${block.width - 20}`;
    group.append(s("path", { class: "lines", d: lines }));
    return group;
  }

  drawLabels(block, number) {
    const { layout, places } = this;
    const text = (x, y, content) => this.labels.append(s("text", { x, y }, content));
    if (places.title) text(block.x + block.width / 2, block.y - places.above - 22, layout.block_labels[number]);
    if (!places.labelled) return;
    layout.column_labels.forEach((label, i) => {
      const y = layout.headings_below ? block.y + block.height + 34 : block.y - 24;
      text(block.x + (i + 0.5) * CELL, y, label);
    });
    layout.row_labels.forEach((label, i) => text(block.x - 26, block.y + (i + 0.5) * CELL, label));
  }

  makeCell(index) {
    const place = this.places.cells[index];
    const hit = s("rect", { class: "hit", width: CELL, height: CELL });
    const halo = this.layout.drops ? null : s("rect", { class: "halo", x: 6, y: 6, width: CELL - 12, height: CELL - 12, rx: 14 });
    const hole = this.layout.drops ? s("circle", { class: "hole", cx: CELL / 2, cy: CELL / 2, r: 39 }) : null;
    const mark = s("g", { class: "mark", transform: `translate(${CELL / 2} ${CELL / 2})` });
    const group = s("g", {
      class: "cell", role: "gridcell", "data-cell": index, tabindex: -1,
      transform: `translate(${place.x} ${place.y})`,
    }, hit, halo, hole, mark);
    this.cells.push({ group, mark, shown: ".", label: "" });
    return group;
  }

  // --- drawing a position -----------------------------------------------------------------------

  /** Shows a position. `moved`: it is one move after the last one, which may be animated. */
  update(position, { moved = false, values = [], best = [], threats = false, hints = [] } = {}) {
    const before = this.position;
    this.position = position;
    this.values = new Map(values.map((value) => [value.move, value]));
    this.best = new Set(best);
    this.hints = new Set(hints);
    this.showThreats = threats;
    this.landing = new Map(position.legal.map((entry) => [entry.move, entry.cell]));
    if (before?.position !== position.position) {
      this.chosen = null;
      this.ghost = null;
    }
    this.draw(moved);
    this.aim();
  }

  draw(moved) {
    const { position, layout } = this;
    const size = layout.width * layout.height;
    const won = new Set(position.outcome?.cells);
    const legal = new Set(position.legal.map((entry) => entry.cell));
    const threats = new Map(this.showThreats ? position.threats.map((threat) => [threat.cell, threat.side]) : []);
    this.cells.forEach((cell, index) => {
      const side = position.marks[index];
      if (cell.shown !== side) this.drawMark(cell, index, side, moved && index === position.last);
      const owner = position.owners?.[Math.floor(index / size)] ?? ".";
      const names = cell.group.classList;
      names.toggle("last", index === position.last);
      names.toggle("won", won.has(index));
      names.toggle("legal", legal.has(index));
      names.toggle("faded", owner !== ".");
      names.toggle("threat-x", threats.get(index) === "x");
      names.toggle("threat-o", threats.get(index) === "o");
    });
    this.drawBlocks();
    this.drawValues();
    this.drawLines();
    this.describe();
    this.drawMinimap();
  }

  drawMark(cell, index, side, moved) {
    cell.shown = side;
    cell.mark.replaceChildren();
    if (side === ".") return;
    const shape = markShape(side, this.layout.drops ? 39 : INSET, this.layout.drops);
    if (moved) {
      shape.classList.add(this.layout.drops ? "falling" : "drawn");
      const rows = this.places.cells[index].row + 1.5;
      shape.style.setProperty("--fall", `${-rows * CELL}px`);
      shape.style.setProperty("--time", `${Math.min(80 + 22 * rows, 195)}ms`);
    }
    cell.mark.append(shape);
  }

  drawBlocks() {
    const { position } = this;
    const force = new Set(position.force);
    this.underlay.querySelectorAll(".block").forEach((block, number) => {
      block.classList.toggle("force", force.has(number));
      block.classList.toggle("single", force.has(number) && force.size === 1);
    });
    this.svg.classList.toggle("forced", force.size > 0);
    const owners = [...(position.owners ?? "")];
    const shapes = owners.map((owner, number) => {
      if (owner === ".") return null;
      const [x, y] = middle(this.places.blocks[number]);
      return s("g", { transform: `translate(${x} ${y})` }, markShape(owner, 95));
    });
    this.owners.replaceChildren(...shapes.filter(Boolean));
  }

  /** The figures of the moves, on their cells or above their columns, and rings around hints. They
   * are apart from the cells, whose labels say the same in words. */
  drawValues() {
    const parts = [];
    for (const [move, score] of this.values) {
      const index = this.landing.get(move);
      if (index === undefined) continue;
      const place = this.layout.drops ? this.places.cells[this.places.cells[index].column] : this.places.cells[index];
      const drawn = this.drawValue(move, score);
      drawn.setAttribute("transform", `translate(${place.x} ${this.layout.drops ? place.y - CELL - 6 : place.y})`);
      parts.push(drawn);
    }
    for (const move of this.hints) {
      const place = this.places.cells[this.landing.get(move)];
      if (place) parts.push(s("circle", { class: "hint", cx: place.x + CELL / 2, cy: place.y + CELL / 2, r: 36 }));
    }
    this.figures.replaceChildren(...parts);
  }

  drawValue(move, score) {
    const text = figure(score);
    const exact = gameScore(score);
    const group = s("g", { class: `figure ${kind(score)}${this.best.has(move) ? " best" : ""}`, "data-move": move });
    const y = exact ? 36 : 50;
    if (score.value) {
      const width = 34 + 17 * text.length;
      group.append(s("rect", { class: "pill", x: 50 - width / 2, y: y - 21, width, height: 42, rx: 21 }));
    } else if (this.best.has(move)) {
      group.append(s("rect", { class: "ring", x: 6, y: y - 25, width: 88, height: 50, rx: 14 }));
    }
    group.append(s("text", { x: 50, y }, text));
    if (exact) group.append(s("text", { class: "exact", x: 50, y: 78 }, exact));
    return group;
  }

  /** The winning lines. */
  drawLines() {
    const { position, places } = this;
    const parts = [];
    const outcome = position.outcome;
    const through = (points, wide) => {
      const [x1, y1] = points[0];
      const [x2, y2] = points.at(-1);
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const more = (wide ? 100 : 30) / length;
      parts.push(s("line", {
        class: `winline ${outcome.winner}${wide ? " wide" : ""}`, pathLength: 1,
        x1: x1 - (x2 - x1) * more, y1: y1 - (y2 - y1) * more,
        x2: x2 + (x2 - x1) * more, y2: y2 + (y2 - y1) * more,
      }));
    };
    for (const line of outcome?.lines ?? []) {
      const blocks = new Set(line.map((cell) => places.cells[cell].block));
      if (blocks.size === 1) through(line.map((cell) => middle(places.cells[cell])), false);
    }
    for (const line of outcome?.block_lines ?? []) through(line.map((block) => middle(places.blocks[block])), true);
    this.overlay.replaceChildren(...parts);
  }

  /** Labels for screen readers, and the one cell that the Tab key reaches. */
  describe() {
    const { layout, position } = this;
    const byCell = new Map([...this.landing].map(([move, cell]) => [cell, move]));
    this.cells.forEach((cell, index) => {
      const side = position.marks[index];
      const move = byCell.get(index);
      const score = move && this.values.get(move);
      const label = [
        layout.cells[index].label,
        side === "." ? "empty" : side.toUpperCase(),
        score && words(score),
        index === position.last && "last move",
        cell.group.classList.contains("won") && "winning line",
        cell.group.classList.contains("legal") && position.force.length && "playable",
      ].filter(Boolean).join(", ");
      if (label !== cell.label) cell.group.setAttribute("aria-label", (cell.label = label));
      cell.group.setAttribute("tabindex", index === this.focus ? 0 : -1);
    });
  }

  // --- a phone: one of nine boards at a time ----------------------------------------------------

  get zooms() {
    return Boolean(this.narrow && this.layout.blocks > 1 && !this.layout.stacked);
  }

  /** Points the view at the whole board, or at one block of it. */
  aim() {
    if (!this.places || !this.position) return;
    const { places, position } = this;
    this.zoom = null;
    if (this.zooms && !position.outcome) {
      this.zoom = this.chosen ?? (position.force.length === 1 ? position.force[0] : null);
    }
    const pad = 10;
    let box = [-pad, -pad, places.width + 2 * pad, places.height + 2 * pad];
    if (this.zoom !== null) {
      const block = places.blocks[this.zoom];
      box = [block.x - 14, block.y - 14, block.width + 28, block.height + 28];
    }
    this.svg.setAttribute("viewBox", box.join(" "));
    this.place.closest(".stage").style.setProperty("--ratio", String(box[2] / box[3]));
    const scrolls = this.narrow && this.zoom === null && !this.zooms && !this.layout.drops;
    this.svg.style.minWidth = scrolls ? `${(TOUCH * box[2]) / CELL}px` : "";
    this.minimap.hidden = this.zoom === null;
    this.drawMinimap();
  }

  drawMinimap() {
    if (this.minimap.hidden || !this.places) return;
    const { places, position } = this;
    const size = this.layout.width * this.layout.height;
    const force = new Set(position.force);
    const buttons = places.blocks.map((block, number) => {
      const marks = [...position.marks.slice(number * size, (number + 1) * size)];
      const owner = position.owners?.[number] ?? ".";
      const dots = marks.map((mark, i) => {
        if (mark === ".") return null;
        const [x, y] = [(i % this.layout.width) * CELL + 50, Math.floor(i / this.layout.width) * CELL + 50];
        return s("g", { transform: `translate(${x} ${y})`, class: owner === "." ? "" : "faded" }, markShape(mark, 26));
      });
      const large = owner === "." ? null : s("g", { transform: "translate(150 150)" }, markShape(owner, 95));
      const view = s("svg", { viewBox: `-10 -10 ${block.width + 20} ${block.height + 20}`, "aria-hidden": "true" }, dots, large);
      const names = ["block", force.has(number) && "force", this.zoom === number && "now"].filter(Boolean).join(" ");
      const label = `Show board ${number + 1}${force.has(number) ? ", playable" : ""}`;
      return h("button", { type: "button", class: names, "aria-label": label, onclick: () => this.look(number) }, view);
    });
    this.minimap.style.setProperty("--across", String(this.across));
    this.minimap.replaceChildren(...buttons);
  }

  /** Looks at a block; at the whole board if it is shown already. */
  look(block) {
    this.chosen = this.zoom === block && this.position.force.length > 1 ? null : block;
    this.aim();
  }

  // --- input ------------------------------------------------------------------------------------

  cellAt(event) {
    const cell = event.target.closest?.("[data-cell]");
    return cell ? Number(cell.dataset.cell) : null;
  }

  choose(event) {
    const cell = this.cellAt(event);
    if (cell === null || !this.position) return;
    if (this.zooms && this.zoom === null && this.position.force.length > 1) {
      this.look(this.places.cells[cell].block);
      return;
    }
    this.setFocus(cell, false);
    this.playCell(cell);
  }

  playCell(cell) {
    this.onmove(this.layout.cells[cell].move);
  }

  key(event) {
    if (event.key.startsWith("Arrow") && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.setFocus(neighbour(this.places, this.focus, event.key), true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.playCell(this.focus);
    }
  }

  setFocus(cell, move) {
    this.cells[this.focus].group.setAttribute("tabindex", -1);
    this.focus = cell;
    this.cells[cell].group.setAttribute("tabindex", 0);
    if (move) this.cells[cell].group.focus();
  }

  focused(event) {
    const cell = this.cellAt(event);
    if (cell === null) return;
    if (cell !== this.focus) this.setFocus(cell, false);
    const block = this.places.cells[cell].block;
    if (this.zoom !== null && this.zoom !== block) this.look(block);
    this.onpoint?.(cell);
  }

  /** What is known of the move that a cell stands for, in words; empty if nothing is. */
  explanation(cell) {
    const move = cell === null ? null : this.layout.cells[cell].move;
    const score = this.values.get(move);
    const exact = score && gameScore(score);
    return score ? `${move}: ${explain(score)}${exact ? `; exact score ${exact}` : ""}` : "";
  }

  /** Shows the disc that would fall, above its column. */
  showWaiting(cell) {
    const place = this.places.cells[this.places.cells[cell].column];
    this.waiting = s("g", { class: "waiting", transform: `translate(${place.x + CELL / 2} ${place.y - CELL / 2 - 8})` }, markShape(this.position.turn, 36, true));
    this.overlay.append(this.waiting);
  }

  /** Shows where a mark would go. */
  hover(cell) {
    const move = cell === null ? null : this.layout.cells[cell].move;
    const landing = move === null ? undefined : this.landing?.get(move);
    if (landing === this.ghost) return;
    if (this.ghost !== null && this.ghost !== undefined) this.cells[this.ghost]?.group.classList.remove("ghost-x", "ghost-o");
    this.ghost = landing;
    this.waiting?.remove();
    if (landing !== undefined && !this.locked) {
      this.cells[landing].group.classList.add(`ghost-${this.position.turn}`);
      if (this.layout.drops && !this.values.size) this.showWaiting(landing);
    }
    this.onpoint?.(landing ?? null);
  }
}
