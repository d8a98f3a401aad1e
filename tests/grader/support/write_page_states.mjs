// node write_page_states.mjs PYODIDE SITE FOLDER: runs write_page_states.py in Pyodide, in a copy of what the site's archives hold.
import { createRequire } from "node:module";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
const [pyodide, site, folder] = process.argv.slice(2);
const { loadPyodide } = createRequire(import.meta.url)(`${pyodide}/pyodide.js`); // a site has no pyodide.mjs
const python = await loadPyodide({ indexURL: `${pyodide}/`, stdout() {}, stderr() {} });
await python.loadPackage("numpy", { messageCallback() {} });
const archive = (name, where) =>
  python.unpackArchive(new Uint8Array(readFileSync(`${site}/${readdirSync(site).find((one) => one.startsWith(`${name}-`) && one.endsWith(".zip"))}`)), "zip", { extractDir: where });
archive("libraries", python.runPython("import site; site.getsitepackages()[0]"));
archive("course", "/course");
for (const name of ["items.json", "write_page_states.py"]) python.FS.writeFile(`/course/${name}`, readFileSync(`${folder}/${name}`));
python.runPython(`
import os, sys
os.chdir("/course")
sys.path.insert(0, "/course")
import write_page_states
write_page_states.main()
`);
writeFileSync(`${folder}/page-states.json`, python.FS.readFile("/course/states.json"));
