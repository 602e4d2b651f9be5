// @ts-check
// How figures move, in one place for a chapter's stage, a served dashboard and the page without a server.
//   rpMove.draw(canvas, data, layout, config)   Plotly draws the new state at once; its marks then glide there from where
//     they stood. What is told, hovered or read aloud is the measured state from the first moment on; only pixels travel.
//   rpMove.run(owner, ms, frame)                frame(0..1) until 1; a newer run of the same owner ends the one before
//   rpMove.busy(what, on)                       the root element says what is under way
// A mark keeps its identity by the name of its trace, a label by its words, a tick by its value. Whoever wants no motion
// has none; in a drag a figure follows within QUICK, and a newer state starts from where the marks are: nothing queues.
(() => {
  const LAST = 400, // ms
    STEP = 50, // ms that pass between two frames at most
    QUICK = 120, // ms, where the state before is younger than LAST
    FALL = 1400, // ms for the dots of a trace that `falls`, one after the other
    MANY = 120; // dots of a trace, and elements of all, beyond which they are set and not moved
  const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)");
  const root = document.documentElement,
    /** @type {Set<string>} */ under_way = new Set(),
    /** @type {WeakMap<object, (end?: boolean) => void>} */ going = new WeakMap();
  let moving = 0;

  /** @param {string} what @param {boolean} on */
  function busy(what, on) {
    if (on) under_way.add(what);
    else under_way.delete(what);
    if (under_way.size) root.dataset.busy = [...under_way].join(" ");
    else delete root.dataset.busy;
  }
  /** @param {object} owner @param {number} ms @param {(t: number) => void} frame */
  function run(owner, ms, frame) {
    going.get(owner)?.();
    if (calm?.matches || document.hidden) return frame(1);
    let asked = 0,
      spent = 0,
      last = 0;
    const stop = () => {
      cancelAnimationFrame(asked);
      clearTimeout(late);
      going.delete(owner);
      moving -= 1;
      if (!moving) busy("move", false);
      frame(1);
    };
    const late = setTimeout(stop, 4 * ms); // a page that nobody sees has no frames
    const next = (/** @type {number} */ now) => {
      spent += Math.min(STEP, last && now - last); // a machine that is busy shows the way too, only later
      last = now;
      if (spent >= ms) return stop();
      frame(spent / ms);
      asked = requestAnimationFrame(next);
    };
    moving += 1;
    busy("move", true);
    going.set(owner, stop);
    frame(0);
    asked = requestAnimationFrame(next);
  }

  // ------------------------------------------------------------------------------------------------ the marks
  /** @typedef {{ node: SVGElement, name: string, text: string, how?: string }} Mark one attribute of one element, under a name that outlives it */
  /** @param {any} canvas @returns {Map<string, Mark>} */
  function marks(canvas) {
    /** @type {Map<string, Mark>} */
    const found = new Map();
    /** @param {string} key @param {Element | null} node @param {string} name @param {string=} how */
    const add = (key, node, name, how) => {
      const text = node?.getAttribute(name);
      if (!text) return;
      let twice = key;
      for (let i = 2; found.has(twice); i++) twice = `${key} (${i})`;
      found.set(twice, { node: /** @type {SVGElement} */ (node), name, text, how });
    };
    /** @param {Element} place @param {string} inside */
    const all = (place, inside) => [...place.querySelectorAll(inside)];
    for (const trace of all(canvas, ".cartesianlayer .trace")) {
      const about = /** @type {any} */ (trace).__data__?.[0]?.trace;
      const given = about?._input || {},
        key = `${given.type}/${given.mode || ""}/${given.name || ""}`;
      for (const path of all(trace, ".js-line, .js-fill, .errorbar path")) add(`${key} line`, path, "d");
      const dots = all(trace, ".points > path.point, .points > .point > path");
      const how = given.meta === "falls" ? "falls" : undefined;
      if (dots.length <= MANY)
        for (const dot of dots) add(`${key} dot`, dot, about?.type === "bar" ? "d" : "transform", how);
      for (const text of all(trace, ".textpoint text, .bartext")) add(`${key} text`, text, "transform");
    }
    for (const grid of all(canvas, ".xgrid, .ygrid, .zl"))
      add(`grid ${grid.classList[0]} ${/** @type {any} */ (grid).__data__?.x}`, grid, "transform");
    for (const tick of all(canvas, ".xtick text, .ytick text"))
      add(`tick ${tick.parentElement.classList[0]} ${tick.textContent}`, tick, "transform");
    for (const label of all(canvas, ".annotation")) {
      const key = `label ${(label.textContent || "").replace(/[\d.,−-]+/g, "#")}`; // its number may change
      add(`${key} words`, label.querySelector(".cursor-pointer"), "transform");
      for (const leader of all(label, ".annotation-arrow-g path")) add(`${key} leader`, leader, "d");
    }
    return found;
  }
  const NUMBER = /-?\d*\.?\d+(?:e-?\d+)?/g;
  /** @param {string} text */
  const numbers = (text) => (text.match(NUMBER) || []).map(Number);
  /** @param {string} text */
  const shape = (text) => text.replace(NUMBER, "#").replace(/,/g, " ");
  /** The corners of a line of straight pieces; null: it is something else. @param {string} d */
  function corners(d) {
    if (/[^MLZ\d.,\s-]/.test(d) || d.lastIndexOf("M") > 0) return null;
    const flat = numbers(d);
    return flat.length < 4 ? null : Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
  }
  /** As many points along a line as asked for, at the shares of its length that `like` has. @param {number[][]} line @param {number[][]} like */
  function along(line, like) {
    /** @param {number[][]} row */
    const shares = (row) => {
      const sums = [0];
      for (let i = 1; i < row.length; i++)
        sums.push(sums[i - 1] + Math.hypot(row[i][0] - row[i - 1][0], row[i][1] - row[i - 1][1]));
      return sums.map((sum) => sum / (sums.at(-1) || 1));
    };
    const own = shares(line);
    return shares(like).map((share) => {
      const at = Math.max(
        1,
        own.findIndex((one) => one >= share - 1e-9),
      );
      const part = (share - own[at - 1]) / (own[at] - own[at - 1] || 1);
      return [0, 1].map((axis) => line[at - 1][axis] + part * (line[at][axis] - line[at - 1][axis]));
    });
  }
  /** What an attribute is at t on its way from one text to another; null: there is no way between them. @param {string} from @param {string} to */
  function between(from, to) {
    let start = numbers(from);
    const end = numbers(to);
    if (shape(from) !== shape(to)) {
      const [old, now] = [corners(from), corners(to)];
      if (!old || !now) return null;
      start = along(old, now).flat();
    }
    return (/** @type {number} */ t) => {
      let at = 0;
      return to.replace(NUMBER, () => {
        const [a, b] = [start[at], end[at]];
        at += 1;
        return String(Math.round(100 * (a + t * (b - a))) / 100);
      });
    };
  }

  // --------------------------------------------------------------------------------------------------- a figure
  const ease = (/** @type {number} */ t) => 1 - (1 - t) ** 3;
  /** @param {Mark} mark @param {(t: number) => string} path */
  function mover({ node, name, text }, path) {
    let last = text,
      gone = false;
    return (/** @type {number} */ t) => {
      gone ||= node.getAttribute(name) !== last; // somebody has drawn anew: it is not ours any more
      if (gone) return;
      last = t >= 1 ? text : path(ease(t));
      node.setAttribute(name, last);
    };
  }
  /** @param {SVGElement} node */
  function fader(node) {
    const whole = node.style.opacity;
    return (/** @type {number} */ t) => {
      node.style.opacity = t >= 1 ? whole : String(ease(t) * Number(whole || 1));
    };
  }
  /** A dot that falls onto its place when its turn has come. @param {Mark} mark @param {number} turn from 0 to 1 */
  function faller({ node, name, text }, turn) {
    const [x, y] = numbers(text);
    const path = (/** @type {number} */ t) => {
      const own = Math.max(0, Math.min(1, (t - 0.7 * turn) / 0.3));
      return `translate(${x},${Math.round(100 * (y - (1 - own * own) * (y + 12))) / 100})`;
    };
    let last = text;
    return (/** @type {number} */ t) => {
      node.style.visibility = t < 0.7 * turn ? "hidden" : "";
      if (node.getAttribute(name) !== last) return;
      last = t >= 1 ? text : path(t);
      node.setAttribute(name, last);
    };
  }
  /** @param {Map<string, Mark>} before @param {Map<string, Mark>} after @param {boolean} drag */
  function moves(before, after, drag) {
    /** @type {((t: number) => void)[]} */
    const acts = [];
    const fresh = new Set();
    const falling = drag ? [] : [...after.values()].filter(({ how }) => how === "falls");
    falling.forEach((mark, at) => acts.push(faller(mark, at / falling.length)));
    for (const [key, mark] of after) {
      if (falling.includes(mark)) continue;
      const old = before.get(key);
      if (!old) {
        fresh.add(mark.node.closest(".trace, .annotation") || mark.node);
        continue;
      }
      if (old.text === mark.text || old.name !== mark.name) continue;
      const path = between(old.text, mark.text);
      if (path) acts.push(mover(mark, path));
    }
    const kept = new Set([...before.keys()].map((key) => key.replace(/ \(\d+\)$/, "")));
    for (const node of fresh)
      if (![...after].some(([key, mark]) => node.contains(mark.node) && kept.has(key.replace(/ \(\d+\)$/, ""))))
        acts.push(fader(node));
    return { acts, falls: falling.length > 0 };
  }
  /** @type {WeakMap<object, { wide: number, high: number, told: string, round: string, at: number }>} */
  const drawn = new WeakMap();
  /** @type {Window["rpMove"]["draw"]} */
  function draw(canvas, data, layout, config) {
    const wide = canvas.clientWidth,
      high = layout.height,
      told = JSON.stringify(data), // before Plotly writes into it
      round = JSON.stringify(layout),
      known = drawn.get(canvas),
      now = performance.now();
    // A window that is drawn larger does not glide. Another state may leave its figure more room, by a shorter strip.
    const same = known?.told === told && known.wide === wide;
    if (same && known.round === round && going.has(canvas)) return Promise.resolve(); // it is on its way there
    const still = !known || known.wide !== wide || (same && known.high !== high) || calm?.matches || document.hidden;
    const before = still ? null : marks(canvas); // where they are, also half way
    going.get(canvas)?.();
    const done = window.Plotly.react(canvas, data, layout, config);
    drawn.set(canvas, { wide, high, told, round, at: now });
    if (still) return done;
    const drag = now - known.at < LAST;
    const { acts, falls } = moves(before, marks(canvas), drag);
    if (!acts.length || acts.length > 3 * MANY) return done;
    run(canvas, falls ? FALL : drag ? QUICK : LAST, (t) => acts.forEach((act) => act(t)));
    return done;
  }
  window.rpMove = { draw, run, busy };
})();
