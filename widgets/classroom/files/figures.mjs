// @ts-check
// What the wall draws for each kind of round: of what it is told, into so many pixels.
import { count, make, num, percent, picture, plain } from "./parts.mjs";
import { height, middle } from "./said.mjs";

/** @param {string[]} rows */
export function qr(rows) {
  const { root, put } = picture(rows.length + 8, rows.length + 8);
  for (const [name, value] of Object.entries({
    class: "qr",
    role: "img",
    "aria-label": "A code with the address of the class",
    "shape-rendering": "crispEdges",
  }))
    root.setAttribute(name, value);
  const dark = rows.flatMap((row, r) => [...row].map((bit, c) => (bit === "1" ? `M${c + 4} ${r + 4}h1v1h-1z` : "")));
  put("path", { d: dark.join("") });
  return root;
}

/** @param {any} w */
function lobby(w) {
  const p = (/** @type {string} */ textContent, className = "") => make("p", { textContent, className });
  const alone = "Only this machine can join: stop the server and start it with make class.";
  return make("div", { className: "lobby" }, qr(w.qr), make("div", {},
    p(w.address, "at"), p(w.code, "code"), p(count(w.here, "phone is here", "phones are here"), "many"),
    p(w.alone ? alone : "No account, no name. Nothing is written down; all is forgotten at the end.")));
} // prettier-ignore

/** @param {any} w @param {number} W @param {number} H */
function crowd(w, W, H) {
  const { root, put } = picture(W, H);
  const films = w.films.length,
    n = w.lists.length,
    closed = Boolean(w.estimate),
    left = 128,
    top = 34,
    row = (H - top - (closed ? 30 : 4)) / films,
    part = closed ? W * 0.36 : W - left,
    step = Math.min(34, row, part / Math.max(n, closed ? 1 : w.here, 12)),
    tile = step * 0.78,
    middleOf = (/** @type {number} */ i) => top + row * (i + 0.5);
  const head = n
    ? `${count(n, "list")}, a column each, in no order: dark is yes`
    : "Each phone flips its coins at home. Here only lies and truths mixed will arrive.";
  put("text", { x: left, y: 20, class: "second" }, closed ? `${count(n, "list")}, dark is yes` : head);
  w.films.forEach((/** @type {string} */ film, /** @type {number} */ i) => {
    put("text", { x: left - 12, y: middleOf(i) + 5, "text-anchor": "end" }, film);
    for (let c = n; c < w.here && !closed; c += 1)
      put("circle", { cx: left + c * step + tile / 2, cy: middleOf(i), r: 2.5, class: "second" });
    w.lists.forEach((/** @type {string} */ list, /** @type {number} */ c) => {
      const at = { x: left + c * step, y: middleOf(i) - tile / 2, width: tile, height: tile, rx: 2 };
      put("rect", { ...at, class: list[i] === "1" ? "yes" : "no" });
    });
  });
  if (closed)
    counted(put, w, {
      from: left + Math.max(n * step, Math.min(380, W * 0.3)) + 36,
      to: W - 16,
      top,
      bottom: H - 24,
      row,
    });
  return root;
}

/** The estimates beside the truth. @param {any} put @param {any} w @param {Record<string, number>} box */
function counted(put, w, { from, to, top, bottom, row }) {
  const low = Math.min(0, ...w.estimate.map((/** @type {number} */ e) => e - w.error)),
    high = Math.max(w.lists.length, ...w.estimate.map((/** @type {number} */ e) => e + w.error)),
    X = (/** @type {number} */ v) => from + ((to - from) * (v - low)) / (high - low),
    unit = [1, 2, 5, 10, 20, 50, 100].find((each) => (high - low) / each <= 8) || 200;
  for (let v = Math.ceil(low / unit) * unit; v <= high; v += unit) {
    put("line", { x1: X(v), x2: X(v), y1: top, y2: bottom, class: v === 0 ? "axis" : "rule" });
    put("text", { x: X(v), y: bottom + 18, "text-anchor": "middle", class: "second" }, num(v, 0));
  }
  const legend = [
    ["raw", "said yes"],
    ["estdot", "estimate ± 95 %"],
    ...(w.truth.length ? [["true", "the truth"]] : []),
    ...(w.many.length ? [["manydot", `${w.times} rooms`]] : []),
  ];
  let at = from;
  for (const [kind, text] of legend) {
    if (kind === "raw") put("rect", { x: at, y: 9, width: 14, height: 14, class: "raw" });
    else put("circle", { cx: at + 7, cy: 15, r: 6, class: kind });
    put("text", { x: at + 19, y: 20 }, text);
    at += 36 + 8.8 * text.length;
  }
  /** @param {number} v @param {number} y @param {number} half @param {string} kind */
  const bar = (v, y, half, kind) => {
    put("line", { x1: X(v - half), x2: X(v + half), y1: y, y2: y, class: kind });
    put("circle", { cx: X(v), cy: y, r: 6.5, class: `${kind}dot` });
  };
  w.films.forEach((/** @type {string} */ _, /** @type {number} */ i) => {
    const y = top + row * (i + 0.5),
      up = w.many.length ? row * 0.14 : 0;
    put("rect", { x: X(0), y: y - row * 0.3, width: X(w.yes[i]) - X(0), height: row * 0.6, class: "raw" });
    bar(w.estimate[i], y - up, w.error, "est");
    if (w.many.length) bar(w.many[i], y + row * 0.17, w.smaller, "many");
    if (w.truth.length) put("circle", { cx: X(w.truth[i]), cy: y, r: 6, class: "true" });
  });
}

