dials.stretch = ({ factor, d, base, trained, method }, width) => {
  const old = speeds(d, base);
  const numbers = Object.fromEntries(Object.entries(stretched).map(([name, f]) => [name, f(d, base, factor, trained)]));
  const kinds = { interpolation: ["four", "interpolation"], ntk: ["two", "NTK-aware"], yarn: ["one", "YaRN"], llama3: ["three", "Llama 3"] };
  const axis = chart({ width, height: 170, x: [0, d / 2 - 1], y: [0, 1], xs: [0, d / 4, d / 2 - 1], ys: [0, 0.5, 1], title: "new frequency / old frequency", below: "pair" });
  const curves = Object.entries(kinds).map(([name, [kind]]) => axis.curve(numbers[name].map((w, i) => [i, w / old[i]]), kind + (name === method ? "" : " ghost")));
  const used = method === "none" ? old : numbers[method];
  const seen = old.map((w) => trained * w);
  const reached = used.map((w) => factor * trained * w);
  const fresh = reached.map((angle, i) => angle > seen[i] * (1 + 1e-9) && seen[i] < 2 * Math.PI);
  // Draw one circle per pair: the arc that the pair passed in training, and then the arc of new angles.
  const count = Math.min(8, Math.floor(width / 78));
  const shown = range(count).map((c) => Math.round((c * (d / 2 - 1)) / (count - 1)));
  const size = width / count;
  const r = Math.min(size * 0.36, 30);
  const round = (x, y, from, to, kind) => path(range(49).map((s) => {
    const t = from + ((to - from) * s) / 48;
    return [x + r * Math.sin(t), y - r * Math.cos(t)];
  }), kind);
  const circles = shown.map((i, c) => {
    const [x, y] = [(c + 0.5) * size, 216];
    const [first, last] = [Math.min(seen[i], 2 * Math.PI), Math.min(reached[i], 2 * Math.PI)];
    return spot(x, y, r, "unwritten", 0.35) + round(x, y, 0, first, "seen") + (fresh[i] ? round(x, y, first, last, "new") : "") + words(x, y + r + 16, `pair ${i}`, "", size - 4);
  });
  const key = Object.entries(kinds).map(([name, [kind, title]], i) => {
    const [x, y] = [((i % 2) * width) / 2, 282 + Math.floor(i / 2) * 20];
    return line(x, y, x + 20, y, kind) + words(x + 26, y + 4, title, name === method ? "start strong" : "start");
  });
  const first = (name) => numbers[name].findIndex((w, i) => w < old[i] * (1 - 1e-9));
  const slower = ["yarn", "llama3"].map((name) => kinds[name][1] + (first(name) < 0 ? " slows no pair" : ` slows pairs from ${first(name)} on`));
  const says = (method === "none" ? "Without a method" : `With ${kinds[method][1]}`) + `, ${fresh.filter(Boolean).length} of ${d / 2} pairs meet angles that they never passed in training. ${slower.join("; ")}.`;
  return { numbers, height: 312, picture: axis.frame + curves.join("") + circles.join("") + key.join(""), says };
};
