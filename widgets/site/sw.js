// @ts-check
// Keeps what a reader has once seen of this site, so that it opens again without a network.
//   lab/pyodide-… and lab/kit-…   named by what is in them: fetched once, and dropped when the manifest names others
//   everything else               fetched anew while there is a network, as it was kept when there is none
const KEPT = "recpriv-site";
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const home = new URL("./", self.location.href);
const lasting = new RegExp(
  `^${home.pathname.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}lab/(pyodide-\\w+/|kit-\\w+\\.zip$)`,
);

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { request } = event,
    url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== home.origin || !url.pathname.startsWith(home.pathname)) return;
  event.respondWith(lasting.test(url.pathname) ? once(event) : anew(event));
});
worker.addEventListener("message", (event) => event.waitUntil(caught(event.data.seen || [])));

/** @param {FetchEvent} event */
async function once(event) {
  const cache = await caches.open(KEPT);
  return (await cache.match(event.request.url)) || keep(event, cache, await fetch(event.request));
}

/** @param {FetchEvent} event */
async function anew(event) {
  const cache = await caches.open(KEPT);
  let answer;
  try {
    answer = await fetch(event.request);
  } catch (error) {
    const kept =
      (await cache.match(event.request.url)) || (await cache.match(event.request.url, { ignoreSearch: true }));
    if (kept) return kept;
    throw error;
  }
  if (event.request.url === new URL("lab/manifest.json", home).href && answer.ok)
    event.waitUntil(tidy(cache, answer.clone()));
  return keep(event, cache, answer);
}

// A copy for later, without making the reader wait; a full disk or a private window only means that none is kept.
/** @param {FetchEvent} event @param {Cache} cache @param {Response} answer */
function keep(event, cache, answer) {
  if (answer.status === 200) event.waitUntil(cache.put(event.request.url, answer.clone()).catch(() => {}));
  return answer;
}

// What a page had loaded before it was looked after; the browser still has it at hand.
/** @param {string[]} seen */
async function caught(seen) {
  const cache = await caches.open(KEPT);
  const mine = [...new Set(seen.map((url) => url.split("#")[0]))].filter((url) => url.startsWith(home.href));
  await Promise.allSettled(
    mine.map(async (url) => {
      if (!(await cache.match(url))) await cache.add(url);
    }),
  );
}

/** @param {Cache} cache @param {Response} answer */
async function tidy(cache, answer) {
  /** @type {Manifest} */
  const { pyodide, wheels, kit } = await answer.json();
  const names = [...pyodide.files.map(({ name }) => pyodide.path + name), ...wheels.map(({ file }) => file), kit.file];
  const named = new Set(names.map((name) => new URL(`lab/${name}`, home).href));
  for (const { url } of await cache.keys()) {
    if (lasting.test(new URL(url).pathname) && !named.has(url)) await cache.delete(url);
  }
}