/** @param {any} w @param {number} W @param {number} H */
function sketch(w, W, H) {
  const { root, put } = picture(W, H);
  const l = 70,
    r = W - 190,
    t = 12,
    b = H - 48,
    X = (/** @type {number} */ i) => l + (r - l) * w.places[i],
    Y = (/** @type {number} */ v) => b - ((b - t) * (v - w.low)) / (w.high - w.low);
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const v = w.low + part * (w.high - w.low);
    put("line", { x1: l, x2: r, y1: Y(v), y2: Y(v), class: "rule" });
    put("text", { x: l - 10, y: Y(v) + 6, "text-anchor": "end", class: "second" }, height(w, v));
  }
  let free = -Infinity;
  w.x.forEach((/** @type {number} */ x, /** @type {number} */ i) => {
    if (X(i) < free) return;
    put("text", { x: X(i), y: b + 22, "text-anchor": "middle", class: "second" }, plain(x));
    free = X(i) + 36;
  });
  put("text", { x: (l + r) / 2, y: b + 44, "text-anchor": "middle", class: "second" }, w.at);
  /** @param {(number | null)[]} values */
  const path = (values) => {
    let pen = "M";
    return values.map((v, i) => {
      if (v === null || v === undefined) return "";
      const to = `${pen}${X(i).toFixed(1)} ${Y(v).toFixed(1)}`;
      pen = "L";
      return to;
    }).join("");
  }; // prettier-ignore
  if (w.phase === "open")
    put(
      "text",
      { x: (l + r) / 2, y: (t + b) / 2, "text-anchor": "middle", class: "big" },
      count(w.in, "line is in", "lines are in"),
    );
  for (const line of w.lines)
    put("path", {
      class: "one",
      d: path(line.map((/** @type {number | null} */ y) => (y === null ? null : w.low + (y / 100) * (w.high - w.low)))),
    });
  /** @type {[number, string][]} */
  const ends = [];
  if (w.lines.length) {
    const mid = middle(w);
    put("path", { d: path(mid), class: "median" });
    ends.push([mid.findLast((y) => y !== null), "the room’s middle"]);
  }
  if (w.truth) {
    put("path", { d: path(w.truth), class: "measured" });
    ends.push([w.truth.at(-1), "measured"]);
  }
  let before = -Infinity;
  for (const [v, text] of ends.sort((a, c) => c[0] - a[0])) {
    before = Math.max(Y(v) + 6, before + 24);
    put("text", { x: r + 14, y: before, class: text === "measured" ? "big" : "" }, text);
  }
  return root;
}

/** @param {any} w @param {number} W @param {number} H */
function vote(w, W, H) {
  const { root, put } = picture(W, H);
  const sum = (/** @type {number[]} */ list) => list.reduce((a, c) => a + c, 0) || 1;
  const shares = (/** @type {number[]} */ list) => list.map((v) => v / sum(list));
  const now = shares(w.tally || []),
    was = shares(w.before),
    most = Math.max(0.01, ...now, ...was),
    row = Math.min(110, H / w.answers.length),
    top = (H - row * w.answers.length) / 2,
    from = 20,
    wide = (/** @type {number} */ share) => Math.max(2, ((W - 200) * share) / most);
  w.answers.forEach((/** @type {string} */ answer, /** @type {number} */ i) => {
    const y = top + row * i,
      bar = { x: from, y: y + 34, height: row * 0.42, rx: 3 };
    put("text", { x: from, y: y + 24, class: "big" }, answer);
    if (!w.tally) return;
    put("rect", { ...bar, width: wide(now[i]), class: "bar" });
    const past = Math.max(wide(now[i]), was.length ? wide(was[i]) : 0);
    put("text", { x: from + past + 12, y: y + 41 + row * 0.21, class: "big" }, `${w.tally[i]}, ${percent(now[i])}`);
    if (was.length) put("rect", { ...bar, width: wide(was[i]), class: "was" });
  });
  return root;
}

