// @ts-check
// The teacher's controls: a few buttons, each with a key. → (or a presenter's Page Down) is what comes next.
import { make, plain } from "./parts.mjs";

/** @type {Record<string, any>} */
const chosen = { eps: 1, cards: true, sketch: "", vote: "", turns: 5, coin: "sealed" };
/** @type {Record<string, string>} */
const MORE = { crowd: "× 80", sketch: "The measured curve", vote: "Talk, and vote again", attack: "Open the phones" };
/** @type {Record<string, string>} */
const SHOW = { crowd: "Show", sketch: "Show the lines", vote: "Show", attack: "Count this turn" };
const NEXT = ["ArrowRight", "PageDown"];

/** @param {string} name @param {[any, string][]} pairs @param {string} label */
function pick(name, pairs, label) {
  const list = make("select", { ariaLabel: label });
  pairs.forEach(([value, text], at) => list.add(new Option(text, String(at), false, value === chosen[name])));
  list.addEventListener("change", () => {
    chosen[name] = pairs[Number(list.value)][0];
  });
  return list;
}

/** @param {string} text @param {string} key @param {() => void} act @param {string=} className */
function press(text, key, act, className = "") {
  const node = make("button", { type: "button", className }, text, " ", make("kbd", { textContent: key || "→" }));
  node.dataset.key = key;
  node.addEventListener("click", act);
  return node;
}

/** Draws the buttons for what is told, only where they change: a list that is open stays open.
 * @param {HTMLElement} place @param {(message: object) => void} send */
export function desk(place, send) {
  let stood = "";
  const doing = (/** @type {string} */ what) => () => send({ do: what });
  const begin = (/** @type {string} */ kind, /** @type {() => object} */ words) => () =>
    send({ do: "begin", kind, ...words() });

  /** @param {any} w */
  function lobby(w) {
    /** @param {string} kind @returns {[string, string][]} */
    const asked = (kind) =>
      Object.entries(w.asks)
        .filter(([, [what]]) => what === kind)
        .map(([name, [, question]]) => [name, `${name.replace(/-\w+$/, "")}: ${question.slice(0, 44)}`]);
    const groups = [
      [
        press("Crowd", "c", begin("crowd", () => ({ eps: chosen.eps, cards: chosen.cards })), "go"),
        pick("eps", [0.3, 0.5, 1, 2, 3].map((e) => [e, `ε = ${plain(e)}`]), "ε of the crowd"),
        pick("cards", [[true, "invented lives"], [false, "their own"]], "whose lists"),
      ],
    ]; // prettier-ignore
    for (const [kind, text, key] of [["sketch", "Sketch", "s"], ["vote", "Vote", "v"]]) {
      const all = asked(kind);
      if (!all.length) continue;
      chosen[kind] ||= all[0][0];
      groups.push([press(text, key, begin(kind, () => ({ ask: chosen[kind] })), "go"), pick(kind, all, `which ${kind}`)]);
    } // prettier-ignore
    groups.push([
      press("Attack", "a", begin("attack", () => ({ eps: 1, turns: chosen.turns, coin: chosen.coin })), "go"),
      pick("turns", [3, 5, 10].map((t) => [t, `${t} turns`]), "how many turns"),
      pick("coin", [["sealed", "perhaps faulty"], ["honest", "honest"], ["leaky", "faulty"]], "what the phones do"),
    ]); // prettier-ignore
    const parts = groups.map((group) => make("span", {}, ...group));
    if (!Object.keys(w.asks).length)
      parts.push(make("span", { textContent: "Questions of the chapters are on their way…" }));
    if (w.away) parts.push(make("span", {}, press("Let all in", "l", doing("widen"))));
    if (w.seats) parts.push(ending());
    return parts;
  }

  // Twice: nothing brings a class back.
  function ending() {
    const node = press("End class", "e", () => {
      if (node.dataset.sure) send({ do: "reset" });
      node.dataset.sure = "yes";
      node.replaceChildren("Forget all? Again: ", make("kbd", { textContent: "e" }));
    }, "far"); // prettier-ignore
    return node;
  }

  /** @param {any} w */
  function round(w) {
    const parts = [];
    if (w.phase === "open") parts.push(press(SHOW[w.kind], "", doing("show"), "go"));
    else if (w.kind === "attack" && w.phase === "shown") parts.push(press("Next turn", "", doing("next"), "go"));
    else if (w.phase === "verdict") parts.push(press(MORE.attack, "", doing("more"), "go"));
    else if (w.phase === "shown" && !w.before?.length && (w.kind !== "crowd" || w.truth?.length))
      parts.push(press(MORE[w.kind], "", doing("more"), "go"));
    parts.push(press("Done with this round", "d", doing("lobby"), "far"));
    return parts;
  }

  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || target.closest("select")) return;
    const key = NEXT.includes(event.key) ? "" : event.key;
    const found = /** @type {HTMLButtonElement[]} */ ([...place.querySelectorAll("button")]).find(
      (b) => b.dataset.key === key,
    );
    if (!found) return;
    event.preventDefault();
    found.click();
  });

  return (/** @type {any} */ w) => {
    const now = JSON.stringify([w.kind, w.phase, w.r, w.t, w.before, w.asks, Boolean(w.seats), w.away > 0]);
    if (now === stood) return;
    stood = now;
    place.replaceChildren(...(w.kind === "lobby" ? lobby(w) : round(w)));
  };
}
