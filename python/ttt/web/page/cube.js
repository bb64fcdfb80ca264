// The levels of a cube in space: drag or use the buttons to turn it; cells can be played here too.

import { h, s } from "./dom.js";
import { markShape } from "./board.js";

const RADIUS = 185;
const SPREAD = 1.45; // the levels are further apart than the cells

export class CubeView {
  constructor(place, onmove) {
    this.place = place;
    this.onmove = onmove;
    this.yaw = -0.55;
    this.pitch = 0.5;
    this.pointed = null;
    this.svg = s("svg", { viewBox: "-330 -310 660 700", class: "space", role: "img", "aria-label": "The cube in space" });
    const turn = (text, label, yaw, pitch) => h("button", { type: "button", class: "icon", "aria-label": label, onclick: () => this.turn(yaw, pitch) }, text);
    place.replaceChildren(
      h("div", { class: "row spread" }, h("h2", {}, "In space"),
        h("div", { class: "row" }, turn("←", "Turn left", 0.26, 0), turn("→", "Turn right", -0.26, 0),
          turn("↑", "Tilt up", 0, -0.2), turn("↓", "Tilt down", 0, 0.2))),
      this.svg,
      h("p", { class: "soft small" }, "Drag to turn. Dashed lines are threats: one more mark wins."));
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("pointermove", (event) => this.drag(event));
    this.svg.addEventListener("pointerup", () => (this.held = null));
    this.svg.addEventListener("pointercancel", () => (this.held = null));
    this.svg.addEventListener("click", (event) => this.click(event));
  }

  setGame(record) {
    this.layout = record.layout;
    this.place.hidden = !record.layout.stacked;
    this.position = null;
  }

  update(position) {
    if (!this.layout.stacked) return;
    this.position = position;
    this.draw();
  }

  point(cell) {
    if (this.pointed === cell || !this.layout?.stacked) return;
    this.pointed = cell;
    if (this.position) this.draw();
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-1.4, Math.min(1.4, this.pitch + pitch));
    this.draw();
  }

  grab(event) {
    this.held = [event.clientX, event.clientY];
    this.dragged = 0;
  }

  drag(event) {
    if (!this.held) return;
    const [x, y] = this.held;
    this.held = [event.clientX, event.clientY];
    this.dragged += Math.abs(event.clientX - x) + Math.abs(event.clientY - y);
    this.turn(-(event.clientX - x) / 140, (event.clientY - y) / 140);
  }

  click(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (cell && this.dragged < 5) this.onmove(this.layout.cells[Number(cell.dataset.cell)].move);
  }

  /** Column, row and level to x, y on the screen and the depth behind it. */
  project(column, row, level) {
    const { width, height, blocks } = this.layout;
    const scale = (2 * RADIUS) / Math.max(width, height, blocks);
    const [x, z, y] = [(column - (width - 1) / 2) * scale, (row - (height - 1) / 2) * scale, (level - (blocks - 1) / 2) * scale * SPREAD];
    const [sin, cos] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    const [across, away] = [x * cos + z * sin, -x * sin + z * cos];
    const [up, over] = [Math.sin(this.pitch), Math.cos(this.pitch)];
    const depth = away * over - y * up;
    const zoom = 1000 / (1000 - depth);
    return [across * zoom, (y * over + away * up) * zoom, depth, zoom];
  }

  place3(cell) {
    const { width, height } = this.layout;
    const size = width * height;
    return this.project(cell % width, Math.floor((cell % size) / width), Math.floor(cell / size));
  }

  draw() {
    const { position } = this;
    const { width, height, blocks } = this.layout;
    const parts = [];
    const threatened = new Map(position.threats.map((threat) => [threat.cell, threat.side]));
    const levels = [...Array(blocks).keys()];
    if (this.pitch > 0) levels.reverse(); // seen from above, the first level covers the others
    for (const level of levels) {
      parts.push(...this.drawLevel(level));
      const cells = [...Array(width * height).keys()].map((i) => level * width * height + i);
      const places = new Map(cells.map((cell) => [cell, this.place3(cell)]));
      cells.sort((a, b) => places.get(a)[2] - places.get(b)[2]);
      for (const cell of cells) parts.push(this.drawPlace(cell, places.get(cell), threatened.get(cell)));
    }
    const line = (cells, name) => {
      const ends = [cells[0], cells.at(-1)].map((cell) => this.place3(cell));
      parts.push(s("line", { class: name, x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1] }));
    };
    for (const threat of position.threats) for (const cells of threat.lines) line(cells, `threat ${threat.side}`);
    for (const cells of position.outcome?.lines ?? []) line(cells, `winline ${position.outcome.winner}`);
    this.svg.replaceChildren(...parts);
  }
  /** A level: a sheet with its lines and its number. */
  drawLevel(level) {
    const { width, height } = this.layout;
    const corner = (column, row) => this.project(column, row, level).slice(0, 2).map((n) => n.toFixed(1)).join(" ");
    let lines = "";
    for (let i = 0; i <= width; i++) lines += `M${corner(i - 0.5, -0.5)}L${corner(i - 0.5, height - 0.5)}`;
    for (let i = 0; i <= height; i++) lines += `M${corner(-0.5, i - 0.5)}L${corner(width - 0.5, i - 0.5)}`;
    const outline = [[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]];
    const [x, y] = outline.map(([c, r]) => this.project(c, r, level)).reduce((best, one) => (one[0] < best[0] ? one : best));
    return [
      s("polygon", { class: "sheet", points: outline.map(([c, r]) => corner(c, r)).join(" ") }),
      s("path", { class: "lines", d: lines }),
      s("text", { x: x - 14, y, class: "level" }, String(level + 1)),
    ];
  }

  drawPlace(cell, [x, y, , zoom], threat) {
    const mark = this.position.marks[cell];
    const names = ["place", cell === this.position.last && "last", cell === this.pointed && "pointed", threat && `threat-${threat}`];
    return s("g", { class: names.filter(Boolean).join(" "), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${zoom.toFixed(3)})`, "data-cell": cell },
      s("circle", { class: "hit", r: 22 }),
      mark === "." ? s("circle", { class: "dot", r: cell === this.pointed ? 9 : 3 }) : markShape(mark, 13));
  }
}
