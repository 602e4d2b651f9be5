// @ts-check
// The reckoning: every promise on one line of ε. The reader plants a ring on each line, then attacks. Places and words come
// with the page, from the library; nothing is computed here but how marks move to them. In small, one flag and its fall.
(() => {
  const { still, fill, say, clock, segments, linked, wall, given, picture } = window.rpLiving;
  const spell = window.rpSay ?? String.raw,
    of = window.rpSay?.of ?? ((/** @type {string} */ text) => text);
  const NAMES = "http://www.w3.org/2000/svg";
  /** @param {string} tag @param {Record<string, string | number>} [about] @param {(Node | string)[]} parts @returns {any} */
  function draw(tag, about = {}, ...parts) {
    const node = document.createElementNS(NAMES, tag);
    for (const [name, value] of Object.entries(about)) node.setAttribute(name, String(value));
    node.append(...parts);
    return node;
  }
  /** @param {any} node @param {Record<string, string | number>} about */
  const put = (node, about) => Object.entries(about).forEach(([name, value]) => node.setAttribute(name, String(value)));
  const LEAN = 28,
    LABELS = 186,
    BESIDE = 290,
    HALF = 28; // px: a gap to the chart that fills its side

  picture("reckoning", (box, told) => {
    /** @param {string} name @returns {any} */
    const one = (name) => box.querySelector(name);
    const svg = one("svg"),
      go = one(".lv-go"),
      switches = one(".rk-switches"),
      small = !!told.small,
      note = one(".rk-note"),
      last = told.tries.length - 1;
    const state = { unit: "one", crowd: "town", phase: "plant", time: 0, look: -1 };
    let paper = false, // being printed, by a reader who has not attacked
      pressed = -1000;
    const planted = new Set(),
      ring = Object.fromEntries(told.rows.map((/** @type {any} */ row) => [row.key, row.start]));
    const now = () => `${state.unit} ${state.crowd}`;
    const ended = () => state.phase === "done" || state.phase === "counted";
    /** @param {any} row */
    const facts = (row) => row.states[now()];

    // ------------------------------------------------------------------------------------------- the drawing
    let wide = 0,
      left = 0,
      lane = 0,
      narrow = false;
    let parts = /** @type {any[]} */ ([]);
    /** @param {number} at */
    const x = (at) => left + (lane * at) / 100;

    function layout() {
      const held = parts.find((part) => part.knob === document.activeElement);
      wide = svg.clientWidth || box.clientWidth;
      narrow = wide < 640;
      left = narrow || small ? 0 : LABELS;
      lane = wide - left - (narrow || small ? 0 : BESIDE);
      svg.replaceChildren();
      parts = [];
      for (const [at, text] of told.scale.ticks) {
        const first = at === told.scale.ticks[0][0] && !left;
        const where = first ? { x: 0, "text-anchor": "start" } : { x: x(at), "text-anchor": "middle" };
        svg.append(draw("text", { ...where, y: 14, class: "dim" }, text));
      }
      if (!narrow && !small) {
        svg.append(draw("text", { x: left + lane + 14, y: 14, class: "dim" }, of(told.says.beside)));
        [spell`points`, spell`stars`].forEach((name, at) =>
          svg.append(draw("text", { x: axis(!!at), y: 42, class: "dim", "text-anchor": "middle" }, name)),
        );
      }
      let y = 28;
      for (const row of told.rows) y = line(row, y);
      y = words(y);
      put(svg, { height: y + 4, viewBox: `0 0 ${wide} ${y + 4}` });
      place(true);
      if (held) parts.find((part) => part.row === held.row).knob.focus({ preventScroll: true });
    }
    // What the shades mean, under them; on a phone every other one.
    /** @param {number} y */
    function words(y) {
      const ends = [...told.scale.edges, told.scale.bay, 100];
      told.scale.words.forEach((/** @type {string} */ text, /** @type {number} */ at) => {
        const from = at === 5 ? told.scale.bay : ends[at],
          to = at === 5 ? 100 : ends[at + 1];
        if (lane < 700 && ![2, 4, 5].includes(at)) return;
        const end = at === 5 && narrow;
        const where = { x: end ? wide : x((from + to) / 2), "text-anchor": end ? "end" : "middle" };
        if (!at) Object.assign(where, { x: x(0), "text-anchor": "start" });
        svg.append(draw("text", { ...where, y: y + 14, class: "dim" }, of(text)));
      });
      return y + 22;
    }
    // One row, from y down; gives where the next begins.
    /** @param {any} row @param {number} y */
    function line(row, y) {
      const own = !!row.repairs,
        deep = own ? 11 : small ? 30 : 18,
        mast = own ? 13 : small ? 86 : 46;
      const top = y + (narrow && !small ? 17 : 0) + (own ? 6 : mast - deep);
      const g = draw("g", { role: "group", class: own ? "own" : "" });
      told.scale.edges.slice(1).forEach((/** @type {number} */ end, /** @type {number} */ at) => {
        const from = told.scale.edges[at];
        const about = { x: x(from), y: top, width: (lane * (end - from)) / 100, height: deep };
        g.append(draw("rect", { ...about, class: "shade", opacity: (own ? 0.6 : 1) * (0.04 + 0.035 * at) }));
      });
      const bay = { x: x(told.scale.bay), y: top, width: (lane * (100 - told.scale.bay)) / 100, height: deep };
      g.append(draw("rect", { ...bay, class: "shade", opacity: own ? 0.15 : 0.24 }));
      const label = draw("text", { class: "label" }),
        verdict = draw("text", { class: "dim" });
      if (narrow) {
        put(label, { x: 0, y: y + 11 });
        put(verdict, { x: wide, y: y + 11, "text-anchor": "end" });
      } else {
        put(label, { x: own ? 16 : 0, y: top + (own ? deep - 1 : 5) });
        put(verdict, { x: 0, y: top + 20 });
      }
      const bar = draw("rect", { class: "bar", y: top + 3, height: deep - 6 }),
        end = draw("rect", { class: "end", y: top - 3, height: deep + 6, width: own ? 3 : 4 }),
        mixed = draw("rect", { class: "mixed", y: top - 1, height: deep + 2, width: 3 }),
        s = own ? 0.62 : small ? 1.6 : 1;
      const proof = draw("path", { class: "proof", d: `M${-6 * s} ${-8 * s}L${8 * s} 0L${-6 * s} ${8 * s}Z` });
      // on the first page the three numbers are named, once they are there
      const named = ["claimed", "attacked", "counted"].map((name) => draw("text", { class: `named ${name}` }));
      const tall = -mast + deep - (own ? 8 : 2),
        c = own ? 0.62 : small ? 2.2 : 1;
      const flag = draw(
        "g",
        { class: own ? "flag repair" : "flag" },
        draw("path", { d: `M0 0V${tall}`, fill: "none", "stroke-width": own ? 1.6 : 2.4 }),
        draw("path", {
          d: `M0 ${tall}l${15 * c} 0l${-4 * c} ${5 * c}l${4 * c} ${5 * c}h${-15 * c}z`,
          stroke: "none",
        }),
      );
      // what is left of a fallen flag where it stood: lying, it says no number
      const stump = draw("path", {
        class: own ? "flag repair" : "flag",
        d: `M0 0V${-deep - 3}`,
        "stroke-width": own ? 2 : 3,
      });
      g.append(bar, end, mixed, stump, flag, proof);
      if (small) g.append(...named);
      else g.append(label, verdict);
      const part = /** @type {any} */ ({
        named,
        row,
        g,
        own,
        top,
        deep,
        label,
        verdict,
        bar,
        end,
        mixed,
        proof,
        flag,
        stump,
        speed: 0,
        x: null,
      });
      if (!own && !small) Object.assign(part, planting(row, g));
      if (!narrow && !small) Object.assign(part, chart(row, g, top, deep));
      svg.append(g);
      parts.push(part);
      return top + deep + (narrow ? 8 : own ? 12 : 6);
    }
    // Where the chart stands: films that are found, in points, and errors, in stars, are no lengths of one axis.
    /** @param {boolean} stars */
    const axis = (stars) => left + lane + 14 + HALF + (stars ? 2 * HALF + 10 : 0);
    // How far the list is above or below the chart, which is the dashed line.
    /** @param {any} row @param {any} g @param {number} top @param {number} deep */
    function chart(row, g, top, deep) {
      const middle = axis(facts(row).stars);
      const gap = draw("rect", { class: "gap", y: top + 2, height: deep - 4, x: middle, width: 0 }),
        far = draw("text", { class: "dim", x: axis(true) + HALF + 8, y: top + deep / 2 + 4 });
      g.append(gap, draw("path", { class: "chart", d: `M${middle} ${top - 6}V${top + deep + 6}` }), far);
      return { gap, far, middle };
    }
    // The reader's own: a ring that is a slider.
    /** @param {any} row @param {any} g */
    function planting(row, g) {
      const dots = draw("path", { class: "dots" });
      const knob = draw(
        "g",
        { class: "knob", role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": told.guesses.length - 1 },
        draw("rect", { x: -22, y: -22, width: 44, height: 44, class: "hit" }),
        draw("circle", { r: 13, class: "halo" }),
        draw("circle", { r: 8, class: "ring" }),
        draw("circle", { r: 2.6 }),
      );
      knob.setAttribute("aria-label", spell`your guess: the true price of ${facts(row).label}`);
      g.append(dots, knob);
      /** @param {number} to */
      const set = (to) => {
        if (state.phase !== "plant") return;
        ring[row.key] = Math.max(0, Math.min(told.guesses.length - 1, to));
        planted.add(row.key);
        parts.forEach((part) => part.row === row && show(part));
        speak(row);
      };
      /** @param {PointerEvent} event */
      const read = (event) => {
        const r = svg.getBoundingClientRect();
        const at = ((((event.clientX - r.left) * wide) / r.width - left) / lane) * 100;
        const far = told.guesses.map((/** @type {any} */ guess) => Math.abs(guess.at - at));
        return far.indexOf(Math.min(...far));
      };
      knob.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
        if (state.phase !== "plant") return;
        event.preventDefault();
        knob.focus();
        knob.setPointerCapture(event.pointerId);
        const move = (/** @type {PointerEvent} */ e) => set(read(e));
        knob.addEventListener("pointermove", move);
        const off = () => knob.removeEventListener("pointermove", move);
        knob.addEventListener("pointerup", off, { once: true });
        knob.addEventListener("pointercancel", off, { once: true });
      });
      knob.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 6, PageDown: -6 }[event.key],
          to = { Home: 0, End: told.guesses.length - 1 }[event.key];
        if (by === undefined && to === undefined) return;
        event.preventDefault();
        set(to ?? ring[row.key] + by);
      });
      return { knob, dots };
    }

    // ----------------------------------------------------------------------------------- where marks belong, and go
    /** @param {any} part */
    function goals(part) {
      const f = facts(part.row),
        climbing = state.phase === "climb";
      const look = Math.min(state.look, f.bounds.length - 1);
      const bound = climbing ? (look < 0 ? 0 : f.bounds[look]) : ended() ? f.attacked : 0;
      const down = f.falls !== null && (ended() || (climbing && state.look >= f.falls));
      return {
        proof: x(bound), proofs: climbing || ended() ? 1 : 0, end: ended() ? x(f.counted) : x(100) + 40, ends: ended() ? 1 : 0,
        flag: x(f.claim), turn: down ? 90 : f.end === "leans" && ended() ? LEAN : 0, down,
        mixed: ended() && f.mixed !== null ? x(f.mixed) : null, gap: ended() ? f.gap || 0 : 0,
      }; // prettier-ignore
    }
    /** @param {boolean} [at_once] */
    function place(at_once) {
      for (const part of parts) {
        const f = facts(part.row),
          word = ended() ? f.word : part.own ? "" : f.claims;
        part.goal = goals(part);
        part.label.textContent = of(f.label);
        part.verdict.textContent = of(part.own && !narrow ? "" : narrow && ended() ? f.brief : word);
        if (small) names(part, f);
        if (part.far) part.far.textContent = ended() ? of(f.beside) : "";
        if (part.gap) part.gap.classList.toggle("printed", f.printed);
        part.g.setAttribute("aria-label", ended() ? of(f.said) : `${f.label}: ${of(f.claims)}`);
        if (at_once || still() || !part.x) settle(part);
      }
    }
    /** @param {any} part @param {any} f */
    function names({ named, top }, f) {
      const places = [f.claim, f.attacked, f.counted];
      named.forEach((/** @type {any} */ text, /** @type {number} */ at) => {
        text.textContent = ended() ? of(told.marks[["claimed", "attacked", "counted"][at]]) : "";
        put(text, {
          x: at > 1 ? wide : x(places[at]) - 4,
          y: top - (at ? 8 : 26),
          "text-anchor": at > 1 ? "end" : "start",
        });
      });
    }
    /** @param {any} part */
    function settle(part) {
      part.x = { ...part.goal };
      part.speed = 0;
      show(part);
    }
    // A step of so many seconds towards the goal. A flag falls by gravity and bounces; it gets up gently.
    /** @param {any} part @param {number} gap */
    function toward(part, gap) {
      const { goal, x: at } = part,
        soft = 1 - Math.exp(-gap * 6),
        fast = state.phase === "climb" ? 1 - Math.exp(-gap * 18) : soft;
      let far = 0;
      for (const name of ["proof", "proofs", "end", "ends", "flag", "gap", "mixed"]) {
        const to = goal[name];
        if (to === null || at[name] === null) at[name] = to;
        else at[name] += (to - at[name]) * (name === "proof" ? fast : soft);
        const unit = name === "gap" || name.endsWith("s") ? 100 : 1;
        if (to !== null) far = Math.max(far, unit * Math.abs(to - at[name]));
      }
      if (!goal.down) {
        part.speed = 0;
        at.turn += (goal.turn - at.turn) * soft;
      } else if (at.turn < 90 || part.speed) {
        part.speed += (60 + 620 * Math.sin(Math.min(1.6, (at.turn + 6) / 60))) * gap;
        at.turn += part.speed * gap;
        if (at.turn >= 90) {
          at.turn = 90;
          part.speed *= -0.32;
          if (Math.abs(part.speed) < 30) part.speed = 0;
        }
      }
      show(part);
      return far > 0.3 || part.speed !== 0 || Math.abs(goal.turn - at.turn) > 0.4;
    }
    /** @param {any} part */
    function show(part) {
      const at = part.x,
        { top, deep } = part,
        middle = top + deep / 2;
      put(part.proof, { transform: `translate(${at.proof.toFixed(1)} ${middle})`, opacity: at.proofs.toFixed(2) });
      put(part.end, { x: (at.end - 2).toFixed(1), opacity: at.ends.toFixed(2) });
      const from = Math.min(at.proof, at.end);
      put(part.bar, {
        x: from.toFixed(1),
        width: Math.max(0, at.end - from).toFixed(1),
        opacity: (0.42 * at.ends).toFixed(2),
      });
      put(part.mixed, { x: ((at.mixed ?? 0) - 1.5).toFixed(1), opacity: at.mixed === null ? 0 : 1 });
      const lies = Math.max(0, at.turn - 34) / 56;
      const foot = top + deep - (part.own ? 0 : 1) - lies * (deep - 3);
      put(part.flag, {
        transform: `translate(${at.flag.toFixed(1)} ${foot.toFixed(1)}) rotate(${at.turn.toFixed(1)})`,
        opacity: (1 - 0.7 * lies).toFixed(2),
      });
      put(part.stump, { transform: `translate(${at.flag.toFixed(1)} ${top + deep})`, opacity: lies ? 1 : 0 });
      if (part.gap) {
        const wideness = Math.abs(at.gap) * HALF;
        put(part.gap, { x: (part.middle - (at.gap < 0 ? wideness : 0)).toFixed(1), width: wideness.toFixed(1) });
      }
      if (part.knob) planting_shows(part, at, middle);
    }
    /** @param {any} part @param {any} at @param {number} middle */
    function planting_shows(part, at, middle) {
      const guess = told.guesses[ring[part.row.key]],
        plants = state.phase === "plant",
        below = plants ? 0 : part.deep / 2 + 3;
      put(part.knob, {
        transform: `translate(${x(guess.at).toFixed(1)} ${middle + below}) scale(${plants ? 1 : 0.55})`,
        "aria-valuenow": ring[part.row.key],
        "aria-valuetext": guess.spoken,
        "aria-disabled": String(!plants),
        tabindex: plants ? 0 : -1,
      });
      put(part.dots, {
        d: `M${x(guess.at).toFixed(1)} ${middle + below}H${at.end.toFixed(1)}`,
        opacity: ended() ? 0.8 : 0,
      });
    }

    // ------------------------------------------------------------------------------------------------ what is said
    /** @param {any} [row] */
    function sentence(row) {
      const { says, tries } = told,
        look = Math.max(0, state.look);
      if (state.phase === "plant") {
        if (!row) return says.plant;
        const { text, word } = told.guesses[ring[row.key]],
          { label, claims } = facts(row);
        return fill(says.guess, { label, guess: text, word, claims });
      }
      if (state.phase === "climb")
        return fill(says.climb, { tries: tries[look], bound: small ? told.bounds[look] : "" });
      if (state.phase === "counted" && !small) return says.counted;
      const closing = told.closing[now()];
      if (small) return paper ? `${says.plant} ${closing}` : closing;
      return now() === "one town" ? `${closing} ${score()}` : closing;
    }
    function score() {
      const all = told.rows.filter((/** @type {any} */ row) => !row.repairs);
      const you = all.filter((/** @type {any} */ row) => facts(row).near.includes(ring[row.key])).length;
      const who = fill(planted.size ? told.says.you : told.says.papers, { you, papers: told.papers, all: all.length });
      return fill(told.says.score, { who });
    }
    /** @param {any} [row] */
    const speak = (row) => {
      if (note) note.textContent = of(told.notes[now()]);
      say(box, sentence(row));
    };

    // -------------------------------------------------------------------------------------------------- the attack
    const SPAN = small ? 2.6 : 5,
      THEN = small ? 0.3 : 1.6;
    const { wake, frames } = clock(box, (gap) => {
      if (state.phase === "climb" || state.phase === "counted") state.time += gap;
      if (state.phase === "climb") {
        const look = Math.min(last, Math.floor((state.time / SPAN) * (last + 1)));
        if (state.time > SPAN + 0.4) count();
        else if (look !== state.look) {
          state.look = look;
          place();
          speak();
        }
      } else if (state.phase === "counted" && state.time > THEN) finish();
      const moves = parts.map((part) => toward(part, gap)).some(Boolean);
      return moves || ["climb", "counted"].includes(state.phase);
    });
    function count() {
      Object.assign(state, { phase: "counted", time: 0, look: last });
      place();
      speak();
    }
    function finish() {
      Object.assign(state, { phase: "done", look: last });
      turned(small ? spell`Again` : spell`Once more`, true);
    }
    /** @param {string} button @param {boolean} over */
    function turned(button, over) {
      go.textContent = button;
      box.classList.toggle("done", over);
      if (switches) switches.hidden = !over;
      place();
      speak();
      wake();
    }
    function skip() {
      finish();
      parts.forEach(settle);
    }
    const begin = go.textContent;
    function anew() {
      Object.assign(state, { phase: "plant", unit: "one", crowd: "town", time: 0, look: -1 });
      back.forEach((set) => set());
      turned(begin, false);
    }
    go.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      // the second half of a double click is no wish to skip
      if (event.timeStamp - pressed < 400) return;
      pressed = event.timeStamp;
      if (state.phase === "done") anew();
      else if (state.phase === "plant" && !still()) {
        Object.assign(state, { phase: "climb", time: 0, look: -1 });
        turned(spell`Skip to the end`, false);
      } else skip();
    });
    const back = [...box.querySelectorAll(".lv-seg")].map((seg) => {
      const name = /** @type {"unit" | "crowd"} */ (seg.dataset.sets);
      const mark = segments(seg, (value) => {
        state[name] = value;
        place();
        speak();
        wake();
      });
      return () => mark(state[name]);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && (state.phase === "climb" || state.phase === "counted")) skip();
    });

    // ----------------------------------------------------------------------------------------- link, wall and paper
    if (!small) {
      wall(box, layout);
      linked(box, () => [state.phase === "done" ? now().replace(" ", "-") : "plant", ...Object.values(ring)]);
      const values = given(box);
      if (values) {
        const keys = Object.keys(ring);
        values.slice(1, keys.length + 1).forEach((value, at) => {
          const guess = Math.round(Number(value));
          if (!told.guesses[guess] || guess === ring[keys[at]]) return;
          ring[keys[at]] = guess;
          planted.add(keys[at]);
        });
        const [unit, crowd] = (values[0] || "").split("-");
        if (told.closing[`${unit} ${crowd}`]) Object.assign(state, { unit, crowd, phase: "done", look: last });
      }
    }
    const table = box.querySelector("details");
    if (table) table.open = false; // without a script it stands open, and on paper
    let opened = false;
    addEventListener("beforeprint", () => {
      paper = state.phase === "plant";
      opened = !!table && table.open;
      skip();
      if (table) table.open = true;
    });
    addEventListener("afterprint", () => {
      if (table) table.open = opened;
      if (paper) anew();
      paper = false;
    });
    new ResizeObserver(() => svg.clientWidth && svg.clientWidth !== wide && layout()).observe(svg.parentElement);
    Object.assign(box, { living: { state, frames } });
    layout();
    if (state.phase === "done") {
      back.forEach((set) => set());
      finish();
    } else speak();
  });
})();
