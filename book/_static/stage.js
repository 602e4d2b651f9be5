// @ts-check
// The figure of a path. It is told a state and draws it: at once from what was computed with the book, and, where a
// server answers, again as computed now. It knows nothing of steps.
//   stage.live(ask)      from now on ask(query) -> {told, ok} computes; `ask.aside` begins its sentence, null: nobody does
//   stage.set(state)     state = {values: {control: text}, view: [figure], ghosts: [{control: text}], guess}
//   on(state) is called  "moved" when the reader has moved a control, "answered", "shown"
(() => {
  const here = document.currentScript.src,
    html = document.documentElement;
  const say = window.rpSay ?? String.raw,
    of = window.rpSay?.of ?? ((/** @type {string} */ text) => text); // what was written in Python
  const CONFIG = {
    displayModeBar: false,
    responsive: false,
    scrollZoom: false,
    doubleClick: false,
    showTips: false,
    staticPlot: false,
  };
  /** @type {Make} */
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  /** @param {string} src */
  const load = (src) =>
    new Promise((resolve, reject) => {
      document.head.append(make("script", { src, onload: resolve, onerror: reject }));
    });
  /** @type {PathData} */
  let handed;
  window.rpPath = /** @type {Window["rpPath"]} */ ({
    spread,
    data: (it) => {
      handed = it;
    },
  });
  window.rpPath.busy = window.rpMove.busy;
  window.rpPath.load = async (chapter) => {
    if (!window.Plotly) await load(new URL("plotly.min.js", here).href);
    await load(new URL(`frames/${chapter}.path.js`, here).href);
    return handed;
  };

  /** @param {any} base @param {Changes} changes */
  const written = (base, changes) => {
    const copy = structuredClone(base);
    for (const [path, value] of changes) {
      let at = copy;
      for (const key of path.slice(0, -1)) at = at[key];
      if (path.length) at[path.at(-1)] = value;
      else return value;
    }
    return copy;
  };
  /** @param {string} text */
  const heading = (text) => (/^[a-z]{2}/.test(text) ? text[0].toUpperCase() + text.slice(1) : text); // "ε of one person" stays
  /** @param {Layout} layout @param {string} side */
  const px = (layout, side) => (typeof layout.margin[side] === "number" ? layout.margin[side] : 40);

  // A figure as it fits here: type for a phone or a room, labels apart, what was given alone while a guess is open.
  /** @param {Figure} source @param {Fit} it */
  function fitted(source, { width, height, narrow, large, veil, dark, swaps, hides = [] }) {
    let figure = structuredClone(source);
    /** @param {string} [name] */
    const known = (name = "") => !hides.some((one) => name.startsWith(one));
    figure.data = figure.data.filter((trace) => known(trace.name));
    figure.layout.annotations = (figure.layout.annotations || []).filter((label) => known(label.text));
    if (window.rpSay && window.rpSay.language !== "en") named(figure);
    const { layout } = figure,
      size = large ? 19 : 13;
    const flat = height < (narrow ? 200 : 180); // no room for the name of the x axis: the slider under it says it
    const wide = Math.min(px(layout, "l"), narrow ? 104 : 160); // names of rows need their room
    const longest = Math.max(
      0,
      ...(layout.yaxis?.ticktext || []).map((/** @type {unknown} */ text) => String(text).length),
    );
    const above = (layout.annotations || []).some(
      (label) => label.yref === "paper" && label.y === 1 && label.yanchor === "bottom",
    )
      ? 28
      : 18;
    const below = flat || !layout.xaxis?.title?.text ? 24 : 44;
    const margin = narrow
      ? { l: wide > 70 ? wide : Math.max(36, 12 + 8 * longest), r: 12, t: Math.max(14, above), b: below }
      : { l: wide > 70 ? wide : 44, r: px(layout, "r"), t: above, b: below };
    for (const side of /** @type {const} */ (["l", "r", "t", "b"]))
      margin[side] = Math.round(margin[side] * (!large ? 1 : side === "r" ? 1.5 : 1.35));
    Object.assign(layout, { width, height, margin, autosize: false, dragmode: false });
    layout.font = { ...layout.font, size };
    if (layout.hoverlabel?.font) layout.hoverlabel.font.size = size;
    for (const axis of ["xaxis", "yaxis"]) if (layout[axis]?.title?.font) layout[axis].title.font.size = size;
    if (layout.yaxis) layout.yaxis.title = { text: "" }; // it stands above, see caption
    if (flat && layout.xaxis) layout.xaxis.title = { text: "" };
    if (flat) for (const axis of ["xaxis", "yaxis"]) delete layout[axis]?.scaleanchor; // a square would be a stamp
    const rows = layout.yaxis?.ticktext,
      fits = Math.max(1, Math.floor((height - margin.t - margin.b) / (size - 2)));
    if (rows && rows.length > fits) {
      // as many names as there is room for
      const every = Math.ceil(rows.length / fits);
      layout.yaxis.ticktext = rows.map((/** @type {string} */ name, /** @type {number} */ at) =>
        at % every ? "" : name,
      );
      for (const trace of figure.data) trace.mode = trace.mode?.replace("+text", ""); // nor for numbers beside dots
    }
    if (veil) {
      figure.data = figure.data.filter((trace) => trace.meta === "given");
      const names = new Set(figure.data.map((trace) => trace.name));
      layout.annotations = (layout.annotations || []).filter((label) => names.has(label.text));
    }
    if (large)
      for (const trace of figure.data) {
        if (trace.line?.width) trace.line.width *= 1.4;
        if (typeof trace.marker?.size === "number") trace.marker.size *= 1.4;
      }
    const inside = { width: width - margin.l - margin.r, height: height - margin.t - margin.b };
    apart(layout, inside.height, narrow, 15 * (large ? 1.45 : 1));
    layout.annotations = (layout.annotations || []).filter(readable(layout, inside, size, margin, narrow));
    if (narrow)
      for (const label of layout.annotations) {
        label.bgcolor = paper();
        if (label.yref === "paper") Object.assign(label, { xshift: 4 - margin.l, font: { size: 12 } }); // a key has the whole width
      }
    if (dark) {
      const pattern = new RegExp(
        Object.keys(swaps)
          .map((text) => text.replace(/[().]/g, "\\$&"))
          .join("|"),
        "g",
      );
      figure = JSON.parse(JSON.stringify(figure).replace(pattern, (from) => swaps[from]));
    }
    return figure;
  }
  // The words of a figure, in the reader's language.
  /** @param {Figure} figure */
  function named({ data, layout }) {
    for (const trace of data)
      for (const word of ["name", "hovertemplate"]) if (trace[word]) trace[word] = of(trace[word]);
    for (const label of layout.annotations) label.text = of(label.text);
    for (const axis of [layout.xaxis, layout.yaxis]) {
      if (axis?.title?.text) axis.title.text = of(axis.title.text);
      if (axis?.ticktext) axis.ticktext = axis.ticktext.map((/** @type {unknown} */ text) => of(String(text)));
    }
    if (layout.meta?.alt) layout.meta.alt = of(layout.meta.alt);
  }
  const paper = () => `${getComputedStyle(html).getPropertyValue("--rp-page").trim() || "#FFFFFF"}B0`; // behind a name that stands on lines
  const ruler = document.createElement("canvas").getContext("2d");
  // Of the names of dots, those that do not cover an earlier one; each is kept inside the drawing.
  /**
   * @param {Layout} layout
   * @param {{ width: number, height: number }} inside
   * @param {number} size
   * @param {Record<string, number>} margin
   * @param {boolean} narrow
   */
  function readable(layout, inside, size, margin, narrow) {
    const [low, high] = layout.yaxis?.range || [0, 1],
      [from, to] = layout.xaxis?.range || [0, 1];
    ruler.font = `${size}px ${layout.font.family}`;
    /** @param {Annotation} label */
    const wide_of = (label) => ruler.measureText(label.text.replace(/<[^>]*>/g, "").replace(/&\S+;/g, "x")).width + 2;
    const lines = narrow
      ? (layout.annotations || []).filter((label) => label.xref === "paper" && label.yref === "y")
      : [];
    const taken = lines.map((label) => ({
      wide: wide_of(label),
      left: label.xanchor === "left" ? 0 : inside.width - wide_of(label),
      y: (inside.height * (label.y - low)) / (high - low) + (label.yshift || 0) + size / 2,
    }));
    return (/** @type {Annotation} */ label) => {
      if (label.xref === "paper" || typeof label.y !== "number") return true;
      const wide = wide_of(label),
        at = (inside.width * (label.x - from)) / (to - from) + (label.xshift || 0);
      const left = at - ({ left: 0, right: wide }[/** @type {string} */ (label.xanchor)] ?? wide / 2);
      const y =
        (inside.height * (label.y - low)) / (high - low) +
        (label.yshift || 0) +
        (label.yanchor === "bottom" ? size / 2 : -size / 2);
      const across = Math.max(0, (narrow ? 8 : -margin.l) - left) - Math.max(0, left + wide - inside.width - margin.r);
      const up = Math.min(0, inside.height + margin.t - 0.75 * size - y) + Math.max(0, size - y);
      Object.assign(label, {
        xshift: (label.xshift || 0) + Math.round(across),
        yshift: (label.yshift || 0) + Math.round(up),
      });
      const spot = { left: left + across, y: y + up };
      if (
        taken.some(
          (one) =>
            spot.left < one.left + one.wide && one.left < spot.left + wide && Math.abs(one.y - spot.y) < size + 1,
        )
      )
        return false;
      taken.push({ ...spot, wide });
      return true;
    };
  }
  // Places at least `gap` apart within low..high, with the least sum of squared moves, in the same order; `spread` in
  // recprivlib/plots/chart.py is the same, and a test holds the two together.
  /** @param {number[]} wanted @param {number} gap @param {number} low @param {number} high */
  function spread(wanted, gap, low, high) {
    const order = wanted.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b]);
    /** @type {[sum: number, many: number][]} neighbours that are pooled, without the gaps between them */
    const groups = [];
    order.forEach((at, rank) => {
      groups.push([wanted[at] - rank * gap, 1]);
      for (let last = groups.length - 1; last > 0; last--) {
        const [[sum, many], [more, others]] = groups.slice(-2);
        if (sum / many <= more / others) break;
        groups.splice(-2, 2, [sum + more, many + others]);
      }
    });
    const flat = groups.flatMap(([sum, many]) => Array(many).fill(sum / many));
    const top = Math.max(low, high - gap * (flat.length - 1));
    /** @type {number[]} */
    const placed = [];
    order.forEach((at, rank) => {
      placed[at] = Math.min(Math.max(flat[rank], low), top) + rank * gap;
    });
    return placed;
  }
  // Names of lines, pushed apart for the height there is; on a phone each stands above its line.
  /**
   * @param {Layout} layout
   * @param {number} inside
   * @param {boolean} narrow
   * @param {number} gap
   */
  function apart(layout, inside, narrow, gap) {
    const [low, high] = layout.yaxis?.range || [0, 1];
    const names = (layout.annotations || []).filter((label) => label.xref === "paper" && label.yref === "y");
    for (const label of names)
      if (narrow && label.showarrow) Object.assign(label, { showarrow: false, xanchor: "right", yanchor: "bottom" });
    const most = inside - (narrow ? gap : 0),
      gone = new Set();
    for (const side of narrow ? ["left", "right"] : ["left"]) {
      const all = names.filter((label) => !narrow || label.xanchor === side),
        fits = 1 + Math.max(0, Math.floor(most / gap));
      all.slice(0, -fits).forEach((label) => gone.add(label)); // levels stand first: in a low figure the lines keep their names
      const row = all
        .slice(-fits)
        .map((label) => ({ label, want: (inside * (label.y - low)) / (high - low) }))
        .sort((a, b) => a.want - b.want);
      const places = spread(
        row.map((one) => one.want),
        gap,
        0,
        most,
      );
      row.forEach(({ label, want }, i) => {
        if (label.showarrow) label.ay = Math.round(want - places[i]);
        else label.yshift = Math.round(places[i] - want) + 1;
      });
    }
    layout.annotations = (layout.annotations || []).filter((label) => !gone.has(label));
  }

  window.rpStage = (el, it, live, on) => {
    /** @param {string} name @param {keyof HTMLElementTagNameMap} [tag] @param {Record<string, unknown>} [about] */
    const slot = (name, tag = "div", about = {}) => {
      const node = make(tag, { className: name, ...about });
      el.append(node);
      return node;
    };
    const saying = slot("stage-say");
    const sentence = make("p", { className: "sentence" }),
      ask = make("div", { className: "ask", hidden: true });
    const spoken = slot("spoken", "p", { ariaLive: "polite" });
    const chips = slot("chips");
    const rail = slot("rail"),
      figures = slot("figures"),
      under = slot("under"),
      strip = slot("stage-strip");
    const mini = slot("mini", "p"); // the strip in one line, where there is no room for it; a tap shows it, and its key
    const whole = make("button", { type: "button", textContent: say`What this means`, ariaExpanded: "false" });
    whole.addEventListener("click", () => lane(whole.ariaExpanded !== "true"));
    /** @param {boolean} on */
    function lane(on) {
      whole.ariaExpanded = String(on);
      whole.textContent = on ? say`Close` : say`What this means`;
      el.classList.toggle("lane", on);
      const key = strip.querySelector("details");
      if (key) key.open = on;
    }
    saying.append(sentence, ask);
    const control = Object.fromEntries(it.controls.map((one) => [one.name, one]));
    const plots = Object.fromEntries(
      it.figures.map((about) => {
        const canvas = /** @type {Canvas} */ (make("div", { className: "canvas" }));
        const box = make(
          "figure",
          { className: "plot", hidden: true },
          make("figcaption", { textContent: heading(of(about.title)) }),
          canvas,
        );
        box.dataset.figure = about.name;
        box.setAttribute("aria-label", heading(of(about.title)));
        figures.append(box);
        return [about.name, { about, box, canvas, drawing: /** @type {Drawn | null} */ (null) }];
      }),
    );
    let seq = 0,
      flying = false;
    /** @type {PathState | null} */
    let state = null;
    /** @type {Scene | null} */
    let shown = null;
    /** @type {number | null} the answer that was clicked */
    let choice = null;
    /** @type {[PathState, number] | null} */
    let waiting = null;
    /** @type {number | undefined} */
    let speaking;
    /** @type {number | undefined} */
    let slow;

    /** @param {Settings} values */
    const link = (values) =>
      it.controls
        .filter((c) => values[c.name] !== c.start)
        .map((c) => `${c.name}=${values[c.name]}`)
        .join("&");
    /** @param {PathState} s */
    const key = (s) => [link(s.values), ...s.ghosts.map((ghost) => link({ ...s.values, ...ghost }))].join("|");
    const full = () => html.classList.contains("presenting");
    const small = () => !full() && innerWidth < 992;
    const done = new Set(); // the questions that were answered, or waved away
    const kind = () => (it.sketch && state.view.includes(it.sketch.figure) ? "draw" : "click");
    const veiled = () => Boolean(state && state.guess && !done.has(kind()));
    // What answers a question further down the path is kept back until then.
    const kept = () => (state.early && !done.has("click") && it.predict?.hides) || [];

    // ---------------------------------------------------------------------------------------- what is known
    /** @param {PathState} s */
    function built(s) {
      const found = it.states[key(s)] || it.states[link(s.values)];
      if (!found) return null;
      const [words, brief, lane, ...rest] = found.map((at) => it.pieces[at]);
      /** @type {Scene} */
      const scene = { say: words, brief, strip: lane, figures: {}, says: {}, controls: {} };
      it.figures.forEach(({ name }, at) => {
        const part = rest[3 * at];
        scene.figures[name] = typeof part === "string" ? part : written(it.base[name], part);
        scene.says[name] = rest[3 * at + 1];
        scene.controls[name] = rest[3 * at + 2];
      });
      return scene;
    }
    // One request under way and one waiting, the newest: a drag never queues work.
    /** @param {PathState} s @param {number} number */
    async function ask_live(s, number) {
      if (flying) {
        waiting = [s, number];
        return;
      }
      flying = true;
      window.rpPath.busy("answer", true);
      const ask = live;
      try {
        const query = new URLSearchParams(
          Object.entries(s.values).filter(([name, value]) => value !== control[name].start),
        );
        query.set("figures", s.view.join(","));
        for (const ghost of s.ghosts) query.append("ghost", new URLSearchParams(ghost).toString());
        const { told, ok } = await ask(query);
        if (number === seq && ask === live) {
          if (ok) show({ ...told, filled: true, aside: ask.aside });
          else if (!built(s)) refuse(told.what);
        }
      } catch {
        clearTimeout(slow);
        if (number === seq && (!shown || el.dataset.state !== "ready")) {
          refuse(say`The server does not answer; this figure asks again by itself.`);
          setTimeout(
            () => {
              if (number === seq) ask_live(s, number);
            },
            2000 + 2000 * Math.random(),
          );
        }
      }
      flying = false;
      if (waiting) {
        const next = waiting;
        waiting = null;
        if (live) ask_live(...next);
      }
      if (!flying) window.rpPath.busy("answer", false);
    }
    /** @param {string} what */
    function refuse(what) {
      el.dataset.state = "error";
      sentence.textContent = what;
      figures.classList.add("old");
    }

    // ----------------------------------------------------------------------------------------------- drawing
    /** @param {Scene} scene */
    function show(scene) {
      clearTimeout(slow);
      shown = scene;
      figures.classList.remove("old");
      el.dataset.state = "ready";
      el.dataset.shown = key(state);
      el.dataset.filled = String(Boolean(scene.filled));
      for (const [name, drawing] of Object.entries(scene.figures)) if (plots[name]) plots[name].drawing = drawing;
      draw();
      on("shown");
    }
    function words() {
      if (!shown || !state) return "";
      const lead = state.view[0],
        verdict = pen && state.guess && drawing() && !veiled() ? pen.verdict(small()) : "";
      if (verdict) return verdict;
      if (choice !== null && state.guess && !drawing()) return of(it.predict.replies[choice]);
      return (shown.aside || "") + of(shown.says[lead] || (small() || kept().length ? shown.brief : shown.say));
    }
    // Where two pairs of axes would be too flat to read, the first stands alone.
    const flat = () => small() || figures.clientHeight < 420;
    const seen = () => state.view.filter((name, at) => !at || !flat() || typeof plots[name].drawing === "string");
    // The lines of the strip in as few words as stay true.
    /** @param {string} line */
    const brief = (line) =>
      line
        .replace("attacked: at least", "attacked ≥")
        .replace(/counted: no finite ε.*/, "counted ∞")
        .replace("counted: ", "counted ")
        .replace(/: counts something else: /, ": ")
        .replace(/: not broken by our attack, /, ": ")
        .replace(/, .* higher than needed/, "");
    // A sentence longer than its lines is set smaller; the figure below it never moves.
    function fit() {
      saying.classList.remove("long");
      if (saying.scrollHeight > saying.clientHeight + 1) saying.classList.add("long");
      saying.scrollTop = 0;
    }
    // What is drawn as text is written once: a game that is under way goes on.
    /** @param {Canvas} canvas @param {string} text */
    function write(canvas, text) {
      if (canvas.written === text) return;
      canvas.innerHTML = canvas.written = text;
      window.rpSay?.page(canvas);
      const seat = canvas.querySelector(".rp-game");
      if (seat) window.rpPlay(seat);
      const score = canvas.querySelector(".rp-score");
      if (score) window.rpScore(score);
    }
    function draw() {
      if (!shown || !state) return;
      const veil = veiled(),
        large = full(),
        dark = html.dataset.theme === "dark";
      el.dataset.view = state.view.join(" ");
      el.classList.toggle("veiled", veil);
      sentence.hidden = veil;
      ask.hidden = !veil;
      sentence.textContent = words();
      fit();
      if (strip.dataset.html !== shown.strip) {
        strip.innerHTML = shown.strip;
        strip.dataset.html = shown.strip;
        const lines = [...strip.querySelectorAll(".rp-phone p")].map((line) =>
          make("span", { textContent: brief(line.textContent.trim()), ariaHidden: "true" }),
        );
        mini.replaceChildren(...lines, ...(lines.length ? [whole] : []));
        lane(false);
      }
      const view = seen();
      for (const [name, plot] of Object.entries(plots)) plot.box.hidden = !view.includes(name);
      // In the order of the view. A box that stands in its place is left there: moved, it would lose the pen's focus, and
      // the arrow keys of a guess that is being drawn would walk the path.
      const boxes = view.map((name) => plots[name].box),
        stand = [...figures.children].filter((/** @type {HTMLElement} */ box) => boxes.includes(box));
      if (boxes.some((box, at) => box !== stand[at])) figures.append(...boxes);
      for (const name of view) {
        const { canvas, box, drawing } = plots[name];
        if (drawing === null) continue;
        box.classList.toggle("still", typeof drawing === "string");
        box.classList.toggle("alone", view.length === 1);
        if (typeof drawing === "string") {
          write(canvas, veil ? "" : drawing);
          continue;
        }
        const width = canvas.clientWidth,
          height = canvas.clientHeight;
        if (!width || height < 40) continue;
        const upright = drawing.layout.yaxis?.title?.text || "";
        box.firstChild.textContent = heading(of(upright.length > 3 ? upright : plots[name].about.title));
        const figure = fitted(drawing, {
          width,
          height,
          narrow: width < 480,
          large,
          veil,
          dark,
          swaps: it.dark,
          hides: kept(),
        });
        window.rpMove.draw(canvas, figure.data, figure.layout, CONFIG);
        canvas.setAttribute("role", "img");
        canvas.setAttribute(
          "aria-label",
          veil ? say`Empty axes: ${of(plots[name].about.title)}` : figure.layout.meta?.alt || "",
        );
      }
      guess();
      dress();
      speak();
    }
    /** @param {string} name */
    const geometry = (name) => {
      const canvas = plots[name]?.canvas,
        drawn = canvas?._fullLayout;
      if (!drawn?.xaxis) return null;
      const { xaxis: x, yaxis: y } = drawn;
      return {
        left: x._offset,
        width: x._length,
        top: y._offset,
        height: y._length,
        x: x.range,
        y: y.range,
        log: x.type === "log",
      };
    };

    // ------------------------------------------------------------------------------------------------- guess
    /** @type {Pen | null} */
    let pen = null;
    const question = make("span"),
      compare = make("button", { type: "button", className: "compare", textContent: say`Show what was measured` });
    const skip = make("button", { type: "button", className: "skip-guess", textContent: say`Just show me` });
    // A curve is drawn where its figure is on show; anything else is answered with a click.
    const drawing = () => Boolean(it.sketch && state.view.includes(it.sketch.figure));
    const answers = (it.predict?.answers || []).map((text, at) => {
      const button = make("button", { type: "button", textContent: of(text) });
      button.addEventListener("click", (event) => {
        choice = at;
        answer(true, event);
      });
      return button;
    });
    compare.addEventListener("click", (event) => answer(true, event));
    function pose() {
      const how = drawing() ? "draw" : "click";
      if (ask.dataset.how === how) return;
      ask.dataset.how = how;
      if (!drawing()) question.textContent = of(it.predict?.question || "");
      ask.replaceChildren(question, ...(drawing() ? [compare, " "] : answers), skip);
    }
    skip.addEventListener("click", (event) => answer(false, event));
    function guess() {
      if (state.guess) pose();
      if (!it.sketch) return;
      const spot = plots[it.sketch.figure];
      if (!state.guess || !spot || spot.box.hidden) {
        if (pen) pen.hide();
        return;
      }
      pen ||= window.rpPen(spot.canvas.parentElement.appendChild(make("div", { className: "pen-room" })), it.sketch, {
        changed: progress,
        done: () => answer(true),
      });
      const room = spot.box.querySelector(".pen-room"),
        box = spot.canvas;
      Object.assign(room.style, {
        left: `${box.offsetLeft}px`,
        top: `${box.offsetTop}px`,
        width: `${box.offsetWidth}px`,
        height: `${box.offsetHeight}px`,
      });
      const known = geometry(it.sketch.figure);
      if (known) pen.show(known, veiled());
      progress();
    }
    function progress() {
      if (!drawing()) return;
      question.textContent = pen?.ready()
        ? say`Mend it as you like, then look.`
        : pen?.begun
          ? say`Go on to the right end.`
          : of(it.sketch.question);
      compare.disabled = !pen?.ready();
    }
    // From the keyboard the slider is next; whoever answered with a mouse steps on with the arrow keys.
    /** @param {boolean} look @param {UIEvent=} event */
    function answer(look, event) {
      done.add(kind());
      try {
        sessionStorage.setItem(`recpriv-answered:${el.dataset.stem}`, "1"); // the dashboard of the chapter asks no more
      } catch {
        /* then it asks again */
      }
      if (pen && drawing()) pen.compare(look);
      const inside =
        ask.contains(document.activeElement) ||
        document.activeElement === document.body ||
        document.activeElement?.classList.contains("pen");
      draw();
      if (inside && !event?.detail) under.querySelector(".slide:not([hidden]) input")?.focus({ preventScroll: true });
      on("answered");
    }

    // ---------------------------------------------------------------------------------------------- controls
    /** @param {Control} one */
    const number = (one) => one.kind === "number" || one.kind === "integer";
    const named = (el.dataset.controls || "")
      .split(" ")
      .map((name) => control[name])
      .filter(Boolean);
    const leads = it.figures.map((about) => control[about.axis]).filter(Boolean);
    const mains = [
      ...new Set([
        ...it.controls.filter((one) => one.place === "axis"),
        ...it.controls.filter((one) => one.place === "under"),
        ...named,
        ...leads,
      ]),
    ].filter(number);
    /** Whether it moves the picture of this step. @param {Control} one */
    const moves = (one) => shown?.controls?.[state.view[0]]?.includes(one.name) ?? true;
    // Whose slider stands under the figure.
    const mine = () => [control[plots[state.view[0]].about.axis], ...mains].find((one) => one && moves(one));
    const chosen = (el.dataset.controls || "")
      .split(" ")
      .filter((name) => control[name] && control[name].values.length);
    const fields = [
      ...mains.map((one) => field(one, true)),
      ...chosen
        .filter((name) => !mains.includes(control[name]) || number(control[name]))
        .map((name) => field(control[name], false)),
    ];
    // Without a server only what was computed with the book can be chosen.
    /** @param {string} name @param {string} text */
    const can = (name, text) => live || it.states[link({ ...state.values, [name]: text })];
    /** @param {string} name @param {string} text */
    function move(name, text) {
      if (state.values[name] === text) return;
      const next = { ...state, values: { ...state.values, [name]: text }, guess: veiled() };
      set(next);
      on("moved");
    }
    /** @param {Control} one @param {boolean} main */
    function field(one, main) {
      if (!number(one)) {
        const select = make("select");
        one.values.forEach(({ text, label }) => select.add(new Option(of(label), text)));
        select.addEventListener("change", () => move(one.name, select.value));
        rail.append(make("label", {}, make("span", { textContent: of(one.label) }), select));
        return {
          one,
          show() {
            select.parentElement.hidden = !moves(one);
            select.value = state.values[one.name];
            for (const option of select.options) option.disabled = !can(one.name, option.value);
          },
        };
      }
      const range = make("input", { type: "range", min: 0, max: 1, step: "any" }),
        output = make("output");
      range.setAttribute("aria-label", of(one.label));
      /** @param {string} text */
      const at = (text) => (one.log ? Math.log10(+text) : +text);
      let span = [0, 1];
      /** @type {Stop[]} */
      let stops = [];
      /** @param {string} text */
      const place = (text) => (at(text) - span[0]) / (span[1] - span[0]);
      /** @param {number} p */
      const nearest = (p) =>
        stops.reduce((a, b) => (Math.abs(place(b.text) - p) < Math.abs(place(a.text) - p) ? b : a)).text;
      range.addEventListener("input", () => {
        if (stops.length) {
          const to = nearest(+range.value);
          move(one.name, to);
        }
      });
      range.addEventListener("change", () => {
        range.value = String(place(state.values[one.name]));
      });
      range.addEventListener("keydown", (event) => {
        const now = stops.findIndex((stop) => stop.text === state.values[one.name]);
        const to = {
          ArrowRight: now + 1,
          ArrowUp: now + 1,
          ArrowLeft: now - 1,
          ArrowDown: now - 1,
          Home: 0,
          End: stops.length - 1,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        if (stops[to]) move(one.name, stops[to].text);
      });
      /** @param {string} text */
      const near = (text) => text.replace(/^0\./, ".");
      const ends = make(
        "p",
        { className: "ends", ariaHidden: "true" },
        make("span", { textContent: of(one.ends[0].split(",")[0]) }),
        output,
        make("span", { textContent: of(one.ends[1].split(",")[0]) }),
      );
      const box = make("div", { className: main ? "slide main" : "slide" }, range, ends);
      (main ? under : rail).append(box);
      return {
        one,
        show() {
          box.hidden = main ? mine() !== one : mine() === one || !moves(one);
          if (box.hidden) return;
          const value = state.values[one.name];
          stops = one.values.filter(({ text }) => can(one.name, text));
          if (!stops.some((stop) => stop.text === value))
            stops = [...stops, { text: value, label: value, spoken: `${one.label} ${value}` }].sort(
              (a, b) => +a.text - +b.text,
            );
          const lead =
            main && state.view.map((name) => plots[name].about.axis === one.name && geometry(name)).find(Boolean);
          const all = one.values.map(({ text }) => at(text));
          span = lead ? lead.x : [Math.min(...all), Math.max(...all)];
          const room = lead ? figures.clientWidth - lead.left - lead.width : 0;
          box.style.setProperty("--l", `${lead ? lead.left : 9}px`);
          box.style.setProperty("--r", `${lead ? room : 9}px`);
          range.value = String(place(value));
          range.disabled = main && veiled();
          range.setAttribute("aria-valuetext", of(stops.find((stop) => stop.text === value)?.spoken || value));
          const name = of(one.label);
          output.textContent = range.disabled ? name : `${name}${name.length > 3 ? ":" : " ="} ${near(value)}`;
          output.style.left = `${100 * Math.min(0.9, Math.max(0.1, place(value)))}%`;
          const here = output.getBoundingClientRect();
          for (const end of /** @type {HTMLElement[]} */ ([ends.firstElementChild, ends.lastElementChild])) {
            const there = end.getBoundingClientRect();
            end.style.visibility = there.left < here.right && here.left < there.right ? "hidden" : "";
          }
        },
      };
    }
    function dress() {
      for (const one of fields) one.show();
      rail.classList.toggle("off", veiled());
      rail.classList.remove("tight");
      rail.classList.toggle("tight", small() && rail.scrollWidth > rail.clientWidth + 1);
    }
    function speak() {
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        spoken.textContent = veiled() ? question.textContent : words();
      }, 500);
    }

    // -------------------------------------------------------------------------------------------------- doors
    /** @param {PathState} next */
    function set(next) {
      state = next;
      seq += 1;
      const known = built(state),
        mine = seq;
      clearTimeout(slow);
      if (known) show(known);
      else if (!live) {
        dress();
        return refuse(say`Nobody has computed this beforehand. With ${"`make serve`"} it is computed while you wait.`);
      }
      if (live && !(state.guess && live.aside)) {
        // the question is about the book's own people
        if (!known) {
          dress();
          slow = setTimeout(() => {
            if (mine === seq) {
              el.dataset.state = "busy";
              sentence.hidden = false;
              sentence.textContent = say`computing…`;
              figures.classList.add("old");
            }
          }, 150);
        }
        ask_live(state, mine);
      }
    }
    new ResizeObserver(() => draw()).observe(figures);
    new MutationObserver(() => draw()).observe(html, { attributes: true, attributeFilter: ["data-theme", "class"] });

    return {
      set,
      draw,
      chips,
      live(ask) {
        live = ask;
        if (state) set(state);
      },
      get state() {
        return state;
      },
      same: (a, b) => key(a) === key(b) && a.view.join() === b.view.join(),
      pen() {
        pen?.focus();
      },
      // A small picture for paper, drawn into `box`. A question stands there unanswered, as on the screen.
      /** @type {Stage["picture"]} */
      picture(box, s, size = { width: 560, height: 250, strip: true }) {
        const scene = built(s);
        if (!scene) return;
        box.replaceChildren();
        for (const name of s.view) {
          const drawing = scene.figures[name],
            canvas = make("div");
          box.append(canvas);
          if (typeof drawing === "string") {
            canvas.innerHTML = s.guess ? "" : drawing;
            window.rpSay?.page(canvas);
            continue;
          }
          const figure = fitted(drawing, {
            ...size,
            narrow: size.width < 480,
            large: false,
            veil: s.guess,
            dark: size.width < 480 && html.dataset.theme === "dark",
            swaps: it.dark,
            hides: (s.early && it.predict?.hides) || [],
          });
          Plotly.newPlot(canvas, figure.data, figure.layout, { ...CONFIG, staticPlot: true });
        }
        if (size.strip && scene.strip && !s.guess)
          box.append(make("div", { className: "stage-strip", innerHTML: scene.strip }));
      },
    };
  };
})();
