// Python in a worker: loads Pyodide and the course, then does one job after another. The page starts it from a blob, so that
// the page's content security policy holds here too.
let python, tab;
const tell = (kind, more = {}) => postMessage({ kind, ...more });
const queue = [];
const URGENCY = ["check", "write", "draw"];

const archive = async (url, folder) => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
};

const start = async ({ pyodide, libraries, course, megabytes, site }) => {
  let loaded = 0;
  const all = megabytes.reduce((sum, one) => sum + one, 0).toFixed(1);
  const stage = (what, size) => tell("loading", { text: `${what} (${loaded.toFixed(1)} of ${all} MB)` }, (loaded += size));
  stage("Python is loading", megabytes[0]);
  importScripts(`${pyodide}pyodide.js`);
  python = await loadPyodide({ indexURL: pyodide });
  stage("numpy is loading", megabytes[1]);
  await python.loadPackage("numpy", { messageCallback() {} });
  stage("The checks are loading", megabytes[2]);
  await Promise.all([archive(site + libraries, python.runPython("import site; site.getsitepackages()[0]")), archive(site + course, "/course")]);
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

let config;
const loaded = new Set();
const load = async (kind) => {
  const [library, files] = NEEDS[kind] ?? [];
  if (!files || loaded.has(files)) return;
  tell("loading", { text: kind === "draw" ? "Your pictures are loading (9 MB, once)" : "The writer is loading (1.6 MB, once)" });
  if (library) await python.loadPackage(library, { messageCallback() {} });
  await archive(config.site + config[files], "/course");
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
onmessage = ({ data }) => {
  if (data.kind === "start") working = start((config = data));
  else if (data.kind === "drop") queue.splice(0, queue.length, ...queue.filter(({ kind }) => kind !== data.what));
  else queue.push(data);
  if (data.kind !== "drop") working = working.then(work).catch((error) => tell("died", { text: String(error) }));
};
