// @ts-check
// One phone. What it knows of its owner stays in this page; what leaves it is said in the sentences of sentences.py.
import { count, line as lined, make, plain } from "./parts.mjs";
import { screens } from "./screens.mjs";

const $ = (/** @type {string} */ id) => document.getElementById(id);
const TOKEN = "recpriv-class";
/** @type {Record<string, string>} */
const HEADS = { crowd: "The crowd", sketch: "Your guess", vote: "A vote", attack: "The attack" };
const FORGETS =
  "No name, no account, nothing written down: the room knows answers, not people, and forgets all at the end.";
// The place in the room, so that a page that is loaded again has the same one; gone with the tab, or with the class.
const kept = {
  get: () => {
    try {
      return sessionStorage.getItem(TOKEN) || "";
    } catch {
      return ""; // then a new place
    }
  },
  /** @param {string} text */
  set: (text) => {
    try {
      if (text) sessionStorage.setItem(TOKEN, text);
      else sessionStorage.removeItem(TOKEN);
    } catch {
      // then it has none
    }
  },
};

let code = "",
  over = false,
  shown = "";
/** @type {any} */
let state = null;
const screen = screens(() => draw(), (message) => socket.send(message)); // prettier-ignore

/** @param {...(Node | string)} parts */
const put = (...parts) => $("screen").replaceChildren(...parts);
const title = (/** @type {string} */ text) => make("h1", { textContent: text });
const say = (/** @type {string} */ text, className = "") => make("p", { textContent: text, className });

const socket = lined("/class/ws", {
  hello: () => ({ join: code, token: kept.get() }),
  heard(news) {
    if (news.you) kept.set(news.you);
    $("line").textContent = news.no || "";
    if (news.state) {
      state = news.state;
      draw();
    }
  },
  lost(why, reason) {
    const was = state !== null;
    if (why === 4001 || why === 4010) {
      state = null;
      ask(was ? "The class was begun anew: type the code that stands on the wall now." : reason);
    } else if (why === 4002) end("Every seat is taken.", "Look on with a neighbour, and tell your teacher.");
    else if (why === 4003) {
      kept.set("");
      state = null;
      screen.forget();
      end("The class is over.", "The room has forgotten everything. You can close this page.");
    } else {
      $("line").textContent = "One moment…";
      return true;
    }
    return false;
  },
});

/** @param {string} head @param {string} text */
function end(head, text) {
  over = true;
  shown = $("turn").textContent = $("line").textContent = "";
  $("ledger").replaceChildren();
  put(title(head), say(text));
}

function ask(why = "") {
  shown = $("turn").textContent = $("line").textContent = "";
  const field = make("input", {
    className: "code",
    maxLength: 6,
    autocapitalize: "characters",
    autocomplete: "off",
    spellcheck: false,
    ariaLabel: "The code on the wall",
  });
  const form = make("form", { className: "foot top" }, field, make("button", { className: "go", textContent: "Join" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(field.value.toUpperCase().replace(/[^A-Z]/g, ""));
  });
  put(title("The code on the wall"), form, ...(why ? [say(why)] : []));
  $("ledger").textContent = FORGETS;
  field.focus();
}

/** @param {string} text */
function enter(text) {
  if (text.length !== 6) return;
  code = text;
  over = false;
  socket.connect();
}

function draw() {
  const s = state,
    same = `${s.r} ${s.kind} ${s.t || 0} ${s.again || ""}`;
  $("turn").textContent = s.kind === "attack" ? `${HEADS.attack}, ${s.t} of ${s.turns}` : HEADS[s.kind] || "";
  if (same !== shown) {
    shown = same;
    screen.begin();
    scrollTo(0, 0);
  }
  put(...screen.of[s.kind](s));
  $("ledger").replaceChildren(say(FORGETS), ...ledger(s.ledger));
}

/** What has left this phone, and what that costs. @param {any} it */
function ledger(it) {
  const rows = [
    it.own && `${count(it.own, "list", "lists")} of your own, under noise: ε\u00a0=\u00a0${plain(it.film)} for a film, ` +
      `${plain(it.list)} for the list, all rounds added`, // prettier-ignore
    it.cards && `${count(it.cards, "invented list", "invented lists")} (nobody’s: no bill)`,
    it.lines && `${count(it.lines, "line")} as drawn`,
    it.votes && `${count(it.votes, "vote")} as given`,
    it.guesses && count(it.guesses, "guess", "guesses"),
  ].filter(Boolean);
  return rows.length ? [say(`Sent so far: ${rows.join("; ")}.`, "sent")] : [];
}

const awake = () => {
  if (!document.hidden && code && !over) socket.connect();
};
document.addEventListener("visibilitychange", awake);
addEventListener("online", awake);
addEventListener("hashchange", () => enter(location.hash.slice(1).toUpperCase()));
if (location.hash.length === 7) {
  put(say("One moment…"));
  enter(location.hash.slice(1).toUpperCase());
} else ask();
