dials.shift = ({ m, n, theta, q0, q1, k0, k1 }, width) => {
  const [q, k] = [[q0, q1].map(Number), [k0, k1].map(Number)];
  const [turnedQ, turnedK] = [rotate(q, m * theta), rotate(k, n * theta)];
  const score = (a, b) => dot(a, b) / Math.SQRT2;
  const plain = score(q, k);
  const rotated = score(turnedQ, turnedK);
  const home = score(q, rotate(k, (n - m) * theta));
  const size = Math.min(width / 2, 260);
  const longest = Math.max(Math.hypot(...q), Math.hypot(...k), 0.1);
  const plane = (at, first, second, title) => {
    const [x, y, r] = [at + size / 2, size / 2 + 4, size * 0.42];
    const tip = ([a, b]) => [x + (r * a) / longest, y - (r * b) / longest];
    const arrow = (v, kind, name) => line(x, y, ...tip(v), kind) + spot(...tip(v), 4, kind === "one" ? "complete" : "below") + words(tip(v)[0] + 8, tip(v)[1] - 6, name, "strong start");
    const ring = `<circle cx="${px(x)}" cy="${px(y)}" r="${px(r)}" class="unwritten" fill-opacity="0.4"></circle>`;
    return ring + line(x - r, y, x + r, y, "axis") + line(x, y - r, x, y + r, "axis") + arrow(first, "one", "q") + arrow(second, "two", "k") + words(x, size + 12, title);
  };
  const picture = plane(0, q, k, "before") + plane(size, turnedQ, turnedK, `rotated: q by ${m}·θ, k by ${n}·θ`);
  const says = `Three scores. Not rotated: ${short(plain, 4)}. Rotated, query at ${m} and key at ${n}: ${short(rotated, 4)}. Same offset ${whole(n - m)}, query at 0: ${short(home, 4)}.`;
  return { numbers: { plain, rotated, home, turnedQ, turnedK }, height: size + 20, picture, says };
};
