// Connect the controls of a dial with its function, which turns settings and a width into numbers, a picture and a sentence.
// A dial may also provide `drags` (handle → the settings for a point in the picture), `limits` for sliders, and `labels`.
const dials = {};

// The minifier does not support nested templates, so these files contain none.
const attribute = ([name, value]) => ` ${name}="${value}"`;
const tag = (name, attributes, inner = "") => `<${name}${Object.entries(attributes).map(attribute).join("")}>${inner}</${name}>`;
const px = (x) => Math.round(x * 100) / 100;
const line = (x1, y1, x2, y2, kind = "") => tag("line", { x1: px(x1), y1: px(y1), x2: px(x2), y2: px(y2), class: kind });
const path = (points, kind = "") => tag("path", { d: "M" + points.map((point) => point.map(px).join(" ")).join("L"), class: kind });
const box = (x, y, w, h, kind, opacity = 1) =>
  tag("rect", { x: px(x), y: px(y), width: px(Math.max(w, 0)), height: px(Math.max(h, 0)), class: kind, "fill-opacity": px(opacity) });
const spot = (x, y, r, kind, opacity = 1) => tag("circle", { cx: px(x), cy: px(y), r: px(r), class: kind, "fill-opacity": opacity });
const short = (x, digits = 3) => (Math.abs(x) < 0.5 / 10 ** digits ? 0 : x).toFixed(digits).replace("-", "−");
const whole = (x) => String(Math.round(x)).replace("-", "−");
const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
const thousands = (x) => Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, ",");

