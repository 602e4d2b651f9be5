// @ts-check
// What a chapter has of the page's laboratory: its steps are computed here, and the reader's own mechanism is tried.
// The figure shows what was computed with the book. Where the page has the same people, each move is computed anew as
// soon as Python is there; where the book's people may not be published, only when the reader asks, and it is said.
import { lab, obstacle } from "./lab.mjs";
import { mine } from "./mine.mjs";

/** @type {Make} */
const make = (tag, about = {}) => Object.assign(document.createElement(tag), about);

/** @param {HTMLElement} el @param {Stage} stage @param {PathData} it */
export function steps(el, stage, it) {
  document.head.append(make("link", { rel: "stylesheet", href: new URL("steps.css", import.meta.url).href }));
  const fold = document.querySelector("#x-own > div");
  if (fold) mine(fold);
  const line = make("p", { className: "stage-lab" }),
    said = make("span"),
    press = () => make("button", { type: "button", className: "here", hidden: true });
  const buttons = [press(), press()],
    [here, under] = buttons; // beside the steps; under the lead, where a phone has room
  said.setAttribute("role", "status");
  line.append(said, " ", under);
  document.querySelector(".path .times")?.after(line);
  el.querySelector(".stage-nav .where").after(here);
  const needs = it.controls.map((one) => one.needs).find(Boolean) || "";
  const data = it.controls.some(({ name, needs }) => name === "data" && needs);
  const why = obstacle();
  let wanted = false;
  /** @type {Ask | null} */
  let live = null;

  const own = () => (data && lab.chosen ? lab.chosen : "");
  const same = () => !needs || own() === needs; // the page computes on the people of the book
  const whom = () => (own() ? `your ${own()}` : "invented people");
  function asker() {
    const query = own() ? `&data=${encodeURIComponent(own())}` : "";
    /** @param {URLSearchParams} asked */
    const ask = async (asked) => {
      const told = await lab.ask({ scene: it.stem, query: asked + query }).answer;
      return { told, ok: told.what === undefined };
    };
    ask.people = own();
    ask.aside = same() ? "" : `On ${whom()}: `;
    return ask;
  }
  function words() {
    if (why || lab.state === "broken") return `${why || lab.why}: the figure shows what was computed beforehand.`;
    if (live)
      return same()
        ? "Each step is computed in this page, now."
        : `Computed in this page, now, on ${whom()}. The text speaks of the book's.`;
    if (wanted && lab.state === "asks")
      return `To compute each step here, in your browser, this page needs a laboratory of ${lab.size}, once.`;
    if (wanted && lab.state === "loading") return lab.coming;
    if (!same())
      return `The figure was computed beforehand, on the people of the book. It can be computed in this page, on ${whom()}.`;
    return "";
  }
  function button() {
    if (why || lab.state === "broken") return "";
    if (live) return same() ? "" : "Back to the book";
    if (wanted && lab.state === "asks") return `Load ${lab.size}`;
    if (wanted && lab.state === "loading") return lab.percent;
    return same() ? "" : "Compute here";
  }
  function show() {
    if (wanted && lab.state === "ready" && (!live || live.people !== own())) stage.live((live = asker()));
    said.textContent = words();
    line.hidden = !said.textContent;
    for (const one of buttons) {
      one.textContent = button();
      one.hidden = !one.textContent;
      one.disabled = wanted && lab.state === "loading";
      one.title = said.textContent;
    }
    el.dataset.lab = live ? "live" : wanted ? lab.state : "asleep";
  }
  buttons.forEach((one) =>
    one.addEventListener("click", () => {
      if (live) {
        wanted = false;
        live = null;
        stage.live(null);
      } else {
        wanted = true;
        lab.want(true);
      }
      show();
    }),
  );
  // The reader's first move.
  new MutationObserver((_, observer) => {
    observer.disconnect();
    if (why || !same()) return;
    wanted = true;
    lab.want();
    show();
  }).observe(el, { attributes: true, attributeFilter: ["data-shown"] });
  lab.on(show);
  show();
}
