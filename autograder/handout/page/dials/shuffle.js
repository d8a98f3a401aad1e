dials.shuffle = ({ order, mask }, width) => {
  const names = ["dog", "bites", "man"];
  const x = [[1, 0.2], [-0.5, 1], [0.4, 1.5]];
  const moved = Array.from(String(order).padStart(3, "0"), Number);
  const permuted = moved.map((t) => x[t]);
  const [before, after] = [attend(x, mask), attend(permuted, mask)];
  const [left, right] = [mixed(before, x), mixed(after, permuted)];
  const gaps = moved.map((t, i) => Math.max(...left[t].map((v, f) => Math.abs(v - right[i][f]))));
  const gap = Math.max(...gaps);
  const size = Math.min((width - 160) / 6, 64);
  const table = (weights, tokens, at) => {
    const head = words(at + 50, 14, "query", "end") + tokens.map((t, j) => words(at + 56 + (j + 0.5) * size, 14, names[t])).join("");
    const rows = tokens.map((t, i) => {
      const y = 22 + i * size;
      const cells = weights[i].map((w, j) => {
        const text = words(at + 56 + (j + 0.5) * size, y + size / 2 + 4, short(w, 2), "strong");
        return box(at + 56 + j * size, y, size - 2, size - 2, "complete", 0.35 * w) + text;
      });
      return words(at + 50, y + size / 2 + 4, names[t], "end") + cells.join("");
    });
    return head + rows.join("");
  };
  const picture = table(before, [0, 1, 2], 0) + table(after, moved, width / 2);
  const changed = moved.filter((_, i) => gaps[i] > 1e-9).map((t) => names[t]);
  const says =
    `Left: dog bites man. Right: ${moved.map((t) => names[t]).join(" ")}. The largest change of an output is ${short(gap)}. ` +
    (changed.length ? `Changed: ${changed.join(", ")}.` : "Every token has the same output as before.");
  return { numbers: { before, after, gap, gaps }, height: 30 + 3 * size, picture, says };
};
