// The computations of the dials. Each function here is compared with the corresponding solution, to 1e-9.
const range = (n) => Array.from({ length: n }, (_, i) => i);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

const weights = (scores) => {
  const top = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - top));
  return powers.map((power) => power / sum(powers));
};
const attend = (x, masked) =>
  x.map((q, i) => weights(x.map((k, j) => (masked && j > i ? -Infinity : dot(q, k) / Math.sqrt(q.length)))));
const mixed = (table, x) => table.map((row) => x[0].map((_, f) => sum(row.map((w, j) => w * x[j][f]))));

const bits = (p, n) => range(n).map((b) => (p >> (n - 1 - b)) & 1);
const gray = (p, n) => bits(p ^ (p >> 1), n);

const speeds = (d, base = 10000) => range(d / 2).map((i) => base ** ((-2 * i) / d));
const encode = (p, d, base) => speeds(d, base).flatMap((w) => [Math.sin(p * w), Math.cos(p * w)]);
const rotate = ([a, b], t) => [a * Math.cos(t) - b * Math.sin(t), a * Math.sin(t) + b * Math.cos(t)];
const likeness = (offset, d, base) => sum(speeds(d, base).map((w) => Math.cos(offset * w)));
const bound = (offset, d, base) => {
  let [re, im, all] = [0, 0, 0];
  for (const w of speeds(d, base)) {
    re += Math.cos(offset * w);
    im += Math.sin(offset * w);
    all += Math.hypot(re, im);
  }
  return all / (d / 2);
};

const bucket = (relative, both, count, far) => {
  const size = both ? Math.floor(count / 2) : count;
  const exact = Math.floor(size / 2);
  const n = both ? Math.abs(relative) : Math.max(-relative, 0);
  const first = both && relative > 0 ? size : 0;
  // A boundary belongs to the upper bucket, even if a logarithm is one digit too small.
  const wide = (m) => exact + Math.floor((Math.log(m / exact) / Math.log(far / exact)) * (size - exact) + 1e-12);
  return first + (n < exact ? n : Math.min(size - 1, wide(n)));
};

const slopes = (heads) => {
  const low = 2 ** Math.floor(Math.log2(heads));
  const plain = (n) => range(n).map((h) => 2 ** ((-8 * (h + 1)) / n));
  return [...plain(low), ...plain(2 * low).filter((_, h) => h % 2 === 0)].slice(0, heads);
};
const reach = (slope, tolerance) => Math.ceil(-Math.log(tolerance) / slope);

const blend = (w, s, ramp) => w.map((x, i) => x * (1 - ramp[i]) + (x / s) * ramp[i]);
const stretched = {
  interpolation: (d, base, s) => speeds(d, base).map((w) => w / s),
  ntk: (d, base, s) => speeds(d, base * s ** (d / (d - 2))),
  yarn: (d, base, s, trained) => {
    const pair = (beta) => (d * Math.log(trained / (2 * Math.PI * beta))) / (2 * Math.log(base));
    const low = Math.max(Math.floor(pair(32)), 0);
    const high = Math.min(Math.ceil(pair(1)), d - 1);
    const width = high === low ? 0.001 : high - low;
    return blend(speeds(d, base), s, range(d / 2).map((i) => clamp((i - low) / width, 0, 1)));
  },
  llama3: (d, base, s, trained) => {
    const w = speeds(d, base);
    return blend(w, s, w.map((x) => 1 - clamp(((trained * x) / (2 * Math.PI) - 1) / 3, 0, 1)));
  },
};

const grids = {
  axial: (d) => [...speeds(d / 2, 100).map((w) => [w, 0]), ...speeds(d / 2, 100).map((w) => [0, w])],
  alternating: (d) => speeds(d, 100).map((w, i) => (i % 2 ? [0, w] : [w, 0])),
  mixed: (d) => speeds(d, 100).map((w, i) => [w * Math.cos(2.4 * i), w * Math.sin(2.4 * i)]),
};
const near = (table, dy, dx) => sum(table.map(([y, x]) => Math.cos(dy * y + dx * x))) / Math.sqrt(2 * table.length);

const kept = (length, sinks, window) => range(length).filter((t) => t < sinks || t >= length - window);

// Make one step of training for the rows of a table that a text uses: each row moves towards its target.
const startRow = (p, d) => range(d).map((f) => 0.1 * Math.sin(7.3 * (p + 1) * (f + 1)));
const targetRow = (p, d) => range(d).map((f) => 0.1 * Math.sin(p / 2 + f));
const row = (p, d, steps, rate) => {
  const left = (1 - rate) ** steps;
  const target = targetRow(p, d);
  return startRow(p, d).map((v, f) => target[f] + (v - target[f]) * left);
};

// One sentence for all methods, and the weights that the token at `query` gives to itself and to the earlier tokens.
const SENTENCE = ["the", "dog", "saw", "the", "man", "and", "the", "man", "fed", "the", "dog"];
const WORDS = Array.from(new Set(SENTENCE));
const feature = (word) => range(16).map((f) => Math.sin(1.7 * (WORDS.indexOf(word) + 1) * (f + 1)));
const added = (a, b) => a.map((v, i) => v + b[i]);
const turned = (x, p) => speeds(x.length).flatMap((w, i) => rotate([x[2 * i], x[2 * i + 1]], p * w));
const methods = {
  none: (q, k) => dot(q, k),
  number: (q, k, m, n) => dot(q.map((v) => v + m / 10), k.map((v) => v + n / 10)),
  sinusoidal: (q, k, m, n) => dot(added(q, encode(m, 16)), added(k, encode(n, 16))),
  learned: (q, k, m, n) => dot(added(q, startRow(m, 16).map((v) => 10 * v)), added(k, startRow(n, 16).map((v) => 10 * v))),
  rope: (q, k, m, n) => dot(turned(q, m), turned(k, n)),
  buckets: (q, k, m, n) => dot(q, k) + 4 * Math.cos(bucket(n - m, false, 32, 128)),
  alibi: (q, k, m, n) => dot(q, k) - 4 * 0.25 * (m - n),
};
const rowOf = (method, query, shift) =>
  weights(range(query + 1).map((n) => methods[method](feature(SENTENCE[query]), feature(SENTENCE[n]), query + shift, n + shift) / 4));

const withPosition = (word, p, length, kind) => word.map((v) => v + { none: 0, integer: p, normalized: p / (length - 1) }[kind]);
const angleBetween = (a, b) => (Math.acos(clamp(dot(a, b) / (Math.hypot(...a) * Math.hypot(...b)), -1, 1)) * 180) / Math.PI;
