// @ts-check
// What a reader would see cut off, or written over something else, in the figure of a path. One line a finding.
() => {
  const stage = document.querySelector(".stage"),
    found = new Set();
  /** @param {HTMLElement} el */
  const seen = (el) =>
    el.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && el.getBoundingClientRect().width > 1;
  /** @param {HTMLElement} el */
  const name = (el) =>
    `"${(el.textContent || el.getAttribute("aria-label") || el.className).trim().replace(/\s+/g, " ").slice(0, 48)}"`;
  /** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */
  /** @param {Box} a @param {Box} b */
  const out = (a, b) =>
    a.left < b.left - 1.5 || a.right > b.right + 1.5 || a.top < b.top - 1.5 || a.bottom > b.bottom + 1.5;
  const screen = { left: 0, top: -1e9, right: innerWidth, bottom: 1e9 };
  if (document.documentElement.classList.contains("presenting")) Object.assign(screen, { top: 0, bottom: innerHeight });
  const canvas = document.createElement("canvas").getContext("2d");
  for (const el of stage.querySelectorAll(
    "p, button, label, select, output, figcaption, .ends span, .ask span, svg text",
  )) {
    if (!seen(el) || el.closest(".spoken") || el.closest(".stage-strip")?.clientWidth === 1) continue;
    const box = el.getBoundingClientRect();
    if (out(box, screen)) found.add(`${name(el)} leaves the screen`);
    if (el.closest("svg") && out(box, el.closest(".canvas, .stage-strip, .pen-room").getBoundingClientRect()))
      found.add(`${name(el)} leaves its drawing`);
    if (!el.closest("svg") && el.scrollWidth > el.clientWidth + 1 && getComputedStyle(el).overflowX !== "visible")
      found.add(`${name(el)} is too wide`);
    for (let at = el.parentElement; at && at !== stage.parentElement; at = at.parentElement) {
      if (at.closest("svg") || getComputedStyle(at).overflowY === "visible") continue;
      if (out(box, at.getBoundingClientRect()) && !at.matches(".plot.still.alone"))
        found.add(`${name(el)} is cut by .${at.className}`);
    }
    if (el instanceof HTMLSelectElement) {
      canvas.font = getComputedStyle(el).font;
      const zoom = box.width / el.offsetWidth || 1;
      if (canvas.measureText(el.selectedOptions[0].text).width + 23 > box.width / zoom + 1)
        found.add(`"${el.selectedOptions[0].text}" is cut in its list`);
    }
  }
  /** @param {HTMLElement[]} row */
  const over = (row) => {
    for (let i = 0; i < row.length; i++)
      for (let j = 0; j < i; j++) {
        const a = row[i].getBoundingClientRect(),
          b = row[j].getBoundingClientRect();
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left),
          high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 0.4 * Math.min(a.height, b.height))
          found.add(`${name(row[i])} is written over ${name(row[j])}`);
      }
  };
  for (const drawing of stage.querySelectorAll(".plot"))
    over([...drawing.querySelectorAll("svg text")].filter(seen).filter((el) => el.textContent.trim()));
  for (const ends of stage.querySelectorAll(".ends"))
    over(/** @type {HTMLElement[]} */ ([...ends.children]).filter(seen).filter((el) => el.textContent.trim()));
  return [...found];
};
