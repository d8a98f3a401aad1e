// The tokens write under two keys in turn, A = (1, 0) and B = (0, 1): a state of two numbers is read off directly.
const WRITTEN = [4, 2, 6, 1, 3, 5, 2, 4];
const decayed = (gates) => gates.map((_, i) => gates.map((_, j) => (j > i ? 0 : gates.slice(j + 1, i + 1).reduce((a, b) => a * b, 1))));

dials.gate = ({ at, gate, others }, width) => {
  const count = WRITTEN.length;
  const gates = range(count).map((t) => (t === at ? gate : Number(others)));
  const matrix = decayed(gates);
  const states = matrix.map((row) => [0, 1].map((key) => sum(row.map((d, j) => (j % 2 === key ? d * WRITTEN[j] : 0)))));
  const [left, room] = [wide("token 0", "strong") + 10, wide("00.00", "strong") + 8];
  const size = Math.min((width - left - 2 * room) / count, 44);
  const [bars, top] = [62, 122];
  const x = (j) => left + j * size;
  const y = (i) => top + i * size;
  const bar = (g, t) => box(x(t) + 3, 16, size - 6, bars - 16, "hole") + box(x(t) + 3, bars - (bars - 16) * g, size - 6, (bars - 16) * g, t === at ? "below" : "unwritten");
  const columns = range(count).map((t) => words(x(t) + size / 2, bars + 18, t % 2 ? "B" : "A", t === at ? "strong" : "") + words(x(t) + size / 2, bars + 36, WRITTEN[t], t === at ? "strong" : ""));
  const right = (key) => x(count) + (key + 1) * room;
  const rows = states.map((state, i) => words(left - 8, y(i) + size / 2 + 4, `token ${i}`, i === at ? "strong end" : "end") +
    state.map((v, key) => words(right(key), y(i) + size / 2 + 4, short(v, 2), at && i >= at ? "strong end" : "end")).join(""));
  const grid = range(count).map((i) => range(i + 1).map((j) => box(x(j), y(i), size, size, "cell")).join("")).join("");
  const faded = at ? box(x(0), y(at), at * size, (count - at) * size, "cell strong") : "";
  const picture = words(0, 12, "gate", "start", left - 4) + words(0, bars + 18, "key", "start", left - 4) + words(0, bars + 36, "value", "start", left - 4) + gates.map(bar).join("") + columns.join("") +
    words(right(1), bars + 36, "state after it", "strong end", 2 * room + 20) + words(right(0), top - 8, "A", "strong end") + words(right(1), top - 8, "B", "strong end") +
    heat(matrix, left, top, size, size) + grid + faded + rows.join("") + knob("gate", x(at) + size / 2, bars - (bars - 16) * gate, "below");
  const says = at === 0
    ? "The gate of token 0 changes nothing: no token stands before it."
    : `Token ${at} keeps ${short(gate, 2)} of what stands before it. After it the state is ${short(states[at][0], 2)} under A and ${short(states[at][1], 2)} under B; before it was ${short(states[at - 1][0], 2)} and ${short(states[at - 1][1], 2)}.`;
  const level = (py) => clamp(Math.round((20 * (bars - py)) / (bars - 16)) / 20, 0, 1);
  return {
    numbers: { matrix: matrix.flat(), states: states.flat() }, height: y(count) + 4, picture, says, labels: { gate: short(gate, 2) },
    drags: { gate: (px0, py) => ({ at: clamp(Math.floor((px0 - left) / size), 0, count - 1), gate: level(py) }) },
  };
};
