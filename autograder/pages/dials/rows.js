dials.rows = ({ count, trained, steps, asked }, width) => {
  const d = 16;
  const seen = Math.min(trained, count);
  const table = range(count).map((p) => row(p, d, p < seen ? steps : 0, 0.2));
  const places = 21;
  const tall = 19;
  const [left, note] = [wide("00", "strong") + 30, wide("no such row", "strong") + 8];
  const w = (width - left - note) / d;
  const y = (p) => 20 + p * tall;
  const error = (p) => Math.hypot(...table[p].map((v, f) => v - targetRow(p, d)[f]));
  const state = (p) => (p >= count ? "no such row" : p < seen && steps ? "trained" : "random");
  const rows = range(places).map((p) => {
    const own = p < count ? "" : box(left, y(p) + 2, w * d, tall - 4, "hole");
    return own + words(left - 22, y(p) + 14, p, p === asked ? "strong end" : "end") + (p === asked || p === count || p === seen || p === 0 ? words(left + w * d + 6, y(p) + 14, state(p), p === asked ? "strong start" : "start", note) : "");
  });
  const answer = asked >= count ? "raises an error: the table has no such row" : asked < seen && steps ? `gives a trained row, ${short(error(asked))} away from what training wants` : `gives a random row, ${short(error(asked))} away from what training wants`;
  const picture = words(0, 13, "position", "start", left + 20) + heat(table.map((r) => r.map((v) => v / 0.1)), left, y(0) + 1, w, tall) + rows.join("") +
    line(left - 4, y(seen), left + w * d, y(seen), "two") + box(left - 2, y(asked), w * d + 4, tall, "cell strong") + knob("trained", left + w * d * 0.97, y(seen), "below") + knob("asked", left - 10, y(asked) + tall / 2);
  const place = (p) => Math.floor((p - 20) / tall);
  return {
    numbers: { table: table.flat(), error: asked < count ? error(asked) : -1 }, height: y(places) + 4, picture, says: `A lookup at position ${asked} ${answer}. Texts of ${counted(seen, "token")} train ${counted(seen, "row")}, from row 0 on; the table has ${count}.`,
    limits: { trained: [1, count] }, labels: { trained: whole(seen) },
    drags: { trained: (_, p) => ({ trained: clamp(Math.round((p - 20) / tall), 1, count) }), asked: (_, p) => ({ asked: clamp(place(p), 0, places - 1) }) },
  };
};
