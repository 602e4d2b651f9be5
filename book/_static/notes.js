// @ts-check
// Speaker notes: a second window with a clock, what to say at the step on the wall, and what comes next. The teacher opens it
// from Present (button or n); it follows the wall, and its arrow keys move the wall. It is written from here, so that it works
// without a server too.
(() => {
  const el = document.querySelector(".path > .stage[data-stem]"),
    html = document.documentElement,
    here = document.currentScript.src;
  const nav = el?.querySelector(".stage-nav");
  if (!nav) return;
  const say = window.rpSay ?? String.raw;
  /** @type {Record<string, string[]>} */
  let notes = {};
  /** @type {Window | null} */
  let second = null;
  let began = 0,
    reached = 0,
    shown = -1;
  const titles = [...document.querySelectorAll(".path > .step")].map((step) =>
    [...step.querySelector("h1,h2,h3").childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent)
      .join("")
      .trim(),
  );
  const STYLE = `:root { color-scheme: light dark; font: 20px/1.45 system-ui, sans-serif; }
body { margin: 0; padding: 16px 22px; }
header { display: flex; flex-wrap: wrap; gap: 6px 22px; align-items: baseline; font-variant-numeric: tabular-nums; }
header b { font-size: 34px; } h1 { font-size: 24px; margin: 14px 0 6px; } p { margin: 0 0 12px; }
footer { border-top: 1px solid; padding-top: 8px; } button { font: inherit; font-size: 16px; padding: 4px 14px; margin-right: 6px; }`;
  const opener = document.createElement("button");
  Object.assign(opener, {
    type: "button",
    className: "notes",
    textContent: say`Notes`,
    title: say`Speaker notes in a second window (n)`,
  });
  opener.addEventListener("click", open);
  nav.append(opener);

  const now = () => [...nav.querySelectorAll("ol a")].findIndex((link) => link.hasAttribute("aria-current"));
  /** @param {number} way */
  const move = (way) => nav.querySelector(way > 0 ? ".next" : ".prev").click();
  /** @param {number} ms */
  const clock = (ms) => {
    const seconds = Math.floor(ms / 1000),
      two = (/** @type {number} */ x) => String(x).padStart(2, "0");
    return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  };
  function load() {
    window.rpNotes = (told) => {
      notes = told;
      shown = -1;
      draw();
    };
    const script = document.createElement("script");
    script.src = new URL(`notes/${el.dataset.chapter}.js`, here).href;
    document.head.append(script);
  }
  function open() {
    if (second && !second.closed) return second.focus();
    second = window.open("", "recpriv-notes", "popup,width=560,height=720");
    if (!second) {
      opener.textContent = say`Notes: this browser lets no window open`;
      return;
    }
    const page = second.document;
    page.title = say`Notes: ${document.title}`;
    page.documentElement.lang = html.lang;
    page.head.append(Object.assign(page.createElement("style"), { textContent: STYLE }));
    page.body.innerHTML = `<header><b role="timer"></b><span class="step"></span><span class="day"></span></header>
<h1></h1><main></main><p><button type="button" class="prev">‹ ${say`Back`}</button><button type="button" class="next">${say`Next`} ›</button>
<button type="button" class="anew">${say`Clock to 0`}</button></p><footer></footer>`;
    page.querySelector(".prev").addEventListener("click", () => move(-1));
    page.querySelector(".next").addEventListener("click", () => move(1));
    page.querySelector(".anew").addEventListener("click", () => {
      began = reached = Date.now();
      tick();
    });
    page.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      move(way);
    });
    second.setInterval(tick, 1000);
    began = reached = Date.now();
    shown = -1;
    draw();
    tick();
  }
  function tick() {
    if (!second || second.closed) return;
    const page = second.document;
    page.querySelector("b").textContent = clock(Date.now() - began);
    page.querySelector(".step").textContent = say`this step ${clock(Date.now() - reached)}`;
    page.querySelector(".day").textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
  function draw() {
    const at = now();
    if (!second || second.closed || at < 0 || at === shown) return;
    shown = at;
    reached = Date.now();
    const page = second.document,
      told = notes[at + 1] || [say`There are no notes for this step.`];
    page.querySelector("h1").textContent = `${say`${at + 1} of ${titles.length}`}: ${titles[at]}`;
    page
      .querySelector("main")
      .replaceChildren(...told.map((text) => Object.assign(page.createElement("p"), { textContent: text })));
    page.querySelector("footer").textContent = titles[at + 1]
      ? say`Next: ${titles[at + 1]}`
      : say`This is the last step.`;
    tick();
  }
  new MutationObserver(draw).observe(nav, { subtree: true, attributes: true, attributeFilter: ["aria-current"] });
  document.addEventListener("keydown", (event) => {
    const typing = /** @type {Element} */ (event.target).closest("input, select, textarea, [contenteditable]");
    if (event.key !== "n" || typing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (html.classList.contains("presenting")) open();
  });
  addEventListener("pagehide", () => second?.close());
  load();
})();
