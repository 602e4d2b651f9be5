// @ts-check
// Where a line is drawn, by finger or by the arrow keys: a height from 0 to 1 at each of a few places.
import { num, percent, picture, plain } from "./parts.mjs";

/** @param {any} s @param {Map<number, number>} drawn place -> height @param {() => void} changed */
export function board(s, drawn, changed) {
  const { root, put } = picture(0, 0);
  root.removeAttribute("viewBox");
  for (const [name, value] of Object.entries({ class: "board", tabindex: "0", role: "application" }))
    root.setAttribute(name, value);
  root.setAttribute("aria-label", "Your line. Left and right choose where, up and down how much.");
  const n = s.x.length,
    places = /** @type {number[]} */ (s.places);
  /** @type {{ t: number, y: number } | null} */
  let last = null;
  let at = 0;
  const box = () => {
    const { width, height } = root.getBoundingClientRect();
    return { l: 46, r: width - 16, t: 14, b: height - 40 };
  };
  const value = (/** @type {number} */ y) => {
    const v = s.low + y * (s.high - s.low);
    return s.percent ? percent(v) : num(v, v === Math.round(v) ? 0 : 1);
  };
  function paint() {
    const b = box(),
      X = (/** @type {number} */ i) => b.l + (b.r - b.l) * places[i],
      Y = (/** @type {number} */ y) => b.b - (b.b - b.t) * y;
    root.replaceChildren();
    for (const y of [0, 0.25, 0.5, 0.75, 1]) {
      put("line", { x1: b.l, x2: b.r, y1: Y(y), y2: Y(y), class: "grid" });
      put("text", { x: b.l - 6, y: Y(y) + 4, "text-anchor": "end" }, value(y));
    }
    let free = -Infinity;
    for (let i = 0; i < n; i += 1) {
      if (X(i) < free) continue;
      put("text", { x: X(i), y: b.b + 17, "text-anchor": "middle" }, plain(s.x[i]));
      free = X(i) + 30;
    }
    put("text", { x: (b.l + b.r) / 2, y: b.b + 34, "text-anchor": "middle" }, s.at);
    const known = [...drawn.keys()].sort((p, q) => p - q);
    if (!known.length)
      put("text", { x: (b.l + b.r) / 2, y: (b.t + b.b) / 2, "text-anchor": "middle" }, "draw here, from left to right");
    const path = known.map((i, k) => `${k ? "L" : "M"}${X(i)} ${Y(drawn.get(i))}`).join("");
    if (path) put("path", { class: "mine", d: path });
    for (const i of known) put("circle", { class: "dot", cx: X(i), cy: Y(drawn.get(i)), r: 4 });
    changed();
  }
  /** @param {PointerEvent} event */
  function spot(event) {
    const r = root.getBoundingClientRect(),
      b = box();
    const y = (b.b - (event.clientY - r.top)) / (b.b - b.t);
    return { t: (event.clientX - r.left - b.l) / (b.r - b.l), y: Math.max(0, Math.min(1, y)) };
  }
  /** @param {{ t: number, y: number }} from @param {{ t: number, y: number }} to */
  function stroke(from, to) {
    const near = 0.35 / (n - 1);
    places.forEach((place, i) => {
      if (place < Math.min(from.t, to.t) - near || place > Math.max(from.t, to.t) + near) return;
      const wide = to.t - from.t,
        part = Math.max(0, Math.min(1, (place - from.t) / (wide || 1)));
      drawn.set(i, Math.abs(wide) < 1e-3 ? to.y : from.y + (to.y - from.y) * part);
    });
    paint();
  }
  root.addEventListener("pointerdown", (event) => {
    root.setPointerCapture(event.pointerId);
    last = spot(event);
    stroke(last, last);
    event.preventDefault();
  });
  root.addEventListener("pointermove", (event) => {
    if (!last) return;
    const now = spot(event);
    stroke(last, now);
    last = now;
  });
  for (const name of ["pointerup", "pointercancel"])
    root.addEventListener(name, () => {
      last = null;
    });
  root.addEventListener("keydown", (event) => {
    const side = { ArrowRight: 1, ArrowLeft: -1 }[event.key] || 0,
      up = { ArrowUp: 0.025, ArrowDown: -0.025 }[event.key] || 0;
    if (!side && !up) return;
    event.preventDefault();
    const height = drawn.get(at) ?? 0.5;
    at = Math.max(0, Math.min(n - 1, at + side));
    drawn.set(at, Math.max(0, Math.min(1, (drawn.get(at) ?? height) + up)));
    paint();
    root.setAttribute("aria-label", `Your line at ${s.at} ${plain(s.x[at])}: ${value(drawn.get(at))}`);
  });
  new ResizeObserver(paint).observe(root);
  return root;
}
