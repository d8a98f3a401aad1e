// The reader draws a prediction before the measurement appears, and the prediction then lies over the measurement.
dials.guess = ({ group, shown, ...sliders }, width) => {
  const { lengths, curves } = JSON.parse(document.getElementById("measured").textContent);
  const mine = lengths.map((_, i) => sliders[`at${i}`] / 100);
  const drawn = mine.some((v) => v !== 0.5);
  const seeds = shown && drawn ? (curves[group] ?? []) : [];
  const mean = seeds.length ? lengths.map((_, i) => sum(seeds.map((seed) => seed[i])) / seeds.length) : [];
  const known = mean.length > 0 && mean.every((v) => v !== null && !Number.isNaN(v));
  const axis = chart({ width, height: 260, x: [lengths[0] * 0.85, lengths.at(-1) * 1.1], y: [0, 1], xs: lengths, ys: [0, 0.5, 1], log: true, below: "length, in tokens", title: `accuracy: ${group}` });
  const curve = (values, kind) => axis.curve(values.map((v, i) => [lengths[i], v]), kind);
  const picture = axis.frame + (known ? seeds.map((seed) => curve(seed, "one ghost")).join("") + curve(mean, "one") : "") + curve(mine, "two") +
    mine.map((v, i) => knob(`at${i}`, axis.X(lengths[i]), axis.Y(v), "below")).join("");
  const off = known ? mean.map((v, i) => Math.abs(v - mine[i])) : [];
  const worst = off.indexOf(Math.max(...off));
  const asked = drawn ? "Now show what was measured." : "Drag the points of the dashed line to what you expect.";
  const says = known ? `Measured, as the mean of ${seeds.length} seeds: ${mean.map((v) => short(v, 2)).join(", ")}. You were farthest off at ${lengths[worst]} tokens, by ${short(off[worst], 2)}.`
    : seeds.length ? `${group} has no value at every length.` : shown ? `First move a point: draw what you expect of ${group}. Then it is shown.` : asked;
  const drags = Object.fromEntries(lengths.map((_, i) => [`at${i}`, (x, y) => ({ [`at${i}`]: clamp(Math.round(((y - axis.low) / (axis.high - axis.low)) * 20) * 5, 0, 100) })]));
  return { numbers: { mine, mean: known ? mean : [] }, height: 266, picture, says, drags };
};

// The page remembers one prediction per curve, and shows a curve only after the reader has drawn a prediction.
document.addEventListener("input", ({ target }) => {
  const form = target.closest?.("[data-dial=guess] .controls");
  if (!form || !target.name) return;
  const sliders = Array.from(form.querySelectorAll("[type=range]"));
  const key = `guess ${form.elements.group.value}`;
  if (target.name !== "group") return remember(key, sliders.map((one) => one.value).join(" "));
  const before = memory()[here()]?.[key]?.split(" ");
  sliders.forEach((one, i) => (one.value = before?.[i] ?? 50));
  form.elements.shown.checked = false;
}, true);
