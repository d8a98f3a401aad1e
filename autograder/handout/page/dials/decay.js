dials.decay = ({ offset, power, d }, width) => {
  const base = 10 ** power;
  const most = bound(0, d, base);
  const limit = bound(offset, d, base);
  const similarity = likeness(offset, d, base);
  const [left, top, high] = [40, 48, 200];
  const bottom = top + high;
  const x = (t) => left + ((width - left - 12) * t) / 500;
  const y = (v) => top + high * (1 - (v + 0.4) / 1.4);
  const curve = (f, kind) => path(range(251).map((t) => [x(2 * t), y(f(2 * t))]), kind);
  const marks = [0, 0.5, 1].map((v) => words(left - 6, y(v) + 4, v, "end") + line(left, y(v), width - 12, y(v), "axis"));
  const ticks = [0, 100, 200, 300, 400, 500].map((t) => words(x(t), bottom + 14, t, t === 500 ? "end" : ""));
  const named = (down, kind, text) => line(left, down, left + 18, down, kind) + words(left + 22, down + 4, text, "start");
  const names = named(10, "one", "bound / bound at 0") + named(28, "two", "score of two equal vectors / score at 0");
  const curves = curve((t) => bound(t, d, base) / most, "one") + curve((t) => likeness(t, d, base) / (d / 2), "two");
  const picture = marks.join("") + ticks.join("") + curves + line(x(offset), top, x(offset), bottom, "four") + names;
  const says = `At offset ${offset} the bound is ${short(limit)}, that is ${short(limit / most)} of its value at 0. The score of two equal vectors has ${short(similarity / (d / 2))} of its value at 0.`;
  return { numbers: { limit, similarity }, height: bottom + 22, picture, says };
};
