// Runs tracing.py in Pyodide under Node. Arguments: the folder of Pyodide, the folder with our
// packages, tracing.py, and the zip file to write.

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, packages, tracing, out] = process.argv.slice(2).map((name) => resolve(name));
const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: runtime });
const { FS } = python;
const site = python.runPython("import site; site.getsitepackages()[0]");

function copy(from, to) {
  if (statSync(from).isDirectory()) {
    for (const name of readdirSync(from)) copy(join(from, name), `${to}/${name}`);
  } else {
    FS.mkdirTree(dirname(to));
    FS.writeFile(to, readFileSync(from));
  }
}

copy(packages, site);
FS.writeFile("/library.zip", readFileSync(join(runtime, "python_stdlib.zip")));
python.runPython(readFileSync(tracing, "utf8"));
python.globals.get("write_results")(site, "/library.zip", "/results.zip");
writeFileSync(out, FS.readFile("/results.zip"));
