// node compile_modules.cjs PYODIDE FOLDER: compiles the Python modules in each FOLDER/LEVEL/NAME with the Python of
// the Pyodide in a folder. A .pyc file is written beside each module; LEVEL is Python's level of optimization.
const { readdirSync } = require("node:fs");
const [pyodide, folder] = process.argv.slice(2);

const MODULES = "/modules";
// The folder of an archive's modules in the tab, as an expression of Python.
const FOLDERS = { course: "'/course'", "python_stdlib.zip": "import os; os.path.dirname(os.__file__)" };
const FOLDER_OF_OTHERS = "import site; site.getsitepackages()[0]";

const main = async () => {
  const { loadPyodide } = require(`${pyodide}/pyodide.js`);
  const python = await loadPyodide({ indexURL: `${pyodide}/` });
  python.mountNodeFS(MODULES, folder);
  const { compile_dir } = python.pyimport("compileall");
  const invalidation_mode = python.pyimport("py_compile").PycInvalidationMode.UNCHECKED_HASH;
  for (const level of readdirSync(folder).sort()) {
    for (const name of readdirSync(`${folder}/${level}`).sort()) {
      const stripdir = `${MODULES}/${level}/${name}`;
      const prependdir = python.runPython(FOLDERS[name] ?? FOLDER_OF_OTHERS); // a module without source keeps it
      const options = { optimize: Number(level), stripdir, prependdir, invalidation_mode, legacy: true, quiet: 2 };
      compile_dir.callKwargs(stripdir, options);
    }
  }
  process.exitCode = 0;
};
process.exitCode = 1; // stays if Pyodide never starts
main().catch(({ message }) => console.error(message)); // Node.js itself would print Pyodide's code
