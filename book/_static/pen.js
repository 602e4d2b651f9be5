// @ts-check
// A guess that is drawn: the reader's line over the empty axes of a figure, by mouse, finger or arrow keys, and where it
// differs most from what was measured. The line stays in this file's variables; it goes into no link and no request.
// rpPen(plot, sketch, {changed, done}) -> {show, hide, ready, answered, verdict, focus}
window.rpPen = (host, sketch, tell) => {
  const MELT = 600; // ms
  const say = window.rpSay ?? String.raw,
    of = window.rpSay?.of ?? ((/** @type {string} */ text) => text);
  const NS = "http://www.w3.org/2000/svg";
  const { x: xs, low, high } = sketch;
  const drawn = new Map(); // column -> height
  let column = 0,
    compared = false,
    over = false,
    melted = 1; // how far the reader's line has become the measured one
  /** @type {Geometry | null} */
  let axes = null;
  /** @typedef {{ t: number, v: number }} Spot where the pointer is: along the axis from 0 to 1, and how high */
  /** @type {Spot | null} */
  let last = null;

  const svg = document.createElementNS(NS, "svg");
  svg.classList.add("pen-line");
  svg.setAttribute("aria-hidden", "true");
  const pen = document.createElement("div");
  Object.assign(pen, { className: "pen", tabIndex: 0 });
  pen.setAttribute("role", "slider");
  pen.setAttribute("aria-orientation", "vertical");
  pen.setAttribute("aria-label", say`Your guess. Left and right choose where, up and down how much; Enter compares`);
  host.append(svg, pen);

  /** @param {number} x */
  const near = (x) => String(x).replace(/^0\./, ".");
  /** @param {number} v */
  const said = (v) => (sketch.percent ? `${Math.round(100 * v)}\u202f%` : v.toFixed(sketch.digits));
  /** @param {number} v */
  const apart = (v) =>
    sketch.percent ? say`${Math.round(100 * Math.abs(v))} points` : Math.abs(v).toFixed(sketch.digits);
  /** @param {number} x */
  const along = (x) => {
    const [a, b] = axes.x;
    const c = axes.log ? Math.log10(x) : x;
    return (c - a) / (b - a);
  };
  /** @param {number} x */
  const X = (x) => axes.left + along(x) * axes.width;
  /** @param {number} y */
  const Y = (y) => axes.top + axes.height * (1 - (y - axes.y[0]) / (axes.y[1] - axes.y[0]));
  /** @param {number} y */
  const snap = (y) => Math.round(100 * Math.max(low, Math.min(high, y))) / 100;

  function gaps() {
    return [...drawn].map(([at, you]) => ({ at, you, it: sketch.truth[at], by: you - sketch.truth[at] }));
  }
  /** @param {boolean} short */
  function verdict(short) {
    const all = gaps();
    if (!compared || !all.length) return "";
    const most = all.reduce((a, b) => (Math.abs(b.by) > Math.abs(a.by) ? b : a));
    const where = `${of(sketch.at)}\u00a0=\u00a0${near(xs[most.at])}`;
    if (Math.abs(most.by) < 0.06 * (high - low))
      return say`Your line is never more than ${apart(most.by)} from what was measured.`;
    const told = say`at ${where}: you said ${said(most.you)}, it is ${said(most.it)}, ${apart(most.by)} ${of(sketch.tall[most.by > 0 ? 1 : 0])}.`;
    if (short) return say`You differ most ${told}`;
    const mean = all.reduce((sum, gap) => sum + gap.by, 0) / all.length;
    const lean =
      Math.abs(mean) < 0.03 * (high - low)
        ? say`too high in one place and too low in another`
        : mean > 0
          ? say`above the measured line`
          : say`below it`;
    return say`You and the measurement differ most ${told} On the whole you were ${lean}.`;
  }
  /** @param {string} tag @param {Record<string, string | number>} about @param {string=} text */
  const point = (tag, about, text) => {
    const node = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(about)) node.setAttribute(name, String(value));
    if (text) node.textContent = text;
    svg.append(node);
    return node;
  };
  /** @param {DOMRect} a @param {DOMRect} b */
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  /** Words at the first place where no name of the figure stands; where there is none, the sentence alone says it. @param {string} text @param {string} kind @param {[x: number, y: number, anchor: string][]} places */
  function word(text, kind, places) {
    const taken = [
      ...host.parentElement.querySelectorAll(".annotation-text, .pen-line text, .xtick text, .ytick text"),
    ];
    const boxes = taken.map((one) => one.getBoundingClientRect()),
      room = host.getBoundingClientRect();
    const node = point("text", { class: kind }, text);
    for (const [x, y, anchor] of places) {
      for (const [name, value] of Object.entries({ x, y, "text-anchor": anchor }))
        node.setAttribute(name, String(value));
      const box = node.getBoundingClientRect();
      const inside =
        box.left >= room.left && box.right <= room.right && box.top >= room.top && box.bottom <= room.bottom;
      if (inside && !boxes.some((one) => meet(one, box))) return;
    }
    node.remove();
  }
  function draw() {
    svg.replaceChildren();
    if (!axes) return;
    const cols = [...drawn.keys()].sort((a, b) => a - b);
    /** @param {number[][]} pairs */
    const path = (pairs) => pairs.map(([x, y], i) => `${i ? "L" : "M"}${X(x).toFixed(1)} ${Y(y).toFixed(1)}`).join("");
    if (over && compared && cols.length > 1 && melted < 1)
      point("path", {
        d: path(cols.map((c) => [xs[c], drawn.get(c) + melted * (sketch.truth[c] - drawn.get(c))])),
        class: "melt",
        opacity: 1 - melted ** 4,
      });
    else if (over && compared && cols.length > 1) {
      const back = cols.map((c) => [xs[c], sketch.truth[c]]).reverse();
      point("path", {
        d: `${path(cols.map((c) => [xs[c], drawn.get(c)]))}${path(back).replace("M", "L")}Z`,
        class: "gap",
      });
      const most = gaps().reduce((a, b) => (Math.abs(b.by) > Math.abs(a.by) ? b : a)),
        x = X(xs[most.at]);
      point("path", { d: `M${x - 5} ${Y(most.you)}h10m-5 0V${Y(most.it)}m-5 0h10`, class: "most" });
      const [up, down] = [Math.min(Y(most.you), Y(most.it)), Math.max(Y(most.you), Y(most.it))];
      const heights = [(up + down) / 2 + 4, down + 14, up - 6, down + 28];
      const sides = /** @type {[number, string][]} */ ([
        [x - 9, "end"],
        [x + 9, "start"],
        [x, "middle"],
      ]);
      const spots = heights.flatMap((y) => sides.map(([at, anchor]) => [at, y, anchor]));
      word(apart(most.by), "by", /** @type {[number, number, string][]} */ (spots.toSpliced(2, 1))); // not on its own mark
    }
    if (cols.length) {
      point("path", { d: path(cols.map((c) => [xs[c], drawn.get(c)])), class: "line" });
      for (const c of cols) point("circle", { cx: X(xs[c]), cy: Y(drawn.get(c)), r: c === column && !over ? 5 : 3 });
      const whose = cols
        .slice(0, 6)
        .flatMap((c) => [-9, 20].map((by) => [X(xs[c]) + 4, Y(drawn.get(c)) + by, "start"]));
      word(say`you`, "you", /** @type {[number, number, string][]} */ (whose));
    } else if (!over && axes.height > 150) {
      const middle = axes.left + axes.width / 2; // on a phone a name may stand at the top, or at the bottom
      const heights = [14, axes.height / 3, axes.height / 2, axes.height - 10];
      const spots = heights.map((y) => [middle, axes.top + y, "middle"]);
      word(say`draw on these axes, from left to right`, "hint", /** @type {[number, number, string][]} */ (spots));
    }
    if (!over && document.activeElement === pen)
      point("path", { d: `M${X(xs[column])} ${axes.top}v${axes.height}`, class: "at" });
    const here = drawn.get(column);
    pen.setAttribute("aria-valuemin", String(Math.round(100 * low)));
    pen.setAttribute("aria-valuemax", String(Math.round(100 * high)));
    pen.setAttribute("aria-valuenow", String(Math.round(100 * (here ?? low))));
    pen.setAttribute(
      "aria-valuetext",
      `${of(sketch.at)} ${xs[column]}: ${here === undefined ? say`nothing yet` : said(here)}`,
    );
  }
  const ready = () => drawn.size >= sketch.least;
  function change() {
    draw();
    tell.changed();
  }

  /** @param {PointerEvent} event */
  const spot = (event) => {
    const box = host.getBoundingClientRect(),
      zoom = box.width / host.offsetWidth || 1; // Present enlarges
    const t = ((event.clientX - box.left) / zoom - axes.left) / axes.width;
    const v = axes.y[0] + (1 - ((event.clientY - box.top) / zoom - axes.top) / axes.height) * (axes.y[1] - axes.y[0]);
    return { t: Math.max(0, Math.min(1, t)), v };
  };
  /** @param {Spot} a @param {Spot} b */
  function stroke(a, b) {
    // every column that the pointer has passed
    const from = Math.min(a.t, b.t) - 0.02,
      to = Math.max(a.t, b.t) + 0.02;
    xs.forEach((x, c) => {
      const t = along(x);
      if (t < from || t > to) return;
      const part = Math.abs(b.t - a.t) < 1e-6 ? 1 : Math.max(0, Math.min(1, (t - a.t) / (b.t - a.t)));
      drawn.set(c, snap(a.v + part * (b.v - a.v)));
      column = c;
    });
    change();
  }
  pen.addEventListener("pointerdown", (event) => {
    pen.setPointerCapture(event.pointerId);
    last = spot(event);
    stroke(last, last);
    pen.focus({ preventScroll: true });
    event.preventDefault();
  });
  pen.addEventListener("pointermove", (event) => {
    if (last) {
      const now = spot(event);
      stroke(last, now);
      last = now;
    }
  });
  for (const end of ["pointerup", "pointercancel"])
    pen.addEventListener(end, () => {
      last = null;
    });
  pen.addEventListener("keydown", (event) => {
    const before = drawn.get(column) ?? drawn.get(column - 1) ?? (low + high) / 2,
      by = (event.shiftKey ? 0.125 : 0.025) * (high - low);
    const side = { ArrowRight: 1, ArrowLeft: -1 }[event.key],
      up = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (side) {
      if (side > 0 && !drawn.has(column)) drawn.set(column, snap(before));
      column = Math.max(0, Math.min(xs.length - 1, column + side));
      if (side > 0 && !drawn.has(column)) drawn.set(column, snap(drawn.get(column - 1) ?? before));
    } else if (up) drawn.set(column, snap(before + up * by));
    else if (event.key === "Home") column = 0;
    else if (event.key === "End") column = xs.length - 1;
    else if (event.key === "Enter" && ready()) {
      event.preventDefault();
      return tell.done();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    change();
  });
  pen.addEventListener("focus", draw);
  pen.addEventListener("blur", draw);

  return {
    show(known, asking) {
      // `known`: where the axes lie; `asking`: the line can be drawn now
      axes = known;
      over = !asking;
      svg.style.display = "";
      pen.hidden = !asking;
      draw();
    },
    hide() {
      svg.style.display = "none";
      pen.hidden = true;
    },
    compare(look) {
      compared = look && drawn.size > 1;
      over = true;
      if (!compared) return draw();
      window.rpMove.run(svg, MELT, (t) => {
        melted = t < 1 ? 1 - (1 - t) ** 3 : 1;
        draw();
      });
    },
    focus() {
      pen.focus();
    },
    ready,
    verdict,
    get begun() {
      return drawn.size > 0;
    },
  };
};
