// @ts-check
// The score of the audit as a picture to play with: which bug in which system, and what became of it. A mouse on a cell,
// a finger, or the arrow keys say it in a sentence. Where there is room all cells stand there; on a phone a tile for each
// bug, and below them the systems of the one that is looked at.
/** @typedef {{systems: string[], bugs: [name: string, place: string, plants: string][], told: [outcome: string, by: string][], cells: number[][]}} Scored */
/** @typedef {{x: number, y: number, wide: number, tall: number, kind: string, bug: number, system: number}} Spot */
window.rpScore = (place) => {
  const say = window.rpSay ?? String.raw;
  const score = /** @type {Scored} */ (JSON.parse(place.dataset.score));
  const { systems, bugs, told, cells } = score;
  const KINDS = {
    caught: say`caught`,
    holds: say`passes as holds`,
    open: say`passes, nothing promised`,
    "": say`does not apply`,
  };
  /** @type {<K extends keyof HTMLElementTagNameMap>(tag: K, name: string, text?: string) => HTMLElementTagNameMap[K]} */
  const make = (tag, name, text = "") =>
    Object.assign(document.createElement(tag), { className: name, textContent: text });
  /** @param {string} tag @param {Record<string, string | number>} about */
  const svg = (tag, about, text = "") => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(about)) node.setAttribute(name, String(value));
    node.textContent = text;
    return node;
  };
  /** @param {number} bug @param {number} system */
  const outcome = (bug, system) => told[cells[bug][system]][0];
  const missed = bugs
    .flatMap((_, bug) => systems.map((_, system) => [bug, system]))
    .filter(([bug, system]) => ["holds", "open"].includes(outcome(bug, system)));
  missed.sort((a, b) => Number(outcome(a[0], a[1]) === "open") - Number(outcome(b[0], b[1]) === "open"));

  const key = make("p", "score-key"),
    picture = make("div", "score-picture"),
    words = make("p", "score-words"),
    next = make("button", "score-next", say`One that passes`);
  next.type = "button";
  next.hidden = !missed.length;
  picture.tabIndex = 0;
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-label", say`Planted bugs by system. The arrow keys go from one to the next.`);
  words.setAttribute("aria-live", "polite");
  place.replaceChildren(key, picture, words);
  let [bug, system] = missed[0] || [
      0,
      Math.max(
        0,
        cells[0].findIndex((_, at) => outcome(0, at)),
      ),
    ],
    at = 0;
  /** @type {Spot[]} */
  let spots = [];
  /** @type {SVGElement} */
  let frame;

  // What a mark looks like: a square is caught, a cross passes, an empty square passes where nothing was promised.
  /** @param {Spot} spot */
  function mark({ x, y, wide, tall, kind }) {
    const s = Math.min(wide, tall) * (kind === "caught" ? 0.36 : 0.42),
      [cx, cy] = [x + wide / 2, y + tall / 2].map((value) => Math.round(value * 10) / 10);
    if (kind === "") return `M${cx - 0.5} ${cy}h1`;
    if (kind === "holds") {
      const r = Math.max(s, Math.min(3.2, 0.7 * wide));
      return `M${cx - r} ${cy - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
    }
    return `M${cx - s} ${cy - s}h${2 * s}v${2 * s}h${-2 * s}z`;
  }
  const narrow = () => place.clientWidth < 480;
  // Of a bug, over all systems: a miss anywhere shows.
  /** @param {number} row */
  const worst = (row) =>
    ["holds", "open", "caught"].find((kind) => systems.some((_, one) => outcome(row, one) === kind)) || "";

  function room() {
    const box = /** @type {HTMLElement} */ (place.closest(".plot")) || place,
      given = box.clientHeight - (place.getBoundingClientRect().top - box.getBoundingClientRect().top);
    return Math.max(narrow() ? 118 : 250, Math.min(460, given - key.offsetHeight - words.offsetHeight - 12));
  }
  function draw() {
    const wide = Math.floor(place.clientWidth);
    if (!wide) return;
    legend();
    const small = narrow(),
      tall = room(),
      size = small ? 11 : wide > 900 ? 14 : 11;
    const sheet = svg("svg", { width: wide, height: tall, "aria-hidden": "true", "font-size": size });
    /** @param {number} x @param {number} y @param {string} text @param {string} anchor */
    const label = (x, y, text, anchor = "start") => {
      const node = svg("text", { x, y, "text-anchor": anchor, class: "name" }, text);
      sheet.append(node);
      return node;
    };
    spots = [];
    const groups = [...new Set(bugs.map(([, where]) => where))];
    if (small) {
      const left = 46,
        foot = 16,
        many = groups.map((where) => bugs.filter((one) => one[1] === where).length);
      let tile = 18;
      const lines = () => many.reduce((sum, n) => sum + Math.ceil(n / Math.floor((wide - left) / tile)), 0);
      while (tile > 8 && lines() * tile + foot + 3 > tall) tile -= 0.5;
      let y = 0;
      for (const where of groups) {
        label(0, y + tile / 2 + 4, where);
        const mine = bugs.flatMap((one, row) => (one[1] === where ? [row] : []));
        const across = Math.floor((wide - left) / tile);
        mine.forEach((row, n) =>
          spots.push({
            x: left + (n % across) * tile,
            y: y + Math.floor(n / across) * tile,
            wide: tile,
            tall: tile,
            kind: worst(row),
            bug: row,
            system: -1,
          }),
        );
        y += Math.ceil(mine.length / across) * tile;
      }
      label(0, tall - 5, say`in`);
      const each = (wide - 18) / systems.length;
      systems.forEach((_, one) =>
        spots.push({
          x: 18 + one * each,
          y: tall - foot - 1,
          wide: each,
          tall: foot - 1,
          kind: outcome(bug, one),
          bug: -1,
          system: one,
        }),
      );
    } else {
      const left = Math.ceil(8 + 0.62 * size * Math.max(...systems.map((name) => name.length))),
        top = size + 8,
        each = (wide - left) / (bugs.length + groups.length - 1),
        row = Math.min(24, (tall - top) / systems.length);
      sheet.setAttribute("height", String(Math.ceil(top + row * systems.length)));
      systems.forEach((name, one) => label(left - 8, top + (one + 0.5) * row + size * 0.36, name, "end"));
      let x = left,
        last = "";
      bugs.forEach(([, where], one) => {
        if (where !== last) {
          if (last) x += each;
          label(x, size, where);
          last = where;
        }
        systems.forEach((_, other) =>
          spots.push({
            x,
            y: top + other * row,
            wide: each,
            tall: row,
            kind: outcome(one, other),
            bug: one,
            system: other,
          }),
        );
        x += each;
      });
    }
    for (const kind of ["", "caught", "open", "holds"]) {
      const those = spots.filter((spot) => spot.kind === kind);
      sheet.append(svg("path", { class: `mark ${kind || "none"}`, d: those.map(mark).join("") }));
    }
    frame = svg("g", { class: "frame" });
    sheet.append(frame);
    picture.replaceChildren(sheet);
    tell();
  }
  function legend() {
    key.replaceChildren(
      ...Object.entries(KINDS)
        .slice(0, narrow() ? 3 : 4)
        .map(([kind, name]) => {
          const item = make("span", ""),
            sheet = svg("svg", { width: 14, height: 12, "aria-hidden": "true" });
          sheet.append(
            svg("path", {
              class: `mark ${kind || "none"}`,
              d: mark({ x: 1, y: 0, wide: 12, tall: 12, kind, bug: 0, system: 0 }),
            }),
          );
          item.append(sheet, name);
          return item;
        }),
    );
  }
  // The cell that is looked at, framed and in a sentence.
  function tell() {
    const chosen = spots.filter((spot) =>
      narrow() ? spot.bug === bug || spot.system === system : spot.bug === bug && spot.system === system,
    );
    frame.replaceChildren(
      ...chosen.map(({ x, y, wide, tall }) =>
        svg("rect", { x: x - 1, y: y - 1, width: wide + 2, height: tall + 2, rx: 2 }),
      ),
    );
    const [kind, by] = told[cells[bug][system]],
      plants = bugs[bug][2];
    const name = make("b", "", systems[system]);
    const said = {
      caught: say`Caught: ${by}.`,
      holds: say`Passes as holds: ${by || say`nothing was found`}.`,
      open: by ? say`Passes; nothing was promised, and ${by}.` : say`Passes; nothing was promised.`,
      "": say`This bug does not apply here.`,
    }[kind];
    words.replaceChildren(
      `${say`Planted in`} `,
      name,
      `: ${plants}. `,
      make("span", `word ${kind || "none"}`, said),
      " ",
      next,
    );
    place.dataset.at = `${bugs[bug][0]} | ${systems[system]}`;
  }
  /** @param {PointerEvent | MouseEvent} event */
  function nearest(event) {
    const box = picture.getBoundingClientRect(),
      [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const near = (/** @type {Spot} */ spot) => Math.hypot(spot.x + spot.wide / 2 - x, spot.y + spot.tall / 2 - y);
    const spot = spots.reduce((best, one) => (near(one) < near(best) ? one : best), spots[0]);
    return spot && near(spot) < 30 ? spot : null;
  }
  /** @param {Spot | null} spot */
  function choose(spot) {
    if (!spot) return;
    const turned = spot.bug >= 0 && spot.bug !== bug;
    if (spot.bug >= 0) bug = spot.bug;
    if (spot.system >= 0) system = spot.system;
    else if (!outcome(bug, system) || worst(bug) !== outcome(bug, system))
      system = Math.max(
        0,
        systems.findIndex((_, one) => outcome(bug, one) === worst(bug)),
      );
    if (narrow() && turned) draw();
    else tell();
  }
  picture.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") choose(nearest(event));
  });
  picture.addEventListener("click", (event) => choose(nearest(event)));
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    bug = Math.max(0, Math.min(bugs.length - 1, bug + step[0]));
    system = Math.max(0, Math.min(systems.length - 1, system + step[1]));
    if (narrow()) draw();
    else tell();
  });
  next.addEventListener("click", () => {
    at = (at + 1) % missed.length;
    [bug, system] = missed[at];
    draw();
    next.focus({ preventScroll: true });
  });
  new ResizeObserver(draw).observe(place.closest(".plot") || place);
  draw();
};
