// @ts-check
// A dashboard without a server: the same frame, drawn from numbers that were computed when the book was built.
// staticFrame(place, url) fills `place`; the script at `url` hands the numbers over through staticFrame.data.
(() => {
  const here = document.currentScript.src,
    root = document.documentElement,
    waiting = {},
    HOW = { displayModeBar: false, responsive: true, scrollZoom: false };

  const load = (src) =>
    new Promise((resolve, reject) => {
      document.head.append(Object.assign(document.createElement("script"), { src, onload: resolve, onerror: reject }));
    });
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  const written = (base, changes) => {
    const copy = structuredClone(base);
    for (const [path, value] of changes) {
      let at = copy;
      for (const key of path.slice(0, -1)) at = at[key];
      at[path.at(-1)] = value;
    }
    return copy;
  };
  // As Chart does for a phone: less margin, and each label above its line.
  const narrowed = (figure) => {
    figure.layout.height = 260;
    figure.layout.margin = { l: 44, r: 12, t: 16, b: 44 };
    for (const label of figure.layout.annotations)
      if (label.xref === "paper")
        Object.assign(label, { showarrow: false, xanchor: "right", yanchor: "bottom", yshift: 1 - label.ay });
    return figure;
  };

  function frame(place, it) {
    const say = make("p", { className: "still-say", ariaLive: "polite" });
    const rail = make("div", { className: "still-rail" });
    const places = it.controls.map((control) => control.start);
    const figures = it.figures.map((figure, at) => ({
      ...figure,
      base: it.base[at],
      box: make("div", { className: "still-figure", role: it.base[at] ? "img" : "" }),
    }));
    const blocks = figures.map(({ name, title, place: where, box }) => {
      const block = make("figure", { className: `still-${where}` }, make("figcaption", { textContent: title }), box);
      block.dataset.name = name;
      return block;
    });

    function draw() {
      const [words, ...numbers] = it.states[places.join(".")].map((at) => it.pieces[at]);
      say.textContent = words;
      const narrow = place.clientWidth < 640,
        dark = root.dataset.theme === "dark";
      const swap = new RegExp(
        Object.keys(it.dark)
          .map((text) => text.replace(/[().]/g, "\\$&"))
          .join("|"),
        "g",
      );
      figures.forEach(({ base, box }, at) => {
        if (!base) return void (box.innerHTML = numbers[at]);
        let figure = written(base, numbers[at]);
        if (narrow) figure = narrowed(figure);
        if (dark) figure = JSON.parse(JSON.stringify(figure).replace(swap, (from) => it.dark[from]));
        box.setAttribute("aria-label", figure.layout.meta.alt);
        window.rpMove.draw(box, figure.data, figure.layout, HOW);
      });
    }

    it.controls.forEach((control, index) => {
      const { name, label, labels, spoken, ends } = control;
      const move = (at) => {
        places[index] = at;
        draw();
      };
      if (control.kind === "choice") {
        const box = make("fieldset", { className: "still-choice" }, make("legend", { textContent: label }));
        labels.forEach((text, at) => {
          const radio = make("input", { type: "radio", name: `${it.stem}-${name}`, checked: at === control.start });
          radio.addEventListener("change", () => move(at));
          box.append(make("label", {}, radio, text));
        });
        return rail.append(box);
      }
      const shown = make("output"),
        slider = make("input", { type: "range", min: 0, max: 1, step: "any" });
      const go = (at) => {
        if (at < 0 || at >= labels.length) return;
        slider.value = control.at[at];
        shown.textContent = labels[at];
        slider.setAttribute("aria-valuetext", spoken[at]);
        if (at !== places[index]) move(at);
      };
      const nearest = () =>
        control.at.reduce(
          (best, x, at) => (Math.abs(x - slider.value) < Math.abs(control.at[best] - slider.value) ? at : best),
          0,
        );
      slider.addEventListener("input", () => go(nearest()));
      slider.addEventListener("keydown", (event) => {
        const last = labels.length - 1,
          now = places[index];
        const to = {
          ArrowRight: now + 1,
          ArrowUp: now + 1,
          ArrowLeft: now - 1,
          ArrowDown: now - 1,
          Home: 0,
          End: last,
        }[event.key];
        if (to !== undefined) {
          event.preventDefault();
          go(to);
        }
      });
      go(control.start);
      const scale = make(
        "span",
        { className: "still-ends" },
        make("span", { textContent: ends[0] }),
        make("span", { textContent: ends[1] }),
      );
      const box = make("label", { className: "still-range" }, make("span", {}, `${label} `, shown), slider, scale);
      const axis = blocks.find((block) => control.figure && block.dataset.name === control.figure);
      (axis || rail).append(box);
    });

    place.append(
      make(
        "section",
        { className: "still", ariaLabel: it.title },
        say,
        rail,
        make("div", { className: "still-grid" }, ...blocks),
      ),
    );
    draw();
    new MutationObserver(draw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
    let wide = place.clientWidth;
    new ResizeObserver(() => {
      if (place.clientWidth !== wide) {
        wide = place.clientWidth;
        draw();
      }
    }).observe(place);
  }

  window.staticFrame = async (place, url) => {
    waiting[place.dataset.stem] = place;
    try {
      if (!window.Plotly) await load(new URL("plotly.min.js", here).href);
      await load(url.replace(/\.json$/, ".js"));
    } catch {
      place.append(
        make("p", { textContent: "The numbers of this figure were not built. `make serve` computes them." }),
      );
    }
  };
  window.staticFrame.data = (stem, it) => frame(waiting[stem], it);
})();
