// @ts-check
// Python, away from the page. It fetches what the manifest names, says how far it is, and then passes messages on.
const home = new URL("./", self.location.href);
/** @param {Record<string, unknown>} news */
const say = (news) => self.postMessage(JSON.stringify(news));
/** @type {(() => void)[]} */
const waiting = []; // what came before Python did
/** @type {(text: string) => void} */
let hear = (text) => void waiting.push(() => hear(text));
/** @type {(file: Brought) => void} */
let given = (file) => void waiting.push(() => given(file));
const MADE = "recpriv-compiled"; // what Python made of its sources, and how its memory looks when it has begun: for the next time
const REST = 3000; // ms after everything is there, until it is kept
/** @type {Promise<void> | null} */
let tables; // settles once pandas is there: nothing but tables and committed curves needs it

self.onmessage = ({ data }) => {
  if (data.start) start(data.start).catch((error) => say({ broken: String(error?.message || error) }));
  else if (data.remember)
    remember(data.remember)
      .catch(() => {}) // then it is begun anew
      .finally(() => say({ remembered: true }));
  else if (data.file) given(data);
  else hear(data);
};

// Every byte is counted for the bar, and every file has to be the one that the manifest names.
/** @param {Manifest} manifest @param {typeof say} [tell] */
function counted(manifest, tell = say) {
  /** @type {Record<string, string>} */
  const sums = {};
  const path = new URL(manifest.pyodide.path, home);
  for (const { name, sha256 } of manifest.pyodide.files) sums[new URL(name, path).href] = sha256;
  for (const { file, sha256 } of [...manifest.wheels, manifest.kit]) sums[new URL(file, home).href] = sha256;
  /** @param {string} hex */
  const base64 = (hex) =>
    btoa(
      hex
        .match(/../g)
        .map((pair) => String.fromCharCode(parseInt(pair, 16)))
        .join(""),
    );
  const really = self.fetch.bind(self);
  let had = 0,
    told = 0;
  /** @param {Response} answer */
  async function watch(answer) {
    const reader = answer.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      had += value.length;
      if (performance.now() - told > 100) {
        told = performance.now();
        tell({ had });
      }
    }
  }
  return async (/** @type {RequestInfo | URL} */ what, how = {}) => {
    const url = new URL(what instanceof Request ? what.url : what, home).href;
    const answer = await really(url, sums[url] ? { ...how, integrity: `sha256-${base64(sums[url])}` } : how);
    if (answer.ok) watch(answer.clone()).catch(() => {});
    return answer;
  };
}

// Beginning is most of what starting takes, and compiling most of what importing does; done once, both are files to be read.
/** @param {Manifest} manifest @param {string} what */
const name = (manifest, what) =>
  new URL(`${manifest.pyodide.path}${manifest.kit.sha256.slice(0, 16)}.${what}`, home).href;
