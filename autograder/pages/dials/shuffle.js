dials.shuffle = ({ order, mask }, width) => {
  const names = ["dog", "bites", "man"];
  const kinds = ["complete", "below", "third"];
  const x = [[1, 0.2], [-0.5, 1], [0.4, 1.5]];
  const moved = Array.from(String(order).padStart(3, "0"), Number);
  const permuted = moved.map((t) => x[t]);
  const [before, after] = [attend(x, mask), attend(permuted, mask)];
  const [left, right] = [mixed(before, x), mixed(after, permuted)];
  const stacked = width < 560;
  const room = stacked ? width : width / 2 - 12;
  const [name, out] = [wide("bites", "strong") + 14, wide("(−0.00, 0.00)") + 10];
  const size = Math.min((room - name - out) / 3, 58);
  const tall = 62 + 3 * size;
  const chip = (t, x0, y0) => box(x0 - name / 2 + 4, y0 - 16, name - 4, 22, `${kinds[t]} chip`, 0.25) + words(x0, y0, names[t], "strong");
  const pair = (row) => `(${row.map((v) => short(v, 2)).join(", ")})`;
  const table = (weights, outputs, tokens, at, top, title) => {
    const column = (j) => at + name + (j + 0.5) * size;
    const cells = (i) => weights[i].map((w, j) => {
      const [x0, y0, side] = [at + name + j * size, top + 50 + i * size, size - 2];
      // The height of the coloured part is the weight: heights are easier to compare than shades.
      const level = box(x0, y0 + side * (1 - w), side, side * w, kinds[tokens[i]], 0.45);
      return level + box(x0, y0, side, side, "cell") + words(x0 + side / 2, y0 + size / 2 + 4, short(w, 2), "strong", side - 2);
    });
    const rows = tokens.map((t, i) => {
      const y0 = top + 54 + (i + 0.5) * size;
      return chip(t, at + name / 2, y0) + cells(i).join("") + words(at + name + 3 * size + 6, y0, pair(outputs[i]), "start", out);
    });
    const heads = tokens.map((t, j) => chip(t, column(j), top + 40)).join("");
    return words(at, top + 13, title, "start", room - out) + words(at + name + 3 * size + 6, top + 40, "output", "start", out) + heads + rows.join("");
  };
  const [at, top] = stacked ? [0, tall + 12] : [width / 2 + 12, 0];
  const grips = moved.map((t, j) => grip(`word${t}`, at + name + j * size, top + 18, size, 30));
  const place = (t) => (x0) => {
    const rest = moved.filter((other) => other !== t);
    rest.splice(clamp(Math.floor((x0 - at - name) / size), 0, 2), 0, t);
    return { order: rest.join("") };
  };
  const mean = [0, 1].map((f) => sum(right.map((row) => row[f])) / 3);
  const picture = table(before, left, [0, 1, 2], 0, 0, "in order") +
    table(after, right, moved, at, top, "shuffled: drag a word") + grips.join("");
  const changed = moved.filter((t, i) => left[t].some((v, f) => Math.abs(v - right[i][f]) > 1e-9)).map((t) => names[t]);
  const says = (changed.length ? `The output of ${changed.join(" and ")} changed.` : "Each word has the same output in both tables.") +
    ` The mean of the three shuffled outputs is ${pair(mean)}.` + ` The shuffled order: ${moved.map((t) => names[t]).join(" ")}.`;
  return { numbers: { before, after, left, right }, height: top + tall, picture, says, drags: { word0: place(0), word1: place(1), word2: place(2) } };
};
