// @ts-check
// What stands between a phone and a stranger, drawn: a coin, two coins, a subtraction, a scale, a mean with noise.
window.rpDevices = (() => {
  const { count, percent, ease, logistic, chance } = window.rpLiving;
  const FONT = "system-ui, sans-serif";
  /** @typedef {CanvasRenderingContext2D} Ink */
  /** @param {Ink} pen @param {number} size @param {string} [weight] */
  const font = (pen, size, weight = "") => (pen.font = `${weight} ${size}px ${FONT}`);
  /** @param {Ink} pen @param {Colours} look */
  function plain(pen, look) {
    pen.lineWidth = 1.5;
    pen.strokeStyle = look.secondary;
    pen.fillStyle = look.ink;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    font(pen, 12);
  }

  // ------------------------------------------------------------------------------------------------------ messages
  // A message goes from a tile to the door of its device, and from there to the stranger's tile.
  /** @param {Flight} flight @param {number[]} door */
  function place({ t, from, to }, door) {
    const [a, b, s] = t < 0.5 ? [from, door, ease(2 * t)] : [door, to, ease(2 * t - 1)];
    return [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s - 10 * Math.sin(Math.PI * s)];
  }
  /** @param {Ink} pen @param {number} x @param {number} y @param {{ fill: string, line: string, thick?: number }} how */
  function square(pen, x, y, { fill, line, thick = 1.5 }) {
    pen.lineWidth = thick;
    pen.strokeStyle = line;
    pen.fillStyle = fill;
    pen.beginPath();
    pen.roundRect(x - 6.5, y - 6.5, 13, 13, 3);
    pen.fill();
    pen.stroke();
  }
  /** @param {Ink} pen @param {string} text @param {number} x @param {number} y @param {string[]} how */
  function label(pen, text, x, y, [fill, line, ink]) {
    font(pen, 12, "600");
    const wide = Math.max(20, pen.measureText(text).width + 9);
    pen.fillStyle = fill;
    pen.strokeStyle = line;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.roundRect(x - wide / 2, y - 10, wide, 20, 5);
    pen.fill();
    pen.stroke();
    pen.fillStyle = ink;
    pen.fillText(text, x, y + 0.5);
  }
  const minus = (/** @type {string} */ text) => text.replace("-", "−");

  // --------------------------------------------------------------------------------------------------------- coins
  // Its black part is the chance of the truth; it turns while something passes.
  /** @param {Ink} pen @param {Colours} look @param {number[]} at @param {number} r @param {number} share
   *  @param {string[]} words @param {number} turn */
  function coin(pen, look, [x, y], r, share, words, turn) {
    pen.save();
    pen.translate(x, y);
    pen.scale(Math.max(0.12, turn), 1);
    pen.fillStyle = look.page;
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(0, 0, r, 0, 7);
    pen.fill();
    pen.fillStyle = look.ink;
    pen.beginPath();
    pen.moveTo(0, 0);
    pen.arc(0, 0, r, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    pen.closePath();
    pen.fill();
    pen.beginPath();
    pen.arc(0, 0, r, 0, 7);
    pen.stroke();
    pen.restore();
    pen.fillStyle = look.ink;
    font(pen, 12);
    words.forEach((line, i) => pen.fillText(line, x, y + r + 14 + 15 * i));
  }
  /** @param {Scenery} it @param {boolean} [x] */
  const turn = (it, x) => (it.busy(x) ? Math.abs(Math.cos(it.phase * 14)) : 1);

  /** @type {Device} */
  function sp(pen, look, { x, y, tall }, it) {
    plain(pen, look);
    const keep = logistic(it.epsilon),
      door = [x, y - (tall ? 18 : 16)];
    coin(pen, look, door, tall ? 28 : 20, keep, [`truth ${percent(keep)}`], turn(it));
    it.flights.forEach((flight) => {
      const on = flight.t < 0.5 ? it.truth[flight.film] : it.answer(flight.film, flight.week),
        [a, b] = place(flight, door);
      square(pen, a, b, { fill: on ? look.ink : look.page, line: look.ink });
    });
  }
  /** @type {Device} */
  function ap(pen, look, { x, y, tall }, it) {
    plain(pen, look);
    const quiet = 1 - Math.exp(-it.epsilon),
      r = tall ? 22 : 18;
    const doors = tall ? [[x, y + 36], [x, y - 72]] : [[x + 85, y - 16], [x - 85, y - 16]]; // prettier-ignore
    coin(pen, look, doors[1], r, 1, ["watched:", "always “yes”"], turn(it, true));
    coin(pen, look, doors[0], r, quiet, ["not watched:", `“no” ${percent(quiet)}`], turn(it, false));
    it.flights.forEach((flight) => {
      const x = Number(it.truth[flight.film] > 0),
        on = flight.t < 0.5 ? x : it.answer(flight.film, flight.week),
        proof = flight.t >= 0.5 && !on,
        [a, b] = place(flight, doors[x]);
      square(pen, a, b, { fill: on ? look.ink : look.page, line: proof ? look.attack : look.ink, thick: proof ? 3 : 1.5 }); // prettier-ignore
    });
  }
  /** @type {Device} */
  function stars(pen, look, { x, y, tall }, it) {
    plain(pen, look);
    const keep = logistic(it.epsilon),
      wide = (4 / it.epsilon).toFixed(it.epsilon > 2 ? 1 : 0),
      door = [x, y - (tall ? 18 : 16)];
    coin(pen, look, door, tall ? 28 : 20, keep, [`itself ${percent(keep)}`, `else noise, ${wide} stars`], turn(it));
    it.flights.forEach((flight) => {
      const value = flight.t < 0.5 ? it.truth[flight.film] : it.answer(flight.film, 0),
        [a, b] = place(flight, door);
      if (it.onGrid(value))
        label(pen, String(value), a, b, [look.ink, flight.t < 0.5 ? look.ink : look.attack, look.page]);
      else label(pen, minus(value.toFixed(1)), a, b, [look.page, look.secondary, look.ink]);
    });
  }

  // --------------------------------------------------------------------------------------------------- subtraction
  /** @type {Device} */
  function subtraction(pen, look, { x, y, tall }, it) {
    plain(pen, look);
    if (it.film >= 0) {
      const [n, mean] = it.published[it.film],
        value = it.answer(it.film, 0),
        after = (n * mean + value) / (n + 1);
      const top = y - (tall ? 46 : 34),
        step = tall ? 22 : 16,
        edge = x + 64;
      font(pen, 12.5, "600");
      pen.fillText(it.names[it.film], x, top);
      font(pen, 12.5);
      pen.textAlign = "right";
      pen.fillText(`${after.toFixed(4)} × ${n + 1}`, edge, top + step);
      pen.fillText(`− ${mean.toFixed(4)} × ${n}`, edge, top + 2 * step);
      pen.textAlign = "center";
      pen.strokeStyle = look.ink;
      pen.beginPath();
      pen.moveTo(x - 66, top + 2.6 * step);
      pen.lineTo(x + 66, top + 2.6 * step);
      pen.stroke();
      font(pen, tall ? 20 : 16, "600");
      pen.fillStyle = it.bought ? look.ink : look.attack;
      pen.fillText(minus(value.toFixed(it.bought ? 1 : 0)), x, top + 3.5 * step);
    } else {
      pen.fillText("published", x, y - 10);
      pen.fillText("means", x, y + 8);
    }
    it.flights.forEach((flight) => {
      const value = flight.t < 0.5 ? it.truth[flight.film] : it.answer(flight.film, 0),
        [a, b] = place(flight, [x, y - (tall ? 74 : 44)]);
      if (it.onGrid(value))
        label(pen, String(value), a, b, [look.ink, flight.t < 0.5 ? look.ink : look.attack, look.page]);
      else label(pen, minus(value.toFixed(1)), a, b, [look.page, look.secondary, look.ink]);
    });
  }

  // --------------------------------------------------------------------------------------------------------- scale
  // Whose phone is it? The pans hold what either has met; the bill fills above.
  /** @type {Device} */
  function scale(pen, look, { x, y, wide, high, tall }, it) {
    plain(pen, look);
    const above = y - high / 2,
      top = above + (tall ? 128 : 100),
      foot = y + high / 2 - 8,
      arm = Math.min(150, wide / 2 - 66),
      lean = -it.tilt * 0.22,
      sure = logistic(it.odds);
    const long = Math.min(330, wide - 20),
      total = it.run.each * it.run.bits;
    pen.fillText(`on the bill: ε = ${count(it.run.each * it.bits)} of ${count(total)}`, x, above + 12);
    pen.fillStyle = look.secondary;
    pen.globalAlpha = 0.25;
    pen.fillRect(x - long / 2, above + 24, long, 5);
    pen.globalAlpha = 1;
    pen.fillStyle = look.paper;
    pen.fillRect(x - long / 2, above + 24, (long * it.bits) / it.run.bits, 5);
    pen.fillStyle = look.ink;
    font(pen, 22, "600");
    const doubt = sure > 0.9995 ? "no doubt left" : percent(sure);
    pen.fillText(`Ada: ${it.bits ? doubt : percent(0.5)}`, x, above + 58);
    pen.strokeStyle = look.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, foot);
    pen.moveTo(x - 34, foot);
    pen.lineTo(x + 34, foot);
    pen.stroke();
    const ends = [-1, 1].map((side) => [x + side * arm * Math.cos(lean), top + side * arm * Math.sin(lean)]);
    pen.lineWidth = 4;
    pen.beginPath();
    pen.moveTo(ends[0][0], ends[0][1]);
    pen.lineTo(ends[1][0], ends[1][1]);
    pen.stroke();
    ends.forEach((end, side) => pan(pen, look, end, Math.min(78, high * 0.27), side ? it.run.other : 8, side > 0));
    pen.beginPath();
    pen.arc(x, top, 5, 0, 7);
    pen.fill();
    it.flights.forEach(({ t, from, week }) => {
      pen.globalAlpha = 1 - 0.6 * t;
      font(pen, 14, "600");
      pen.fillText(it.run.signs[week], from[0] + (x - from[0]) * ease(t), from[1] + (top - from[1]) * ease(t));
      pen.globalAlpha = 1;
    });
  }
  /** @param {Ink} pen @param {Colours} look @param {number[]} end @param {number} drop @param {number} met
   *  @param {boolean} other */
  function pan(pen, look, [x, y], drop, met, other) {
    const half = 46,
      across = other ? 11 : 4;
    pen.lineWidth = 1;
    pen.strokeStyle = look.secondary;
    pen.beginPath();
    pen.moveTo(x - half, y + drop);
    pen.lineTo(x, y);
    pen.lineTo(x + half, y + drop);
    pen.stroke();
    pen.fillStyle = look.ink;
    for (let i = 0; i < met; i++)
      pen.fillRect(x - across * 3.5 + (i % across) * 7 + 0.5, y + drop - 7 - Math.floor(i / across) * 7, 6, 6);
    pen.beginPath();
    pen.ellipse(x, y + drop, half + 2, 9, 0, 0, Math.PI);
    pen.fill();
    font(pen, 12);
    pen.fillText(other ? `somebody, ${met} films` : `Ada, ${met} films`, x, y + drop + 22);
  }

  // ---------------------------------------------------------------------------------------------------------- mean
  // To scale: the noise, and one phone's part of the mean, which is less than a pixel.
  /** @type {Device} */
  function cloud(pen, look, { x, y, tall }, it) {
    plain(pen, look);
    const far = tall ? 62 : 34,
      angle = 2 * Math.PI * chance(100 + it.bits)(),
      grown = ease((1 - it.pulse) * 1.6);
    pen.setLineDash([3, 4]);
    pen.beginPath();
    pen.arc(x, y, far, 0, 7);
    pen.stroke();
    pen.setLineDash([]);
    if (it.bits) {
      pen.strokeStyle = look.ink;
      pen.lineWidth = 2.5;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + far * Math.cos(angle) * grown, y + far * Math.sin(angle) * grown);
      pen.stroke();
    }
    pen.fillText("what the noise adds", x, y + far + 14);
    if (tall) {
      pen.fillText("one phone's part, to scale:", x, y - far - 30);
      pen.fillText(`1/${count(it.times)} of the noise`, x, y - far - 14);
    }
    it.flights.forEach(({ t, from, week }) => {
      pen.fillStyle = week === 7 ? look.ink : look.secondary;
      pen.globalAlpha = week === 7 ? 1 : 0.55;
      pen.fillRect(from[0] + (x - from[0]) * ease(t) - 4, from[1] + (y - from[1]) * ease(t) - 4, 8, 8);
      pen.globalAlpha = 1;
    });
  }

  return { sp, ap, ldp_svd: stars, dp_pnbm: subtraction, fmf_ldp: scale, privrec: cloud };
})();
