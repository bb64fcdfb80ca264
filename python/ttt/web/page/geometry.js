// Where the cells are, in units of which a cell has 100.

export const CELL = 100;
const GAP = 26;
const LABEL = 46;

/** The places of cells and blocks for a layout of the API; `across` blocks in a row, with or without
 * room for the names of rows and columns. */
export function arrange(layout, across = layout.across, labelled = true) {
  const { width, height, blocks } = layout;
  const left = labelled && layout.row_labels.length ? LABEL : 0;
  const above = labelled && layout.column_labels.length && !layout.headings_below ? LABEL : 0;
  const below = layout.headings_below ? LABEL : 0;
  const title = layout.block_labels.length ? LABEL : 0;
  const room = layout.drops ? CELL : 0; // for the values of the columns
  const wide = left + width * CELL;
  const high = title + above + room + height * CELL + below;
  const gap = blocks > 1 ? GAP : 0;
  const places = { cells: [], blocks: [], above, title, labelled };
  for (let block = 0; block < blocks; block++) {
    const x = (block % across) * (wide + gap) + left;
    const y = Math.floor(block / across) * (high + gap) + title + above + room;
    places.blocks.push({ x, y, width: width * CELL, height: height * CELL });
    for (let i = 0; i < width * height; i++) {
      places.cells.push({
        block,
        row: Math.floor(i / width),
        column: i % width,
        x: x + (i % width) * CELL,
        y: y + Math.floor(i / width) * CELL,
      });
    }
  }
  const down = Math.ceil(blocks / across);
  places.width = Math.min(blocks, across) * (wide + gap) - gap;
  places.height = down * (high + gap) - gap;
  return places;
}

/** The cell that an arrow key leads to; the same cell at the edge. */
export function neighbour(places, cell, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const here = places.cells[cell];
  let best = cell;
  let nearest = Infinity;
  places.cells.forEach((there, index) => {
    const ahead = (there.x - here.x) * dx + (there.y - here.y) * dy;
    const aside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
    if (ahead > 0 && aside < CELL / 2 && ahead < nearest) [nearest, best] = [ahead, index];
  });
  return best;
}

export const middle = (place) => [place.x + (place.width ?? CELL) / 2, place.y + (place.height ?? CELL) / 2];
