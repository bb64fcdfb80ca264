// The only module that talks to an engine. The rest of the page uses these methods:
//
//   games()                                all games, players, limits
//   game(name, options)                    one game under some options
//   position(ref)                          a position: marks, legal moves, outcome
//   parse(text, game, options)             the game in a pasted text
//   export(ref, format, more)              the game as text
//   puzzles()                              positions with one winning move
//   attempt(id, moves)                     judges the latest move in a puzzle; the defence replies
//   move(ref, player, seed, signal)        a player's move
//   analyse(ref, limit, onInfo, signal)    scores of all moves; onInfo while it deepens
//   review(ref, limit, onInfo, signal)     values of all moves of a game
//
//   oncomplete                             set by the page; called when positions given earlier have
//                                          got fields that were missing
//
// A ref is {game, options, position, moves}. All return promises; an AbortSignal ends a search.
// Errors are EngineError with the reason for people.

export class EngineError extends Error {
  constructor(reason, status = 0, retry = 0) {
    super(reason);
    this.status = status;
    this.retry = retry;
  }
}

const wait = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

/** The engine behind the JSON API of the server. */
export class HttpEngine {
  constructor(base = "api") {
    this.base = base;
  }

  async fetch(path, body, signal) {
    const request = body === undefined
      ? { signal }
      : { signal, method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    let response;
    try {
      response = await fetch(this.base + path, request);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new EngineError("The server does not answer. Is ttt web still running?");
    }
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    const retry = Number(response.headers.get("retry-after")) || 0;
    throw new EngineError(problem.detail ?? `error ${response.status}`, response.status, retry);
  }

  /** The same, tried again while the server has no place for a search. */
  async search(path, body, signal) {
    for (let tries = 0; ; tries++) {
      try {
        return await this.fetch(path, body, signal);
      } catch (error) {
        if (!(error instanceof EngineError) || !error.retry || tries === 5) throw error;
        await wait(Math.min(error.retry, 3), signal);
      }
    }
  }

  async json(path, body, signal) {
    return (await this.fetch(path, body, signal)).json();
  }

  games() {
    return this.json("/games");
  }

  game(name, options = "") {
    return this.json(`/games/${encodeURIComponent(name)}?${new URLSearchParams({ options })}`);
  }

  position(ref) {
    return this.json("/position", ref);
  }

  parse(text, game, options) {
    return this.json("/parse", { text, game, options });
  }

  async export(ref, format, more = {}) {
    return (await this.fetch("/export", { ...ref, format, ...more })).text();
  }

  puzzles() {
    return this.json("/puzzles");
  }

  attempt(id, moves) {
    return this.json("/puzzle", { id, moves });
  }

  async move(ref, player, seed, signal) {
    return (await this.search("/move", { ...ref, player, seed }, signal)).json();
  }

  analyse(ref, limit, onInfo, signal) {
    return this.stream("/analyse", { ...ref, ...limit }, onInfo, signal);
  }

  review(ref, limit, onInfo, signal) {
    return this.stream("/review", { ...ref, ...limit }, onInfo, signal);
  }

  /** Reads server-sent events: `info` any number of times, then `result` or `error`. */
  async stream(path, body, onInfo, signal) {
    const response = await this.search(path, body, signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new EngineError("The search ended without a result.");
      buffer += value;
      const events = buffer.split("\n\n");
      buffer = events.pop();
      for (const event of events) {
        const [name, data] = event.split("\n");
        const record = JSON.parse(data.slice("data: ".length));
        if (name === "event: result") return record;
        if (name === "event: error") throw new EngineError(record.detail, record.status);
        onInfo?.(record);
      }
    }
  }
}

export const engine = new HttpEngine();
