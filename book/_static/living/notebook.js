// @ts-check
// The stranger's notebook: what leaves a phone, and what a stranger then believes. Each belief is Bayes' rule over the
// real channel (recprivlib/living/channels.py), worked out here. Nothing is sent to anybody; a reader's own films are kept
// in this browser.
window.rpLiving.picture("notebook", (box, told) => {
  const { still, count, percent, fill, say, logistic, laplace, clock, colours, segments, held, sized } =
    window.rpLiving;
  const KEY = "recpriv-films",
    CHANGED = "recpriv-films-changed";
  const channel = /** @type {string} */ (told.channel),
    starry = channel === "ldp_svd" || channel === "dp_pnbm",
    scale = channel === "fmf_ldp",
    cloud = channel === "privrec";
  /** @param {string} name */
  const one = (name) => box.querySelector(name);
  const mine = [...one(".nb-mine .nb-tiles").children].map((tile) => /** @type {HTMLElement} */ (tile));
  const book = [...one(".nb-book .nb-tiles").children].map((tile) => /** @type {HTMLElement} */ (tile));
  const go = /** @type {HTMLButtonElement} */ (one(".lv-go")),
    slider = box.querySelector("input"),
    canvas = box.querySelector("canvas"),
    gate = one(".nb-gate");
  const n = told.films.length,
    says = told.says;

  // ------------------------------------------------------------------------------------------------ whose phone
  let truth = /** @type {number[]} */ ([...told.ada]),
    whose = /** @type {"hers" | "kept" | "sent"} */ ("hers");
  /** @returns {{ watched?: string[], stars?: Record<string, number> }} */
  function stored() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || {};
    } catch {
      return {};
    }
  }
  function load() {
    if (scale || whose === "sent") return;
    const { watched, stars } = stored(),
      own = starry ? stars : watched;
    whose = own ? "kept" : "hers";
    truth = told.ada.map((/** @type {number} */ hers, /** @type {number} */ film) => {
      const name = told.films[film];
      return starry ? (stars && stars[name]) || hers : watched ? Number(watched.includes(name)) : hers;
    });
  }
  function keep() {
    const all = stored();
    /** @param {(film: number) => boolean} which */
    const named = (which) => told.films.filter((/** @type {string} */ _, /** @type {number} */ film) => which(film));
    if (starry) {
      all.stars ||= {};
      truth.forEach((value, film) => (all.stars[told.films[film]] = value));
    } else all.watched = named((film) => truth[film] > 0);
    whose = "kept";
    try {
      localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      whose = "sent"; // a browser that keeps nothing: yours as long as the page is open
    }
    document.dispatchEvent(new Event(CHANGED));
  }
  function forget() {
    const all = stored();
    delete all[starry ? "stars" : "watched"];
    try {
      if (Object.keys(all).length) localStorage.setItem(KEY, JSON.stringify(all));
      else localStorage.removeItem(KEY);
    } catch {
      // what a browser did not keep need not be forgotten
    }
    whose = "hers";
    document.dispatchEvent(new Event(CHANGED));
  }

  // ------------------------------------------------------------------------------------- the channel and the belief
  const state = { step: told.start || 0, anew: false, variant: "", running: false, compare: false, bits: 0, sent: 0 };
  const said = /** @type {number[]} */ (new Array(n).fill(0)); // how many answers about each film have arrived
  const at = () => told.steps[state.step];
  const span = () => (mine[24] && !mine[24].offsetParent ? 24 : n);
  const weeks = () => (state.anew ? told.spread.length : 1);
  const uniform = (/** @type {number} */ film, /** @type {number} */ week) => (told.spread[week][film] + 0.5) / n;
  const noise = (/** @type {number} */ film) => laplace((told.noise[film] + 0.5) / n, 4 / at().epsilon);
  /** @param {number} film @param {number} week */
  function answer(film, week) {
    const x = truth[film],
      e = at().epsilon,
      u = uniform(film, week);
    if (channel === "sp") return u < logistic(e) ? x : 1 - x;
    if (channel === "ap") return Number(x > 0 || u < Math.exp(-e));
    if (channel === "ldp_svd") return u < logistic(e) ? x : x + noise(film);
    return state.variant === "bought" ? x + noise(film) : x;
  }
  const onGrid = (/** @type {number} */ y) => y === Math.round(y) && y >= 1 && y <= 5;
  /** @param {number} film @returns {{ of: number[], sure: boolean }} */
  function belief(film) {
    const e = told.steps && at().epsilon,
      prior = /** @type {number[]} */ (told.prior || [0.5, 0.5]);
    if (!said[film]) return { of: prior, sure: false };
    if (starry) {
      const y = answer(film, 0);
      if (onGrid(y)) return { of: prior.map((_, star) => Number(star + 1 === y)), sure: true };
      const weights = prior.map((p, star) => p * Math.exp((-Math.abs(y - star - 1) * e) / 4));
      const all = weights.reduce((a, b) => a + b);
      return { of: weights.map((weight) => weight / all), sure: false };
    }
    let odds = 0;
    for (let week = 0; week < said[film]; week++) {
      const yes = answer(film, week);
      if (!yes && channel === "ap") return { of: [1, 0], sure: true };
      odds += yes ? e : -e;
    }
    return { of: [logistic(-odds), logistic(odds)], sure: false };
  }
  const run = () => told.scales[state.variant || "printed"];
  const odds = () => (scale && state.bits >= 5 ? run().path[Math.floor(state.bits / 5) - 1] : 0);

  // ------------------------------------------------------------------------------------------------- the sentence
  function words() {
    const total = span(),
      own = whose === "hers" ? "ada" : "own",
      films = [...Array(total).keys()],
      heard = films.filter((film) => said[film]);
    const who = { who: own === "own" ? "you rate" : "Ada rates", whose: told.whose[own] };
    if (scale) {
      if (!state.bits) return says.idle;
      const sure = logistic(odds()),
        tell = fill(sure > 0.9995 ? says.none : says.leans, { sure: percent(sure) });
      return fill(says.end, { bits: count(state.bits), bill: count(run().each * state.bits), tell, why: run().why });
    }
    if (cloud) {
      const now = told.rounds[state.bits - 1];
      return fill(now ? says.end : says.idle, { ...now, ...who, total, them: own === "own" ? "you" : "Ada" });
    }
    if (!heard.length) return fill(says.idle, who);
    const found = films.map(belief),
      week = Math.max(...films.map((film) => said[film]));
    const right = heard.filter((film) => found[film].of[1] > 0.5 === truth[film] > 0).length;
    return fill(week > 1 ? says.weeks : says[state.variant] || says.end, {
      ...who,
      total: channel === "sp" ? heard.length : total,
      sure: found.filter((one) => one.sure).length,
      right,
      promised: state.variant === "bought" ? at().bought : at().promised,
      noise: at().noise,
      weeks: week,
      sum: at().sums && at().sums[week - 1],
      epsilon: at().epsilon,
    });
  }

  // ---------------------------------------------------------------------------------------------------- the tiles
  /** @param {number} film */
  function tile(film) {
    const left = mine[film],
      right = book[film],
      value = truth[film],
      name = told.films[film];
    left.classList.toggle("on", value > 0);
    if (starry) {
      left.querySelector("b").textContent = String(value);
      left.setAttribute("aria-label", `${name}, ${value} stars`);
    } else if (!scale) left.setAttribute("aria-pressed", String(value > 0));
    if (!right) return;
    const now = belief(film),
      was = right.classList.contains("sure");
    if (starry) {
      [...right.querySelectorAll("i")].forEach((bar, star) => bar.style.setProperty("--h", now.of[star].toFixed(3)));
      right.querySelector("b").textContent = now.sure ? String(now.of.indexOf(1) + 1) : "";
    } else {
      const p = now.of[1];
      right.style.setProperty("--p", p.toFixed(3));
      right.classList.toggle("no", p < 0.02);
      right.classList.toggle("yes", p > 0.98);
      right.classList.toggle("wrong", state.compare && said[film] > 0 && p > 0.5 !== value > 0);
    }
    right.classList.toggle("sure", now.sure);
    if (now.sure && !was && state.running && !still())
      right.animate({ transform: ["scale(1.1)", "scale(.97)", "none"] }, { duration: 380, easing: "ease-out" });
  }
  function show() {
    for (let film = 0; film < n; film++) tile(film);
    one(".nb-name").textContent = whose === "hers" ? says.adas : says.yours;
    one(".nb-own").textContent = fill(says[whose], { films: truth.filter((value) => value > 0).length });
    const hers = one(".nb-hers");
    if (hers) hers.hidden = whose === "hers";
    say(box, words());
    paint();
  }

  // ----------------------------------------------------------------------------------------- time: what is in the air
  /** @typedef {{ film: number, week: number, t: number, far: boolean }} Flight */
  let flying = /** @type {Flight[]} */ ([]),
    wait = 0,
    pace = 0,
    last = -1,
    tilt = 0,
    pulse = 0,
    phase = 0;
  const ROUNDS = cloud ? told.rounds.length : 0;
  const done = () => (scale ? state.bits >= run().bits : cloud ? state.bits >= ROUNDS : state.sent >= span() * weeks());
  function send() {
    const visible = told.order.filter((/** @type {number} */ film) => film < span()),
      film = visible[state.sent % visible.length];
    flying.push({ film, week: Math.floor(state.sent / visible.length), t: 0, far: true });
    state.sent++;
  }
  /** @param {Flight} flight */
  function land({ film, week, far }) {
    if (!far) return;
    said[film] = Math.max(said[film], week + 1);
    last = film;
    tile(film);
    say(box, words());
  }
  /** @param {number} gap */
  function advance(gap) {
    const [first, most, more] = scale ? [60, 420, 260] : state.anew ? [8, 60, 12] : channel === "dp_pnbm" ? [1.2, 5, 0.6] : [5, 18, 9]; // prettier-ignore
    pace = Math.min(most, Math.max(first, pace) + more * gap);
    wait += cloud ? gap / 0.6 : pace * gap;
    for (; wait >= 1 && !done(); wait--) {
      if (!scale && !cloud) {
        send();
        continue;
      }
      state.bits++;
      // every ninth bit is seen to fly, with its sign
      if (scale && state.bits % 9 === 1)
        flying.push({ film: told.ada.indexOf(1), week: (state.bits - 1) / 9, t: 0, far: false });
      if (cloud) {
        pulse = 1;
        for (let i = 0; i < 30; i++)
          flying.push({ film: Math.floor((i * 24) / 30), week: i, t: -0.012 * i, far: false });
      }
    }
    if (scale || cloud) say(box, words());
    if (done()) off();
  }
  const moving = clock(box, (gap) => {
    if (state.running) advance(gap);
    const speed = channel === "dp_pnbm" ? 0.9 : 1.35;
    flying.forEach((flight) => (flight.t += gap * speed));
    flying.filter((flight) => flight.t >= 1).forEach(land);
    flying = flying.filter((flight) => flight.t < 1);
    const goal = Math.max(-1, Math.min(1, odds() / 6)),
      far = goal - tilt;
    tilt = Math.abs(far) < 0.003 ? goal : tilt + far * Math.min(1, 5 * gap);
    pulse = Math.max(0, pulse - gap * 1.2);
    phase += gap;
    paint();
    return state.running || flying.length > 0 || pulse > 0 || tilt !== goal;
  });
  function start() {
    if (done()) again();
    if (still()) return whole();
    state.running = true;
    pace = 0;
    wait = 1;
    moving.wake();
  }
  function halt() {
    state.running = false;
  }
  // Everything is said at once, for those who want no motion, for paper, and for a link.
  function whole() {
    if (scale) state.bits = run().bits;
    else if (cloud) state.bits = ROUNDS;
    else {
      state.sent = span() * weeks();
      said.fill(weeks(), 0, span());
    }
    flying = [];
    tilt = Math.max(-1, Math.min(1, odds() / 6));
    show();
  }
  function again() {
    Object.assign(state, { sent: 0, bits: 0 });
    said.fill(0);
    flying = [];
    last = -1;
    tilt = 0;
    show();
  }

  // ------------------------------------------------------------------------------------- the air between both phones
  const look = colours(box, () => paint());
  const device = window.rpDevices[channel];
  let places = /** @type {{ from: number[][], to: number[][], door: DOMRect, base: DOMRect, zoom: number } | null} */ (
    null
  );
  function measure(/** @type {number} */ zoom) {
    const base = canvas.getBoundingClientRect();
    const middle = (/** @type {HTMLElement} */ node) => {
      const r = node.getBoundingClientRect();
      return [(r.left + r.width / 2 - base.left) / zoom, (r.top + r.height / 2 - base.top) / zoom];
    };
    return { from: mine.map(middle), to: book.map(middle), door: gate.getBoundingClientRect(), base, zoom };
  }
  function paint() {
    const { pen, zoom } = sized(canvas);
    places ||= measure(zoom);
    const { door, base } = places;
    const high = door.height / zoom,
      area = { x: (door.left + door.width / 2 - base.left) / zoom, y: (door.top + door.height / 2 - base.top) / zoom,
               wide: door.width / zoom, high, tall: high > 140 }; // prettier-ignore
    const film = last,
      up = flying.filter((flight) => flight.t > 0.28 && flight.far).pop();
    device(pen, look, area, {
      epsilon: told.steps && at().epsilon, tilt, pulse, phase, bits: state.bits, run: scale && run(), times: told.times,
      odds: odds(), truth, names: told.films, published: told.published, bought: state.variant === "bought",
      film: up ? up.film : film, noise: told.noise && noise, answer, onGrid, belief,
      busy: (x) => flying.some((f) => f.t > 0.36 && f.t < 0.56 && (x === undefined || truth[f.film] > 0 === x)),
      flights: flying.filter((f) => f.t >= 0).map((f) => ({ ...f, from: places.from[f.film], to: places.to[f.film] })),
    }); // prettier-ignore
  }

  // ------------------------------------------------------------------------------------------------ hands and keys
  const off = held(go, start, halt);
  one(".nb-all").addEventListener("click", () => {
    off();
    whole();
  });
  one(".nb-again").addEventListener("click", () => {
    off();
    again();
  });
  if (slider)
    slider.addEventListener("input", () => {
      state.step = Number(slider.value);
      steps();
      show();
    });
  function steps() {
    if (!slider) return;
    slider.value = String(state.step);
    one("output").textContent = at().label;
    slider.setAttribute("aria-valuetext", at().spoken);
  }
  /** @param {string} value */
  function set(value) {
    state.anew = value === "anew";
    state.variant = value === "bought" || value === "thawed" ? value : "";
    if (!state.anew && !scale && !cloud) {
      said.forEach((heard, film) => (said[film] = Math.min(heard, 1)));
      state.sent = Math.min(state.sent, span());
      flying = flying.filter((flight) => flight.week === 0);
    }
    show();
    moving.wake();
  }
  const segment = /** @type {HTMLElement} */ (one(".lv-seg"));
  const mark = segment && segments(segment, set);
  const compare = one(".nb-compare");
  if (compare)
    compare.addEventListener("click", () => {
      state.compare = !state.compare;
      compare.setAttribute("aria-pressed", String(state.compare));
      show();
    });
  const wide = () => getComputedStyle(mine[0].parentElement).gridTemplateColumns.split(" ").length;
  if (!scale)
    mine.forEach((tile, film) => {
      tile.tabIndex = film ? -1 : 0;
      tile.addEventListener("click", () => {
        truth[film] = starry ? (truth[film] % 5) + 1 : 1 - truth[film];
        keep();
      });
      tile.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide(), ArrowUp: -wide() }[event.key],
          next = by && mine[film + by];
        if (!next || !next.offsetParent) return;
        event.preventDefault();
        tile.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      });
    });
  const hers = one(".nb-hers");
  if (hers) hers.addEventListener("click", forget);
  document.addEventListener(CHANGED, () => {
    load();
    show();
  });

  // --------------------------------------------------------------------------------------------- beginning, link, wall
  const shown = new ResizeObserver(() => {
    places = null;
    show();
  });
  window.rpLiving.linked(box, () => {
    const set = state.anew ? "anew" : state.variant || "-";
    return [state.step, set, whose === "hers" ? "ada" : truth.join("")];
  });
  window.rpLiving.wall(box, () => {
    places = null;
    paint();
  });
  const given = window.rpLiving.given(box);
  load();
  if (given) {
    const [step, wanted, films] = given;
    if (step && told.steps && told.steps[Number(step)]) state.step = Number(step);
    if (mark && [...segment.querySelectorAll("button")].some((button) => button.value === wanted)) {
      mark(wanted);
      set(wanted);
    }
    if (new RegExp(`^[0-${starry ? 5 : 1}]{${n}}$`).test(films)) {
      truth = [...films].map(Number);
      whose = "sent";
    }
    whole();
  }
  steps();
  shown.observe(one(".lv-inner"));
  let paper = false; // being printed, by a reader who has heard nothing
  addEventListener("beforeprint", () => {
    paper = !state.sent && !state.bits;
    if (paper) whole();
  });
  addEventListener("afterprint", () => {
    if (paper) again();
    paper = false;
  });
  Object.assign(box, { living: { state, belief, frames: moving.frames } });
});
