// @ts-check
// Run by tools/pdf.py in each page of the book: what stands there on paper, with links that lead on inside one long page.
window.gathered = async (names) => {
  document.documentElement.dataset.theme = "light";
  dispatchEvent(new Event("beforeprint"));
  for (const fold of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("article details")))
    fold.open = true;
  await document.fonts.ready;
  if (window.MathJax?.startup?.promise) await window.MathJax.startup.promise;
  await new Promise((resolve) => setTimeout(resolve, 400));
  const name = location.pathname.replace(/^\/|\.html$/g, "");
  /** @param {string} page */
  const slug = (page) => page.replace(/^book\//, "").replaceAll("/", "-");
  const article = document.querySelector("article");
  const drawn = [...article.querySelectorAll("canvas")].map((canvas) => {
    try {
      return canvas.width && canvas.height ? canvas.toDataURL() : "";
    } catch {
      return "";
    }
  });
  const copy = /** @type {HTMLElement} */ (article.cloneNode(true));
  [...copy.querySelectorAll("canvas")].forEach((canvas, at) => {
    const picture = document.createElement("img");
    picture.src = drawn[at] || "data:,";
    picture.style.cssText = canvas.style.cssText;
    picture.className = canvas.className;
    if (drawn[at]) canvas.replaceWith(picture);
    else canvas.remove();
  });
  for (const silent of copy.querySelectorAll(
    "script, style, noscript, iframe, .dash, .headerlink, .stage, .copybtn, .prev-next-footer, .lv-bar, .quiz-times, .quiz-end, .explore",
  ))
    silent.remove();

  // Solutions and keys go to the end.
  let key = "",
    solutions = 0;
  /** @param {Element} fold */
  const named = (fold) => fold.querySelector("summary").textContent.trim().replace(/\s+/g, " ");
  /** @param {Element} node */
  const titled = (node) => {
    const fold = node.parentElement.closest("details.expert"),
      part = node.closest("section")?.querySelector("h2, h3");
    return fold
      ? fold.querySelector("summary").firstChild.textContent.trim()
      : (part?.firstChild?.textContent ?? "").trim() || document.title;
  };
  for (const fold of copy.querySelectorAll("details:not(.expert)")) {
    const check = fold.closest(".check");
    if (!check && !/^(Solution|Answer)/.test(named(fold))) continue;
    const answers = document.createElement("div"),
      about = document.createElement("h3");
    about.textContent = check ? check.querySelector(".check-ask").textContent : titled(fold);
    fold.querySelector("summary").remove();
    answers.append(about);
    const cell = fold.closest(".cell");
    answers.append(...fold.childNodes);
    if (cell) answers.append(...cell.querySelectorAll(":scope > .cell_output"));
    if (check) answers.querySelector("ol").type = "A";
    (cell ?? fold).remove();
    key += answers.outerHTML;
    solutions += 1;
  }
  for (const image of copy.querySelectorAll("img"))
    if (!image.src.startsWith("data:")) image.setAttribute("src", image.src);
  for (const fold of copy.querySelectorAll("details.hide")) {
    fold.querySelector("summary").remove();
    fold.replaceWith(...fold.childNodes);
  }
  for (const word of copy.querySelectorAll("button.set")) {
    const strong = document.createElement("strong");
    strong.append(...word.childNodes);
    word.replaceWith(strong);
  }
  for (const check of copy.querySelectorAll(".check")) check.classList.remove("asks");
  for (const extra of copy.querySelectorAll(".check button, .check-why")) extra.remove();

  // Places get the name of their page before their own; links inside the book lead there.
  for (const node of copy.querySelectorAll("[id]")) if (!node.closest("svg")) node.id = `${slug(name)}--${node.id}`;
  const inside = new Map(names.map((page) => [new URL(`/${page}.html`, location.href).pathname, slug(page)]));
  for (const link of copy.querySelectorAll("a[href]")) {
    const to = new URL(link.getAttribute("href"), location.href),
      page = inside.get(to.pathname);
    if (to.origin !== location.origin) continue;
    if (!page) link.removeAttribute("href");
    else link.setAttribute("href", to.hash ? `#${page}--${to.hash.slice(1)}` : `#${page}`);
  }
  /** @param {CSSStyleSheet} sheet */
  const rules = (sheet) => [...sheet.cssRules].map((rule) => rule.cssText).join("\n");
  return {
    at: slug(name),
    title: article.querySelector("h1").firstChild.textContent,
    body: copy.innerHTML,
    key,
    solutions,
    figures: copy.querySelectorAll(".paper, .rp-figure, .lv").length,
    links: /** @type {HTMLLinkElement[]} */ ([...document.querySelectorAll("link[rel=stylesheet]")]).map(
      (link) => `<link rel="stylesheet" href="${link.href}">`,
    ),
    styles: [...document.querySelectorAll("style")].filter((style) => style.sheet).map((style) => rules(style.sheet)),
  };
};
