dials.slice = ({ position, d }, width) => {
  const columns = 60;
  const tall = Math.max(5, Math.min(12, 256 / d));
  const left = wide("feature") + 8;
  const split = width * 0.62;
  const w = (split - left) / columns;
  const bottom = 20 + d * tall;
  const rows = range(d).map((f) => range(columns).map((p) => encode(p, d)[f]));
  const [encoding, next] = [encode(position, d), encode(position + 1, d)];
  const [middle, half] = [(split + width) / 2 + 8, (width - split) / 2 - 18];
  const bars = encoding.map((v, f) => {
    const ghost = middle + next[f] * half;
    return box(middle + Math.min(v, 0) * half, 20 + f * tall, Math.abs(v) * half, tall - 1, v < 0 ? "below" : "complete") +
      line(ghost, 20 + f * tall, ghost, 19 + (f + 1) * tall, "four");
  });
  const x = left + (position + 0.5) * w;
  const marks = words(left - 6, 30, "0", "end") + words(left - 6, bottom, d - 1, "end") + words(left - 6, 13, "feature", "end") +
    words(clamp(x, left + 34, split - 34), bottom + 18, `position ${position}`, "strong") + words(middle, bottom + 18, `the slice at ${position}`, "strong", 2 * half + 30) +
    words(middle, bottom + 34, `line: at ${position + 1}`, "", 2 * half + 30) + words(middle - half, 13, "−1") + words(middle + half, 13, "1") + line(middle, 20, middle, bottom);
  const changed = encoding.filter((v, f) => Math.abs(next[f] - v) > 0.5).length;
  const still = encoding.filter((v, f) => Math.abs(next[f] - v) < 0.05).length;
  const says = `From position ${position} to ${position + 1}, ${changed} of ${d} features change by more than 0.5, and ${still} by less than 0.05.`;
  return {
    numbers: { encoding }, height: bottom + 40, says,
    picture: heat(rows, left, 20, w, tall) + bars.join("") + marks + tag("rect", { x: px(x - w / 2 - 1), y: 18, width: px(w + 2), height: px(bottom - 16), class: "cell strong" }) +
      grip("p", left, 0, split - left, bottom + 20),
    drags: { p: (at) => ({ position: clamp(Math.floor((at - left) / w), 0, columns - 1) }) },
  };
};
