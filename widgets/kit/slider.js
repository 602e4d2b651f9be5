// @ts-check
// A native range input whose thumb stands where its value stands on the axis, and a box for any value in range.
const THUMB = 22;

/** @param {{ model: SliderModel }} here */
export function render({ model }) {
  const root = document.createElement("div");
  root.className = model.axis ? "slide axis" : "slide";
  root.innerHTML = `
    <label class="name"></label>
    <div class="lane"><div class="ticks" aria-hidden="true"></div>
      <input class="range" type="range" min="0" max="1" step="any"></div>
    <input class="box" type="number" inputmode="decimal">
    <div class="ends" aria-hidden="true"><span></span><span></span></div>
    <p class="refused" role="alert" hidden></p>`;
  const [lane, ticks, ends, refused] = [".lane", ".ticks", ".ends", ".refused"].map((s) => root.querySelector(s));
  const [range, box] = root.querySelectorAll("input");
  const name = root.querySelector("label");
  box.id = `box-${Math.random().toString(36).slice(2)}`;
  name.htmlFor = box.id;
  let held = false;

  /** @param {number} v */
  const coordinate = (v) => (model.log ? Math.log10(v) : v);
  const span = () => (model.span.length ? model.span : [model.low, model.high]).map(coordinate);
  /** @param {number} v */
  const place = (v) => {
    const [a, b] = span();
    return (coordinate(v) - a) / (b - a);
  };
  /** @param {number} p */
  const at = (p) => {
    const [a, b] = span();
    const c = a + p * (b - a);
    return model.log ? 10 ** c : c;
  };
  /** @param {number} v */
  const nearest = (v) =>
    model.stops.reduce((best, stop) =>
      Math.abs(coordinate(stop) - coordinate(v)) < Math.abs(coordinate(best) - coordinate(v)) ? stop : best,
    );
  /** @param {number} way */
  const neighbour = (way) => {
    const beyond = model.stops.filter((stop) => way * (stop - model.value) > 1e-12);
    return beyond.length ? (way > 0 ? Math.min(...beyond) : Math.max(...beyond)) : model.value;
  };
  /** @param {number} v */
  const written = (v) => (model.whole ? String(Math.round(v)) : String(+v.toPrecision(4)));

  function show() {
    range.value = String(place(model.value));
    const share = Math.min(1, Math.max(0, place(model.value)));
    lane.style.setProperty("--share", String(share));
    if (/** @type {ShadowRoot} */ (root.getRootNode()).activeElement !== box || held) box.value = written(model.value);
    const stop = model.stops.indexOf(model.value);
    range.setAttribute("aria-valuetext", stop >= 0 ? model.spoken[stop] : `${model.label} ${written(model.value)}`);
  }
  /** @param {string} text */
  function refuse(text) {
    refused.hidden = !text;
    refused.textContent = text;
    box.toggleAttribute("aria-invalid", Boolean(text));
  }
  /** @param {number} v */
  function set(v) {
    refuse("");
    if (v === model.value) return show();
    model.value = v;
    show();
  }
  const release = () => {
    model.released += 1;
  };

  range.addEventListener("pointerdown", () => {
    held = true;
  });
  // Not at once: Firefox says the last place of a drag after the finger has gone, and that is no nudge.
  for (const end of ["pointerup", "pointercancel"])
    range.addEventListener(end, () =>
      setTimeout(() => {
        held = false;
      }),
    );
  range.addEventListener("input", () => {
    let v = nearest(at(+range.value));
    // A nudge that is smaller than a stop (screen readers on phones) still moves by one stop.
    if (!held && v === model.value) v = neighbour(Math.sign(+range.value - place(v)));
    set(Math.min(model.high, Math.max(model.low, v)));
  });
  range.addEventListener("change", release);
  range.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3 }[event.key];
    const edge = { Home: model.stops[0], End: model.stops[model.stops.length - 1] }[event.key];
    if (steps === undefined && edge === undefined) return;
    event.preventDefault();
    if (edge !== undefined) set(edge);
    else for (let i = 0; i < Math.abs(steps); i++) set(neighbour(Math.sign(steps)));
    release();
  });
  box.addEventListener("change", () => {
    const v = box.valueAsNumber;
    const good = v >= model.low && v <= model.high && (!model.whole || Number.isInteger(v));
    if (!good) {
      const kind = model.whole ? "a whole number" : "a number";
      return refuse(`Please give ${kind} from ${written(model.low)} to ${written(model.high)}.`);
    }
    set(v);
    release();
  });
  box.addEventListener("blur", () => {
    refuse("");
    show();
  });

  function dress() {
    name.textContent = model.label + (model.waits ? " · on release" : "");
    range.setAttribute("aria-label", model.label);
    root.title = model.hint;
    root.inert = !model.active;
    root.classList.toggle("tight", model.axis && model.inset[1] < 90);
    box.min = String(model.low);
    box.max = String(model.high);
    box.step = "any";
    ends.hidden = !model.ends.length;
    [...ends.children].forEach((word, i) => {
      word.textContent = model.ends[i] || "";
    });
    root.style.setProperty("--left", `${model.inset[0]}px`);
    root.style.setProperty("--right", `${model.inset[1]}px`);
    root.style.setProperty("--thumb", `${THUMB}px`);
    ticks.replaceChildren(
      ...model.ticks.map(([value, text]) => {
        const tick = document.createElement("span");
        tick.style.left = `${100 * place(value)}%`;
        tick.textContent = text;
        return tick;
      }),
    );
    lane.style.setProperty("--from", String(Math.max(0, place(model.low))));
    lane.style.setProperty("--to", String(Math.min(1, place(model.high))));
    show();
  }
  model.on(["label", "active", "waits", "ends", "inset", "ticks", "span"], dress);
  model.on("value", show);
  dress();
  return root;
}
