dials.buckets = ({ relative, k, count, far, both }, width) => {
  const clipped = clamp(relative, -k, k);
  const name = bucket(relative, both, count, far);
  const x = (r) => 34 + ((width - 46) * (r + 160)) / 321;
  const panel = (top, title, f, low, high) => {
    const y = (v) => top + 18 + 92 * (1 - (v - low) / (high - low || 1));
    const points = range(321).flatMap((i) => [[x(i - 160), y(f(i - 160))], [x(i - 159), y(f(i - 160))]]);
    const labels = words(30, y(low) + 4, whole(low), "end") + words(30, y(high) + 4, whole(high), "end");
    return words(34, top + 10, title, "start strong") + labels + path(points, "one") + spot(x(relative + 0.5), y(f(relative)), 5, "below");
  };
  const ticks = [-150, -100, -50, 0, 50, 100, 150].map((r) => words(x(r), 274, whole(r)));
  const picture =
    panel(0, "Shaw: the clipped distance", (r) => clamp(r, -k, k), -k, k) +
    panel(128, "T5: the bucket", (r) => bucket(r, both, count, far), 0, count - 1) + ticks.join("") + line(x(relative + 0.5), 14, x(relative + 0.5), 260, "two");
  const alike = range(401).map((i) => i - 200).filter((r) => bucket(r, both, count, far) === name);
  const group = [alike[0], alike.at(-1)].slice(0, alike.length).map(whole).join(" to ");
  const says = `Relative position ${whole(relative)} is clipped to ${whole(clipped)} and has bucket ${name}. Between −200 and 200, this bucket holds ${group}.`;
  return { numbers: { clipped, name }, height: 282, picture, says };
};
