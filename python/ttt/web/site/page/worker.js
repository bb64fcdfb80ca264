// The engine: Python in a worker. The page sends {start} once, then requests {id, name, text}; the
// worker answers {id, kind, text}. ttt/web/local.py describes both ways to reach a running search.

import { install, settings } from "./boot.js";

const queue = []; // requests that wait
const loaded = new Set(); // bundles
const missed = new Map(); // requests by number: the modules they have asked for
const taken = new Map(); // requests from shared memory by number
let build, python, local, place, shared, busy;

// --- files ----------------------------------------------------------------------------------------

const progress = { done: 0, all: 0 };

/** Fetches a packed file and unpacks it on the way; counts its bytes as they arrive. */
async function fetchPacked(name) {
  const file = build.files[name];
  progress.all += file.size;
  const response = await realFetch(new URL(file.path, import.meta.url));
  if (!response.ok) throw new Error(`cannot load ${file.path} (error ${response.status}): reload the page`);
  const counter = new TransformStream({
    transform(chunk, control) {
      progress.done += chunk.length;
      postMessage({ kind: "progress", ...progress });
      control.enqueue(chunk);
    },
  });
  const type = name === "wasm" ? "application/wasm" : "application/octet-stream";
  const stream = response.body.pipeThrough(counter).pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": type } });
}

const realFetch = self.fetch.bind(self);
const fetchBytes = async (name) => new Uint8Array(await (await fetchPacked(name)).arrayBuffer());

async function start(message) {
  ({ build, shared } = message);
  const names = ["base", build.home[message.game]].filter(Boolean);
  const bundles = names.map(fetchBytes);
  names.forEach((name) => loaded.add(name));
  const parts = { "pyodide.asm.wasm": fetchPacked("wasm"), "python_stdlib.zip": fetchPacked("stdlib") };
  self.fetch = (address, more) => parts[String(address).split("/").pop()] ?? realFetch(address, more);
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    import(new URL(build.loader, import.meta.url)),
    import(new URL(build.module, import.meta.url)),
  ]);
  const more = settings(build.lock, bundles);
  const folder = new URL(".", new URL(build.loader, import.meta.url)).href;
  // Pyodide waits for ever for a file that is not there.
  const failure = new Promise((_, reject) => [...bundles, ...Object.values(parts)].forEach((file) => file.catch(reject)));
  python = await Promise.race([loadPyodide({ indexURL: folder, createPyodideModule, ...more }), failure]);
  self.fetch = realFetch;
  place = more.place.sitePackages;
  if (shared) python.setInterruptBuffer(new Uint8Array(shared.interrupt));
  const Local = python.runPython("from ttt.web.local import Local; Local");
  local = Local(post, shared ? takeShared : undefined);
  postMessage({ kind: "ready" });
}

/** Loads the bundle with a module that Python has asked for. */
async function loadBundleOf(module) {
  const path = module.replaceAll(".", "/");
  const name = Object.keys(build.modules).find((key) => build.modules[key].includes(path)) ?? "rest";
  if (!loaded.has(name)) {
    install(python.FS, place, await fetchBytes(name));
    loaded.add(name);
    python.runPython("import sys; sys.path_importer_cache.clear()"); // new files are there
    return true;
  }
  return false;
}

// --- requests -------------------------------------------------------------------------------------

/** Called by Python: a message about a request. */
function post(id, kind, text) {
  if (kind === "missing") missed.set(id, text);
  else postMessage({ id, kind, text });
}

/** Called by Python: the next request in shared memory. The page is told that there is room. */
function takeShared() {
  const slot = new Int32Array(shared.slot);
  if (Atomics.load(slot, 0) === 0) return undefined;
  const text = new TextDecoder().decode(new Uint8Array(shared.slot).slice(8, 8 + slot[1]));
  Atomics.store(slot, 0, 0);
  postMessage({ kind: "room" });
  const { id, name, request } = JSON.parse(text);
  taken.set(id, { id, name, text: request });
  return text;
}

const turn = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => (port1.close(), resolve());
  port2.postMessage(null);
});

async function work(request) {
  const { id, name, text } = request;
  try {
    if (name === "memory") post(id, "result", JSON.stringify({ bytes: python._module.HEAPU8.length }));
    else if (local.handle(id, name, text)) {
      for (;;) {
        await turn(); // lets messages in
        await answerAll();
        if (!local.step()) break;
      }
    }
    if (shared) drain();
    for (const [number, module] of [...missed]) {
      missed.delete(number);
      const again = number === id ? request : taken.get(number);
      if (again && (await loadBundleOf(module))) queue.unshift(again);
      else postMessage({ id: number, kind: "error", text: JSON.stringify({ detail: `the site lacks the module ${module}` }) });
    }
  } catch (error) {
    const detail = String(error.message ?? error).trim().split("\n").pop();
    postMessage({ id, kind: "error", text: JSON.stringify({ detail }) });
  }
  taken.clear();
  postMessage({ id, kind: "ended" });
}

/** Takes what is still in shared memory when a search has ended. */
function drain() {
  for (let text; (text = takeShared()) !== undefined; ) {
    const { id, name } = JSON.parse(text);
    if (name !== "stop") queue.push(taken.get(id));
  }
}

const SEARCHES = ["move", "analyse", "review"];

/** Without shared memory: answers what has arrived between two slices of a search. */
async function answerAll() {
  for (;;) {
    const next = queue.findIndex(({ name }) => !SEARCHES.includes(name));
    if (next < 0) return;
    await work(queue.splice(next, 1)[0]);
  }
}

async function pump() {
  if (busy || !local) return;
  busy = true;
  while (queue.length) await work(queue.shift());
  busy = false;
}

self.onmessage = ({ data }) => {
  if (data.start) {
    start(data.start).then(pump, (error) => postMessage({ kind: "failed", text: String(error.message ?? error) }));
  } else if (data.stop !== undefined) {
    const waiting = queue.findIndex(({ id }) => id === data.stop);
    if (waiting >= 0) {
      queue.splice(waiting, 1);
      postMessage({ id: data.stop, kind: "ended" });
    } else if (!shared) local?.stop(data.stop);
  } else {
    if (data.wake) drain();
    else queue.push(data);
    pump();
  }
};
