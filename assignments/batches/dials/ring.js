dials.ring = ({ tokens: length, slots }, width) => {
  const newest = length - 1;
  const held = range(slots).map((s) => Math.max(newest - ((((newest - s) % slots) + slots) % slots), -1));
  const per = Math.max(8, Math.min(24, Math.floor(width / 30)));
  const w = width / per;
  const corner = (t) => [(t % per) * w, Math.floor(t / per) * 34 + 20];
  const all = range(24).map((t) => {
    const [x, y] = corner(t);
    const here = held.includes(t);
    const kind = here ? (t === newest ? "below" : "complete") : "unwritten";
    return box(x, y, w - 2, 24, kind, here ? 0.4 : t < length ? 0.3 : 0.08) + words(x + w / 2 - 1, y + 16, t, here ? "strong" : "faint");
  }).join("");
  const top = Math.ceil(24 / per) * 34 + 44;
  const radius = 84;
  const [cx, cy] = [width / 2, top + radius + 34];
  const at = (s, r) => [cx + r * Math.sin((2 * Math.PI * s) / slots), cy - r * Math.cos((2 * Math.PI * s) / slots)];
  const ring = held.map((position, s) => {
    const [x, y] = at(s, radius);
    const kind = position < 0 ? "hole" : position === newest ? "below" : "complete";
    const [nx, ny] = at(s, radius + 32);
    return spot(x, y, 17, kind, position < 0 ? 1 : 0.4) + words(x, y + 4, position < 0 ? "–" : position, position < 0 ? "faint" : "strong") + words(nx, ny + 4, s, "faint");
  }).join("");
  const next = length % slots;
  const hand = line(cx, cy, ...at(next, radius - 24), "two");
  const edge = (n) => {
    const [x, y] = corner(Math.max(n - 1, 0));
    return [n ? x + w - 1 : x, y + 12];
  };
  const titles = words(0, 12, "the text; drag its end", "start", width) + words(0, top - 8, "the ring; outside: the slots; hand: where the next token goes", "start", width);
  const token = (x, y) => Math.round(x / w) + per * clamp(Math.floor((y - 15) / 34), 0, 5);
  const oldest = Math.max(length - slots, 0);
  const says = length
    ? `After ${counted(length, "token")} the ring holds the positions ${oldest} to ${newest}. Slot 0 holds position ${held[0]}, and the next token goes to slot ${next}.`
    : `The ring is empty. Token 0 goes to slot 0.`;
  return {
    numbers: { held }, height: cy + radius + 46, picture: titles + all + hand + ring + knob("tokens", ...edge(length), "below"), says,
    drags: { tokens: (x, y) => ({ tokens: clamp(token(x, y), 0, 24) }) },
  };
};
