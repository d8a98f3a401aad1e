dials.clock = ({ position, d }, width) => {
  const encoding = encode(position, d);
  const per = Math.min(d / 2, Math.max(2, Math.floor(width / 110)));
  const size = Math.min(width / per, 130);
  const hands = range(d / 2).map((i) => {
    const [x, y] = [((i % per) + 0.5) * size, (Math.floor(i / per) + 0.5) * (size + 18)];
    const [sin, cos] = [encoding[2 * i], encoding[2 * i + 1]];
    const r = size * 0.38;
    const ring = `<circle cx="${px(x)}" cy="${px(y)}" r="${px(r)}" class="unwritten" fill-opacity="0.5"></circle>`;
    return ring + line(x, y, x, y - r, "axis") + line(x, y, x + r * sin, y - r * cos, "one") + spot(x + r * sin, y - r * cos, 4, "complete") + words(x, y + r + 15, `hand ${i}`);
  });
  const top = Math.ceil(d / 2 / per) * (size + 18) + 14;
  const w = Math.min(width / d, 40);
  const print = encoding.map((v, f) => cell(f * w, top, w - 2, 34, v) + (w > 34 ? words((f + 0.5) * w, top + 50, short(v, 2)) : ""));
  const home = encode(0, d);
  const apart = range(d / 2).map((i) => Math.hypot(encoding[2 * i] - home[2 * i], encoding[2 * i + 1] - home[2 * i + 1]));
  const angles = range(d / 2).map((i) => ((Math.atan2(encoding[2 * i], encoding[2 * i + 1]) * 180) / Math.PI + 360) % 360);
  const [degrees, distances] = [angles.map((a) => short(a, 1) + "°").join(", "), apart.map((a) => short(a, 2)).join(", ")];
  const says = `Position ${position}. The hands stand at ${degrees}. The distance of each tip to its start: ${distances}.`;
  return { numbers: { encoding }, height: top + 58, picture: hands.join("") + print.join(""), says };
};
