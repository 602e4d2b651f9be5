// @ts-check
// The wall draws what it is told, whole, each time; the teacher's controls stand below it.
import { desk } from "./desk.mjs";
import { figures, qr } from "./figures.mjs";
import { line as lined, make } from "./parts.mjs";
import { said, titles } from "./said.mjs";

const $ = (/** @type {string} */ id) => document.getElementById(id);
/** @type {any} */
let now = null;
const key = location.hash.slice(1);

const socket = lined("/class/wall/ws", {
  hello: () => ({ key }),
  heard(news) {
    $("no").textContent = news.no || "";
    if (news.wall) draw(news.wall);
  },
  lost(code) {
    if (code === 4001 || code === 4010) {
      $("title").textContent = "This wall needs its key: open it from the book, or at the address in the terminal.";
      for (const id of ["where", "figure", "desk"]) $(id).replaceChildren();
      $("say").textContent = "The server has been started anew, and has forgotten the class.";
      return false;
    }
    $("no").textContent = "The server is not there; looking again…";
    return true;
  },
});
const draws = desk($("desk"), (message) => socket.send(message));

/** @param {any} w */
function draw(w) {
  now = w;
  $("title").textContent = titles[w.kind](w);
  const small =
    w.kind === "lobby" ? [] : [make("span", {}, w.address, make("br"), make("b", { textContent: w.code })), qr(w.qr)];
  $("where").replaceChildren(...small);
  const main = $("figure");
  main.dataset.kind = w.kind;
  main.replaceChildren(figures[w.kind](w, Math.max(640, main.clientWidth - 56), Math.max(300, main.clientHeight - 16)));
  $("say").textContent = said[w.kind](w);
  draws(w);
}
addEventListener("resize", () => now && draw(now));
socket.connect();
