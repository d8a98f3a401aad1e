// Python in a worker: loads Pyodide and the course, then does one job after another. The page starts it from a blob, so that
// the page's content security policy holds here too.
let python, tab, config;
const tell = (kind, more = {}) => postMessage({ kind, ...more });
const queue = [];
const URGENCY = ["check", "write", "draw"];

const archive = async (name, folder) => {
  const url = config.site + config.files[`${name}.zip`];
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
};

const start = async ({ pyodide, loads }) => {
  const all = loads.reduce((sum, [, size]) => sum + size, 0);
  let before = 0;
  const loading = ([what, size]) => {
    tell("loading", { text: `${what} is loading: ${before.toFixed(1)} of ${all.toFixed(1)} MB are here` });
    before += size;
  };
  loading(loads[0]);
  importScripts(`${pyodide}pyodide.js`);
  python = await loadPyodide({ indexURL: pyodide });
  loading(loads[1]);
  await python.loadPackage("numpy", { messageCallback() {} });
  loading(loads[2]);
  await Promise.all([archive("libraries", python.runPython("import site; site.getsitepackages()[0]")), archive("course", "/course")]);
  tell("loading", { text: "The checks are starting" });
  python.runPython("import os, sys; os.chdir('/course'); sys.path.insert(0, '/course')");
  tab = python.pyimport("autograder.site.tab").Tab((what) => tell("began", { what }), () => tell("ended"));
  tell("ready", { used: performance.getEntriesByType("resource").map(({ name }) => name) });
};

// Each job is a generator; between two of its steps, a more urgent one goes first.
const jobs = {
  *check({ name, files, stuck }) {
    tab.save(files);
    yield { kind: "checked", ...JSON.parse(tab.check(name, stuck)) };
  },
  *draw({ name }) {
    for (const drawn of tab.pictures(name)) yield { kind: "drawn", pictures: JSON.parse(drawn) };
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

const work = async () => {
  while (queue.length) {
    const job = queue.sort((a, b) => URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind))[0];
    job.steps ??= (await load(job.kind), jobs[job.kind](job));
    const { value, done } = job.steps.next();
    if (done) queue.splice(queue.indexOf(job), 1);
    tell(done ? "done" : value.kind, { ...value, id: job.id, job: job.kind });
    await new Promise((resolve) => setTimeout(resolve)); // lets a message in
  }
};

let working = Promise.resolve();
const dies = (error) => {
  queue.length = 0;
  tab = null;
  tell("died", { text: String(error) });
};
onmessage = ({ data }) => {
  if (data.kind === "start") working = start((config = data)).catch(dies);
  else working = (queue.push(data), working.then(() => tab && work()).catch(dies));
};
