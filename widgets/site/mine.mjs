// @ts-check
// The reader's own mechanism, typed into the page and tried by the reader's own Python.
import { lab, obstacle } from "./lab.mjs";

/** @type {Make} */
const make = (tag, about = {}, ...parts) => {
  const node = Object.assign(document.createElement(tag), about);
  node.append(...parts);
  return node;
};
const TABLE = "0.80  0.15  0.05\n0.10  0.20  0.70\n";
const CODE = `def release(x, rng):
    """x holds secrets, 0 or 1; one answer for each."""
    honest = rng.random(len(x)) < 0.75
    return np.where(honest, x, 1 - x)
`;

/** @param {Element} fold */
export function mine(fold) {
  const why = obstacle();
  const text = make("textarea", { rows: 6, spellcheck: false, value: TABLE, ariaLabel: "Your mechanism" });
  const claimed = make("input", { type: "number", min: 0.001, max: 50, step: "any", value: 2 });
  /** @param {string} words @param {Record<string, unknown>} [about] */
  const button = (words, about = {}) => make("button", { type: "button", textContent: words, ...about });
  const table = button("A table"),
    code = button("Lines of Python"),
    go = button("Try it", { className: "go" }),
    cancel = button("Cancel", { hidden: true });
  const said = make("p", { className: "said" }),
    bar = make("progress", { max: 1, value: 0, hidden: true }),
    strip = make("div", { className: "strip" });
  said.setAttribute("role", "status");
  fold.append(
    make(
      "section",
      { className: "mine", ariaLabel: "Your own mechanism" },
      make("p", {
        textContent:
          "Or type it here. A table has a row for each secret and a column for each answer; code defines release. It runs in this page, in a Python of your own, and goes nowhere.",
      }),
      make("p", { className: "row" }, "Begin with ", table, " ", code),
      text,
      make("p", { className: "row" }, make("label", {}, "claimed ε ", claimed), " ", go, " ", cancel, " ", bar),
      said,
      strip,
    ),
  );
  if (why) {
    said.textContent = `${why}: run the cell above in a notebook instead.`;
    go.disabled = true;
    return;
  }

  /** @type {ReturnType<Lab["ask"]> | null} */
  let asked = null;
  let agreed = false;
  table.addEventListener("click", () => {
    text.value = TABLE;
  });
  code.addEventListener("click", () => {
    text.value = CODE;
  });
  text.addEventListener("keydown", (event) => event.stopPropagation()); // arrows are the path's elsewhere
  /** @param {number=} share */
  function waits(share) {
    bar.hidden = cancel.hidden = !asked;
    go.disabled = Boolean(asked);
    if (!asked) return;
    if (lab.state === "loading") {
      said.textContent = lab.coming;
      bar.value = lab.share;
    } else if (share !== undefined) {
      said.textContent = "Attacking…";
      bar.value = share;
    } else if (lab.state === "ready" && bar.value !== 0) bar.value = 0;
  }
  lab.on(() => waits());
  go.addEventListener("click", async () => {
    if (!agreed && (await lab.asks())) {
      agreed = true;
      said.textContent = `This needs a laboratory of ${lab.size}, once.`;
      go.textContent = "Load it and try";
      return;
    }
    const mine = (asked = lab.ask({ mechanism: text.value, claimed: claimed.valueAsNumber || 0 }, waits));
    said.textContent = "Running your code…";
    strip.replaceChildren();
    waits();
    const told = await mine.answer;
    if (asked !== mine) return;
    asked = null;
    waits();
    said.textContent = told.what || told.say;
    strip.innerHTML = told.strip || "";
  });
  cancel.addEventListener("click", () => {
    const { stop } = asked;
    asked = null;
    stop();
    waits();
    said.textContent = "Stopped. Python starts anew.";
  });
}
