// @ts-check
// The crowd you can see: 943 phones, each with its lying coin, and a pile of what they say together; beside it a server
// that is trusted and adds noise once. The law and the sentences are Python's (recprivlib/living/crowd.py).
window.rpLiving.picture("crowd", (box, told) => {
  const { still, count, percent, epsilon, fill, say, chance, normal, laplace, clock, ease, sized, colours, segments, held } =
    window.rpLiving; // prettier-ignore
  /** @param {string} name */
  const one = (name) => box.querySelector(name);
  const canvas = box.querySelector("canvas"),
    slider = box.querySelector("input"),
    go = /** @type {HTMLButtonElement} */ (one(".lv-go")),
    leave = one(".cr-ada");
  const BITS = [
    [1, 1],
    [1, 0],
    [0, 1],
    [0, 0],
  ];
  const kinds = [...told.kinds].map(Number),
    both = kinds.filter((kind) => kind === 0).length;
  const state = { step: told.start, towns: told.towns, gone: false, running: false };
  /** @typedef {{ lies: number, once: number, t: number }} Ball */
  let balls = /** @type {Ball[]} */ ([]),
    said = /** @type {boolean[]} */ ([]), // whose phones say "both" in the newest round
    draw = chance(told.seed),
    wait = 0,
    glow = 0,
    zoom = Math.log(Math.max(1 / 943, told.towns));

  // --------------------------------------------------------------------------------------------- what a round says
  const at = () => told.steps[state.step];
  const size = () => at().sizes[told.sizes.indexOf(state.towns)];
  const kind = (/** @type {number} */ person) => (state.gone && person === told.ada ? 3 : kinds[person]);
  const truth = () => (state.towns ? both * state.towns - Number(state.gone) : Number(kind(told.ada) === 0));
  /** @param {number} person */
  function phone(person) {
    const { p, yes, no } = at(),
      [first, second] = BITS[kind(person)].map((bit) => (draw() < p ? bit : 1 - bit));
    said[person] = Boolean(first && second);
    return (first ? yes : no) * (second ? yes : no);
  }
  function round() {
    said = [];
    let lies = 0;
    if (!state.towns) lies = phone(told.ada);
    else if (state.towns > 1) lies = truth() + size().wide * normal(draw);
    else for (let person = 0; person < kinds.length; person++) lies += phone(person);
    return { lies, once: truth() + laplace(draw(), 1 / at().epsilon) };
  }
  function words() {
    const says = told.says,
      { yes, no, once } = at();
    /** @param {number} value */
    const short = (value) => value.toFixed(1).replace("-", "−");
    if (!state.towns) return fill(says.alone, { yes: short(yes * yes), mixed: short(yes * no), no: short(no * no) });
    const common = { people: count(kinds.length), truth: count(truth()), wide: size().said, once };
    if (!balls.length) return fill(says.idle, { ...common, first: told.first, second: told.second });
    return fill(state.towns > 1 ? says.towns : says.town, {
      ...common,
      rounds: balls.length === 1 ? "1 round" : `${balls.length} rounds`,
      below: percent(balls.filter((ball) => ball.lies < 0).length / balls.length),
      towns: state.towns,
      times: epsilon(Math.sqrt(state.towns)),
      without: state.gone ? fill(says.without, common) : "",
    });
  }

  // --------------------------------------------------------------------------------------------------- the picture
  const look = colours(box, () => repaint());
  /** @typedef {{ x: number, y: number, w: number, h: number }} Plot */
  let wide = 0,
    cell = 0,
    cols = 31,
    field = 290,
    plots = /** @type {Plot[]} */ ([]),
    dots = /** @type {HTMLCanvasElement | null} */ (null); // drawn once
  function layout() {
    wide = canvas.parentElement.clientWidth;
    const narrow = wide < 640;
    cols = narrow ? 47 : 31;
    field = narrow ? wide : 290;
    cell = field / cols;
    const deep = Math.ceil(kinds.length / cols) * cell + 20,
      x = narrow ? 0 : field + 44,
      w = wide - x - 2;
    const high = narrow ? 92 : 134,
      top = narrow ? deep + 34 : 24;
    plots = [top, top + high + 46].map((y) => ({ x, y, w, h: high }));
    canvas.style.height = `${Math.max(deep, plots[1].y + high + 20)}px`;
    dots = null;
  }
  /** @param {number} person */
  const spot = (person) => [((person % cols) + 0.5) * cell, 20 + (Math.floor(person / cols) + 0.5) * cell];
  /** @param {number} ratio */
  function crowd(ratio) {
    const sheet = document.createElement("canvas"),
      pen = sheet.getContext("2d");
    sheet.width = Math.round(field * ratio);
    sheet.height = Math.round((Math.ceil(kinds.length / cols) * cell + 22) * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    kinds.forEach((_, person) => {
      const [x, y] = spot(person),
        r = cell * 0.3,
        what = kind(person);
      pen.globalAlpha = person === told.ada ? 1 : (state.towns ? 1 : 0.2) * (what === 3 ? 0.4 : what ? 0.75 : 1);
      pen.fillStyle = what ? look.secondary : look.ink;
      pen.beginPath();
      if (what) pen.arc(x, y, r * (what === 3 ? 0.55 : 0.85), 0, 7);
      else pen.rect(x - r, y - r, 2 * r, 2 * r);
      pen.fill();
    });
    const [x, y] = spot(told.ada);
    pen.globalAlpha = 1;
    pen.strokeStyle = look.repaired;
    pen.lineWidth = 2;
    pen.strokeRect(x - cell * 0.62, y - cell * 0.62, cell * 1.24, cell * 1.24);
    return sheet;
  }
  function paint() {
    const { pen, zoom: enlarged } = sized(canvas);
    dots ||= crowd(enlarged * Math.min(2, devicePixelRatio || 1));
    pen.drawImage(dots, 0, 0, field, (dots.height * field) / dots.width);
    pen.fillStyle = look.paper;
    pen.globalAlpha = glow;
    said.forEach((yes, person) => {
      const [x, y] = spot(person);
      if (yes) pen.fillRect(x - cell * 0.4, y - cell * 0.4, cell * 0.8, cell * 0.8);
    });
    pen.globalAlpha = 1;
    text(
      pen,
      state.towns > 1 ? `${count(943)} of ${count(943 * state.towns)} phones` : "943 phones",
      0,
      11,
      "left",
      "600",
    );
    text(pen, "■ watched both", field, 11, "right");
    pile(pen, plots[0], "lies", "together, phones that lie", look.paper);
    pile(pen, plots[1], "once", "a trusted server, noise once", look.beyond);
  }
  function repaint() {
    dots = null;
    paint();
  }
  /** @param {CanvasRenderingContext2D} pen @param {string} words @param {number} x @param {number} y
   *  @param {CanvasTextAlign} align @param {string} [weight] */
  function text(pen, words, x, y, align, weight = "") {
    pen.font = `${weight} ${weight ? 13 : 12}px system-ui, sans-serif`;
    pen.textAlign = align;
    pen.fillStyle = look.ink;
    pen.fillText(words, x, y);
  }
  // The truth of so many towns stays where it is; the axis zooms.
  /** @param {Plot} plot */
  function axis(plot) {
    const many = Math.exp(zoom),
      alone = many < 0.01,
      reach = alone ? 8 : 220 * many,
      low = alone ? -3 : -82 * many;
    return (/** @type {number} */ v) => plot.x + ((v - low) / reach) * plot.w;
  }
  /** @param {CanvasRenderingContext2D} pen @param {number[]} points */
  function line(pen, points) {
    pen.beginPath();
    pen.moveTo(points[0], points[1]);
    pen.lineTo(points[2], points[3]);
    pen.stroke();
  }
  /** @param {CanvasRenderingContext2D} pen @param {Plot} plot @param {"lies" | "once"} what @param {string} title
   *  @param {string} hue */
  function pile(pen, plot, what, title, hue) {
    const x = axis(plot),
      floor = plot.y + plot.h,
      mark = x(truth()),
      zero = x(0);
    const sd = what === "lies" ? size().wide : Math.SQRT2 / at().epsilon;
    text(pen, title, plot.x, plot.y - 10, "left", "600");
    pen.strokeStyle = look.secondary;
    pen.lineWidth = 1;
    line(pen, [plot.x, floor, plot.x + plot.w, floor]);
    pen.setLineDash([2, 3]);
    line(pen, [zero, plot.y, zero, floor]);
    pen.setLineDash([]);
    text(pen, "0", zero, floor + 14, "center");
    pen.strokeStyle = look.ink;
    pen.lineWidth = 2;
    line(pen, [mark, plot.y, mark, floor]);
    if (Math.abs(mark - zero) > 16) text(pen, count(truth()), mark, floor + 14, "center");
    pen.save();
    pen.beginPath();
    pen.rect(plot.x, plot.y - 4, plot.w, plot.h + 10);
    pen.clip();
    pen.fillStyle = pen.strokeStyle = hue;
    if (state.towns) hill(pen, mark, Math.max(1.2, x(sd) - zero), floor, what, plot.h, 0.14);
    if (state.towns && state.gone)
      hill(pen, x(both * state.towns), Math.max(1.2, x(sd) - zero), floor, what, plot.h, 0);
    stack(pen, plot, x, floor, what);
    if (state.towns) {
      pen.lineWidth = 3;
      line(pen, [x(truth() - sd), floor + 2, x(truth() + sd), floor + 2]);
    }
    pen.restore();
  }
  // The law of a pile, faint; dashed where it stood before Ada left.
  /** @param {CanvasRenderingContext2D} pen @param {number} middle @param {number} sd @param {number} floor
   *  @param {string} what @param {number} most @param {number} full */
  function hill(pen, middle, sd, floor, what, most, full) {
    const high = Math.min(most - 8, 60 * Math.max(1, Math.min(1.7, 40 / sd)));
    pen.beginPath();
    for (let i = -40; i <= 40; i++) {
      const z = i / 10;
      pen.lineTo(middle + z * sd, floor - high * Math.exp(what === "once" ? -Math.abs(z) * Math.SQRT2 : (-z * z) / 2));
    }
    pen.globalAlpha = full || 1;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    if (full) pen.fill();
    else pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
  /** @param {CanvasRenderingContext2D} pen @param {Plot} plot @param {(v: number) => number} x @param {number} floor
   *  @param {"lies" | "once"} what */
  function stack(pen, plot, x, floor, what) {
    const r = wide < 640 ? 3 : 3.6,
      high = new Map(),
      most = Math.floor((plot.h - 6) / (2 * r));
    pen.beginPath();
    for (const ball of balls) {
      const slot = Math.round(x(ball[what]) / (2 * r)),
        n = high.get(slot) || 0;
      high.set(slot, n + 1);
      if (n >= most) continue;
      const down = ease(ball.t) ** 2,
        y = plot.y + (floor - r - n * 2 * r - plot.y) * down;
      pen.moveTo(slot * 2 * r + r, y);
      pen.arc(slot * 2 * r, y, r * 0.92, 0, 7);
    }
    pen.fill();
  }

  // -------------------------------------------------------------------------------------------------------- motion
  const moving = clock(box, (gap) => {
    if (state.running) {
      wait += gap * Math.min(30, 2.5 + balls.length * 0.35);
      for (; wait >= 1; wait--) add();
    }
    balls.forEach((ball) => (ball.t = Math.min(1, ball.t + gap * 2.2)));
    glow = Math.max(0, glow - gap * 1.6);
    const goal = Math.log(Math.max(1 / 943, state.towns)),
      by = goal - zoom;
    zoom = Math.abs(by) < 0.002 ? goal : zoom + by * (1 - Math.exp(-gap * 4));
    paint();
    return state.running || glow > 0 || zoom !== goal || balls.some((ball) => ball.t < 1);
  });
  /** @param {boolean} [quiet] */
  function add(quiet) {
    if (balls.length >= told.most) return off();
    balls.push({ ...round(), t: quiet ? 1 : 0 });
    glow = quiet ? 0 : 1;
    say(box, words());
  }
  function start() {
    if (still()) {
      for (let i = 0; i < 60; i++) add(true);
      return paint();
    }
    state.running = true;
    wait = 1;
    moving.wake();
  }
  // The same coins under other settings: a pile moves, and is not thrown again.
  /** @param {number} rounds */
  function anew(rounds) {
    draw = chance(told.seed);
    balls = [];
    for (let i = 0; i < rounds; i++) balls.push({ ...round(), t: 1 });
    said = [];
    if (still()) zoom = Math.log(Math.max(1 / 943, state.towns));
    say(box, words());
    repaint();
    moving.wake();
  }

  // --------------------------------------------------------------------------------------------------------- hands
  const off = held(go, start, () => (state.running = false));
  one(".nb-again").addEventListener("click", () => {
    off();
    anew(0);
  });
  function shown() {
    slider.value = String(state.step);
    slider.setAttribute("aria-valuetext", at().spoken);
    one("output").textContent = at().label;
    leave.textContent = state.gone ? "Put Ada back" : "Take Ada out";
    leave.setAttribute("aria-pressed", String(state.gone));
  }
  slider.addEventListener("input", () => {
    state.step = Number(slider.value);
    shown();
    anew(balls.length);
  });
  leave.addEventListener("click", () => {
    state.gone = !state.gone;
    shown();
    anew(balls.length);
  });
  const mark = segments(one(".lv-seg"), (value) => {
    state.towns = Number(value);
    anew(balls.length);
  });
  window.rpLiving.linked(box, () => [state.step, state.towns, Number(state.gone), balls.length]);
  window.rpLiving.wall(box, () => {
    layout();
    paint();
  });
  const given = window.rpLiving.given(box);
  let begun = 0;
  if (given) {
    const [step, towns, gone, rounds] = given.map(Number);
    if (told.steps[step]) state.step = step;
    if (told.sizes.includes(towns)) state.towns = towns;
    state.gone = gone === 1;
    begun = Math.min(told.most, rounds || 0);
    mark(String(state.towns));
    zoom = Math.log(Math.max(1 / 943, state.towns));
  }
  shown();
  layout();
  anew(begun);
  new ResizeObserver(() => {
    layout();
    paint();
  }).observe(canvas.parentElement);
  let paper = false; // being printed, by a reader who has asked nobody
  addEventListener("beforeprint", () => {
    paper = !balls.length;
    if (paper) anew(60);
  });
  addEventListener("afterprint", () => {
    if (paper) anew(0);
    paper = false;
  });
  Object.assign(box, { living: { state, frames: moving.frames, rounds: () => balls.length } });
});
