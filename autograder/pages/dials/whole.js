dials.whole = ({ method, query, shift }, width) => {
  const [before, after] = [rowOf(method, query, 0), rowOf(method, query, shift)];
  const difference = before.map((w, n) => after[n] - w);
  const largest = Math.max(...difference.map(Math.abs));
  const w = width / SENTENCE.length;
  // If a cell is narrow, 0.06 is written .06, which leaves room for a minus.
  const written = (value) => (w < 40 ? short(value, 2).replace("0.", ".") : short(value, 2));
  const cell = (y, values, title, scale) => {
    const cells = SENTENCE.map((word, n) => {
      const value = values[n];
      const ink = value === undefined ? "" : heat([[0.45 * value * scale]], n * w, y + 8, w - 2, 34);
      return ink + box(n * w, y + 8, w - 2, 34, value === undefined ? "hole" : "cell") + words((n + 0.5) * w - 1, y + 30, value === undefined ? "" : written(value), "strong", w - 3);
    });
    return words(0, y, title, "start", width) + cells.join("");
  };
  const names = SENTENCE.map((word, n) => box(n * w, 4, w - 2, 26, n === query ? "below chip" : "chip", n === query ? 0.5 : 0) + words((n + 0.5) * w - 1, 22, word, n === query ? "strong" : "", w - 2));
  const [left, right] = [8, width - 8];
  const x = (p) => left + ((right - left) * p) / 61;
  const y = 240;
  const track = words(0, y - 14, `positions: drag the sentence to shift all of it by ${shift}`, "start", width) + line(left, y + 12, right, y + 12, "axis") +
    [0, 10, 20, 30, 40, 50, 60].map((p) => words(clamp(x(p), 8, width - 8), y + 34, p)).join("") + box(x(0), y + 4, x(11) - x(0), 16, "cell") +
    box(x(shift), y + 4, x(11) - x(0), 16, "complete", 0.5) + knob("shift", x(shift + 5.5), y + 12) + grip("shift", x(shift), y, x(11) - x(0), 24);
  const picture = names.join("") + range(SENTENCE.length).map((n) => grip("query", n * w, 0, w, 32)).join("") + cell(50, before, "weights at positions 0 to 10", 1) +
    cell(106, after, `weights at positions ${shift} to ${shift + 10}`, 1) + cell(162, difference, "second row minus first row", 4) + track;
  const same = "The weights do not change: this method knows the distance alone, or no position at all.";
  const says = largest < 5e-10 ? same : `The weights change by up to ${short(largest)}: this method knows where the sentence begins.`;
  return {
    numbers: { before, after }, height: y + 42, picture, says: `“${SENTENCE[query]}” at position ${query} is the query. ${shift ? says : "Shift the sentence, and look at the third row."}`,
    drags: { query: (p) => ({ query: clamp(Math.floor(p / w), 0, 10) }), shift: (p) => ({ shift: clamp(Math.round(((p - left) / (right - left)) * 61 - 5.5), 0, 50) }) },
  };
};
