// The state that a page remembers (answers, tries, the theme), the section that the reader is in, and the search.
const KEY = "whereabouts";
const stored = (key, otherwise) => {
  try {
    return localStorage.getItem(key) ?? otherwise;
  } catch {
    return otherwise; // a browser that stores nothing
  }
};
const store = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that stores nothing applies the choice only to this page.
  }
};
const memory = () => {
  try {
    const all = JSON.parse(stored(KEY, "{}"));
    return all instanceof Object ? all : {};
  } catch {
    return {}; // what somebody else's saved work put there
  }
};
const here = () => document.body.dataset.page;
const remember = (what, value) => {
  const all = memory();
  if (all[here()]?.[what] === value) return;
  all[here()] = { ...all[here()], [what]: value };
  store(KEY, JSON.stringify(all));
  ticks();
};

const theme = () => {
  const root = document.documentElement;
  const shown = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = shown === "dark" ? "light" : "dark";
  store(`${KEY} theme`, root.dataset.theme);
};

// No browser breaks a formula into lines, so one that is wider than its paragraph (a narrow window, a wide font) scrolls in it.
const scrollsInText = () => {
  for (const one of document.querySelectorAll(".long")) {
    one.classList.remove("long", "more");
    one.removeAttribute("tabindex");
    one.style.fontSize = "";
  }
  const formulas = Array.from(document.querySelectorAll("main :is(p, li) math"), (one) => one.closest(".formula, .scroll, .glued") ?? one);
  const wide = formulas.filter((one) => !one.matches(".formula, .scroll") && one.getBoundingClientRect().width > one.closest("p, li").clientWidth);
  for (const one of new Set(wide)) {
    const line = one.matches(".glued") ? one : document.createElement("span");
    if (line !== one) {
      one.replaceWith(line);
      line.append(one);
    }
    line.classList.add("glued", "long");
  }
};

// A formula or a block of code shrinks a little if it is too wide. If nothing is hidden at the side, the Tab key does not stop there.
const stops = () => {
  scrollsInText();
  for (const one of document.querySelectorAll(".formula, .long, .scroll:has(> pre)")) {
    one.style.fontSize = "";
    const least = one.matches(".formula, .long") ? 0.75 : 0.85;
    if (one.scrollWidth > one.clientWidth) one.style.fontSize = `${Math.max(least, (0.98 * one.clientWidth) / one.scrollWidth)}em`;
  }
  for (const one of document.querySelectorAll(".scroll, .formula, .long")) {
    one.tabIndex = one.scrollWidth > one.clientWidth ? 0 : -1;
    fades(one);
  }
};
// Content that continues to the right fades there.
const fades = (one) => one.classList.toggle("more", one.scrollWidth - one.clientWidth - one.scrollLeft > 2);

// Show at a link how much of the lesson is done.
const done = (link, count, all, what) => {
  const text = count ? `${count} of ${all} ${what}` : "";
  link.style.setProperty("--share", count / all);
  link.classList.toggle("begun", count > 0);
  link.title = link.dataset.title + (text && `: ${text}`);
  for (const label of link.querySelectorAll(".tried")) label.textContent = ` ${text}`;
};

// Show in the navigation and on the first page how many questions and dials of each lesson the reader has used.
const ticks = () => {
  const all = memory();
  for (const one of document.querySelectorAll("[data-of]")) {
    const tried = Object.values(all[one.dataset.of] ?? {}).filter((value) => value === "right" || value === "moved").length;
    done(one, Math.min(tried, Number(one.dataset.all)), Number(one.dataset.all), "tried");
  }
};

document.addEventListener("DOMContentLoaded", () => {
  stops();
  addEventListener("resize", stops);
  document.addEventListener("toggle", stops, true);
  document.addEventListener("scroll", ({ target }) => target.matches?.(".scroll, .formula, .long") && fades(target), true);
  document.getElementById("theme").addEventListener("click", theme);
  ticks();
});
