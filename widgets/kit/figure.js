// @ts-check
// One figure: Plotly JSON or HTML, drawn in the page itself, at most once a frame, and again only while it can be seen.
const LEAST = 10,
  MOST = 60; // ms of a drawing that are taken into account: the first one takes long
const CONFIG = { displayModeBar: false, scrollZoom: false, doubleClick: false, showTips: false };

/** @param {{ model: FigureModel }} here */
export function render({ model }) {
  const place = document.querySelector(`[data-figure="${model.figure}"] .canvas`) || document.createElement("div");
  const canvas = document.createElement("div");
  place.append(canvas);
  let seen = false,
    drawn = false,
    stale = true,
    asked = false,
    width = 0,
    height = 0,
    cost = LEAST;
  /** @type {() => Trace[]} */
  let own = () => []; // traces that the page itself adds: what the reader did, which the server never hears of

  const veiled = () => Boolean(place.closest(".page.veiled"));
  const wall = () => Boolean(place.closest(".one-screen"));
  // The height that is left for it on one screen, of a dashboard or a wall (frame.css says where).
  const room = () => (getComputedStyle(place).getPropertyValue("--fit") ? place.clientHeight : 0);
  document.addEventListener("veil", () => {
    stale = true;
    ask();
  });

  // On a wall: what stands upright is read above; as many names of rows as there is room for, else no numbers beside dots.
  const caption = place.parentElement?.querySelector("figcaption"),
    title = caption?.textContent;
  /** @param {Trace[]} data @param {Layout} layout */
  function fit(data, layout) {
    layout.height = Math.max(140, height);
    const upright = (wall() && layout.yaxis?.title?.text) || "";
    if (caption && upright && !title.toLowerCase().includes(upright)) caption.textContent = `${title} · ${upright}`;
    if (wall() && layout.yaxis) layout.yaxis.title = { text: "" };
    const names = layout.yaxis?.ticktext,
      { t = 0, b = 0 } = layout.margin || {};
    const fits = Math.max(1, Math.floor((layout.height - t - b) / (layout.font?.size || 13)));
    if (!names || names.length <= fits) return;
    const every = Math.ceil(names.length / fits);
    layout.yaxis.ticktext = names.map((/** @type {string} */ name, /** @type {number} */ at) =>
      at % every ? "" : name,
    );
    for (const trace of data) trace.mode = trace.mode?.replace("+text", "");
  }
  async function draw() {
    asked = false;
    if (model.html && stale) canvas.innerHTML = model.html;
    if (model.html) place.dataset.kind = "html";
    if (model.html || model.plot) place.style.setProperty("--room", "0px");
    if (!stale || !canvas.clientWidth || (drawn && !seen) || !model.plot) return;
    stale = false;
    drawn = true;
    [width, height] = [canvas.clientWidth, room()];
    /** @type {Figure} */
    const { data, layout } = JSON.parse(model.plot);
    if (caption) caption.textContent = title;
    if (height) fit(data, layout);
    if (veiled()) {
      // what was given stands; the answer waits for the reader's guess
      data.splice(0, data.length, ...data.filter((trace) => trace.meta === "given"));
      const names = new Set(data.map((trace) => trace.name));
      layout.annotations = (layout.annotations || []).filter((label) => names.has(label.text));
    }
    canvas.style.height = `${layout.height}px`;
    canvas.style.minHeight = "";
    const began = performance.now(),
      done = window.rpMove.draw(canvas, [...data, ...own()], { ...layout, width }, CONFIG);
    cost = Math.min(MOST, Math.max(LEAST, performance.now() - began));
    await done;
  }
  // The main figure first. The others when the browser has time, and the less often the longer they take, so that
  // they never hold up a drag: a sixth of the time at most.
  /** @param {() => void} act */
  const rest = (act) => setTimeout(() => requestIdleCallback(act, { timeout: 400 }), 6 * cost);
  const soon = place.closest(".main") ? requestAnimationFrame : rest;
  function ask() {
    if (asked) return;
    asked = true;
    soon(draw);
  }
  new IntersectionObserver(
    (entries) => {
      seen = entries[entries.length - 1].isIntersecting;
      if (seen) ask();
    },
    { rootMargin: "20px" },
  ).observe(place);
  const resized = new ResizeObserver(() => {
    if (!canvas.clientWidth || (canvas.clientWidth === width && room() === height)) return;
    stale = true;
    ask();
  });
  for (const box of [canvas, place]) resized.observe(box);
  window.addEventListener("beforeprint", () => {
    drawn = false;
    draw();
  });
  model.on(["plot", "html"], () => {
    stale = true;
    ask();
  });
  place.addEventListener("own", (event) => {
    own = event.detail;
    stale = true;
    ask();
  });
  canvas.style.minHeight = model.plot ? `${JSON.parse(model.plot).layout.height}px` : "";
  ask();
  if (!place.isConnected) return place;
}
