// A state of two numbers (dv = 1). Both keys have length 1; the first is (1, 0).
dials.beta = ({ beta, angle }, width) => {
  const turn = (angle * Math.PI) / 180;
  const keys = [[1, 0], [Math.cos(turn), Math.sin(turn)]];
  const first = keys[0].map((f) => 4 * f);
  const missing = 6 - dot(keys[1], first);
  const states = { sum: first.map((s, a) => s + 6 * keys[1][a]), delta: first.map((s, a) => s + beta * missing * keys[1][a]) };
  const reads = (state) => keys.map((key) => dot(key, state));
  const [added, mended] = [reads(states.sum), reads(states.delta)];
  const stacked = width < 520;
  const size = stacked ? 150 : 190;
  const [cx, cy, unit] = [28, size - 24, size - 70];
  const tip = ([a, b]) => [cx + unit * a, cy - unit * b];
  const names = angle < 15
    ? words(cx + unit * 0.5, cy + 18, "both keys")
    : words(cx + unit * 0.6, cy + 18, "first key") + words(tip(keys[1])[0] + 12, tip(keys[1])[1] + 4, "second key", "start");
  const plane = line(cx, cy, ...tip(keys[0]), "one") + line(cx, cy, ...tip(keys[1]), "two") + names + knob("angle", ...tip(keys[1]), "below");
  const [left, top] = stacked ? [0, size + 14] : [size + 70, 10];
  const begin = left + wide("second key reads") + 8;
  const end = width - wide("00.00", "strong") - 8;
  const at = (v) => begin + ((end - begin) * v) / 12;
  const group = (title, values, kind, y) => words(left, y + 12, title, "strong start", width - left) + values.map((v, i) =>
    words(left, y + 34 + 26 * i, i ? "second key reads" : "first key reads", "start") + box(begin, y + 22 + 26 * i, at(v) - begin, 16, kind, i ? 0.9 : 0.45) +
    words(width, y + 34 + 26 * i, short(v, 2), "strong end")).join("");
  const wanted = line(at(6), top + 16, at(6), top + 180, "axis") + words(at(6), top + 194, "6, the last value");
  const bars = wanted + group("sum: linear_step", added, "below", top) + group(`delta rule: delta_step, β = ${short(beta, 2)}`, mended, "complete", top + 92);
  const says = `The second key reads ${short(added[1], 2)} from the sum and ${short(mended[1], 2)} from the delta rule. The first key reads ${short(added[0], 2)} and ${short(mended[0], 2)}. Before the second write it read 4.00.`;
  const toAngle = (px0, py) => ({ angle: clamp(5 * Math.round((Math.atan2(cy - py, px0 - cx) * 180) / Math.PI / 5), 0, 90) });
  return {
    numbers: { ...states, added, mended }, height: top + (stacked ? 200 : 204), picture: plane + bars, says,
    labels: { beta: short(beta, 2), angle: `${angle}°` }, drags: { angle: toAngle },
  };
};
