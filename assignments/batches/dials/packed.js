dials.packed = ({ first, second, query, counting, seen }, width) => {
  const count = 12;
  const boundaries = [...new Set([0, Math.min(first, second), Math.max(first, second), count])];
  const textOf = range(count).map((t) => boundaries.filter((b) => b <= t).length - 1);
  const positions = range(count).map((t) => (counting === "restart" ? t - boundaries[textOf[t]] : t));
  const mask = range(count).map((i) => range(count).map((j) => Number(j <= i && (seen === "row" || textOf[i] === textOf[j]))));
  const kinds = ["complete", "below", "third"];
  const left = wide("query 11", "strong") + 14;
  const w = Math.min((width - left) / count, 36);
  const x = (t) => left + t * w;
  const tokens = range(count).map((t) =>
    box(x(t), 22, w - 2, 26, kinds[textOf[t]], 0.4) + words(x(t) + w / 2 - 1, 39, t, t === query ? "strong" : "") +
    words(x(t) + w / 2 - 1, 70, positions[t], t === query ? "strong" : "")).join("");
  const names = words(0, 39, "place", "start") + words(0, 70, "position", "start");
  const edge = (b) => x(b) - 1;
  const cuts = boundaries.slice(1, -1).map((b) => line(edge(b), 14, edge(b), 78, "two")).join("");
  const knobs = knob("first", edge(first), 14) + (second === first ? "" : knob("second", edge(second), 14, "below"));
  const top = 104;
  const size = w;
  const y = (i) => top + i * size;
  const grid = mask.map((row, i) => row.map((allowed, j) =>
    box(x(j), y(i), size - 2, size - 2, allowed ? kinds[textOf[j]] : "hole", allowed ? (i === query ? 0.9 : 0.45) : 1)).join("")).join("");
  const frame = box(x(0) - 1, y(query) - 1, count * size, size, "cell strong");
  const rows = words(left - 8, y(query) + size / 2 + 3, `query ${query}`, "strong end") + words(x(0), top - 8, "keys that each query may use", "start", count * size);
  const used = sum(mask[query]);
  const others = used - mask[query].filter((allowed, j) => allowed && textOf[j] === textOf[query]).length;
  const leak = others ? ` Of these, ${others} ${others === 1 ? "is" : "are"} of other texts.` : "";
  const says = `The query at place ${query} is in text ${textOf[query]}, at position ${positions[query]}. It uses ${counted(used, "key")}.${leak}`;
  const place = (px0) => clamp(Math.round((px0 - left) / w), 1, count - 1);
  return {
    numbers: { boundaries, positions, mask: mask.flat() }, height: y(count) + 4, picture: names + tokens + cuts + rows + grid + frame + knobs, says,
    drags: { first: (px0) => ({ first: place(px0) }), second: (px0) => ({ second: place(px0) }) },
  };
};
