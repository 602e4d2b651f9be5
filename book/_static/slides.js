// @ts-check
// The steps of a chapter as slides, one a page: ?slides=1. What is drawn is the figure of each step, from the numbers built
// with the book; a question stands there unanswered.
(async () => {
  const el = document.querySelector(".path > .stage[data-stem]"),
    html = document.documentElement;
  if (!el || !new URLSearchParams(location.search).has("slides")) return;
  const say = window.rpSay ?? String.raw;
  html.classList.add("slides");
  html.dataset.theme = html.dataset.mode = "light"; // slides are for paper
  const bar = document.createElement("p");
  bar.className = "slides-bar";
  const print = Object.assign(document.createElement("button"), { type: "button", textContent: say`Print` });
  print.addEventListener("click", () => window.print());
  const leave = Object.assign(document.createElement("a"), { href: location.pathname, textContent: say`Leave` });
  bar.append(print, leave);
  el.parentElement.before(bar);
  const steps = [...document.querySelectorAll(".path > .step")],
    states = steps.map((step) => JSON.parse(step.querySelector("script[data-step]").textContent));
  const it = await window.rpPath.load(el.dataset.chapter);
  const stage = window.rpStage(document.createElement("section"), it, null, () => {});
  steps.forEach((step, i) => {
    const text = document.createElement("div"),
      box = document.createElement("figure");
    text.className = "slide-text";
    box.className = "slide-figure";
    text.append(...[...step.childNodes].filter((node) => !(node instanceof HTMLScriptElement)));
    step.append(text, box);
    const early = states.slice(i + 1).some((state) => state.guess);
    stage.picture(
      box,
      { ...states[i], early },
      { width: 590, height: Math.round(400 / states[i].view.length), strip: true },
    );
  });
  html.dataset.slides = String(steps.length);
})();
