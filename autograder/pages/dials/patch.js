dials.patch = ({ kind, d, down, right }, width) => {
  const side = 15;
  const table = grids[kind](d);
  const rows = range(side).map((r) => range(side).map((c) => near(table, r - 7 - down, c - 7 - right)));
  const size = Math.min(width, 380) / side;
  const left = (width - size * side) / 2;
  const top = near(table, 0, 0);
  const place = (r, c) => [left + (c + 7.5) * size, (r + 7.5) * size];
  // Blue cells are above the mean of all cells, and orange cells below.
  const mean = sum(rows.flat()) / side ** 2;
  const picture = heat(rows.map((row) => row.map((v) => (v - mean) / (top - mean))), left, 0, size, size) + box(left, 0, size * side, size * side, "cell") +
    spot(...place(0, 0), size * 0.24, "ink") + words(left, size * side + 17, "dot: the query", "start", size * side / 2) + words(left + size * side, size * side + 17, "ring: the favourite, drag it", "end", size * side / 2) +
    knob("favourite", ...place(down, right), "ring");
  const says = `The favourite cell has score ${short(top)}. The cell 4 beside it in its row has ${short(near(table, 0, right > 0 ? -4 : 4))}, the cell 4 away on the diagonal ${short(near(table, down > 0 ? -4 : 4, right > 0 ? -4 : 4))}.`;
  const cell = (p, from) => clamp(Math.floor((p - from) / size) - 7, -7, 7);
  return { numbers: { scores: rows.flat(), table }, height: size * side + 24, picture, says, drags: { favourite: (x, y) => ({ right: cell(x, left), down: cell(y, 0) }) } };
};
