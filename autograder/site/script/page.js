// The course in a browser tab: an editor beside the lesson, and Python in a worker that checks what is written there.
const read = (key) => JSON.parse(localStorage.getItem(`whereabouts ${key}`));
const keep = (key, value) => {
  try {
    localStorage.setItem(`whereabouts ${key}`, JSON.stringify(value));
  } catch {
    say("This browser has no room to store your work: download it before you leave.");
  }
};
const make = (tag, properties = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
};
const button = (text, click) => make("button", { type: "button", textContent: text, onclick: click });
const SITE = new URL(".", location).href;
const CALL_SECONDS = 5; // as the clock of the checks has it
const GRACE_SECONDS = 2;
const PAUSE_SECONDS = 0.7;

const lesson = document.body.dataset.page;
const saved = () => Object.fromEntries(CONFIG.lessons.map((name) => [name, read(`file ${name}`)]).filter(([, text]) => text !== null));
const status = make("p", { className: "python" });
status.setAttribute("role", "status");
const say = (text) => (status.textContent = text);

// What the checks said, where the live page shows it -------------------------------------------------------------------

const linked = (html) => html.replace(/\bline (\d+)/g, '<a href="#line-$1">line $1</a>');
const state = { lessons: {}, pictures: {}, checking: false };
for (const name of CONFIG.lessons) {
  const result = read(`result ${name}`);
  if (result?.site === CONFIG.site && result.text === read(`file ${name}`)) state.lessons[name] = result.lesson;
}
const announce = (more = {}) => dispatchEvent(new CustomEvent("checked", { detail: Object.assign(state, more) }));

// The worker, and another in its place where it does not come back ------------------------------------------------------

const jobs = new Map();
let python, waking, timer, current;
let ready = false;
let number = 0;

// Sends a job. `on` hears each of its messages; the last is of the kind "done", or "lost" where the worker was replaced.
const ask = (kind, more, on) => {
  jobs.set(++number, on);
  wake().then((worker) => worker.postMessage({ kind, id: number, ...more }, more.transfer ?? []));
};

const wake = () => (waking ??= start());
const start = async () => {
  const source = await fetch(CONFIG.files["worker.js"]).then((answer) => answer.text());
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  python = new Worker(url);
  python.onmessage = ({ data }) => heard[data.kind] ? heard[data.kind](data) : jobs.get(data.id)?.(data);
  python.postMessage({ kind: "start", ...CONFIG, site: SITE, pyodide: new URL(CONFIG.pyodide, SITE).href });
  return python;
};

const heard = {
  loading: ({ text }) => say(`${text} …`),
  ready: ({ used }) => {
    ready = true;
    say("");
    navigator.serviceWorker?.ready.then(({ active }) => active.postMessage({ kind: "keep", urls: used }));
  },
  began: ({ what }) => {
    current = what;
    timer = setTimeout(replace, 1000 * (CALL_SECONDS + GRACE_SECONDS), `did not return within ${CALL_SECONDS} seconds. Is there a loop that never ends?`);
  },
  ended: () => (clearTimeout(timer), (current = null)),
  died: ({ text }) => (ready ? replace("ended Python: it exits, calls itself without an end, or needs too much memory.") : say(`Python cannot start: ${text}`)),
};

const replace = (sentence) => {
  clearTimeout(timer);
  python.terminate();
  const lost = [...jobs.values()];
  jobs.clear();
  waking = null;
  ready = false;
  for (const on of lost) on({ kind: "lost", what: current, sentence: `${current} ${sentence}` });
};

// A lesson: its editor and its checks -----------------------------------------------------------------------------------

let code, pause, running, checked, again;
let stuck = {};

const check = () => {
  clearTimeout(pause);
  const text = code.text();
  if (running !== undefined) return void (again = text !== running);
  if (text === checked) return;
  [running, again] = [text, false];
  announce({ checking: true });
  ask("check", { name: lesson, files: JSON.stringify({ [lesson]: text }), stuck: JSON.stringify(stuck) }, judged);
};

