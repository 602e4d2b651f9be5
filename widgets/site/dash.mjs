// @ts-check
// A dashboard's page without a server: the committed picture first, then what this page itself computes.
// Each script of the kit gets the `model` that Panel would give it; here it is one end of the worker's messages.
import { lab, LATE } from "./lab.mjs";
import { label } from "./status.mjs";

const WAIT = 150; // ms before a wait is worth a word
const FRAME = ["theme", "size", "present", "plain"];
const { stem, parts, people } = JSON.parse(document.querySelector("#still").textContent);
const page = document.querySelector("main.page");
/** @type {Record<string, ReturnType<typeof modelOf>>} */
const models = {};
/** @type {Record<string, Record<string, any>>} what was moved before Python was there */
const kept = {};
let sent = 0,
  heard = 0; // messages; Python, where it is stuck, has not heard the last one
let open = false,
  idle = true,
  since = 0,
  own = false,
  moved = "";
/** @type {number | undefined} */
let timer;
/** @type {Line} */
let line;
const search = new URLSearchParams(location.search);
const settings = new URLSearchParams([...search].filter(([name]) => !FRAME.includes(name))).toString();
const frame = Object.fromEntries([...search].filter(([name]) => FRAME.includes(name)));

// Python begins beside the first picture, once the page is near the screen.
new IntersectionObserver(
  (entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    lab.want();
  },
  { rootMargin: "200px" },
).observe(page);

/** @param {string} place @param {Record<string, any>} props */
function modelOf(place, props) {
  /** @type {Record<string, ((news?: any) => void)[]>} */
  const heard = {};
  /** @param {string} name @param {unknown=} what */
  const fire = (name, what) => (heard[name] || []).forEach((act) => act(what));
  /** @param {Record<string, unknown>} set */
  const put = (set) => {
    Object.assign(props, set);
    Object.keys(set).forEach((name) => fire(name));
  };
  /** @type {Record<string, unknown>} */
  const mine = {
    /** @param {string | string[]} names @param {(news?: any) => void} act */
    on(names, act) {
      [names].flat().forEach((name) => (heard[name] ||= []).push(act));
    },
    /** @param {Record<string, unknown>} say */
    send_msg(say) {
      send(place, { say });
    },
    document: { on_event() {} }, // no server that could be lost
  };
  const model = new Proxy(props, {
    get: (_, /** @type {string} */ name) => (name in mine ? mine[name] : props[name]),
    /** @param {string} name @param {unknown} value */
    set(_, name, value) {
      if (props[name] !== value) {
        put({ [name]: value });
        send(place, { put: { [name]: value } });
      }
      return true;
    },
  });
  return { model, put, tell: (/** @type {unknown} */ say) => fire("msg:custom", say) };
}

// -------------------------------------------------------------------------------------------------- upwards
/** @param {string} place @param {Record<string, any>} message */
function send(place, message) {
  if (message.say?.do === "cancel") cancel();
  if (message.say?.do === "alive") return models[place].tell({ alive: true }); // nobody is far away who could be lost
  if (!open) {
    // not there yet: the last value of each counts
    if (message.put) kept[place] = { ...kept[place], ...message.put };
    if (place !== "frame") lab.want();
    return;
  }
  if (place !== "frame") {
    moved = place;
    waits();
  }
  line.send({ place, number: ++sent, ...message });
}
const rest = () => idle && heard === sent;
// Python cannot say that it is busy while it is: the page says it.
function waits() {
  since ||= performance.now();
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (rest() || models.frame.model.busy) return;
    own = true;
    models.frame.put({ busy: { text: working(), progress: null, remaining: null } });
  }, WAIT);
}
function rests() {
  since = 0;
  clearTimeout(timer);
  if (own) {
    own = false;
    models.frame.put({ busy: null });
  }
}
function working() {
  const known = models[moved]?.model;
  if (!known || known.label === undefined) return "computing…";
  const pair = (known.options || []).find((/** @type {any[]} */ [value]) => value === known.value);
  const value = pair ? pair[1] : typeof known.value === "number" ? +known.value.toPrecision(4) : "";
  return value === "" ? "computing…" : `computing ${known.label} = ${value}…`;
}
// What runs in one piece cannot be stopped: then Python itself is, and begins anew.
function cancel() {
  setTimeout(() => {
    if (!rest()) {
      lab.restart();
      models.frame.put({ notice: "Stopped. Python starts anew; what you see stays." });
    }
  }, LATE);
}

// ------------------------------------------------------------------------------------------------ downwards
/** @param {unknown} value */
const empty = (value) =>
  value === "" || value === null || value === 0 || (typeof value === "object" && !Object.keys(value).length);
/** @type {Dash} */
const dash = {
  opening: () => ({
    open: stem,
    query: models.frame.model.query || settings,
    frame: { ...frame, theme: models.frame.model.theme, size: models.frame.model.size },
  }),
  opened(so) {
    open = so;
    heard = sent;
    if (!so) {
      rests();
      idle = true;
    }
  },
  // Other people: the same settings, their ratings.
  moved(data) {
    if (!people.length) return;
    const query = new URLSearchParams(models.frame.model.query);
    if (people.includes("data")) query.set("data", data);
    models.frame.put({ query: query.toString() });
    open = false;
    line.leave();
    line = lab.join(dash);
  },
  heard(news) {
    if (news.made) return made(news.made);
    if (news.heard) heard = news.heard;
    if (news.idle !== undefined) idle = news.idle;
    if (rest()) rests();
    else if (news.idle !== undefined) waits();
    for (const [place, set] of Object.entries(news.put || {})) {
      if (place === "frame" && own && (set.busy || set.shown || set.card)) {
        own = false;
        set.busy ??= null;
      }
      if (place === "frame" && set.shown) {
        set.shown += 1;
        page.dataset.live = "yes";
      }
      models[place].put(set);
    }
    if (news.say) models[news.place].tell(news.say);
  },
};
/** @param {Record<string, Record<string, unknown>>} parts */
function made(parts) {
  open = true;
  idle = false;
  waits();
  for (const [place, values] of Object.entries(parts)) {
    const fresh = Object.entries(values).filter(
      ([name, value]) => !(name in (kept[place] || {})) && !(/^(frame|figure)/.test(place) && empty(value)),
    );
    models[place].put(Object.fromEntries(fresh));
  }
  const { theme, size, calm } = models.frame.model;
  line.send({ place: "frame", put: { theme, size, calm } });
  for (const [place, put] of Object.entries(kept)) {
    if (put)
      line.send({ place, put: "released" in put ? { ...put, released: models[place].model.released + 1 } : put });
    delete kept[place];
  }
}

// --------------------------------------------------------------------------------------------------- begin
for (const [place, { script, style, values }] of Object.entries(parts)) {
  const { render } = await import(`./kit/${script}`);
  const where = document.querySelector(`[data-place="${place}"]`);
  if (place === "frame" && settings) values.query = settings;
  const made = (models[place] = modelOf(place, values));
  /** @type {HTMLElement | ShadowRoot} */
  let inside = where;
  if (style) {
    inside = where.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    inside.adoptedStyleSheets = [sheet];
  }
  const element = render({ model: made.model });
  if (element) inside.append(element);
}
performance.mark("picture");
line = lab.join(dash);
label(page, lab, { data: people.length > 0, settings });
window.addEventListener("pagehide", () => line.leave());
