// Keeps the files of the site, so that the next visit needs no network. VERSION and FILES come first
// when the site is built. Where the server sends no such headers, it also adds those that let page
// and worker share memory.

const NAME = `ttt-${VERSION}`;
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("ttt-") && name !== NAME) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

const address = (name) => new URL(name, self.registration.scope).href;
const known = new Map(FILES.map((name) => [address(name), name]));
known.set(address(""), "index.html");

async function find(name) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(address(name));
  if (kept) return kept;
  const response = await fetch(address(name), { cache: "no-cache" });
  if (response.ok) await cache.put(address(name), response.clone());
  return response;
}

async function answer(name) {
  const response = await find(name);
  const headers = new Headers(response.headers);
  for (const [key, value] of Object.entries(HEADERS)) headers.set(key, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

self.addEventListener("fetch", (event) => {
  const name = known.get(event.request.url.split(/[?#]/)[0]);
  if (event.request.method === "GET" && name) event.respondWith(answer(name));
});

// The page asks for this when its engine is running, so that nothing delays the first visit.
self.addEventListener("message", (event) => {
  if (event.data !== "keep all") return;
  event.waitUntil((async () => {
    for (const name of FILES) await (await find(name)).body?.cancel();
    for (const client of await self.clients.matchAll()) client.postMessage("all kept");
  })());
});
