dials.shift = ({ m, n, theta, q0, q1, k0, k1 }, width) => {
  const [q, k] = [[q0, q1].map(Number), [k0, k1].map(Number)];
  const [turnedQ, turnedK] = [rotate(q, m * theta), rotate(k, n * theta)];
  const score = (a, b) => dot(a, b) / Math.SQRT2;
  const scores = { plain: score(q, k), rotated: score(turnedQ, turnedK), home: score(q, rotate(k, (n - m) * theta)) };
  const stacked = width < 520;
  const size = Math.min(stacked ? width : width * 0.45, 290);
  const [x, y, unit] = [size / 2, size / 2, (size * 0.42) / Math.hypot(3, 3)];
  const tip = ([a, b]) => [x + unit * a, y - unit * b];
  const arrow = (v, kind) => line(x, y, ...tip(v), kind);
  const [a, b] = [Math.atan2(turnedQ[1], turnedQ[0]), Math.atan2(turnedK[1], turnedK[0])];
  const between = Math.atan2(Math.sin(b - a), Math.cos(b - a));
  const arc = path(range(25).map((i) => [x + 26 * Math.cos(a + (between * i) / 24), y - 26 * Math.sin(a + (between * i) / 24)]), "four");
  // Each name is beyond its arrow's tip; if the arrows lie side by side, the name is on the side away from the other arrow.
  const side = Math.max(0, Math.cos(between)) * (between < 0 ? -9 : 9);
  const named = (v, t, away, text) => {
    const far = Math.max(30, unit * Math.hypot(...v) + 13);
    return words(x + far * Math.cos(t) + Math.sin(t) * away, y - far * Math.sin(t) + Math.cos(t) * away + 4, text, "strong");
  };
  const plane = spot(x, y, size * 0.44, "unwritten", 0.4) + line(4, y, size - 4, y, "axis") + line(x, 4, x, size - 4, "axis") +
    arrow(q, "one ghost") + arrow(k, "two ghost") + arrow(turnedQ, "one") + arrow(turnedK, "two") + arc +
    named(turnedQ, a, side, "q") + named(turnedK, b, -side, "k") + words(2, 12, `angle ${whole(Math.abs((between * 180) / Math.PI))}°`, "start") +
    knob("tailQ", ...tip(q), "complete ghost") + knob("tailK", ...tip(k), "below ghost") + knob("headQ", ...tip(turnedQ)) + knob("headK", ...tip(turnedK), "below");
  const [left, top] = stacked ? [0, size + 8] : [size + 24, size / 2 - 84];
  const reach = Math.max(1, Math.hypot(...q) * Math.hypot(...k)) / Math.SQRT2;
  const [middle, half] = [(left + width) / 2, (width - left) / 2 - 4];
  const bars = [["not rotated", scores.plain, "unwritten"], [`rotated: query at ${m}, key at ${n}`, scores.rotated, "complete"],
    [`same offset: query at 0, key at ${whole(n - m)}`, scores.home, "complete"]].map(([name, v, kind], i) =>
    words(left, top + 14 + i * 54, name, "start", width - left - 70) + words(width, top + 14 + i * 54, short(v, 4), "strong end") +
    box(middle + Math.min(0, v / reach) * half, top + 22 + i * 54, (Math.abs(v) / reach) * half, 16, kind) + line(middle, top + 18 + i * 54, middle, top + 42 + i * 54));
  const says = `Three scores. Not rotated: ${short(scores.plain, 4)}. Rotated, query at ${m} and key at ${n}: ${short(scores.rotated, 4)}. Same offset ${whole(n - m)}, query at 0: ${short(scores.home, 4)}.`;
  const grid = (v) => clamp(Math.round(v * 2) / 2, -3, 3);
  const vector = (first, second) => (px0, py0) => ({ [first]: grid((px0 - x) / unit), [second]: grid((y - py0) / unit) });
  const turn = (name, v, now) => (px0, py0) => {
    const away = Math.atan2(y - py0, px0 - x) - Math.atan2(v[1], v[0]) - now * theta;
    return { [name]: clamp(Math.round(now + Math.atan2(Math.sin(away), Math.cos(away)) / theta), 0, 40) };
  };
  const drags = { tailQ: vector("q0", "q1"), tailK: vector("k0", "k1"), headQ: turn("m", q, m), headK: turn("n", k, n) };
  return { numbers: { ...scores, turnedQ, turnedK }, height: stacked ? size + 170 : size, picture: plane + bars.join(""), says, drags };
};
