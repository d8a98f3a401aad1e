// Connects the controls of a dial with its function, which turns settings and a width into numbers, a picture and a sentence.
const dials = {};

// The minifier knows no template inside a template, so there is none in these files.
const attribute = ([name, value]) => ` ${name}="${value}"`;
const tag = (name, attributes, inner = "") => `<${name}${Object.entries(attributes).map(attribute).join("")}>${inner}</${name}>`;
const px = (x) => Math.round(x * 100) / 100;
const line = (x1, y1, x2, y2, kind = "") => tag("line", { x1: px(x1), y1: px(y1), x2: px(x2), y2: px(y2), class: kind });
const path = (points, kind = "") => tag("path", { d: "M" + points.map((point) => point.map(px).join(" ")).join("L"), class: kind });
const box = (x, y, w, h, kind, opacity = 1) =>
  tag("rect", { x: px(x), y: px(y), width: px(Math.max(w, 0)), height: px(Math.max(h, 0)), class: kind, "fill-opacity": px(opacity) });
const spot = (x, y, r, kind) => tag("circle", { cx: px(x), cy: px(y), r, class: kind });
const words = (x, y, text, kind = "") => tag("text", { x: px(x), y: px(y), class: kind }, text);
// A cell of a table of numbers between −1 and 1: one colour per sign, stronger for larger numbers.
const cell = (x, y, w, h, value) => box(x, y, w, h, value < 0 ? "below" : "complete", Math.abs(clamp(value, -1, 1)));
const steps = (numbers, x, y) => path(numbers.flatMap((v, i) => [[x(i), y(v)], [x(i + 1), y(v)]]), "one");
const short = (x, digits = 3) => (Math.abs(x) < 0.5 / 10 ** digits ? 0 : x).toFixed(digits).replace("-", "−");
const whole = (x) => String(Math.round(x)).replace("-", "−");
const thousands = (x) => Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, ",");

const setting = (input) => {
  if (input.type === "checkbox") return input.checked;
  return input.value === "" || Number.isNaN(Number(input.value)) ? input.value : Number(input.value);
};
const settings = (form) => Object.fromEntries(Array.from(form.elements).filter((input) => input.name).map((input) => [input.name, setting(input)]));

const show = (section) => {
  const form = section.querySelector("form");
  const picture = section.querySelector(".picture");
  for (const input of form.querySelectorAll("input[type=range]")) {
    input.closest("label").querySelector("output").textContent = input.value.replace("-", "−");
  }
  const width = clamp(picture.clientWidth, 280, 720);
  const drawn = dials[section.dataset.dial](settings(form), width);
  section.numbers = drawn.numbers;
  const label = section.querySelector("h3").textContent;
  const box = { viewBox: `0 0 ${px(width)} ${px(drawn.height)}`, role: "img", "aria-label": `${label}: ${drawn.says}` };
  picture.innerHTML = tag("svg", box, drawn.picture);
  section.querySelector(".says").textContent = drawn.says;
};

const start = (section) => {
  const form = section.querySelector("form");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => show(section));
  form.addEventListener("reset", () => setTimeout(() => show(section)));
  form.addEventListener("click", ({ target }) => {
    for (const name of target.dataset.step?.split(" ") ?? []) form.elements[name].value = Number(form.elements[name].value) + Number(target.dataset.by);
    if (target.dataset.step) show(section);
  });
  let seen = 0;
  new ResizeObserver(([entry]) => {
    if (Math.abs(entry.contentRect.width - seen) < 1) return;
    seen = entry.contentRect.width;
    show(section);
  }).observe(section);
};

const theme = () => {
  const root = document.documentElement;
  const shown = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = shown === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // A browser that stores nothing shows the choice on this page alone.
  }
};

// Where nothing is hidden at the side, the tabulator key has nothing to stop for.
const stops = () => {
  for (const one of document.querySelectorAll(".scroll, .formula")) one.tabIndex = one.scrollWidth > one.clientWidth ? 0 : -1;
};

document.addEventListener("DOMContentLoaded", () => {
  stops();
  addEventListener("resize", stops);
  document.getElementById("theme").addEventListener("click", theme);
  document.querySelectorAll(".dial").forEach(start);
});
