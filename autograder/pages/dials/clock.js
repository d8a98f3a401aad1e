dials.clock = ({ position, d }, width) => {
  const [encoding, next, home] = [encode(position, d), encode(position + 1, d), encode(0, d)];
  const w = speeds(d);
  const per = Math.min(d / 2, Math.max(2, Math.floor(width / 150)));
  const size = Math.min(width / per, 140);
  const tall = size + 66;
  const centre = (i) => [((i % per) + 0.5) * size, Math.floor(i / per) * tall + size / 2];
  const hands = range(d / 2).map((i) => {
    const [x, y] = centre(i);
    const [r, sin, cos] = [size * 0.4, encoding[2 * i], encoding[2 * i + 1]];
    const length = (2 * Math.PI) / w[i];
    const value = (v, f) => {
      const [left, top, half] = [x - size * 0.45 + f * size * 0.45, y + size / 2 + 20, size * 0.45 - 2];
      return heat([[v]], left, top, half, 22) + box(left, top, half, 22, "cell") + words(left + half / 2, top + 38, `${f ? "cos" : "sin"} ${short(v, 2)}`, "", half);
    };
    return spot(x, y, r, "unwritten", 0.5) + line(x, y, x, y - r, "axis") + line(x, y, x + r * next[2 * i], y - r * next[2 * i + 1], "ghost") +
      line(x, y, x + r * sin, y - r * cos, "one") + words(x, y + size / 2 + 10, `pair ${i}: one turn in ${length < 100 ? short(length, 1) : thousands(length)}`, "", size - 6) +
      value(sin, 0) + value(cos, 1) + knob(`hand${i}`, x + r * sin, y - r * cos);
  });
  const apart = range(d / 2).map((i) => Math.hypot(encoding[2 * i] - home[2 * i], encoding[2 * i + 1] - home[2 * i + 1]));
  const says = `Position ${position}. The distance of each tip to its start: ${apart.map((a) => short(a, 2)).join(", ")}.`;
  // A dragged hand takes the shorter way to the pointer, and all other hands move with the dragged hand.
  const turn = (i) => (px0, py0) => {
    const [x, y] = centre(i);
    const away = Math.atan2(px0 - x, y - py0) - position * w[i];
    return { position: clamp(Math.round((2 * (position + Math.atan2(Math.sin(away), Math.cos(away)) / w[i]))) / 2, 0, 200) };
  };
  const drags = Object.fromEntries(range(d / 2).map((i) => [`hand${i}`, turn(i)]));
  return { numbers: { encoding }, height: Math.ceil(d / 2 / per) * tall, picture: hands.join(""), says, drags };
};
