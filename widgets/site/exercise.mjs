// @ts-check
// An exercise in the page: the reader's lines run in the reader's own Python, and what each check found is told at once.
// They are kept in this browser (localStorage) and go to the worker of this page; nowhere else.
import { lab, obstacle } from "./lab.mjs";

/** @type {Make} */
const make = (tag, about = {}, ...parts) => {
  const node = Object.assign(document.createElement(tag), about);
  node.append(...parts);
  return node;
};
const KEPT = "recpriv-exercise:";
const LINES = 5; // at least, so that there is room to begin in

/** @param {string} name @returns {Partial<Work>} */
function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(KEPT + name)) || {};
  } catch {
    return {};
  }
}
/** @param {string} name @param {Work} work */
function keep(name, work) {
  try {
    localStorage.setItem(KEPT + name, JSON.stringify(work));
  } catch {
    /* then it is gone with the page */
  }
}
/** @param {string} name @param {string} text */
function takeOut(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
  make("a", { href: url, download: `${name}.py` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A textarea with numbers beside its lines. Tab indents, unless Escape was pressed before: a keyboard gets out again.
/** @param {string} label @param {string} value @param {() => void} go */
function editor(label, value, go) {
  const text = make("textarea", {
    spellcheck: false,
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    value,
    ariaLabel: label,
  });
  const lines = make("div", { className: "lines", ariaHidden: "true" });
  let leaves = false;
  const mark = (wrong = 0) => {
    const many = text.value.split("\n").length;
    text.rows = Math.max(LINES, many);
    lines.replaceChildren(
      ...Array.from({ length: many }, (_, at) => [
        at + 1 === wrong ? make("b", { textContent: String(wrong) }) : String(at + 1),
        "\n",
      ]).flat(),
    );
  };
  /** @param {KeyboardEvent} event @param {string} what */
  const put = (event, what) => {
    event.preventDefault();
    document.execCommand("insertText", false, what); // the one way that can be undone
  };
  text.addEventListener("keydown", (event) => {
    event.stopPropagation(); // arrows are the path's elsewhere
    if (event.key === "Escape") {
      leaves = true;
      return;
    }
    const line = text.value.slice(0, text.selectionStart).split("\n").at(-1);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      go();
    } else if (event.key === "Enter") put(event, `\n${line.match(/^ */)[0]}${/:\s*(#.*)?$/.test(line) ? "    " : ""}`);
    else if (event.key === "Tab" && !leaves && !event.shiftKey) put(event, "    ");
    if (event.key !== "Tab") leaves = false;
  });
  mark();
  return { text, mark, box: make("div", { className: "edit" }, lines, text) };
}

/** @param {HTMLElement} place */
export function exercise(place) {
  if (!document.querySelector("link[href$='exercise.css']"))
    document.head.append(make("link", { rel: "stylesheet", href: new URL("exercise.css", import.meta.url).href }));
  /** @type {Asked} */
  const asked = JSON.parse(place.querySelector("script").textContent);
  const work = { text: asked.start, hints: 0, passed: false, ...kept(asked.name) };
  const code = editor(`Your code: ${asked.title}`, work.text, () => go.click());
  /** @param {string} words @param {Record<string, unknown>} [about] */
  const button = (words, about = {}) => make("button", { type: "button", textContent: words, ...about });
  const go = button("Check it", { className: "go" }),
    cancel = button("Stop", { hidden: true }),
    hint = button(""),
    anew = button("Start over"),
    out = button("Take it out as a file");
  const said = make("p", { className: "said" }),
    checks = make("ol", { className: "checks" }),
    ladder = make("ol", { className: "ladder" }),
    solution = make("pre", { className: "solution", textContent: asked.solution, hidden: true });
  said.setAttribute("role", "status");
  const why = obstacle();
  const where = make("small", {
    textContent:
      "It runs in this page, in a Python of your own; it is kept in this browser and sent to nobody. Escape, then Tab, leaves the code.",
  });
  place
    .querySelector(".here")
    .replaceChildren(
      code.box,
      make("div", { className: "row" }, go, cancel, hint, anew, out),
      said,
      checks,
      ladder,
      solution,
      where,
    );

  const store = () => keep(asked.name, work);
  function rungs() {
    const all = asked.hints.length;
    ladder.replaceChildren(...asked.hints.slice(0, work.hints).map((one) => make("li", { textContent: one })));
    solution.hidden = work.hints <= all;
    hint.textContent = work.hints < all ? `A hint (${work.hints + 1} of ${all})` : "The solution";
    hint.hidden = work.hints > all;
  }
  /** @param {Found[]} found */
  function list(found = [], running = false) {
    checks.replaceChildren(
      ...asked.checks.map((label, at) => {
        const one = found.find(({ check }) => check === label);
        const mark = one ? (one.passed ? "✓" : "✗") : running && found.length === at ? "…" : "";
        const line = make(
          "li",
          { className: one ? "found" : "" },
          make("span", { className: "sign", textContent: mark, title: one ? (one.passed ? "passed" : "failed") : "" }),
          make("span", { textContent: label }),
          make("span", { className: "say", textContent: one ? one.say : "" }),
        );
        if (one?.printed) line.append(make("pre", { className: "printed", textContent: one.printed }));
        return line;
      }),
    );
  }
  code.text.addEventListener("input", () => {
    work.text = code.text.value;
    work.passed = false;
    store();
    code.mark();
  });
  hint.addEventListener("click", () => {
    work.hints += 1;
    store();
    rungs();
  });
  anew.addEventListener("click", () => {
    code.text.focus();
    code.text.select();
    document.execCommand("insertText", false, asked.start); // can be undone
    list();
    said.textContent = "";
  });
  out.addEventListener("click", () => takeOut(asked.name, code.text.value));

  /** @type {ReturnType<Lab["ask"]> | null} */
  let running = null;
  let agreed = false;
  const rests = () => {
    running = null;
    go.disabled = Boolean(why);
    cancel.hidden = true;
  };
  lab.on(() => {
    if (running && lab.state === "loading") said.textContent = lab.coming;
  });
  go.addEventListener("click", async () => {
    if (running) return;
    if (!agreed && (await lab.asks())) {
      agreed = true;
      said.textContent = `This needs a laboratory of ${lab.size}, once.`;
      go.textContent = "Load it and check";
      return;
    }
    /** @type {Found[]} */
    const found = [];
    const mine = (running = lab.ask({ exercise: asked.name, text: code.text.value }, (/** @type {any} */ one) => {
      if (running !== mine) return;
      said.textContent = "Checking…";
      found.push(one);
      list(found, true);
    }));
    go.disabled = true;
    cancel.hidden = false;
    said.textContent = lab.state === "ready" ? "Checking…" : lab.coming;
    code.mark();
    list([], true);
    const told = await mine.answer;
    if (running !== mine) return;
    rests();
    if (!told.checks) {
      said.textContent = told.what;
      return list(found);
    }
    /** @type {Found | undefined} */
    const bad = told.checks.find((/** @type {Found} */ one) => !one.passed);
    list(told.checks);
    code.mark(bad?.line || 0);
    said.textContent = !bad
      ? "All checks passed."
      : asked.checks.includes(bad.check)
        ? `Not yet: ${bad.check}.`
        : bad.say;
    work.passed = told.passed;
    store();
  });
  cancel.addEventListener("click", () => {
    const { stop } = running;
    rests();
    stop();
    said.textContent = "Stopped. Python starts anew.";
    list();
  });
  rungs();
  list();
  rests();
  if (why) said.textContent = `${why}: open the chapter as a notebook, where the same checks run.`;
  else if (work.passed) said.textContent = "You have done this one.";
}
