dials.stretch = ({ factor, d, base, trained }, width) => {
  const old = speeds(d, base);
  const numbers = Object.fromEntries(Object.entries(stretched).map(([name, f]) => [name, f(d, base, factor, trained)]));
  const columns = width < 480 ? 2 : 4;
  const [left, top, high] = [46, 14 + (4 / columns) * 20, 210];
  const x = (i) => left + ((width - left - 14) * i) / (d / 2 - 1);
  const y = (ratio) => top + high * (1 - ratio);
  const kinds = { interpolation: ["four", "interpolation"], ntk: ["two", "NTK-aware"], yarn: ["one", "YaRN"], llama3: ["three", "Llama 3"] };
  const curves = Object.entries(kinds).map(([name, [kind]]) => path(numbers[name].map((w, i) => [x(i), y(w / old[i])]), kind));
  const key = Object.values(kinds).map(([kind, title], i) => {
    const [at, down] = [left + ((i % columns) * (width - left)) / columns, 12 + Math.floor(i / columns) * 20];
    return line(at, down, at + 18, down, kind) + words(at + 22, down + 4, title, "start");
  });
  const marks = [0, 0.5, 1].map((v) => words(left - 6, y(v) + 4, v, "end") + line(left, y(v), width - 14, y(v), "axis"));
  const floor = words(left - 6, y(1 / factor) + 4, factor >= 4 || factor < 1.6 ? "" : short(1 / factor, 2), "end");
  const ticks = words(left, top + high + 18, "pair 0", "start") + words(width - 14, top + high + 18, `pair ${d / 2 - 1}`, "end");
  const first = (name) => numbers[name].findIndex((w, i) => w < old[i] * (1 - 1e-9));
  const from = (name) => (first(name) < 0 ? "no pair" : `pair ${first(name)} on`);
  const says = `Factor ${factor}. Slower than before: interpolation from ${from("interpolation")}, NTK-aware from ${from("ntk")}, YaRN from ${from("yarn")}, Llama 3 from ${from("llama3")}.`.replaceAll("from no pair", "no pair");
  return { numbers, height: top + high + 26, picture: marks.join("") + floor + ticks + curves.join("") + key.join(""), says };
};
