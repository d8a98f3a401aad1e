// The course in a browser tab: an editor beside the lesson, and Python in a worker that checks what it holds.
const SITE = new URL(".", location).href;
const GRACE_SECONDS = 2; // after which a call that does not end by itself is ended with its worker
const PAUSE_SECONDS = 0.7;
const lesson = document.body.dataset.page;

let lasting = ""; // shown whenever there is nothing else to say
const say = (text) => (document.querySelector(".python").textContent = text || lasting);
const note = (text) => (document.querySelector(".opened").textContent = text);
const make = (tag, properties = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
};
const address = (data, type) => URL.createObjectURL(new Blob([data], { type }));
const drawing = (svg) => address(svg, "image/svg+xml");
const textOf = async (path) => (await fetched(path)).text();
const download = (name, data) => make("a", { download: name, href: address(data) }).click();

// A browser may be set to store nothing, and without HTTPS it keeps no pictures.
const attempt = (action) => {
  try {
    return action();
  } catch {} // undefined
};
const storage = attempt(() => localStorage);
const pictureCache = async () => attempt(() => caches)?.open("whereabouts-work").catch(() => {});
const read = (key) => attempt(() => JSON.parse(storage.getItem(`whereabouts ${key}`))) ?? null;
const fileOf = (name, text = read(`file ${name}`)) => (typeof text === "string" ? text : null);
const keep = (key, value) => {
  const isKept = attempt(() => storage.setItem(`whereabouts ${key}`, JSON.stringify(value)) ?? true);
  if (!isKept) say((lasting = "This browser does not store your work: download it before you leave."));
};
const files = () =>
  Object.fromEntries(CONFIG.lessons.map((name) => [name, fileOf(name)]).filter(([, text]) => text));

// The results, shown where the live page shows them ---------------------------------------------------------
const state = { lessons: {}, pictures: {}, checking: false };
for (const [name, text] of Object.entries(files())) {
  const result = read(`result ${name}`);
  if (result?.site === CONFIG.site && result.text === text) state.lessons[name] = result.lesson;
}
const announce = (more) => dispatchEvent(new CustomEvent("checked", { detail: Object.assign(state, more) }));
const show = (name, result) => announce({ lessons: { ...state.lessons, [name]: result } });

// The worker, and its replacement if a call does not return -----------------------------------------------
const jobs = new Map();
let python, starting, timer, called;
let [number, loaded] = [0, []]; // the last job's number; addresses from which Python was loaded, once ready

// Sends a job to Python and returns its last message; `step` hears the others. `lost` names a function that
// ended Python before the job's end.
const ask = async (kind, task, step) => {
  const id = ++number;
  const answer = new Promise((done) => jobs.set(id, { step, done }));
  await (starting ??= start().catch((error) => heard.died({ text: error.message })));
  python?.postMessage({ kind, id, task });
  return answer;
};

const start = async () => {
  const source = await textOf(CONFIG.files["worker.js"]);
  python = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  python.onmessage = ({ data: { kind, id, ...more } }) => heard[kind](more, id);
  python.onerror = ({ message }) => heard.died({ text: message });
  python.postMessage({ ...CONFIG, kind: "start", site: SITE, pyodide: new URL(CONFIG.pyodide, SITE).href });
};

const heard = {
  loading: ({ text }) => say(text),
  ready: ({ used }) => ((loaded = used), say(""), withoutNetwork()),
  more: ({ used }) => ((loaded = used), keepLoaded()), // pictures or the writer
  began: ({ what, seconds, sentence }) => {
    called = what;
    timer = setTimeout(replace, 1000 * (seconds + GRACE_SECONDS), sentence, what);
  },
  ended: () => clearTimeout(timer),
  died: ({ text }) => {
    const why = "it exits, calls itself endlessly, or takes too much memory";
    if (loaded.length) replace(`${called} ended Python: ${why}.`, called);
    else replace(`Python cannot start (${text}). Check the network, then press “Check” or reload this page.`);
  },
  step: (more, id) => jobs.get(id)?.step?.(more),
  done: (more, id) => (jobs.get(id)?.done(more), jobs.delete(id)),
};
const keepLoaded = () => navigator.serviceWorker?.controller?.postMessage({ urls: loaded });
const replace = (failed, lost) => {
  clearTimeout(timer);
  if (python) python.onmessage = python.onerror = null; // its late messages would hide this one
  python?.terminate();
  [starting, loaded] = [undefined, []];
  for (const job of jobs.values()) job.done({ lost, failed });
  jobs.clear();
};

// Checks ----------------------------------------------------------------------------------------------------
let code, pause, running, checked, pictured, isSeen;

