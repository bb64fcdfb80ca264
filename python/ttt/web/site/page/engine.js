// The only module that talks to an engine: here, one that runs in a worker of the browser. Its
// methods are those of the engine behind a server (../../page/engine.js).

import { BUILD } from "./build.js";
import { FIRST_GAME, remember } from "./dom.js";
import { Rules } from "./rules.js";

export class EngineError extends Error {}

const SEARCHES = ["move", "analyse", "review"];
const ROOM = 1 << 17; // bytes of a request in shared memory
const PATIENCE = 3000; // milliseconds to wait for the service worker

/** Memory that page and worker share; null where the browser does not allow it. */
function shareMemory() {
  if (!globalThis.crossOriginIsolated) return null;
  return { interrupt: new SharedArrayBuffer(1), slot: new SharedArrayBuffer(ROOM) };
}

export class LocalEngine {
  constructor() {
    this.number = 0;
    this.waiting = new Map(); // requests by number: {resolve, reject, onInfo}
    this.searches = new Set(); // numbers of searches that the worker has not ended
    this.urgent = []; // requests for shared memory
    this.catalogue = null;
    this.rules = new Map(); // by game, until the engine runs
    this.early = []; // positions given by them: {ref, record}
    this.shared = shareMemory();
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.heard({ kind: "failed", text: event.message || "its files cannot be loaded" });
    this.booted = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    this.booted.catch(() => {});
  }

  /** Starts Python, with the modules of a game. Requests wait until it runs. */
  boot(game) {
    this.worker.postMessage({ start: { game, build: BUILD, shared: this.shared } });
  }

  heard({ id, kind, text, done, all }) {
    const request = this.waiting.get(id);
    if (kind === "progress") this.onprogress?.(done / all);
    else if (kind === "ready") this.started();
    else if (kind === "failed") this.failed(new EngineError(`The engine cannot start: ${text}`));
    else if (kind === "room") this.flush();
    else if (kind === "ended") this.searches.delete(id);
    else if (!request) return;
    else if (kind === "info") request.onInfo?.(JSON.parse(text));
    else {
      this.waiting.delete(id);
      const record = JSON.parse(text);
      if (kind === "result") request.resolve(record);
      else request.reject(new EngineError(record.detail));
    }
  }

  /** The engine runs: what the rules alone have said about positions is completed. */
  async started() {
    this.ready = true;
    this.resolve();
    const early = this.early.splice(0);
    this.rules.clear();
    await Promise.allSettled(early.map(async ({ ref, record }) => Object.assign(record, await this.call("position", ref))));
    if (early.length) this.oncomplete?.();
  }

