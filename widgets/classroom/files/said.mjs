// @ts-check
// The sentences of the wall: a heading, and what is seen.
import { count, num, percent, plain } from "./parts.mjs";

/** @typedef {Record<string, (w: any) => string>} Words */

/** @type {Words} */
export const titles = {
  lobby: () => "The class",
  crowd: (w) => {
    if (w.phase === "open") return `Phones that lie, at ε\u00a0=\u00a0${plain(w.eps)}`;
    return w.phase === "more" ? "The same histories on eighty times as many phones" : "Lies taken back out";
  },
  sketch: (w) => w.question,
  vote: (w) => w.question,
  attack: (w) => {
    if (!("proven" in w)) return `Who believes it? The phones claim ε\u00a0=\u00a0${plain(w.eps)}`;
    return w.proven > 0
      ? `This room proves ε\u00a0≥\u00a0${plain(w.proven)} of the claimed ${plain(w.eps)}`
      : "This room has proven nothing";
  },
};

const median = (/** @type {number[]} */ list) => {
  const s = [...list].sort((a, c) => a - c),
    m = s.length >> 1;
  return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;
};
/** The room's middle at each place. @param {any} w @returns {(number | null)[]} */
export const middle = (w) =>
  w.x.map((/** @type {number} */ _, /** @type {number} */ i) => {
    const at = w.lines
      .map((/** @type {(number | null)[]} */ one) => one[i])
      .filter((/** @type {any} */ y) => y !== null);
    return at.length ? w.low + (median(at) / 100) * (w.high - w.low) : null;
  });
/** A height of a sketch. @param {any} w @param {number} v */
export const height = (w, v) => (w.percent ? percent(v) : num(v, w.digits));

/** @type {Words} */
export const said = {
  lobby: (w) =>
    w.away
      ? "A phone was turned away: three may come from one address. Let all in, if your network has one for all."
      : "",

  crowd(w) {
    const n = w.lists.length;
    if (w.phase === "open") return `An answer is true ${percent(w.p)} of the time. ${n} of ${w.here} have sent.`;
    if (!w.estimate) return "Nobody has sent anything.";
    const base = `${count(n, "phone")} at ε\u00a0=\u00a0${plain(w.eps)}: each count is right to ± ${num(w.error, 1)} people, 95 times in 100.`;
    if (!w.truth.length) return `${base} The truth stays on the phones. A show of hands, for those who like?`;
    const off = (/** @type {number[]} */ list) =>
      w.truth.reduce((/** @type {number} */ sum, /** @type {number} */ t, /** @type {number} */ i) => sum + Math.abs(t - list[i]), 0) /
      w.truth.length; // prettier-ignore
    if (w.many.length)
      return (
        `${w.times} such rooms: ± ${num(w.smaller, 1)} people a room, √${w.times} ≈ 9 times as sharp, and off by ${num(off(w.many), 1)} on ` +
        `average. Drawn here, at no cost to anybody: your own phones would have paid ${w.times} times.`
      );
    const hold = w.estimate.filter(
      (/** @type {number} */ e, /** @type {number} */ i) => Math.abs(e - w.truth[i]) <= w.error,
    );
    return `${base} Here they are off by ${num(off(w.estimate), 1)} on average, and ${hold.length} of ${w.films.length} bars hold the truth.`;
  },

  sketch(w) {
    if (w.phase === "open") return `${w.in} of ${w.here} have drawn. Nobody sees a line before all are in.`;
    if (!w.lines.length) return "Nobody drew a line.";
    if (!w.truth) return "Every line is somebody’s guess. Where do you agree, and why?";
    let worst = 0;
    const mid = middle(w),
      off = mid.map((v, i) => (v === null ? 0 : Math.abs(v - w.truth[i])));
    off.forEach((d, i) => {
      if (d > off[worst]) worst = i;
    });
    return `At ${w.at} = ${plain(w.x[worst])} the room said ${height(w, mid[worst])}; measured: ${height(w, w.truth[worst])}.`;
  },

  vote(w) {
    if (!w.tally) return `${w.in} of ${w.here} have voted${w.again ? ", for the second time" : ""}.`;
    if (!w.before.length) return "Find somebody who voted otherwise, and convince them. Then vote again.";
    return `Dashed: before you talked. The answer is measured in the chapter: ${w.link.slice(1)}`;
  },

  attack(w) {
    const never = `Never wrong would prove ε\u00a0≥\u00a0${plain(w.ceiling)}; always believing an honest phone, about ${plain(w.hope)}.`;
    if (w.phase === "open") {
      const each =
        w.t === 1
          ? "Each of you has an Ada of your own, a fair coin decided about her, and one answer of her phone. "
          : "";
      return `${each}${w.in} of ${w.n} have guessed. ${never}`;
    }
    if (w.phase === "shown")
      return `${w.right} of ${w.t * w.n} right so far. What counts is fixed: ${w.trials} guesses, then the verdict.`;
    const first = `${w.right} of ${w.trials} right, so ε\u00a0≥\u00a0${plain(w.proven)} with 95\u202f% confidence.`;
    const stands = "The claim stands: not broken by this room, and not proven by it.";
    const above = "That is above the claim, but not yet sure enough to call it broken (one error in a million).";
    const verdict = w.broken ? "The claim is broken: one error in a million." : w.proven > w.eps ? above : stands;
    const stood = w.stood_in ? ` ${count(w.stood_in, "guess was", "guesses were")} missing; a fair coin stood in.` : "";
    const opened =
      w.real === w.eps
        ? "The phones were honest."
        : `The phones were faulty: they answered at ε\u00a0=\u00a0${plain(w.real)}.`;
    return w.real ? `${first} ${verdict} ${opened}` : `${first} ${verdict}${stood}`;
  },
};
