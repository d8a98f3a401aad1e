dials.bits = ({ position, bits: count, gray: reflected }, width) => {
  const code = reflected ? gray : bits;
  const last = 2 ** count - 1;
  const p = Math.min(position, last);
  const digits = code(p, count);
  const changes = (t, row) => t > 0 && code(t - 1, count)[row] !== code(t, count)[row];
  const flipped = (t) => range(count).filter((row) => changes(t, row)).length;
  const [left, right, tall] = [wide("changed", "strong") + 10, width - 30, 28];
  const x = (t) => left + ((right - left) * t) / (last + 1);
  const waves = range(count).map((row) => {
    const y = 12 + row * tall;
    const here = changes(p, row);
    const wave = range(last + 1).flatMap((t) => [[x(t), y + 18 * (1 - code(t, count)[row])], [x(t + 1), y + 18 * (1 - code(t, count)[row])]]);
    const back = here ? box(0, y - 4, width, tall - 2, "below", 0.16) : "";
    return back + words(left - 8, y + 13, `bit ${count - 1 - row}`, "end") + path(wave, "one") + words(right + 8, y + 13, digits[row], "strong start");
  });
  const bottom = 20 + count * tall;
  const strip = range(last + 1).map((t) => box(x(t), bottom + 30 - (26 * flipped(t)) / count, x(1) - x(0), (26 * flipped(t)) / count, "below", 0.6));
  const half = wide(`position ${p}`, "strong") / 2;
  const marks = words(left - 8, bottom + 26, "changed", "end") + words(right + 8, bottom + 26, flipped(p), "strong start") +
    words(clamp(x(p + 0.5), half, width - half), bottom + 52, `position ${p}`, "strong") + line(x(p + 0.5), 4, x(p + 0.5), bottom + 34, "four");
  const from = p === 0 ? "" : ` From ${p - 1} to ${p}, ${flipped(p)} of ${count} bits change.`;
  return {
    numbers: { digits, flips: flipped(p) }, height: bottom + 60, limits: { position: [0, last] }, labels: { position: whole(p) },
    picture: waves.join("") + strip.join("") + marks + knob("p", x(p + 0.5), bottom + 36) + grip("p", left, 0, right - left, bottom + 34),
    drags: { p: (at) => ({ position: clamp(Math.floor(((at - left) / (right - left)) * (last + 1)), 0, last) }) },
    says: `Position ${p} is ${digits.join(" ")}.${from}`,
  };
};
