// @ts-check
// The words of the interface in the reader's language. English is what the scripts say; `book/words/<language>.json` holds
// the rest, and comes with languages.js, which the build writes. What is not there stays English.
//   rpSay`Step ${3}`   the words of the script: "Step {1}" is looked up, and its places are filled
//   rpSay.of(text)     a sentence that Python wrote, numbers and all, by the templates of the catalogue
//   rpSay.page(box)    the same for every text that stands in `box`
// Numbers stay as they are in every language: ".61", "61 %", "1 682".
(() => {
  const KEEP = "recpriv-language",
    html = document.documentElement,
    own = html.lang || "en",
    known = window.rpLanguages || {};
  /** @param {string | null} [choice] */
  function kept(choice) {
    try {
      if (choice) localStorage.setItem(KEEP, choice);
      return localStorage.getItem(KEEP);
    } catch {
      return null; // nothing can be kept here: the address says it, page by page
    }
  }
  const wanted = new URLSearchParams(location.search).get("lang"),
    asked = wanted === "en" || (wanted && known[wanted]) ? wanted : null;
  const choice = kept(asked),
    language = own === "en" ? asked || (known[choice || ""] ? choice : own) : own;
  const { scripts, written } = known[language] || { scripts: {}, written: {} };
  const FILLED = "((?:(?![.?!] [A-ZÄÖÜ0-9]).)+?)"; // what stands in a place: no sentence ends in it
  /** Templates, the most exact first. @type {[pattern: RegExp, to: string][]} */
  const open = Object.entries(written)
    .filter(([from]) => /\{\d\}/.test(from))
    .sort(([a], [b]) => b.replace(/\{\d\}/g, "").length - a.replace(/\{\d\}/g, "").length)
    .map(([from, to]) => [
      new RegExp(`^${from.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\d\}/g, FILLED)}$`, "s"),
      to,
    ]);
  /** @param {string} to @param {unknown[]} places */
  const filled = (to, places) => to.replace(/\{(\d)\}/g, (_, at) => String(places[at - 1]));
  /** @type {Map<string, string>} */
  const found = new Map();

  /** @param {string} text @returns {string | null} */
  function whole(text) {
    if (Object.hasOwn(written, text)) return written[text];
    for (const [pattern, to] of open) {
      const places = pattern.exec(text);
      if (places) return filled(to, places.slice(1).map(of));
    }
    return null;
  }
  // A text that is not known as a whole may be known sentence by sentence.
  /** @param {string} text @returns {string} */
  function of(text) {
    if (language === "en" || !/[a-z]/i.test(text)) return text;
    if (!found.has(text)) {
      const bare = text.trim().replace(/[\n\u00a0]/g, " "),
        sentences = bare.split(/(?<=[.?!]) (?=[A-ZÄÖÜ0-9])/);
      const told = whole(bare) ?? sentences.map((one) => whole(one) ?? one).join(" ");
      const held = told.replaceAll("ε = ", "ε\u00a0=\u00a0");
      found.set(text, told === bare ? text : text.replace(text.trim(), () => held));
    }
    return /** @type {string} */ (found.get(text));
  }
  /** @param {Element} box */
  function page(box) {
    if (language === "en") return;
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      if (!node.parentElement?.closest("script, pre, code, .math")) {
        const told = of(node.textContent || "");
        if (told !== node.textContent) node.textContent = told;
      }
    for (const node of [box, ...box.querySelectorAll("[aria-label], [title], [aria-valuetext]")])
      for (const name of ["aria-label", "title", "aria-valuetext"])
        if (node.hasAttribute(name)) node.setAttribute(name, of(node.getAttribute(name) || ""));
  }
  window.rpSay = Object.assign(
    (/** @type {TemplateStringsArray} */ { raw }, /** @type {unknown[]} */ ...places) => {
      const key = raw.map((part, at) => (at ? `{${at}}${part}` : part)).join("");
      return filled(scripts[key] ?? key, places);
    },
    { of, page, language },
  );

  // What Python wrote of the interface into an English page; a page of the language was written in it, but for what the
  // theme does not give to be translated.
  const WRITTEN = ".times, .expert > summary .count, .check-key > summary, .lv, .ten, .graded > .here, .quiz-times";
  if (language !== "en")
    for (const box of document.querySelectorAll(own === "en" ? WRITTEN : ".sidebar-toggle")) {
      page(box);
      box.setAttribute("lang", language);
    }
  // The switch leads to the page of the language where there is one, else it turns the interface of this one.
  for (const link of document.querySelectorAll("a.language")) {
    const to = link.getAttribute("hreflang") || "en";
    link.addEventListener("click", () => kept(to));
    if (own === "en" && language === to && link.dataset.turns) {
      link.textContent = "English";
      Object.assign(link, { href: "?lang=en", hreflang: "en", lang: "en" });
    }
  }
})();
