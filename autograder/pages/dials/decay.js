dials.decay = ({ offset, power, d }, width) => {
  const base = 10 ** power;
  const [limit, similarity] = [bound(offset, d, base), likeness(offset, d, base)];
  const stacked = width < 560;
  const size = stacked ? Math.min(width, 260) : 240;
  const [left, top] = stacked ? [0, size + 16] : [size + 20, 0];
  // Draw one unit arrow per pair, each from the end of the previous arrow; the angle is the offset times the frequency. |S_j| is the distance of joint j from the start.
  const joints = speeds(d, base).reduce((all, w) => [...all, [all.at(-1)[0] + Math.cos(offset * w), all.at(-1)[1] + Math.sin(offset * w)]], [[0, 0]]);
  const [xs, ys] = [0, 1].map((i) => joints.map((joint) => joint[i]));
  const span = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), d / 8);
  const unit = (size - 60) / span;
  const [cx, cy] = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
  const put = ([a, b]) => [size / 2 + (a - cx) * unit, size / 2 + 12 - (b - cy) * unit];
  const end = put(joints.at(-1));
  const chain = words(0, 12, `${d / 2} unit arrows, one per pair`, "start strong", size) + line(...put([0, 0]), end[0], put([0, 0])[1], "three") + path(joints.map(put), "one") +
    spot(...put([0, 0]), 4, "third") + spot(...end, 4, "complete") + words(size / 2, size + 4, `green: the score, ${short(similarity, 2)}`, "", size);
  const axis = { left, width: width - left, x: [0, 500], xs: [0, 100, 200, 300, 400, 500] };
  const tall = 130;
  const lowest = Math.min(0, ...range(501).map((t) => likeness(t, d, base)));
  const first = chart({ ...axis, top, height: tall, y: [0, bound(0, d, base)], ys: [0, d / 4], title: `bound, the mean of |S|: ${short(limit)}` });
  const second = chart({ ...axis, top: top + tall, height: tall + 14, y: [Math.floor(lowest), d / 2], ys: [0, d / 4], title: `dot product of two equal vectors: ${short(similarity)}`, below: "offset" });
  const curve = (at, f, kind) => at.frame + at.curve(range(501).map((t) => [t, f(t)]), kind) + line(at.X(offset), at.high, at.X(offset), at.low, "four");
  const picture = chain + curve(first, (t) => bound(t, d, base), "one") + curve(second, (t) => likeness(t, d, base), "three") +
    knob("offset", first.X(offset), first.Y(limit)) + spot(second.X(offset), second.Y(similarity), 5, "third") + grip("offset", left, top + 20, width - left, 2 * tall - 20);
  const says = `At offset ${offset} the bound is ${short(limit)}. The dot product of two equal vectors is ${short(similarity)}; it can be at most ${d / 2} times the bound, ${short((d / 2) * limit, 1)}.`;
  return {
    numbers: { limit, similarity }, height: stacked ? top + 2 * tall + 16 : Math.max(2 * tall + 16, size + 12), picture, says,
    labels: { power: thousands(base) }, drags: { offset: (p) => ({ offset: Math.round(first.back(p)) }) },
  };
};
