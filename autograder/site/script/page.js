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
const GRACE_SECONDS = 2; // after this, a call that does not end by itself is ended together with its worker
const PAUSE_SECONDS = 0.7;

const lesson = document.body.dataset.page;
const files = () => Object.fromEntries(CONFIG.lessons.map((name) => [name, read(`file ${name}`)]).filter(([, text]) => text !== null));
const status = make("p", { className: "python", role: "status" });
const say = (text) => (status.textContent = text);

// The results, shown in the same places as on the live page ---------------------------------------------------------------------

const linked = (html) => html.replace(/\bline (\d+)/g, '<a href="#line-$1">line $1</a>');
const state = { lessons: {}, pictures: {}, checking: false };
for (const name of CONFIG.lessons) {
  const result = read(`result ${name}`);
  if (result?.site === CONFIG.site && result.text === read(`file ${name}`)) state.lessons[name] = result.lesson;
}
const announce = (more = {}) => dispatchEvent(new CustomEvent("checked", { detail: Object.assign(state, more) }));

// The worker, and its replacement if a call does not return ------------------------------------------------------

const jobs = new Map();
let python, waking, timer, current;
let [ready, number, loaded] = [false, 0, []];

// Sends a job. `on` receives each of its messages; the last has the kind "done", or "lost" if the worker was replaced.
const ask = (kind, more, on) => {
  jobs.set(++number, on);
  wake().then((worker) => worker.postMessage({ kind, id: number, ...more }, more.transfer ?? []));
};

const wake = () => (waking ??= start());
const start = async () => {
  const source = await fetch(CONFIG.files["worker.js"]).then((answer) => answer.text());
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  python = new Worker(url);
  python.onmessage = ({ data }) => {
    if (heard[data.kind]) return void heard[data.kind](data);
    const on = jobs.get(data.id);
    if (data.kind === "done" || data.kind === "failed") jobs.delete(data.id);
    on?.(data);
  };
  python.postMessage({ kind: "start", ...CONFIG, site: SITE, pyodide: new URL(CONFIG.pyodide, SITE).href });
  return python;
};

const heard = {
  loading: ({ text }) => say(`${text} …`),
  dropped: ({ id }) => jobs.delete(id),
  ready: ({ used }) => {
    [ready, loaded] = [true, used];
    say("");
    keepLoaded();
  },
  began: ({ what, seconds }) => {
    current = what;
    const sentence = `did not return within ${seconds} seconds. Is there a loop that never ends?`;
    timer = setTimeout(replace, 1000 * (seconds + GRACE_SECONDS), sentence);
  },
  ended: () => clearTimeout(timer),
  died: ({ text }) => (ready ? replace("ended Python: it exits, calls itself endlessly, or takes too much memory.") : say(`Python cannot start: ${text}`)),
};
const keepLoaded = () => navigator.serviceWorker?.controller?.postMessage({ kind: "keep", urls: loaded });

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

// Checks the current text, unless it has been or is being checked.
const check = () => {
  clearTimeout(pause);
  const text = code.text();
  if (running !== undefined) return void (again = text !== running);
  if (text === checked) return;
  [running, again] = [text, false];
  announce({ checking: true });
  ask("check", { name: lesson, files: JSON.stringify({ [lesson]: text }), stuck: JSON.stringify(stuck), tries: read("tries") ?? "" }, judged);
};

const show = (told, more = {}) => announce({ lessons: { ...state.lessons, [lesson]: told }, ...more });

const judged = ({ kind, what, sentence, text: fault, lesson: told, errors, tries }) => {
  if (kind === "checked") {
    for (const one of Object.values(told.functions)) one[1] = linked(one[1]);
    told.summary = linked(told.summary);
    [checked, stuck] = [running, {}];
    keep(`result ${lesson}`, { text: checked, lesson: told, site: CONFIG.site });
    keep("tries", tries);
    code.mark(errors);
    return void show(told, { checking: false });
  }
  if (kind === "failed") [checked, state.checking] = [running, false];
  if (kind === "failed") show({ ...state.lessons[lesson], summary: make("p", {}, `The checks stopped: ${fault}`).outerHTML });
  if (kind === "lost") {
    stuck[what] = sentence;
    say(`${sentence} Python is starting again; the rest will be checked then.`);
    const box = make("p", {}, `✗ ${what}`).outerHTML + make("p", {}, sentence).outerHTML;
    show({ ...state.lessons[lesson], functions: { ...state.lessons[lesson]?.functions, [what]: ["✗", box] } });
  }
  running = undefined;
  if (kind === "lost" || again) check();
  else draw();
};