// Text that is at most `room` wide: a long text shrinks a little, and is left out if it would be unreadable.
const SIZE = 12;
const ruler = document.createElement("canvas").getContext("2d");
const wide = (text, kind = "") => {
  ruler.font = `${kind.includes("strong") ? 600 : 400} ${SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width + 1;
};
const words = (x, y, text, kind = "", room = 1e9) => {
  const size = SIZE * Math.min(1, room / wide(String(text), kind));
  return size < 9 ? "" : tag("text", { x: px(x), y: px(y), class: kind, ...(size < SIZE && { style: `font-size:${px(size)}px` }) }, text);
};
// Handles that the reader can drag: a visible knob and an invisible grip.
const knob = (name, x, y, kind = "complete") => tag("g", { "data-drag": name }, spot(x, y, 22, "touch") + spot(x, y, 6, kind + " knob"));
const grip = (name, x, y, w, h) => tag("rect", { x: px(x), y: px(y), width: px(w), height: px(h), class: "touch", "data-drag": name });

// Numbers between −1 and 1 as cells: one colour per sign, stronger for larger numbers. Each shade is one element, however many cells there are.
const SHADES = 16;
const heat = (rows, x, y, w, h) => {
  const shades = new Map();
  rows.forEach((row, r) => row.forEach((value, c) => {
    const shade = Math.round(SHADES * clamp(value, -1, 1));
    if (shade) shades.set(shade, (shades.get(shade) ?? "") + `M${px(x + c * w)} ${px(y + r * h)}h${px(w)}v${px(h)}h${px(-w)}z`);
  }));
  return Array.from(shades, ([shade, d]) =>
    tag("path", { d, class: shade < 0 ? "below fill" : "complete fill", "fill-opacity": px(Math.abs(shade) / SHADES) })).join("");
};

// Axes: `x` and `y` are the numbers at the ends of the axes, and `ticks` are the numbers to write if there is room.
const chart = ({ left = 0, width, top = 0, height, x, y, xs = x, ys = y, log = false, title = "", below = "", written = thousands }) => {
  const margin = ys.length ? Math.max(...ys.map((v) => wide(short(v, v % 1 ? 1 : 0)))) + 8 : 0;
  const [begin, end, high, low] = [left + margin, left + width - 14, top + (title ? 22 : 8), top + height - (below ? 34 : 20)];
  const at = (v) => (log ? Math.log10(v) : v);
  const X = (v) => begin + ((end - begin) * (at(v) - at(x[0]))) / (at(x[1]) - at(x[0]));
  const Y = (v) => low + ((high - low) * (v - y[0])) / (y[1] - y[0]);
  const back = (p) => clamp(x[0] + ((p - begin) / (end - begin)) * (x[1] - x[0]), ...x);
  let free = -Infinity;
  const tick = (v) => {
    const half = wide(written(v)) / 2;
    if (X(v) - half < free) return "";
    free = X(v) + half + 10;
    return words(Math.min(X(v), left + width - half), low + 14, written(v));
  };
  const frame = line(begin, low, end, low, "axis") + xs.map(tick).join("") +
    ys.map((v) => line(begin, Y(v), end, Y(v), "axis") + words(begin - 6, Y(v) + 4, short(v, v % 1 ? 1 : 0), "end")).join("") +
    words(left, top + 12, title, "strong start", width) + words(end, low + 29, below, "end", width);
  const curve = (values, kind) => path(values.map(([a, b]) => [X(a), Y(b)]), kind);
  return { X, Y, back, begin, end, high, low, frame, curve };
};

const setting = (input) => {
  if (input.type === "checkbox") return input.checked;
  return input.value === "" || Number.isNaN(Number(input.value)) ? input.value : Number(input.value);
};
const settings = (form) => Object.fromEntries(Array.from(form.elements).filter((input) => input.name).map((input) => [input.name, setting(input)]));
const set = (form, values) => {
  for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
};

const show = (section) => {
  const form = section.querySelector("form");
  const picture = section.querySelector(".picture");
  const width = clamp(picture.clientWidth, 280, 720);
  for (const input of form.querySelectorAll("input[type=number]")) {
    if (input.validity.rangeOverflow || input.validity.rangeUnderflow) input.value = clamp(input.value, input.min, input.max);
  }
  const drawn = dials[section.dataset.dial](settings(form), width);
  Object.assign(section, { numbers: drawn.numbers, drags: drawn.drags ?? {} });
  for (const [name, [low, high]] of Object.entries(drawn.limits ?? {})) Object.assign(form.elements[name], { min: low, max: high });
  for (const input of form.querySelectorAll("input[type=range]")) {
    const said = drawn.labels?.[input.name] ?? input.value.replace("-", "−");
    input.closest("label").querySelector("output").textContent = said;
    input.setAttribute("aria-valuetext", said);
  }
  for (const button of form.querySelectorAll("[data-step]:not([data-play])")) button.disabled = !moved(form, button);
  const box = { viewBox: `0 0 ${px(width)} ${px(drawn.height)}`, role: "img", "aria-labelledby": `title-${section.dataset.dial}` };
  picture.innerHTML = tag("svg", box, drawn.picture);
  // Screen readers read the sentence out, so the sentence waits until the reader pauses. While the picture plays, the sentence is only shown.
  clearTimeout(section.saying);
  section.says = drawn.says;
  section.querySelector(".says").ariaLive = form.playing ? "off" : "polite";
  section.saying = setTimeout(() => (section.querySelector(".says").textContent = drawn.says), section.saying && !form.playing ? 250 : 0);
};

// Return the values to which a button would move the sliders: either all sliders move, or none.
const moved = (form, button) => {
  const to = Object.fromEntries(button.dataset.step.split(" ").map((name) => [name, Number(form.elements[name].value) + Number(button.dataset.by)]));
  const outside = ([name, value]) => value < Number(form.elements[name].min) || value > Number(form.elements[name].max);
  return Object.entries(to).some(outside) ? null : to;
};

// Dragging a handle with a finger or a mouse changes the settings that the dial names; sliders do the same with the keyboard.
const drag = (section, form, picture) => {
  let held = null;
  let waiting = null;
  const follow = ({ clientX, clientY }) => {
    waiting = null;
    const { left, top, width } = picture.firstChild.getBoundingClientRect();
    const scale = picture.firstChild.viewBox.baseVal.width / width;
    const change = section.drags[held]?.((clientX - left) * scale, (clientY - top) * scale);
    if (!change) return;
    set(form, change);
    form.dispatchEvent(new Event("input", { bubbles: true }));
  };
  picture.addEventListener("pointerdown", (event) => {
    held = event.target.closest("[data-drag]")?.dataset.drag ?? null;
    if (held === null) return;
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    picture.classList.add("held");
    follow(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (held !== null) waiting ??= requestAnimationFrame(() => held !== null && follow(event));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    picture.addEventListener(end, () => {
      held = null;
      picture.classList.remove("held");
    });
  }
};

// ▶ moves sliders step by step, from the beginning if the sliders are at the end. Readers who want less motion use the sliders.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const halt = (form) => {
  clearInterval(form.playing);
  form.playing = null;
  for (const button of form.querySelectorAll("[data-play]")) button.textContent = "▶ play";
};
const playing = (form, button, step) => {
  if (form.playing) return halt(form);
  if (!moved(form, button)) {
    const sliders = button.dataset.step.split(" ").map((name) => form.elements[name]);
    const back = Math.min(...sliders.map((one) => one.value - one.min));
    for (const one of sliders) one.value -= back;
  }
  button.textContent = "❚❚ pause";
  form.playing = setInterval(() => (still.matches || !step(button)) && halt(form), 250);
  step(button);
};

const start = (section) => {
  const form = section.querySelector("form");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    show(section);
    remember(`dial ${section.dataset.dial}`, "moved");
  });
  form.addEventListener("reset", () => {
    halt(form);
    setTimeout(() => show(section));
  });
  const step = (button) => {
    const to = moved(form, button);
    if (!to) return false;
    set(form, to);
    form.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  };
  form.addEventListener("click", ({ target }) => {
    if ("play" in target.dataset) playing(form, target, step);
    else if (target.dataset.step) step(target);
  });
  for (const button of form.querySelectorAll("[data-play]")) button.hidden = still.matches;
  drag(section, form, section.querySelector(".picture"));
  let seen = 0;
  new ResizeObserver(([entry]) => {
    if (Math.abs(entry.contentRect.width - seen) < 1) return;
    seen = entry.contentRect.width;
    show(section);
  }).observe(section);
};

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".dial[data-dial]").forEach(start));
