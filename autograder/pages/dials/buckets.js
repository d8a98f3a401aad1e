dials.buckets = ({ relative, k, count, far, both }, width) => {
  const clipped = clamp(relative, -k, k);
  const name = bucket(relative, both, count, far);
  const reach = 160;
  const x = (r) => 8 + ((width - 16) * (r + reach)) / (2 * reach + 1);
  const all = range(2 * reach + 1).map((i) => i - reach);
  // Draw one box per name: neighbouring boxes alternate in shade, and the selected key's box is coloured.
  const ruler = (top, title, f, mine) => {
    const groups = [];
    for (const r of all) {
      if (groups.length && groups.at(-1).name === f(r)) groups.at(-1).last = r;
      else groups.push({ name: f(r), first: r, last: r });
    }
    const boxes = groups.map(({ name: label, first, last }, i) => {
      const w = x(last + 1) - x(first);
      const kind = label === mine ? "below" : "complete";
      return box(x(first), top + 24, w, 34, kind, label === mine ? 0.45 : i % 2 ? 0.18 : 0.42) + words(x(first) + w / 2, top + 45, whole(label), label === mine ? "strong" : "", w - 2);
    });
    return words(0, top + 14, title, "start strong", width) + boxes.join("");
  };
  const group = (f) => {
    const alike = range(401).map((i) => i - 200).filter((r) => f(r) === f(relative));
    const beyond = alike[0] === -200 || alike.at(-1) === 200 ? " and beyond" : "";
    return alike.length > 1 ? `${whole(alike[0])} to ${whole(alike.at(-1))}${beyond}` : whole(alike[0]);
  };
  const [clip, own] = [(r) => clamp(r, -k, k), (r) => bucket(r, both, count, far)];
  const at = x(relative + 0.5);
  const label = relative === 0 ? "key at the query" : `key ${whole(Math.abs(relative))} ${relative < 0 ? "before" : "after"} the query`;
  const half = wide(label, "strong") / 2;
  let free = -1e9;
  const ticks = [-150, -100, -50, 0, 50, 100, 150].map((r) => {
    if (x(r + 0.5) - 18 < free) return "";
    free = x(r + 0.5) + 18;
    return words(x(r + 0.5), 190, whole(r));
  });
  const picture = ruler(0, `Shaw: clipped to ${whole(clipped)}, the name of ${group(clip)}`, clip, clipped) +
    ruler(76, `T5: bucket ${name}, the name of ${group(own)}`, own, name) + ticks.join("") + line(at, 20, at, 152, "four") +
    words(clamp(at, half, width - half), 168, label, "strong") + knob("key", at, 142) + grip("key", 0, 20, width, 120);
  const says = `Relative position ${whole(relative)} is clipped to ${whole(clipped)} and has bucket ${name}. Between −200 and 200, this bucket holds ${group(own)}.`;
  const drags = { key: (p) => ({ relative: clamp(Math.floor(((p - 8) / (width - 16)) * (2 * reach + 1)) - reach, -reach, reach) }) };
  return { numbers: { clipped, name }, height: 196, picture, says, drags };
};