// Checks a text, keeps the result and returns the lines with errors. What ended Python is not called again.
const judge = async (name, text, timedOut = {}) => {
  const task = { name, files: { [name]: text }, timed_out_functions: timedOut, tries: read("tries") };
  const { lost, failed, errors, tries, lesson: result } = await ask("check", task);
  if (lost && !(lost in timedOut)) {
    say(`${failed} Python is starting again; the rest will be checked then.`);
    const [box, shown] = [`<p>✗ ${lost}</p><p>${failed}</p>`, state.lessons[name]];
    show(name, { ...shown, functions: { ...shown?.functions, [lost]: ["✗", box] } });
    return code && code.text() !== text ? [] : judge(name, text, { ...timedOut, [lost]: failed });
  }
  if (failed) return void say(`The checks stopped: ${failed}`);
  keep(`result ${name}`, { text, lesson: result, site: CONFIG.site });
  keep("tries", tries);
  show(name, result);
  return errors;
};

// Checks what is written, after the check that runs, and nothing twice.
const check = async () => {
  const text = code.text();
  if (running !== undefined) return checkSoon();
  if (text === checked) return;
  running = text;
  say(""); // what was said about an earlier text
  announce({ checking: true });
  const errors = await judge(lesson, text);
  code.mark(errors ?? []);
  [checked, running] = [errors && text, undefined];
  announce({ checking: false });
  if (!errors) document.querySelector(".standing").hidden = true; // the checks stopped, without a result
  draw();
};
const checkSoon = () => (clearTimeout(pause), (pause = setTimeout(check, 1000 * PAUSE_SECONDS)));

// Pictures are drawn when one of them is on the screen, from what was checked last, if all of it runs.
const draw = async () => {
  const isReady = checked && running === undefined && state.lessons[lesson].runs;
  if (!isReady || !isSeen || pictured === checked) return;
  const [text, own, figures] = [(pictured = checked), { ...state.pictures[lesson] }, []];
  const { failed } = await ask("draw", { lesson }, ({ pictures }) => {
    const [wide, narrow = wide] = Object.keys(pictures);
    const caption = document.querySelector(`figure:has([src$="/${wide}"]) figcaption`)?.textContent;
    figures.push({ caption, svg: pictures[wide], narrow: pictures[narrow] });
    for (const [name, svg] of Object.entries(pictures)) own[name] = drawing(svg);
    if (text === checked) announce({ pictures: { [lesson]: own } });
  });
  if (failed) return say(failed);
  const [all, cache] = [JSON.stringify({ text, figures }), await pictureCache()];
  if (text === checked) cache?.put(`pictures/${lesson}`, new Response(all));
};

// The pages that are more than their text -------------------------------------------------------------------
const file = `${lesson}.py`;
const stub = () => textOf(`stubs/${file}`);
const ELSEWHERE = "what another tab wrote";
const mayReplace = (names) => confirm(`Replace what you wrote in ${names}? It will be lost.`);

const lessonPage = async () => {
  document.querySelector(".coding .tools").after(document.querySelector(".standing"));
  const changed = (text, origin) => {
    if (origin !== ELSEWHERE) keep(`file ${lesson}`, text);
    const count = text.match(/^def [a-z]/gm)?.length ?? 0;
    note(origin ? `Opened ${origin} as ${file}: ${count} functions, kept in this browser.` : "");
    checkSoon();
  };
  const [parent, text] = [document.querySelector(".code"), fileOf(lesson) ?? (await stub())];
  code = codeEditor({ parent, label: `Your code, ${file}`, text, check, changed });
  const observer = new IntersectionObserver((entries) => {
    isSeen ||= entries.some(({ isIntersecting }) => isIntersecting);
    draw();
  });
  document.querySelectorAll("main figure").forEach((figure) => observer.observe(figure));
  check();
};

// All work on one page, which prints. A file without a result, for example from a zip, is checked here.
const keepPage = async () => {
  const [texts, written] = [files(), read("written")];
  const parts = [make("p", {}, new Date().toLocaleDateString("en-GB", { dateStyle: "long" }))];
  for (const [name, text] of Object.entries(texts)) {
    const { title } = document.querySelector(`.top [data-of=${name}]`).dataset;
    const { right, functions = {} } = state.lessons[name] ?? {};
    const count = `${right} of ${Object.keys(functions).length} functions are right.`;
    parts.push(make("h2", {}, title), make("p", {}, right === undefined ? "Not checked yet." : count));
    parts.push(make("pre", {}, text), ...(await figuresOf(name, text).catch(() => [])));
  }
  if (written) {
    const isOfThese = written.files === JSON.stringify(texts);
    const origin = `Written ${isOfThese ? "by your functions as shown here" : "before your last change"}.`;
    parts.push(make("h2", {}, "The writer"), make("p", {}, origin), make("pre", {}, written.text));
  }
  document.getElementById("keep").replaceChildren(...parts);
  const unchecked = Object.keys(texts).filter((name) => !state.lessons[name]);
  for (const name of unchecked) if (fileOf(name) === texts[name]) await judge(name, texts[name]);
  if (unchecked.some((name) => state.lessons[name])) keepPage();
};

