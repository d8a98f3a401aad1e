// Python in a worker: loads Pyodide and the course, then does one job after another. The page starts it from
// a blob, so that its content security policy holds here too. Python gets no globals of JavaScript.
let config, python, tab, working;
const tell = (kind, more) => postMessage({ kind, ...more });
const WRITER = { text: "The writer is loading (1.6 MB, once)", archive: "writer" };
const PICTURES = { text: "Pictures are loading (9 MB, once)", archive: "pictures", library: "matplotlib" };
const NEEDS = { generate: WRITER, experiment: WRITER, draw: PICTURES };

const get = async (archive) => {
  const url = config.site + config.files[`${archive}.zip`];
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.arrayBuffer();
};
const unpack = (zip, extractDir) => python.unpackArchive(zip, "zip", { extractDir });

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
  const options = { indexURL: pyodide, packages: ["numpy"], stdout() {}, stderr() {}, jsglobals: {} };
  python = await arrival("Python with numpy", loadPyodide(options));
  const [libraries, course] = await Promise.all(archives);
  tell("loading", { text: "The checks are starting" });
  unpack(libraries, python.runPython("import site; site.getsitepackages()[0]"));
  unpack(course, "/course");
  python.runPython("import os, sys; os.chdir('/course'); sys.path.insert(0, '/course')");
  const began = (what, seconds, sentence) => tell("began", { what, seconds, sentence });
  tab = python.pyimport("autograder.site.tab").Tab(began, () => tell("ended"), alone);
  tell("ready", { used: performance.getEntriesByType("resource").map(({ name }) => name) });
};

const load = async (needs) => {
  if (!needs || needs.isHere) return;
  tell("loading", needs);
  const zip = get(needs.archive);
  if (needs.library) await python.loadPackage(needs.library, { messageCallback() {} });
  unpack(await zip, "/course");
  python.pyimport("importlib").invalidate_caches();
  needs.isHere = true;
  tell("loading", { text: "" });
};

// An exception of Python's ends the job; any other has ended Python.
const step = ({ steps }) => {
  try {
    return steps.next();
  } catch (error) {
    if (error.name !== "PythonError") throw error;
    return { done: true, failed: error.message.trim().split("\n").at(-1) };
  }
};

// Each job is a generator of Python's; between two of its steps, a more urgent job goes first.
const queue = [];
const work = async () => {
  while (queue.length) {
    const [job] = queue.sort((a, b) => (a.kind === "draw") - (b.kind === "draw")); // pictures come last
    await load(NEEDS[job.kind]);
    job.steps ??= tab.job(job.kind, JSON.stringify(job.task));
    const { value, done, failed } = step(job);
    if (done) queue.splice(queue.indexOf(job), 1);
    tell(done ? "done" : "step", { id: job.id, failed, ...JSON.parse(value ?? "{}") });
    await new Promise((resolve) => setTimeout(resolve)); // lets a message in
  }
};
// Pictures of an earlier text are not drawn to the end.
const enqueue = (job) => {
  const earlier = queue.findIndex(({ kind }) => kind === "draw" && job.kind === "draw");
  if (earlier >= 0) tell("done", { id: queue.splice(earlier, 1)[0].id });
  queue.push(job);
};

const dies = (error) => {
  [queue.length, tab] = [0, null];
  tell("died", { text: String(error) });
};
onmessage = ({ data }) => {
  if (data.kind === "start") working = start((config = data)).catch(dies);
  else working = (enqueue(data), working.then(() => tab && work()).catch(dies));
};
