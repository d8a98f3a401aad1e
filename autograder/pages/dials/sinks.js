dials.sinks = ({ total: length, sinks, window }, width) => {
  const tokens = kept(length, sinks, window);
  // A key of two features, stored as rotated for its token's position, is rotated further to its row in the cache.
  const moved = tokens.map((t, place) => rotate(rotate([1, 0], t), place - t));
  const per = Math.max(10, Math.min(20, Math.floor(width / 30)));
  const w = width / per;
  const corner = (i, tall) => [(i % per) * w, Math.floor(i / per) * tall];
  const all = range(length).map((t) => {
    const [x, y] = corner(t, 38);
    const here = tokens.includes(t);
    return box(x, y + 22, w - 2, 28, here ? (t < sinks ? "below" : "complete") : "unwritten", here ? 0.35 : 0.4) + words(x + w / 2, y + 41, t, here ? "strong" : "faint");
  });
  const top = Math.ceil(length / per) * 38 + 42;
  const cache = tokens.map((t, place) => {
    const [x, y] = corner(place, 54);
    return box(x, y + top + 8, w - 2, 28, t < sinks ? "below" : "complete", 0.35) + words(x + w / 2, y + top + 27, t, "strong") + words(x + w / 2, y + top + 50, place === t ? "0" : whole(place - t), "", w);
  });
  const lines = Math.max(1, Math.ceil(tokens.length / per));
  const titles = words(0, 12, "all tokens; drag the edge of the window or of the sinks", "start", width) + words(0, top, "the cache; below: how far each key moved", "start", width);
  const edge = (i) => {
    const [x, y] = corner(Math.max(i, 0), 38);
    return [x, y + 36];
  };
  const begin = Math.max(length - window, 0);
  const knobs = knob("window", ...edge(begin)) + (sinks < begin ? knob("sinks", ...edge(sinks), "below") : "");
  const token = (x, y) => Math.round(x / w) + per * clamp(Math.floor((y - 17) / 38), 0, 9);
  const lost = length - tokens.length;
  const first = lost ? `The first forgotten one is token ${range(length).find((t) => !tokens.includes(t))}. ` : "";
  const says = `After ${counted(length, "token")} the cache holds ${counted(tokens.length, "key")}, and ${lost} ${lost === 1 ? "is" : "are"} forgotten. ${first}The next query stands at position ${tokens.length}.`;
  return {
    numbers: { tokens, moved }, height: top + 12 + lines * 54, picture: titles + all.join("") + cache.join("") + knobs, says,
    drags: { window: (x, y) => ({ window: clamp(length - token(x, y), 1, 16) }), sinks: (x, y) => ({ sinks: clamp(token(x, y), 0, 6) }) },
  };
};
