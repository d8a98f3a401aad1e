dials.shuffle = ({ order, mask }, width) => {
  const names = ["dog", "bites", "man"];
  const x = [[1, 0.2], [-0.5, 1], [0.4, 1.5]];
  const moved = Array.from(String(order).padStart(3, "0"), Number);
  const permuted = moved.map((t) => x[t]);
  const [before, after] = [attend(x, mask), attend(permuted, mask)];
  const [left, right] = [mixed(before, x), mixed(after, permuted)];
  const size = Math.min((width - 160) / 6, 64);
  const sentence = (tokens) => tokens.map((t) => names[t]).join(" ");
  const table = (weights, tokens, at) => {
    const column = (j) => at + 56 + (j + 0.5) * size;
    const head = words(column(1), 14, sentence(tokens), "strong") + words(column(1), 34, "key") + words(at + 50, 52, "query", "end");
    const rows = tokens.map((t, i) => {
      const y = 60 + i * size;
      const cells = weights[i].map((w, j) => {
        const [side, corner] = [size - 2, at + 56 + j * size];
        // The level of the colour is the weight: levels are easier to compare than shades.
        const level = box(corner, y + side * (1 - w), side, side * w, "complete", 0.45);
        return level + box(corner, y, side, side, "cell") + words(column(j) - 1, y + size / 2 + 4, short(w, 2), "strong");
      });
      return words(at + 50, y + size / 2 + 4, names[t], "end") + cells.join("");
    });
    return head + tokens.map((t, j) => words(column(j), 52, names[t])).join("") + rows.join("");
  };
  const picture = table(before, [0, 1, 2], 0) + table(after, moved, width / 2);
  const outputs = (rows, tokens) => tokens.map((t, i) => `${names[t]} (${rows[i].map((v) => short(v)).join(", ")})`).join(", ");
  const says = `Outputs on the left: ${outputs(left, [0, 1, 2])}. Outputs on the right: ${outputs(right, moved)}.`;
  return { numbers: { before, after, left, right }, height: 68 + 3 * size, picture, says };
};