// Pictures are drawn once one of them is on the screen, from the text that was last checked.
let drawn;
let seen = false;
const draw = () => {
  if (!seen || running !== undefined || drawn === checked || checked === undefined) return;
  const text = (drawn = checked);
  ask("draw", { name: lesson }, ({ kind, pictures, sentence }) => {
    if (kind !== "drawn") say(sentence ?? "");
    if (kind !== "drawn" || text !== checked) return;
    const urls = Object.entries(pictures).map(([name, svg]) => [name, URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }))]);
    announce({ pictures: { ...state.pictures, [lesson]: { ...state.pictures[lesson], ...Object.fromEntries(urls) } } });
    keepPictures(pictures);
  });
};
const WORK = "whereabouts-work";
const keepPictures = async (pictures) => {
  const work = await caches.open(WORK);
  for (const [name, svg] of Object.entries(pictures)) {
    if (!name.includes("/")) await work.put(`${SITE}work/${lesson}/${name}`, new Response(svg));
  }
};

const download = (name, content, type = "text/x-python") => {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const opener = (accept, open) => {
  const input = make("input", { type: "file", accept, hidden: true });
  input.onchange = () => {
    open(input.files[0]);
    input.value = ""; // the same file can be chosen twice
  };
  return input;
};

const lessonPage = async () => {
  const file = `${lesson}.py`;
  const replaceText = (text) => confirm(`Replace what you wrote in ${file}? It will be lost.`) && code.open(text);
  const stub = await fetch(`stubs/${file}`).then((answer) => answer.text());
  const open = opener(".py", async (chosen) => replaceText(await chosen.text()));
  const tools = make("div", { className: "tools" },
    button("Check", check),
    button("Start again", () => replaceText(stub)),
    button("Open", () => open.click()), open,
    button(`Download ${file}`, () => download(file, code.text())),
    make("a", { href: "keep.html", textContent: "All my work" }));
  const place = make("div", { className: "code" });
  const panel = make("section", { className: "coding", ariaLabel: "Your code" }, make("h2", { textContent: file }), tools, status, place);
  const view = button("Write code", () => {
    view.textContent = document.body.classList.toggle("writes") ? "Read the lesson" : "Write code";
  });
  view.className = "view";
  document.body.classList.add("has-code");
  document.querySelector(".page").append(panel, view);
  document.querySelector(".contents details").open = false;
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
    const { next } = state.lessons[lesson];
    if (at.closest(".standing p")?.textContent.includes(next)) document.getElementById(`live-${next}`)?.scrollIntoView({ block: "center" });
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

// The writer: its page, and each experiment that a lesson shows ---------------------------------------------------------

// A button after an element that lets the writer write into a box.
const writer = (label, job, after) => {
  const output = make("pre", { hidden: true, tabIndex: 0, role: "log" });
  let written;
  const line = (words) => output.append(`${words}\n`);
  const hears = ({ kind, sources, text, verdict, compares, title, sentence }) => {
    if (kind === "done" || kind === "failed" || kind === "lost") start.disabled = false;
    if (kind === "failed" || kind === "lost") return line(`\n${sentence ?? `One of your functions raised ${text}`}`);
    if (sources || compares) say("");
    if (sources) line(`${Object.entries(sources).map(([name, source]) => `${name}: ${source}`).join("\n")}\n\n${job().prompt}`);
    if (compares) line(compares);
    if (title) line(`\n${title}:\n${text}`);
    else if (text) output.append(text);
    if (verdict) line(`\n\nThe provided functions write ${verdict}.`);
    if (verdict) keep("written", { text: output.textContent, files: written });
  };
  const start = button(label, () => {
    output.textContent = "";
    [output.hidden, start.disabled] = [false, true];
    written = JSON.stringify(files());
    ask("write", { files: written, ...job() }, hears);
  });
  after.after(make("div", { className: "writer" }, start, output));
};

const experiments = () => {
  for (const cell of document.querySelectorAll("td code")) {
    const name = cell.textContent.match(/^--experiment ([\w-]+)$/)?.[1];
    if (name) writer("Try it", () => ({ experiment: name }), cell);
  }
  const comments = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_COMMENT);
  for (let mark; (mark = comments.nextNode()); ) {
    const name = mark.data.match(/^ writer: ([\w-]+) $/)?.[1];
    if (name) writer("Try it with your functions", () => ({ experiment: name }), mark.nextElementSibling ?? mark);
  }
  if (lesson !== "writer") return;
  const prompt = make("input", { value: "Two tokens that", ariaLabel: "The beginning of the text" });
  document.querySelector("main h1").after(prompt, status);
  writer("Write on", () => ({ prompt: prompt.value || " ", count: 300 }), prompt);
};

// A page to keep, with all of the student's work, for printing ---------------------------------------------------------------------------

const keepPage = async () => {
  const memory = () => JSON.stringify({ page: localStorage.getItem("whereabouts"), tries: read("tries"), written: read("written") });
  const save = () => ask("pack", { files: JSON.stringify(files()), memory: memory() }, ({ kind, zip }) => kind === "packed" && download("whereabouts.zip", zip, "application/zip"));
  const open = opener(".zip", async (chosen) => {
    const zip = new Uint8Array(await chosen.arrayBuffer());
    ask("unpack", { zip }, ({ kind, files: opened, memory: remembered, text }) => {
      if (kind === "failed") say(`This is not a zip of your work: ${text}`);
      if (kind !== "unpacked") return;
      for (const [name, content] of Object.entries(opened)) keep(`file ${name}`, content);
      const { page, tries, written } = JSON.parse(remembered);
      if (page) localStorage.setItem("whereabouts", page);
      if (tries) keep("tries", tries);
      if (written) keep("written", written);
      location.reload();
    });
  });
  const tools = make("div", { className: "tools" }, button("Save all my work", save), button("Open saved work", () => open.click()), open, button("Print", () => print()));
  const place = document.getElementById("keep");
  place.append(make("p", { textContent: new Date().toLocaleDateString("en-GB", { dateStyle: "long" }) }), tools, status);
  const work = await caches.open(WORK);
  const pictures = await work.keys();
  for (const [name, text] of Object.entries(files())) {
    const title = document.querySelector(`.top [data-of=${name}]`).dataset.title;
    const { right = 0, functions = {} } = state.lessons[name] ?? {};
    const count = Object.keys(functions).length;
    place.append(make("h2", { textContent: title }), make("p", { textContent: count ? `${right} of ${count} functions are right.` : "Not checked yet: open the lesson." }));
    place.append(make("pre", {}, make("code", { textContent: text })));
    for (const request of pictures.filter(({ url }) => url.startsWith(`${SITE}work/${name}/`))) {
      const svg = await (await work.match(request)).text();
      const src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      place.append(make("img", { src, alt: `Your picture ${request.url.split("/").at(-1)}` }));
    }
  }
  const text = read("written");
  if (!text) return;
  const note = text.files === JSON.stringify(files()) ? "Written by your functions as shown here." : "Written before your last change.";
  place.append(make("h2", { textContent: "The writer" }), make("p", { textContent: note }), make("pre", { textContent: text.text }));
};

// Without a network: what was loaded is kept. A new version waits until somebody requests it -----------------------------

const offer = (waiting) => {
  const use = button("There is a new version of the course: use it", () => waiting.postMessage({ kind: "update" }));
  document.querySelector(".top").after(make("p", { className: "offer", role: "status" }, use));
};
const withoutNetwork = async () => {
  if (!navigator.serviceWorker) return;
  const controlled = Boolean(navigator.serviceWorker.controller);
  navigator.serviceWorker.addEventListener("controllerchange", () => (controlled ? location.reload() : keepLoaded()));
  const registration = await navigator.serviceWorker.register("service-worker.js");
  if (registration.waiting) offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing.addEventListener("statechange", () => installing.state === "installed" && controlled && offer(installing));
  });
};

addEventListener("DOMContentLoaded", () => {
  if (CONFIG.lessons.includes(lesson)) lessonPage();
  if (lesson === "keep") keepPage();
  if (!CONFIG.lessons.includes(lesson)) {
    announce(); // shows the progress of each lesson at its links
    document.querySelector(".standing").remove();
  }
  experiments();
  withoutNetwork();
});
