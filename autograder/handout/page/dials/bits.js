dials.bits = ({ position, bits: count, gray: reflected }, width) => {
  const code = reflected ? gray : bits;
  const last = 2 ** count - 1;
  const p = Math.min(position, last);
  const digits = code(p, count);
  const flips = p === 0 ? 0 : sum(code(p - 1, count).map((b, i) => Number(b !== digits[i])));
  const shown = Math.min(last + 1, 64);
  const x = (t) => 46 + ((width - 80) * t) / shown;
  const waves = range(count).map((row) => {
    const y = 20 + row * 30;
    const wave = range(shown).map((t) => code(t, count)[row]);
    const changes = p > 0 && code(p - 1, count)[row] !== digits[row];
    const value = words(width - 22, y + 12, `${digits[row]}${changes ? " ←" : ""}`, "strong start");
    return words(40, y + 12, `bit ${count - 1 - row}`, "end") + steps(wave, x, (v) => y + 18 * (1 - v)) + value;
  });
  const picture = waves.join("") + line(x(p + 0.5), 10, x(p + 0.5), 16 + count * 30, "two");
  const from = p === 0 ? "" : ` From ${p - 1} to ${p}, ${flips} of ${count} bits change.`;
  return { numbers: { digits, flips }, height: count * 30 + 24, picture, says: `Position ${p} is ${digits.join(" ")}.${from}` };
};
