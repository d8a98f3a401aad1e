dials.slopes = ({ heads, tolerance }, width) => {
  const rates = slopes(heads);
  const windows = rates.map((slope) => reach(slope, tolerance));
  const tall = Math.max(13, Math.min(26, 260 / heads));
  const left = wide("head 00") + 8;
  const axis = chart({ left, width: width - left - 40, top: 0, height: 42 + heads * tall, x: [1, 10000], y: [0, 1], xs: [1, 10, 100, 1000, 10000], ys: [], log: true, below: "distance" });
  const columns = range(80);
  const w = (axis.end - axis.begin) / 80;
  const distance = (c) => 10 ** (4 * ((c + 0.5) / 80));
  const rows = rates.map((slope, h) => {
    const y = axis.high + h * tall;
    const x = Math.min(axis.X(windows[h]), axis.end);
    return words(left - 8, y + tall / 2 + 4, `head ${h}`, "end") + heat([columns.map((c) => Math.exp(-slope * distance(c)))], axis.begin, y + 1, w, tall - 3) +
      line(x, y, x, y + tall - 1, "two") + words(x + 6, y + tall / 2 + 4, thousands(windows[h]), "start strong", tall > 14 ? 99 : 40);
  });
  const many = windows.filter((n) => n > 100).length;
  const says = `${counted(heads, "head")}. The bias alone scales a weight by ${tolerance} or less from distance ${thousands(Math.min(...windows))} on in the nearest head, ${thousands(Math.max(...windows))} in the farthest. Windows longer than 100: ${many}.`;
  return { numbers: { slopes: rates, windows }, height: 44 + heads * tall, picture: axis.frame + rows.join(""), says };
};
