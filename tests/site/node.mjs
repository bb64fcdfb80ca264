// Starts the site's engine under Node and runs a Python file in it. Arguments: the site, a folder
// for unpacked files, the Python file. Prints what the file's last expression gives.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [site, folder, program] = process.argv.slice(2).map((name) => resolve(name));
const engine = join(site, readdirSync(site).find((name) => name.startsWith("engine-")));
const module = (text) => import(`data:text/javascript,${encodeURIComponent(text)}`);
const { settings } = await module(readFileSync(join(site, "boot.js"), "utf8"));
const { BUILD } = await module(readFileSync(join(site, "build.js"), "utf8"));
const unpacked = (name) => new Uint8Array(gunzipSync(readFileSync(join(site, BUILD.files[name].path))));

mkdirSync(folder, { recursive: true });
for (const name of ["pyodide", "pyodide.asm"]) writeFileSync(join(folder, `${name}.mjs`), readFileSync(join(engine, `${name}.js`)));
writeFileSync(join(folder, "pyodide.asm.wasm"), unpacked("wasm"));
writeFileSync(join(folder, "python_stdlib.zip"), unpacked("stdlib"));

const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
const bundles = Object.keys(BUILD.files).filter((name) => !["wasm", "stdlib"].includes(name)).map(unpacked);
const python = await loadPyodide({ indexURL: folder, ...settings(BUILD.lock, bundles) });
console.log(python.runPython(readFileSync(program, "utf8")));