  failed(error) {
    this.reject(error);
    this.broken = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  call(name, request, onInfo, signal) {
    if (this.broken) return Promise.reject(this.broken);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.number;
    const text = JSON.stringify(request);
    const search = SEARCHES.includes(name);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onInfo });
      if (!search && this.shared && this.searches.size && text.length < ROOM / 4) this.interrupt({ id, name, request: text });
      else this.worker.postMessage({ id, name, text });
      if (search) this.searches.add(id);
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        if (this.shared && this.ready) this.interrupt({ id, name: "stop", request: "" });
        this.worker.postMessage({ stop: id });
        reject(signal.reason);
      }, { once: true });
    });
  }

  /** Reaches a search that is running. */
  interrupt(message) {
    this.urgent.push(JSON.stringify(message));
    this.flush();
  }

  flush() {
    const slot = new Int32Array(this.shared.slot, 0, 2);
    if (!this.urgent.length || Atomics.load(slot, 0)) return;
    const bytes = new TextEncoder().encode(this.urgent.shift());
    new Uint8Array(this.shared.slot).set(bytes, 8);
    slot[1] = bytes.length;
    Atomics.store(slot, 0, 1);
    new Uint8Array(this.shared.interrupt)[0] = 2; // SIGINT
    this.worker.postMessage({ wake: true }); // if nothing runs any more
  }

  // --- the methods that the page uses -------------------------------------------------------------

  /** Made when the site was built, so that the board is there before the engine. */
  async games() {
    this.catalogue ??= fetch(new URL("games.json", import.meta.url)).then((response) => response.json());
    return this.catalogue;
  }

  async game(name, options = "") {
    const known = options ? null : (await this.games()).games.find(({ game }) => game === name);
    return known ?? this.call("game", { game: name, options });
  }

  /** Until the engine runs, the rules alone answer. */
  async position(ref) {
    const early = this.ready || ref.position || ref.options ? null : await this.byRules(ref).catch(() => null);
    return early ?? this.call("position", ref);
  }

  async byRules(ref) {
    const record = await this.game(ref.game);
    if (!this.rules.has(ref.game)) this.rules.set(ref.game, Rules.load(record));
    const rules = await this.rules.get(ref.game);
    const moves = typeof ref.moves === "string" ? rules.split(ref.moves) : ref.moves;
    const found = moves && rules.position(moves);
    if (!found || this.ready) return null;
    this.early.push({ ref: { ...ref, moves }, record: found });
    return found;
  }

  parse(text, game, options) {
    return this.call("parse", { text, game, options });
  }

  async export(ref, format, more = {}) {
    return (await this.call("export", { ...ref, format, ...more })).text;
  }

  puzzles() {
    return this.call("puzzles", {});
  }

  attempt(id, moves) {
    return this.call("puzzle", { id, moves });
  }

  move(ref, player, seed, signal) {
    return this.call("move", { ...ref, player, seed }, null, signal);
  }

  analyse(ref, limit, onInfo, signal) {
    return this.call("analyse", { ...ref, ...limit }, onInfo, signal);
  }

  review(ref, limit, onInfo, signal) {
    return this.call("review", { ...ref, ...limit }, onInfo, signal);
  }

  /** The bytes of memory that Python has taken, for tests. */
  async memory() {
    return (await this.call("memory", {})).bytes;
  }
}

// --- the start --------------------------------------------------------------------------------------

/** Registers the service worker, which keeps the files for the next visit and, where the server does
 * not, lets page and worker share memory. That takes effect with the next load, so the first visit
 * loads the page twice. */
async function register() {
  const workers = navigator.serviceWorker;
  const again = !crossOriginIsolated && workers && !sessionStorage.getItem("ttt.again");
  if (!again) start();
  try {
    const registration = await workers?.register(new URL("service-worker.js", import.meta.url));
    if (!again) return;
    sessionStorage.setItem("ttt.again", "yes");
    if (registration && (await controlled(workers))) location.reload();
    else start();
  } catch { // not allowed, such as in a private window
    if (again) start();
  }
}

/** Whether the service worker takes charge of the page within a few seconds. */
function controlled(workers) {
  return new Promise((resolve) => {
    if (workers.controller) resolve(true);
    workers.addEventListener("controllerchange", () => resolve(true), { once: true });
    setTimeout(resolve, PATIENCE, false);
  });
}

/** The bar that shows how much of the engine has arrived. */
function showProgress(engine) {
  const bar = document.createElement("progress");
  const box = Object.assign(document.createElement("div"), { id: "boot", role: "status" });
  const words = Object.assign(document.createElement("span"), { textContent: "Loading the engine …" });
  bar.setAttribute("aria-label", "Loading the engine");
  box.append(words, bar);
  document.querySelector(".stage").append(box);
  engine.onprogress = (share) => {
    bar.value = share;
    if (share === 1) words.textContent = "Starting the engine …";
  };
  engine.booted.then(() => {
    performance.mark("engine"); // for measurements: bench/site.py
    document.body.dataset.engine = engine.shared ? "shared" : "sliced";
    box.remove();
    const keeper = navigator.serviceWorker?.controller;
    if (!keeper) return;
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      if (data === "all kept") document.body.dataset.offline = "ready";
    });
    keeper.postMessage("keep all");
  }, (error) => {
    words.textContent = error.message;
    bar.remove();
  });
}

export const engine = new LocalEngine();

function start() {
  engine.boot(new URLSearchParams(location.search).get("game") ?? remember.get("game", FIRST_GAME));
  showProgress(engine);
}

register();