/** @param {any} w @param {number} W @param {number} H */
function attack(w, W, H) {
  const { root, put } = picture(W, H);
  const left = 96,
    row = Math.min(60, (H - 160) / w.turns),
    step = Math.min(row, (W - left - 130) / w.n),
    tile = step * 0.76;
  for (let t = 0; t < w.turns; t += 1) {
    const y = row * (t + 0.5) + 4,
      had = w.rows[t],
      on = t + 1 === w.t && w.phase === "open";
    put("text", { x: left - 14, y: y + 6, "text-anchor": "end", class: "second" }, `turn ${t + 1}`);
    for (let c = 0; c < w.n; c += 1) {
      const kind = had ? (had[c] ? "right" : "wrong") : on && c < w.in ? "yes" : "no";
      put("rect", { x: left + c * step, y: y - tile / 2, width: tile, height: tile, rx: 3, class: kind });
    }
    if (had) put("text", { x: left + w.n * step + 14, y: y + 6 }, `${sum(had)} of ${w.n}`);
  }
  scale(put, w, { from: left, to: W - 60, base: H - 40 });
  return root;
}
const sum = (/** @type {number[]} */ list) => list.reduce((a, c) => a + c, 0);

/** Claim and ceiling, drawn before anything is proven; then the proof. @param {any} put @param {any} w @param {Record<string, number>} box */
function scale(put, w, { from, to, base }) {
  const most = Math.max(w.ceiling, w.eps, w.real || 0, 0.5) * 1.04,
    X = (/** @type {number} */ v) => from + ((to - from) * v) / most;
  /** @param {number} v @param {string} text @param {string} end @param {number} y @param {string=} kind */
  const mark = (v, text, end, y, kind = "big") =>
    put("text", { x: X(v) + { start: 16, end: -14, middle: 0 }[end], y, "text-anchor": end, class: kind }, text);
  put("line", { x1: from, x2: to, y1: base, y2: base, class: "axis" });
  for (let v = 0; v <= most; v += most > 5 ? 1 : 0.5) {
    put("line", { x1: X(v), x2: X(v), y1: base, y2: base + 6, class: "axis" });
    put("text", { x: X(v), y: base + 26, "text-anchor": "middle", class: "second" }, plain(v));
  }
  put("text", { x: to + 12, y: base + 26, class: "second" }, "ε");
  put("line", { x1: X(w.ceiling), x2: X(w.ceiling), y1: base - 64, y2: base, class: "ceil" });
  const high = w.ceiling > 0.4 * most;
  mark(w.ceiling, `never wrong would prove ${plain(w.ceiling)}`, high ? "end" : "start", base - 66, "second");
  if ("proven" in w) {
    put("rect", { x: X(0), y: base - 30, width: Math.max(0, X(w.proven) - X(0)), height: 30, class: "attackbar" });
    put("path", { d: `M${X(w.proven)} ${base - 34}l11 20h-22z`, class: "attack" });
    mark(w.proven, `proven ≥ ${plain(w.proven)}`, X(w.proven) - from < 160 ? "start" : "end", base - 42);
  }
  if (w.real && w.real !== w.eps) {
    put("line", { x1: X(w.real), x2: X(w.real), y1: base - 26, y2: base, class: "real" });
    mark(w.real, `really ${plain(w.real)}`, "middle", base - 32);
  }
  put("rect", { x: X(w.eps) - 9, y: base - 22, width: 18, height: 18, class: "claim" });
  const crossed = "proven" in w && w.proven > w.eps;
  mark(w.eps, `claimed ${plain(w.eps)}`, crossed ? "end" : "start", base - 6);
}

/** @type {Record<string, (w: any, W: number, H: number) => Element>} */
export const figures = { lobby, crowd, sketch, vote, attack };
