// @ts-check
// The laboratory of one page: at most one worker, whoever asks for it, and what there is to say about it.
//   lab.state     "asleep", "asks" (for leave to load), "loading", "ready", "broken"
//   lab.on(act)   act() whenever state, progress or the people have changed
const home = new URL("./", import.meta.url);
const LEAVE = "recpriv-laboratory"; // what has been loaded once, by its hash
const LATE = 1500; // ms that a cancelled computation has to stop by itself

// Why it cannot run here, in a reader's words; "" if it can.
export function obstacle() {
  if (location.protocol === "file:") return "Opened from a disk, a page may not run Python";
  if (!self.WebAssembly) return "This browser runs no WebAssembly";
  let modules = false;
  try {
    new Worker("http://[", {
      /** @returns {WorkerType} */
      get type() {
        modules = true;
        return "module";
      },
    });
  } catch {
    /* no address at all: but by now a browser that knows module workers has looked at the type */
  }
  if (!modules) return "This browser is too old for the laboratory";
  if (navigator.deviceMemory && navigator.deviceMemory < 1)
    return "This device has too little memory for the laboratory";
  return "";
}

// What keeps the site for later. The worker waits for it, so that the first load is kept already, but not for long.
async function keeper() {
  if (!navigator.serviceWorker || location.protocol === "file:") return;
  await navigator.serviceWorker.register(new URL("../sw.js", home));
  const { active } = await navigator.serviceWorker.ready;
  const seen = [window, window.parent].flatMap((where) => {
    try {
      return [where.location.href, ...where.performance.getEntriesByType("resource").map(({ name }) => name)];
    } catch {
      return [];
    }
  });
  active.postMessage({ seen }); // what was loaded before anybody kept anything
}
const kept = Promise.race([keeper().catch(() => {}), new Promise((done) => setTimeout(done, 2000))]);

