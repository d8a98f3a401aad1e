dials.scale = ({ position, tokens: length, kind }, width) => {
  const [dog, man] = [[0.8, -0.6, 0.3, -0.9], [-0.7, 0.5, 0.9, -0.2]];
  const p = Math.min(position, length - 1);
  const rows = { dog, man, dogThere: withPosition(dog, p, length, kind), manThere: withPosition(man, p, length, kind) };
  const [alone, there] = [angleBetween(dog, man), angleBetween(rows.dogThere, rows.manThere)];
  const most = Math.max(...Object.values(rows).flat().map(Math.abs), 1);
  const half = width / 2;
  const bars = (values, x, y, kindOf, ghost) => values.map((v, f) => {
    const [w, tall] = [(half - 90) / 4, 54];
    const bar = (value, opacity) => box(x + f * w, y - (tall * Math.max(value, 0)) / most, w - 3, (tall * Math.abs(value)) / most, kindOf, opacity);
    return bar(v, 0.7) + box(x + f * w, y - (tall * Math.max(ghost[f], 0)) / most, w - 3, (tall * Math.abs(ghost[f])) / most, "cell");
  }).join("");
  const fan = (a, x, text) => {
    const [r, y] = [62, 168];
    const tip = (t) => [x + r * Math.cos(t), y + 30 - r * Math.sin(t)];
    const [first, second] = [tip((90 - a / 2) * (Math.PI / 180)), tip((90 + a / 2) * (Math.PI / 180))];
    return line(x, y + 30, ...first, "one") + line(x, y + 30, ...second, "two") + words(x, y + 50, text, "strong", half - 8);
  };
  const picture = words(0, 13, "dog", "start strong") + words(half, 13, "man", "start strong") +
    bars(rows.dogThere, 40, 70, "complete", dog) + bars(rows.manThere, half + 40, 70, "below", man) + line(0, 70, width, 70, "axis") +
    fan(alone, width / 4, `without position: ${short(alone, 1)}°`) + fan(there, (3 * width) / 4, `at ${p}: ${short(there, 1)}°`);
  const number = kind === "none" ? "nothing" : short(kind === "integer" ? p : p / (length - 1), kind === "integer" ? 0 : 4);
  const says = `At position ${p} of ${length}, ${number} is added to every feature. The angle between dog and man is ${short(there, 1)}°; without a position it is ${short(alone, 1)}°.`;
  return { numbers: { ...rows, there }, height: 226, picture, says, limits: { position: [0, length - 1] }, labels: { position: whole(p) } };
};
