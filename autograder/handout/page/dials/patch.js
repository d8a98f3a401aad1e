dials.patch = ({ kind, d, side, y, x }, width) => {
  const [row, column] = [Math.min(y, side - 1), Math.min(x, side - 1)];
  const table = grids[kind](d);
  const at = (dy, dx) => near(table, dy, dx);
  const scores = range(side).flatMap((r) => range(side).map((c) => at(r - row, c - column)));
  const size = Math.min(width, 380) / side;
  const top = at(0, 0);
  const lowest = Math.min(...scores);
  const left = (width - size * side) / 2;
  const cells = scores.map((score, i) => {
    const [r, c] = [Math.floor(i / side), i % side];
    return cell(left + c * size, r * size, size - 1, size - 1, (score - lowest) / (top - lowest || 1));
  });
  const mark = spot(left + (column + 0.5) * size, (row + 0.5) * size, px(size * 0.22), "below");
  const says = `Query at row ${row}, column ${column}: score ${short(top)} with itself. One step right: ${short(at(0, 1))}. Right and down: ${short(at(1, 1))}. Right and up: ${short(at(-1, 1))}.`;
  return { numbers: { scores, table }, height: size * side + 2, picture: cells.join("") + mark, says };
};