export class Lab {
  constructor() {
    this.state = "asleep";
    this.why = "";
    this.had = this.total = 0;
    this.people = ""; // on whose data it computes, in words
    this.chosen = ""; // the name of the reader's own
    this.refused = "";
    /** @type {Columns | undefined} what the columns of the reader's file were taken for */
    this.columns = undefined;
    /** @type {string[]} */
    this.notes = [];
    /** @type {{ file: string, called: string, bytes: ArrayBuffer, columns?: Record<string, string> } | null} */
    this.file = null;
    /** @type {Record<string, number>} ms until it was ready, whole and kept */
    this.times = {};
    /** @type {Set<() => void>} */
    this.acts = new Set();
    /** @type {Map<string, Dash>} */
    this.dashes = new Map(); // name -> what to call with news
    /** @type {Map<number, [question: Record<string, unknown>, progress: (share: number) => void, done: (told: any) => void]>} */
    this.asked = new Map(); // number -> [question, what to call with its progress, what with its answer]
    this.count = 0;
    this.read = kept
      .then(() => fetch(new URL("manifest.json", home), { cache: "no-cache" }))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`manifest.json: ${answer.status}`))));
    this.read.then(
      (manifest) => {
        this.manifest = manifest;
        this.total = manifest.total;
        this.tell();
      },
      () => {},
    );
  }
  /** @param {() => void} act */
  on(act) {
    this.acts.add(act);
    return () => this.acts.delete(act);
  }
  tell() {
    this.acts.forEach((act) => act());
  }
  get size() {
    return `${Math.round(this.total / 1e6)} MB`;
  }
  get share() {
    return this.total ? this.had / this.total : 0;
  }
  get percent() {
    return this.total ? `${Math.min(99, Math.round(100 * this.share))} %` : "…";
  }
  get coming() {
    return this.total
      ? `Getting the laboratory ready, ${this.size}, once: ${this.percent}`
      : "Getting the laboratory ready…";
  }
  // Whether the reader has to agree first: bytes cost money here, and these have not been loaded before.
  async asks() {
    const line = navigator.connection;
    if (!line || !(line.saveData || line.type === "cellular")) return false;
    try {
      await this.read;
      return localStorage.getItem(LEAVE) !== this.manifest.kit.sha256;
    } catch {
      return true;
    }
  }

  // Somebody is near the screen, or has moved something. Where bytes cost money the reader is asked first.
  /** @param {boolean} [agreed] */
  async want(agreed = false) {
    if (this.state !== "asleep" && !(this.state === "asks" && agreed)) return;
    this.state = "loading";
    const why = obstacle();
    if (why) return this.broke(why);
    try {
      await this.read;
    } catch {
      return this.broke("The laboratory is not here");
    }
    if (!agreed && (await this.asks())) {
      this.state = "asks";
      return this.tell();
    }
    this.start();
  }
  start() {
    this.state = "loading";
    this.had = 0;
    this.began = performance.now();
    this.worker = new Worker(new URL("worker.mjs", home), { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(JSON.parse(data));
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.broke("Python could not be started in this browser");
    };
    this.worker.postMessage({ start: { manifest: this.manifest } });
    if (this.file) this.worker.postMessage(this.file);
    for (const dash of this.dashes.values()) dash.opened(false);
    for (const [name, dash] of this.dashes) this.send({ dash: name, ...dash.opening() });
    for (const [number, [question]] of this.asked) this.send({ asked: number, ...question });
    this.tell();
  }
  /** @param {string} why */
  broke(why) {
    this.worker?.terminate();
    this.worker = null;
    this.state = "broken";
    this.why = why;
    for (const [, , answer] of this.asked.values()) answer({ what: `${why}.` });
    this.asked.clear();
    this.tell();
  }
  /** @param {any} news */
  heard(news) {
    if (news.dash) return this.dashes.get(news.dash)?.heard(news);
    if (news.asked) return this.answered(news);
    if (news.had) this.had = news.had;
    if (news.broken) {
      console.warn(news.broken);
      return this.broke("Python could not be started in this browser");
    }
    if (news.failed) return console.error(news.failed);
    if (news.ready) {
      this.state = "ready";
      this.remembered = news.remembered;
      this.times.ready ??= Math.round(performance.now() - this.began);
      try {
        localStorage.setItem(LEAVE, this.manifest.kit.sha256);
      } catch {
        /* then it is asked again */
      }
    }
    if (news.whole) this.times.whole ??= Math.round(performance.now() - this.began);
    if (news.kept) this.remember();
    if (news.refused) {
      Object.assign(this, { refused: news.refused, columns: news.columns, notes: [] });
      this.file = null;
    }
    if (news.chosen) {
      Object.assign(this, {
        refused: "",
        people: news.label,
        columns: news.columns,
        notes: news.notes || [],
        chosen: news.chosen,
      });
      for (const dash of [...this.dashes.values()]) dash.moved(news.chosen); // each leaves, and joins anew
    }
    this.tell();
  }
  // For the next visit: another worker begins a Python, keeps its memory, and ends. Not where two may be too many.
  remember() {
    const done = () => {
      this.times.kept ??= Math.round(performance.now() - this.began);
    };
    if (navigator.deviceMemory && navigator.deviceMemory < 4) return done();
    const aside = new Worker(new URL("worker.mjs", home), { type: "module" });
    aside.onmessage = aside.onerror = () => {
      aside.terminate();
      done();
    };
    aside.postMessage({ remember: { manifest: this.manifest } });
  }
  /** @param {Record<string, unknown>} message */
  send(message) {
    this.worker?.postMessage(JSON.stringify(message));
  }

  // One question, one answer; `progress(share)` hears how far it is. `stop()` gives it up, and ends Python for it.
  /** @param {Record<string, unknown>} question @param {(share: number) => void} [progress] */
  ask(question, progress = () => {}) {
    const number = ++this.count;
    const answer = new Promise((done) => {
      this.asked.set(number, [question, progress, done]);
    });
    if (this.worker) this.send({ asked: number, ...question });
    else this.want(true);
    return {
      answer,
      stop: () => {
        if (this.asked.delete(number)) this.restart();
      },
    };
  }
  /** @param {{ asked: number, told?: any, progress?: number }} it */
  answered({ asked, told, progress }) {
    const [, go_on, done] = this.asked.get(asked) || [];
    if (told === undefined) return go_on?.(progress);
    this.asked.delete(asked);
    done?.(told);
  }

  // A dashboard of this page: `dash` is told in heard(news), and says what to open in opening().
  /** @param {Dash} dash */
  join(dash) {
    const name = `d${++this.count}`;
    this.dashes.set(name, dash);
    if (this.worker) this.send({ dash: name, ...dash.opening() });
    return {
      send: (/** @type {Record<string, unknown>} */ message) => this.send({ dash: name, ...message }),
      leave: () => {
        this.send({ dash: name, close: true });
        this.dashes.delete(name);
      },
    };
  }
  // Ends what cannot be stopped otherwise, and begins anew: every dashboard opens where it was last seen.
  restart() {
    this.worker?.terminate();
    for (const [number, [question, , answer]] of [...this.asked]) {
      if (question.scene) continue; // asked anew; what the reader wrote may have been what did not end
      this.asked.delete(number);
      answer({ what: "Stopped. Python starts anew." });
    }
    this.start();
  }
  // The reader's own file. It goes to the worker of this page and nowhere else.
  /** @param {File} file @param {Record<string, string>=} columns */
  async own(file, columns) {
    this.file = {
      file: file.name.replace(/[^\w.-]+/g, "-"),
      called: file.name,
      bytes: await file.arrayBuffer(),
      columns,
    };
    this.refused = "";
    if (this.worker) this.worker.postMessage(this.file);
    else this.want(true);
  }
}
Lab.LATE = LATE;

// The page round a dashboard shares its laboratory with it.
function shared() {
  try {
    if (window.parent !== window && window.parent.recprivLab) return window.parent.recprivLab;
  } catch {
    /* somebody else's page */
  }
  return (window.recprivLab ||= new Lab());
}
export const lab = shared();
export { LATE };