const judged = ({ kind, what, sentence, lesson: told, errors }) => {
  const text = running;
  if (kind === "checked") {
    Object.values(told.functions).forEach((one) => (one[1] = linked(one[1])));
    told.told = linked(told.told);
    [checked, stuck] = [text, {}];
    keep(`result ${lesson}`, { text, lesson: told, site: CONFIG.site });
    code.mark(errors);
    announce({ checking: false, lessons: { ...state.lessons, [lesson]: told } });
  }
  if (kind === "lost") {
    stuck[what] = sentence;
    const before = state.lessons[lesson]?.functions ?? {};
    const shown = { ...state.lessons[lesson], functions: { ...before, [what]: ["✗", ""] } };
    const box = make("div", {}, make("p", { textContent: `✗ ${what}` }), make("p", { textContent: `${sentence} Python starts again, and the rest is judged then.` }));
    shown.functions[what][1] = box.innerHTML;
    say(`${sentence} Python starts again …`);
    announce({ lessons: { ...state.lessons, [lesson]: shown } });
  }
  if (kind === "checked") return;
  running = undefined;
  if (kind === "lost" || again) check();
  else draw();
};

// Pictures are drawn where one of them is on the screen, of what was checked last.
let drawn, seen = false;
const draw = () => {
  if (!seen || running !== undefined || drawn === checked || checked === undefined) return;
  const text = (drawn = checked);
  ask("draw", { name: lesson }, ({ kind, pictures }) => {
    if (kind !== "drawn" || text !== checked) return;
    say("");
    const urls = Object.entries(pictures).map(([name, svg]) => [name, URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }))]);
    announce({ pictures: { ...state.pictures, [lesson]: { ...state.pictures[lesson], ...Object.fromEntries(urls) } } });
    keepPictures(pictures);
  });
};
const keepPictures = async (pictures) => {
  const work = await caches.open("whereabouts-work");
  for (const [name, svg] of Object.entries(pictures)) {
    if (!name.includes("/")) await work.put(`${SITE}work/${lesson}/${name}`, new Response(svg, { headers: { "Content-Type": "image/svg+xml" } }));
  }
};

const download = (name, content, type = "text/x-python") => {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

const lessonPage = async () => {
  const file = `${lesson}.py`;
  const stub = await fetch(`stubs/${file}`).then((answer) => answer.text());
  const open = make("input", { type: "file", accept: ".py", hidden: true, onchange: async () => code.open(await open.files[0].text()) });
  const tools = make("div", { className: "tools" },
    button("Check", check),
    button("Start again", () => confirm(`Put ${file} back to its beginning? What you wrote there is gone then.`) && code.open(stub)),
    button("Open", () => open.click()), open,
    button(`Download ${file}`, () => download(file, code.text())),
    make("a", { href: "keep.html", textContent: "All my work" }));
  const place = make("div", { className: "code" });
  const panel = make("section", { className: "coding" }, make("h2", { textContent: file }), tools, status, place);
  panel.setAttribute("aria-label", "Your code");
  const view = button("Write code", () => {
    const coding = document.body.classList.toggle("writes");
    view.textContent = coding ? "Read the lesson" : "Write code";
  });
  view.className = "view";
  document.body.classList.add("has-code");
  document.querySelector(".page").append(panel, view);
  code = codeEditor({
    parent: place, label: `Your code, ${file}`, text: read(`file ${lesson}`) ?? stub, check,
    changed: (text) => {
      keep(`file ${lesson}`, text);
      clearTimeout(pause);
      pause = setTimeout(check, 1000 * PAUSE_SECONDS);
    },
  });
  addEventListener("click", (event) => {
    const at = event.target.closest?.('a[href^="#line-"]');
    if (!at) return;
    event.preventDefault();
    if (!document.body.classList.contains("writes")) view.click();
    code.show(Number(at.hash.slice(6)));
  });
  announce();
  tools.after(document.querySelector(".standing"));
  const figures = new IntersectionObserver((entries) => {
    seen ||= entries.some(({ isIntersecting }) => isIntersecting);
    draw();
  });
  document.querySelectorAll("main figure").forEach((figure) => figures.observe(figure));
  check();
};

if (CONFIG.lessons.includes(lesson)) addEventListener("DOMContentLoaded", lessonPage);