/** @param {Manifest} manifest @param {string} what */
async function made(manifest, what) {
  try {
    const kept = await (await caches.open(MADE)).match(name(manifest, what));
    return kept ? await kept.arrayBuffer() : null;
  } catch {
    return null;
  } // a private window, or no cache at all
}
/** @param {Manifest} manifest @param {string} what @param {BodyInit} bytes */
async function keep(manifest, what, bytes) {
  try {
    await (await caches.open(MADE)).put(name(manifest, what), new Response(bytes));
    return true;
  } catch {
    return false;
  } // then it is made anew
}
/** @param {Manifest} manifest */
async function tidy(manifest) {
  const mine = new Set(["compiled", "memory"].map((what) => name(manifest, what)));
  try {
    const cache = await caches.open(MADE);
    for (const { url } of await cache.keys()) if (!mine.has(url)) await cache.delete(url);
  } catch {
    /* nothing is kept */
  }
}
/** @param {Python} python @param {Manifest} manifest */
async function compile(python, manifest) {
  await tidy(manifest);
  const bytes = python.runPython("from widgets.site.compiled import compiled; compiled()").toJs();
  if (await keep(manifest, "compiled", bytes)) say({ kept: true });
}
// A Python of its own that has just begun, and has seen nothing of anybody; in a worker that ends with it.
/** @param {{ manifest: Manifest }} it */
async function remember({ manifest }) {
  self.fetch = counted(manifest, () => {});
  const path = new URL(manifest.pyodide.path, home);
  const { loadPyodide } = await import(new URL("pyodide.mjs", path).href);
  const python = await loadPyodide({ indexURL: path.href, _makeSnapshot: true });
  await keep(manifest, "memory", python.makeMemorySnapshot());
}
/** @param {Manifest} manifest @param {string} indexURL @param {LoadPyodide} loadPyodide */
async function begun(manifest, indexURL, loadPyodide) {
  const how = {
    indexURL,
    packages: ["numpy", "scipy"],
    stdout: () => {},
    stderr: (/** @type {string} */ text) => console.warn(text),
  };
  const memory = await made(manifest, "memory");
  if (!memory) return [await loadPyodide(how), false];
  try {
    return [await loadPyodide({ ...how, _loadSnapshot: memory }), true];
  } catch (error) {
    console.warn(error);
    await (await caches.open(MADE)).delete(name(manifest, "memory"));
    return [await loadPyodide(how), false];
  }
}

/** @param {{ manifest: Manifest }} it */
async function start({ manifest }) {
  self.fetch = counted(manifest);
  const path = new URL(manifest.pyodide.path, home);
  /** @param {string} name */
  const file = async (name) => {
    const answer = await fetch(new URL(name, home));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.arrayBuffer();
  };
  const kit = file(manifest.kit.file),
    before = made(manifest, "compiled");
  const { loadPyodide } = await import(new URL("pyodide.mjs", path).href);
  const [python, remembered] = await begun(manifest, path.href, loadPyodide);
  python.unpackArchive(await kit, "zip", { extractDir: "/kit" });
  const had = await before;
  if (had) python.unpackArchive(had, "zip", { extractDir: "/" });
  python.FS.mkdirTree("/data");
  given = ({ file: name, called, bytes, columns }) => {
    python.FS.writeFile(name, new Uint8Array(bytes));
    hear(JSON.stringify({ own: { name, called, columns } }));
  };
  python.globals.set("post", (/** @type {string} */ text) => self.postMessage(text));
  python.globals.set("clock", (/** @type {() => void} */ act, /** @type {number} */ wait) => setTimeout(act, wait));
  const desk = python.runPython(`
import os, sys
sys.dont_write_bytecode = False
sys.modules["pandas"] = None  # not there yet: a folder of what was compiled of it would pass for it
sys.path.insert(0, "/kit")
os.environ["RECPRIV_DATA"] = "/data"
from pyodide.ffi import create_once_callable
from widgets.site.desk import Desk
Desk(post, lambda act, wait: clock(create_once_callable(act), wait))`);
  /** @param {string} text */
  const pass = (text) => {
    try {
      desk.hear(text);
    } catch (error) {
      say({ failed: String(error.message || error) });
    }
  };
  // Tables are pandas frames, committed curves are read with it, a reader's code may ask for it; and it comes last.
  /** @param {string} text */
  const late = (text) => /"tables":true|"curve":true|"do":"csv"|"exercise":"|"query":"[^"]/.test(text);
  hear = (text) => {
    if (tables && late(text)) tables.then(() => pass(text));
    else pass(text);
  };
  tables = python.loadPackage("pandas", { messageCallback: () => {} }).then(() => {
    tables = null;
    python.runPython("del sys.modules['pandas']");
    pass('{"whole":true}');
    say({ whole: true });
    if (!had) setTimeout(compile, REST, python, manifest);
    else if (!remembered) say({ kept: true });
  });
  say({ ready: true, remembered });
  for (const act of waiting.splice(0)) act();
}
