// Python in a worker: loads Pyodide and the course, then does one job after another. The page starts it from a blob, so that
// the page's content security policy also applies here.
let python, module, tab, config;
const tell = (kind, more = {}) => postMessage({ kind, ...more });
const queue = [];
const URGENCY = ["pack", "unpack", "check", "write", "draw"];

const archive = async (name, folder) => {
  const url = config.site + config.files[`${name}.zip`];
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
};

const start = async ({ pyodide, loads, alone }) => {
  const all = loads.reduce((sum, [, size]) => sum + size, 0);
  let before = 0;
  const loading = ([what, size]) => {
    tell("loading", { text: `${what} is loading: ${before.toFixed(1)} of ${all.toFixed(1)} MB so far` });
    before += size;
  };
  loading(loads[0]);
  importScripts(`${pyodide}pyodide.js`);
  python = await loadPyodide({ indexURL: pyodide, stdout() {}, stderr() {} });
  loading(loads[1]);
  await python.loadPackage("numpy", { messageCallback() {} });
  loading(loads[2]);
  await Promise.all([archive("libraries", python.runPython("import site; site.getsitepackages()[0]")), archive("course", "/course")]);
  tell("loading", { text: "The checks are starting" });
  python.runPython("import os, sys; os.chdir('/course'); sys.path.insert(0, '/course')");
  module = python.pyimport("autograder.site.tab");
  tab = module.Tab((what, seconds) => tell("began", { what, seconds }), () => tell("ended"), alone);
  tell("ready", { used: performance.getEntriesByType("resource").map(({ name }) => name) });
};

// Each job is a generator; between two of its steps, a more urgent job goes first.
const steps = function* (kind, iterator) {
  for (const step of iterator) yield { kind, ...JSON.parse(step) };
};
const jobs = {
  *check({ name, files, stuck, tries }) {
    tab.save(files);
    yield { kind: "checked", ...JSON.parse(tab.check(name, stuck, tries)) };
  },
  draw: ({ name }) => steps("drawn", tab.draw(name)),
  *write({ files, prompt, count, experiment }) {
    tab.save(files);
    yield* steps("wrote", experiment ? tab.experiment(experiment) : tab.write(prompt, count));
  },
  *pack({ files, memory }) {
    const zip = module.pack(files, memory);
    yield { kind: "packed", zip: zip.toJs() };
  },
  *unpack({ zip }) {
    yield { kind: "unpacked", ...JSON.parse(module.unpack(python.toPy(zip).tobytes())) };
  },
};
const NEEDS = { draw: ["matplotlib", "pictures"], write: [null, "writer"] };

const loaded = new Set();
const load = async (kind) => {
  const [library, files] = NEEDS[kind] ?? [];
  if (!files || loaded.has(files)) return;
  tell("loading", { text: kind === "draw" ? "Your pictures are loading (9 MB, once)" : "The writer is loading (1.6 MB, once)" });
  if (library) await python.loadPackage(library, { messageCallback() {} });
  await archive(files, "/course");
  python.pyimport("importlib").invalidate_caches();
  loaded.add(files);
};

// An exception from Python ends the job; any other exception means that Python has ended.
const step = (job) => {
  try {
    return job.steps.next();
  } catch (error) {
    if (error.name !== "PythonError") throw error;
    return { done: true, value: { kind: "failed", text: error.message.trim().split("\n").at(-1) } };
  }
};

const work = async () => {
  while (queue.length) {
    const job = queue.sort((a, b) => URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind))[0];
    job.steps ??= (await load(job.kind), jobs[job.kind](job));
    const { value, done } = step(job);
    if (done) queue.splice(queue.indexOf(job), 1);
    tell(value?.kind ?? "done", { ...value, id: job.id });
    await new Promise((resolve) => setTimeout(resolve)); // lets a message in
  }
};

let working = Promise.resolve();
const dies = (error) => {
  queue.length = 0;
  tab = null;
  tell("died", { text: String(error) });
};
// Pictures of an earlier text are not finished.
const enqueue = (job) => {
  const earlier = queue.findIndex(({ kind }) => kind === "draw" && job.kind === "draw");
  if (earlier >= 0) tell("dropped", { id: queue.splice(earlier, 1)[0].id });
  queue.push(job);
};
onmessage = ({ data }) => {
  if (data.kind === "start") working = start((config = data)).catch(dies);
  else working = (enqueue(data), working.then(() => tab && work()).catch(dies));
};
