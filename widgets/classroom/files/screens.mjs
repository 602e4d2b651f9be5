// @ts-check
// The screen of a phone in each kind of round: what it is told, as elements.
import { board } from "./board.mjs";
import { tossed } from "./coin.mjs";
import { make, percent, plain } from "./parts.mjs";

/** @param {string} text @param {string=} className */
const say = (text, className = "") => make("p", { textContent: text, className });
const title = (/** @type {string} */ text) =>
  make("h1", { textContent: text, className: text.length > 70 ? "long" : "" });
/** @param {(Node | string)[]} parts */
const foot = (...parts) => make("div", { className: "foot" }, ...parts);
/** @param {string} text @param {() => void} act @param {Record<string, unknown>=} about */
function button(text, act, about = {}) {
  const node = make("button", { type: "button", textContent: text, ...about });
  node.addEventListener("click", act);
  return node;
}
/** One of a few answers. @param {string} text @param {boolean} pressed @param {() => void} act */
function choice(text, pressed, act) {
  const node = button(text, act);
  node.setAttribute("aria-pressed", String(pressed));
  return node;
}
const yes = (/** @type {number} */ bit) => (bit ? "yes" : "no");
const wall = "Look at the wall.";

/** @param {() => void} draw @param {(message: object) => void} send */
export function screens(draw, send) {
  /** @type {number[] | null} */
  let flips = null; // coins are tossed once, and what was tossed is what is sent
  /** @type {number[] | null} */
  let ticks = null; // the owner's own list: it stays in this page
  let drawn = new Map();

  /** @param {any} s */
  function crowd(s) {
    const own = !s.cards,
      closed = s.phase !== "open";
    if (own) ticks ||= s.films.map(() => 0);
    const mine = own ? ticks : s.card;
    if (!mine.length) return [title("This round began without you."), say("The next one is yours too.")];
    if (s.sent && !flips) return [title("Your lies are in."), say(wall)];
    if (closed && !s.sent) return [title("This round is over."), say(wall)];
    const rows = s.films.map((/** @type {string} */ film, /** @type {number} */ i) => {
      /** @type {string | HTMLElement} */
      let first = yes(mine[i]);
      if (own && !flips) {
        const box = make("input", { type: "checkbox", checked: Boolean(mine[i]), ariaLabel: film });
        box.addEventListener("change", () => {
          ticks[i] = Number(box.checked);
        });
        first = box;
      }
      const cells = [make("td", { textContent: film }), make("td", {}, first)];
      if (flips) {
        const lie = flips[i] !== mine[i];
        const said = make("b", { textContent: yes(flips[i]), className: lie ? "lie" : "", title: lie ? "a lie" : "" });
        cells.push(make("td", {}, said));
      }
      return make("tr", {}, ...cells);
    });
    const heads = ["", "true", ...(flips ? ["says"] : [])].map((text) => make("th", { textContent: text }));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    const head = title(own ? "What have you watched?" : `Tonight you are ${s.name}.`);
    if (!flips) {
      const go = button("Flip the coins", () => {
        flips = tossed(mine, s);
        draw();
      }, { className: "go" }); // prettier-ignore
      const first = own ? "Tick what you have seen." : `${s.name} has watched what says yes.`;
      const kept = own
        ? "The ticks stay on this phone. Coins are flipped once."
        : "Invented: the wall dealt this card, so it can check. The coins are yours, flipped once.";
      const rate = `At ε\u00a0=\u00a0${plain(s.eps)} each answer will be true ${percent(s.p)} of the time.`;
      return [head, say(`${first} ${rate}`), table, foot(go, say(kept, "small"))];
    }
    const lies = flips.filter((bit, i) => bit !== mine[i]).length;
    const told = lies === 0 ? "No lie at all, by chance." : lies === 1 ? "One lie, framed." : `${lies} lies, framed.`;
    const bill = `Bill${own ? ", with earlier rounds" : " of such a list"}: ε\u00a0=\u00a0${plain(s.film)} for any one film, ${plain(s.list)} for all.`;
    const go = button(s.sent ? "Sent" : "Send the right-hand column", () => send({ r: s.r, lies: flips.join("") }), {
      className: "go",
      disabled: s.sent,
    });
    return [
      head,
      say(`${told} Only the right-hand column ${s.sent ? "has left" : "leaves"} this phone.`),
      table,
      foot(go, say(s.sent ? `${bill} ${wall}` : bill, "small")),
    ];
  }

  /** @param {any} s */
  function sketch(s) {
    if (s.sent) return [title("Your line is in."), say(wall)];
    if (s.phase !== "open") return [title("This round is over."), say(wall)];
    const go = button("Send my line", () => {
      const at = (/** @type {number} */ i) => (drawn.has(i) ? Math.round(100 * drawn.get(i)) : null);
      send({ r: s.r, line: s.x.map((/** @type {number} */ _, /** @type {number} */ i) => at(i)) });
    }, { className: "go" }); // prettier-ignore
    const place = board(s, drawn, () => {
      go.disabled = drawn.size < s.least;
    });
    return [title(s.question), place, foot(go)];
  }

  /** @param {any} s */
  function vote(s) {
    if (s.phase !== "open") return [title(s.vote === null ? "This vote is over." : "Your vote is in."), say(wall)];
    const answers = s.answers.map((/** @type {string} */ answer, /** @type {number} */ i) =>
      choice(answer, s.vote === i, () => send({ r: s.r, vote: i })),
    );
    const again = s.again ? [say("Once more, after talking it over.")] : [];
    const change = say(s.vote === null ? "" : "You can change it until the wall shows all.", "small");
    return [title(s.question), ...again, foot(...answers), change];
  }

  /** @param {any} s */
  function attack(s) {
    const film = ["Alien", "Babe", "Fargo", "Jaws"][s.t % 4];
    if (s.answer === null) return [title("Wait for the next turn.")];
    if (s.phase !== "open") {
      const right =
        s.guess === null ? "You said nothing." : s.guess === s.secret ? "You were right." : "You were wrong.";
      const truth = s.answer === s.secret ? "the truth" : "a lie";
      const next =
        s.phase === "shown"
          ? "The next turn has a new Ada, and new coins."
          : "Look at the wall: what has the room proven?";
      return [
        say(right, "good"),
        say(`Ada ${s.secret ? "had" : "had not"} watched ${film}; her phone had said ${yes(s.answer)}, ${truth}.`),
        say(next),
      ];
    }
    const pair = [1, 0].map((bit) =>
      choice(bit ? "Yes" : "No", s.guess === bit, () => send({ r: s.r, t: s.t, guess: bit })),
    );
    const silent = "Who says nothing is counted by a coin.";
    const late = "You came after the start: you play, and are counted from the next attack.";
    const hint = !s.counted ? late : s.guess === null ? silent : "You can change it until the wall counts.";
    return [
      title(`Did Ada watch ${film}?`),
      say("A fair coin decided whether she did. Her phone answers you, and you alone:"),
      make("div", { className: "says", textContent: yes(s.answer) }),
      say(
        `It claims ε\u00a0=\u00a0${plain(s.eps)}: then nobody is right more than ${percent(s.p)} of the time. What do you say?`,
      ),
      foot(make("div", { className: "pair" }, ...pair), say(hint, "small")),
    ];
  }

  const lobby = () => [
    title("You are in."),
    say("Look at the wall: it says what comes next."),
    say("Your screen may sleep meanwhile. When it wakes you are still in.", "small"),
  ];
  const begin = () => {
    flips = null;
    drawn = new Map();
  };
  const forget = () => {
    begin();
    ticks = null;
  };
  /** @type {Record<string, (s: any) => (Node | string)[]>} */
  const of = { lobby, crowd, sketch, vote, attack };
  return { of, begin, forget };
}
