dials.slice = ({ position, d }, width) => {
  const columns = 60;
  const tall = Math.max(5, Math.min(12, 256 / d));
  const split = width * 0.62;
  const w = (split - 34) / columns;
  const map = range(columns).flatMap((p) => encode(p, d).map((v, f) => cell(34 + p * w, 16 + f * tall, w, tall, v)));
  const encoding = encode(position, d);
  const next = encode(position + 1, d);
  const middle = (split + width) / 2 + 10;
  const half = (width - split) / 2 - 22;
  const bars = encoding.map((v, f) => box(middle + Math.min(v, 0) * half, 16 + f * tall, Math.abs(v) * half, tall - 1, v < 0 ? "below" : "complete"));
  const bottom = 16 + d * tall;
  const marks = [
    words(30, 26, "0", "end"), words(30, bottom, d - 1, "end"), words(34, bottom + 16, "position 0", "start"), words(split, bottom + 16, columns - 1, "end"),
    words(middle, bottom + 16, `the slice at ${position}`), words(middle - half, 11, "−1"), words(middle + half, 11, "1"), words(0, 11, "feature", "start"),
    line(34 + (position + 0.5) * w, 14, 34 + (position + 0.5) * w, bottom, "four"), line(middle, 16, middle, bottom),
  ];
  const changed = encoding.filter((v, f) => Math.abs(next[f] - v) > 0.5).length;
  const still = encoding.filter((v, f) => Math.abs(next[f] - v) < 0.05).length;
  const says = `From position ${position} to ${position + 1}, ${changed} of ${d} features change by more than 0.5, and ${still} by less than 0.05.`;
  return { numbers: { encoding }, height: bottom + 22, picture: map.join("") + bars.join("") + marks.join(""), says };
};
