// Python in a worker: loads Pyodide and the course, then does one job after another. The page starts it from
// a blob, so that its content security policy holds here too. Python gets no globals of JavaScript.
let [working, config, python, tab, started] = [Promise.resolve()];
const tell = (kind, more) => postMessage({ kind, ...more });
const WRITER = { what: "the writer (1.6 MB, once)", archive: "writer" };
const PICTURES = { what: "pictures (9 MB, once)", archive: "pictures", library: "matplotlib" };
const NEEDS = { generate: WRITER, experiment: WRITER, draw: PICTURES };

const get = async (name) => (await fetched(config.site + config.files[`${name}.zip`])).arrayBuffer();
const unpack = (zip, extractDir) => python.unpackArchive(zip, "zip", { extractDir });
const add = async (library) => {
  const missing = [];
  await python.loadPackage(library, { messageCallback() {}, errorCallback: (text) => missing.push(text) });
  if (missing.length) throw new Error(missing.join(" "));
};

// Loads all parts at the same time, and tells how much is here.
const start = async ({ pyodide, megabytes, alone }) => {
  const all = Object.values(megabytes).reduce((sum, size) => sum + size);
  let here = 0;
  const arrival = async (what, part) => {
    const value = await part;
    here += megabytes[what];
    tell("loading", { text: `Python is loading: ${here.toFixed(1)} of ${all.toFixed(1)} MB so far` });
    return value;
  };
  tell("loading", { text: `Python is loading: ${all.toFixed(1)} MB` });
  const archives = ["libraries", "course"].map((name) => arrival(name, get(name)));
  importScripts(`${pyodide}pyodide.js`);
  // After a warning with an error, Pyodide waits endlessly; a missing archive is told without waiting for it.
  const failed = new Promise((_, no) => (console.warn = (what) => what instanceof Error && no(what)));
  const options = { indexURL: pyodide, stdout() {}, stderr() {}, jsglobals: {} };
  python = await Promise.race([loadPyodide(options), failed, Promise.all(archives).then(() => failed)]);
  await arrival("Python with numpy", add("numpy")); // not by an option: what fails early is not told there
  const [libraries, course] = await Promise.all(archives);
  tell("loading", { text: "The checks are starting" });
  unpack(libraries, python.runPython("import site; site.getsitepackages()[0]"));
  unpack(course, "/course");
  python.runPython("import os, sys; os.chdir('/course'); sys.path.insert(0, '/course')");
  const began = (what, seconds, sentence) => tell("began", { what, seconds, sentence });
  tab = python.pyimport("autograder.site.tab").Tab(began, () => tell("ended"), alone);
  tell("ready", { used: addresses() });
};
const addresses = () => performance.getEntriesByType("resource").map(({ name }) => name);

const load = async ({ what, archive, library = [] }) => {
  tell("loading", { text: `Loading ${what}` });
  const [zip] = await Promise.all([get(archive), add(library)]);
  unpack(zip, "/course");
  python.pyimport("importlib").invalidate_caches();
  tell("more", { used: addresses() });
};

// Each job is a generator of Python's; between two of its steps, a more urgent job goes first.
const queue = [];
const work = async () => {
  while (queue.length) {
    const [job] = queue.sort((a, b) => (a.kind === "draw") - (b.kind === "draw")); // pictures come last
    job.steps ??= tab.job(job.kind, JSON.stringify(job.task));
    const { value, done } = job.steps.next();
    if (done) queue.splice(queue.indexOf(job), 1);
    tell(done ? "done" : "step", { id: job.id, ...JSON.parse(value) });
    await new Promise((resolve) => setTimeout(resolve)); // lets a message in
  }
};
// A job waits until what it needs is here, and no other job waits. Pictures of an earlier text are left out.
const accept = async (job) => {
  const needs = NEEDS[job.kind];
  await started;
  try {
    if (needs) await (needs.loading ??= load(needs).finally(() => tell("loading", { text: "" })));
  } catch (error) {
    const failed = `Loading ${needs.what} failed (${why(error)}). Check the network, then reload this page.`;
    return tell("done", { id: job.id, failed });
  }
  const earlier = queue.findIndex(({ kind }) => kind === "draw" && job.kind === "draw");
  if (earlier >= 0) tell("done", { id: queue.splice(earlier, 1)[0].id });
  queue.push(job);
  working = working.then(() => tab && work()).catch(dies);
};

const why = (error) => String(error.message ?? error).trim().split("\n").pop(); // no traceback
const dies = (error) => ((tab = null), tell("died", { text: why(error) }));
const begin = (data) => (started = start((config = data)).catch(dies));
onmessage = ({ data }) => (data.kind === "start" ? begin : accept)(data);