// The pictures of a lesson with their captions, if they were drawn from this text.
const figuresOf = async (name, text) => {
  const kept = await (await (await pictureCache())?.match(`pictures/${name}`))?.json();
  const older = "Pictures of an earlier text are left out. Open the lesson, and its pictures are drawn anew.";
  if (kept?.text !== text) return kept ? [make("p", {}, older)] : [];
  return kept.figures.map(({ caption, svg, narrow }) => {
    const phone = make("source", { media: "screen and (max-width: 45rem)", srcset: drawing(narrow) });
    const words = make("figcaption", {}, `Drawn from your functions: ${caption}`);
    return make("figure", {}, make("picture", {}, phone, make("img", { src: drawing(svg), alt: "" })), words);
  });
};

// What buttons do (`data-click`), and fields for a file (`data-change`) -------------------------------------
const actions = {
  check,
  restart: async () => mayReplace(file) && code.open(await stub()),
  open: async ({ files: [chosen] }) => mayReplace(file) && code.open(await chosen.text(), chosen.name),
  download: () => download(file, code.text()),
  view: () => document.body.classList.toggle("writes"),
  line: ({ hash }) => (document.body.classList.add("writes"), code?.show(Number(hash.slice(6)))),
  write: async (button) => {
    const [output, work, { job, name }] = [button.nextElementSibling, files(), button.dataset];
    const task = job === "generate" ? { prompt: document.getElementById("prompt").value || " " } : { name };
    [output.textContent, output.hidden, button.disabled] = ["", false, true];
    const { failed } = await ask(job, { files: work, ...task }, ({ text }) => output.append(text));
    button.disabled = false;
    if (failed) output.append(`\n${failed}`);
    else if (job === "generate") keep("written", { text: output.textContent, files: JSON.stringify(work) });
  },
  save: () => {
    const [page, tries, written] = [storage?.getItem("whereabouts"), read("tries"), read("written")];
    download("whereabouts.zip", zipped(files(), { page, tries, written }));
  },
  restore: async ({ files: [chosen] }) => {
    const { texts, memory } = await unzipped(chosen, CONFIG.lessons);
    const names = Object.keys(texts);
    if (!names.length) return note(`${chosen.name} is not a zip of your work.`);
    const lost = names.filter((name) => ![null, texts[name]].includes(fileOf(name)));
    if (lost.length && !mayReplace(lost.map((name) => `${name}.py`).join(", "))) return;
    for (const name of names) keep(`file ${name}`, texts[name]);
    state.lessons = {}; // all files are checked anew
    if (memory?.page) attempt(() => storage.setItem("whereabouts", memory.page));
    for (const key of ["tries", "written"]) if (memory?.[key]) keep(key, memory[key]);
    note(`Opened ${chosen.name}: ${names.length} of ${CONFIG.lessons.length} lessons, kept in this browser.`);
    keepPage();
  },
  print: () => print(),
  update: () => navigator.serviceWorker.ready.then(({ waiting }) => waiting.postMessage({ kind: "update" })),
};
for (const kind of ["click", "change"]) {
  addEventListener(kind, (event) => {
    const element = event.target.closest?.(`[data-${kind}]`);
    if (!element) return;
    if (kind === "click") event.preventDefault();
    const done = Promise.resolve(actions[element.dataset[kind]](element));
    done.catch((error) => note(`${error}. Nothing has changed; try again.`));
    if (kind === "change") element.value = ""; // the same file can be chosen twice
  });
}

// Without a network: once Python is here, all is kept. A new version waits until somebody requests it -------
const offer = () => (document.querySelector(".offer").hidden = false);
const withoutNetwork = async ({ serviceWorker } = navigator) => {
  if (!serviceWorker) return;
  keepLoaded();
  const isUpdate = Boolean(serviceWorker.controller);
  serviceWorker.oncontrollerchange = () => (isUpdate && !lasting ? location.reload() : keepLoaded());
  const registration = await serviceWorker.register("service-worker.js");
  if (registration.waiting) offer();
  registration.onupdatefound = ({ target: { installing } }) =>
    (installing.onstatechange = () => isUpdate && installing.state === "installed" && offer());
};

// If a lesson is open twice, or comes back by the back button, it shows the newest text if it stored its own.
const takeFromElsewhere = ({ key, persisted }) => {
  const text = (persisted || key === `whereabouts file ${lesson}`) && fileOf(lesson);
  if (code && !lasting && text && text !== code.text()) code.open(text, ELSEWHERE);
};
for (const kind of ["storage", "pageshow"]) addEventListener(kind, takeFromElsewhere);
addEventListener("DOMContentLoaded", () => {
  announce(); // how far each lesson is, at the links
  if (CONFIG.lessons.includes(lesson)) lessonPage().catch((error) => say(`${error}. Reload this page.`));
  if (lesson === "keep") keepPage();
  if (navigator.serviceWorker?.controller) withoutNetwork();
});
