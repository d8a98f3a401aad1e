dials.slopes = ({ heads, tolerance }, width) => {
  const rates = slopes(heads);
  const windows = rates.map((slope) => reach(slope, tolerance));
  const tall = Math.max(13, Math.min(26, 260 / heads));
  const [left, right] = [118, width - 58];
  const longest = 4;
  const x = (n) => left + ((right - left) * Math.log10(n)) / longest;
  const rows = rates.map((slope, h) => {
    const y = 20 + h * tall;
    const power = Math.log2(slope);
    const label = words(left - 8, y + tall / 2 + 4, `head ${h}: 2^${short(power, Number.isInteger(power) ? 0 : 2)}`, "end");
    return label + box(left, y + 1, Math.min(x(windows[h]), right) - left, tall - 3, "complete", 0.75) + words(Math.min(x(windows[h]), right) + 6, y + tall / 2 + 4, thousands(windows[h]), "start");
  });
  const ticks = [1, 10, 100, 1000, 10000].map((n) => line(x(n), 16, x(n), 20 + heads * tall, "axis") + words(x(n), 11, thousands(n)));
  const far = windows.filter((n) => n > 100).length;
  const says = `${heads} ${heads === 1 ? "head" : "heads"}. The bias alone scales a weight by ${tolerance} or less from distance ${thousands(Math.min(...windows))} on in the nearest head, ${thousands(Math.max(...windows))} in the farthest. ${far} of the windows are longer than 100.`;
  return { numbers: { slopes: rates, windows }, height: 30 + heads * tall, picture: ticks.join("") + rows.join(""), says };
};
