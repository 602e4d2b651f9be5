// @ts-check
// The path of a chapter: which step is current, what it sets, and how a reader moves. It talks to the figure alone.
(async () => {
  const el = document.querySelector(".path > .stage[data-stem]");
  if (!el) return;
  const say = window.rpSay ?? String.raw;
  const html = document.documentElement,
    grid = el.parentElement;
  const root = new URL(html.dataset.content_root || "./", location.href);
  /** @param {string} selector */
  const $$ = (selector) => [...grid.querySelectorAll(selector)];
  /** @type {Make} */
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  const steps = $$(".step"),
    query = new URLSearchParams(location.search);
  const abouts = steps.map((step) => step.querySelector("script[data-step]"));
  const states = abouts.map((about) => JSON.parse(about.textContent));
  const words = steps.map((step) => [...step.querySelectorAll("button.set")]);
  const titles = steps.map((step) => step.querySelector("h1,h2,h3").firstChild.textContent.trim());

  // ---------------------------------------------------------------------------------------------- furniture
  const nav = make("nav", { className: "stage-nav", ariaLabel: say`Steps`, lang: window.rpSay?.language ?? html.lang }),
    list = make("ol");
  /** @param {string} name @param {string} text @param {string=} label */
  const button = (name, text, label) => {
    const b = make("button", { type: "button", className: name, textContent: text });
    if (label) b.setAttribute("aria-label", label);
    return b;
  };
  const prev = button("prev", "‹", say`Step before`),
    next = button("next", "›", say`Next step`),
    back = button("back", ""),
    whole = button("enter", say`Present`),
    leave = button("leave", say`Leave`);
  const where = make("span", { className: "where" });
  back.hidden = true;
  nav.append(prev, list, next, where, back, whole, leave);
  const title = make("p", { className: "stage-title", ariaHidden: "true" });
  el.append(nav, title);
  steps.forEach((step, i) => {
    /** @param {Event} event */
    const go_here = (event) => {
      event.preventDefault();
      go(i, true);
    };
    const item = make("a", { href: `?step=${i + 1}`, textContent: i + 1, title: abouts[i].dataset.short });
    item.setAttribute("aria-label", say`Step ${i + 1}: ${abouts[i].dataset.short || titles[i]}`);
    item.addEventListener("click", go_here);
    list.append(make("li", {}, item));
    const number = make("a", { className: "no", href: `?step=${i + 1}`, textContent: i + 1 });
    number.setAttribute("aria-label", say`Step ${i + 1}:`);
    number.addEventListener("click", go_here);
    step.querySelector("h1,h2,h3").prepend(number);
    words[i].forEach((word, j) =>
      word.addEventListener("click", () => {
        if (now !== i) become(i);
        choose(j);
      }),
    );
  });

  // -------------------------------------------------------------------------------------------------- figure
  async function found() {
    if (location.protocol === "file:") return {};
    try {
      const answer = await fetch(new URL("live.json", root), { cache: "no-store" });
      return answer.ok ? await answer.json() : {};
    } catch {
      return {};
    }
  }
  /** @param {{ live?: boolean, apps?: string[] }} it */
  function served({ live, apps }) {
    if (!live || !apps.includes(el.dataset.stem)) return null;
    const address = new URL(`scenes/${el.dataset.stem}`, root).href;
    return async (/** @type {URLSearchParams} */ query) => {
      const answer = await fetch(`${address}?${query}`);
      return { told: await answer.json(), ok: answer.ok };
    };
  }
  // On a first start the server answers before the last numbers are there.
  /** @param {Ask | null} live */
  async function numbers(live) {
    const note = make("p", {
      textContent: say`The numbers of this figure are still being computed; they come by themselves.`,
    });
    for (;;) {
      try {
        const it = await window.rpPath.load(el.dataset.chapter);
        note.remove();
        return it;
      } catch (error) {
        if (!live) throw error;
      }
      el.append(note);
      await new Promise((resolve) => {
        setTimeout(resolve, 3000);
      });
    }
  }
  const host = await found();
  if (host.wall) {
    // only on the machine that serves: for the teacher
    const address = new URL(host.wall.slice(1), root).href;
    const wall = make("a", {
      className: "wall",
      href: address,
      target: "_blank",
      rel: "noopener",
      textContent: say`Class`,
    });
    wall.title = say`The wall of a class: phones join by a code`;
    whole.after(wall);
  }
  /** @type {Stage} */
  let stage;
  let it,
    now = -1,
    at = -1,
    own = false,
    quiet = 0,
    playing = 0;
  try {
    const live = served(host);
    it = await numbers(live);
    stage = window.rpStage(el, it, live, (what) => {
      if (what === "moved") {
        halt();
        own = true;
        at = -1;
      }
      if (what === "answered") grid.classList.add("answered");
      mark();
    });
  } catch {
    el.append(
      make("p", { textContent: say`The numbers of this figure were not built. ${"`make book`"} computes them.` }),
    );
    return;
  }

  // -------------------------------------------------------------------------------------------------- moving
  /** @param {number} i */
  const before = (i) => states.slice(i + 1).some((state) => state.guess); // a question is still to come
  const wanted = () => ({ ...(at < 0 ? states[now] : JSON.parse(words[now][at].dataset.state)), early: before(now) });
  function mark() {
    if (now < 0 || !stage.state) return;
    steps.forEach((step, i) => {
      step.classList.toggle("now", i === now);
      if (i === now) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    [...list.children].forEach(({ firstElementChild: link }, i) => {
      link.classList.toggle("seen", i < now);
      if (i === now) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    words.forEach((row, i) =>
      row.forEach((word) =>
        word.setAttribute("aria-pressed", String(i === now && stage.same(JSON.parse(word.dataset.state), stage.state))),
      ),
    );
    where.textContent = `${say`${now + 1} of ${steps.length}`}${abouts[now].dataset.short ? `: ${abouts[now].dataset.short}` : ""}`;
    where.hidden = own;
    back.hidden = !own;
    back.replaceChildren(say`Back`, make("span", { textContent: ` ${say`to step ${now + 1}`}` }));
    prev.disabled = now === 0;
    next.disabled = now === steps.length - 1;
    title.textContent = titles[now];
    stage.chips.replaceChildren(
      ...words[now].map((word, j) => {
        const chip = word.cloneNode(true);
        chip.textContent = chip.textContent.replace(/^(?:at|bei) /i, "");
        chip.addEventListener("click", () => choose(j));
        return chip;
      }),
    );
    const known = new URLSearchParams(location.search);
    known.set("step", String(now + 1));
    if (at < 0) known.delete("at");
    else known.set("at", String(at + 1));
    history.replaceState(null, "", `?${known}${location.hash}`);
  }
  function apply() {
    if (!own) stage.set(wanted());
    mark();
  }
  function halt() {
    clearInterval(playing);
    window.rpPath.busy("play", false);
  }
  /** @param {number} i */
  function become(i) {
    halt();
    now = i;
    at = -1;
    apply();
  }
  // A word that is played moves one control from stop to stop; any move of the reader ends it.
  /** @param {number} j */
  function choose(j) {
    own = false;
    at = j;
    halt();
    const told = wanted();
    if (!told.play) return apply();
    const stops = [...told.stops];
    const next = () => {
      const stop = stops.shift();
      stage.set({ ...told, values: { ...told.values, [told.play]: stop } });
      mark();
      if (!stops.length) halt();
    };
    window.rpPath.busy("play", true);
    next();
    if (stops.length) playing = setInterval(next, 450);
  }
  /** @param {number} i @param {boolean=} focus */
  function go(i, focus) {
    if (i < 0 || i >= steps.length) return;
    own = false;
    become(i);
    if (!html.classList.contains("presenting")) {
      quiet = performance.now();
      steps[i].scrollIntoView({ block: "start", behavior: "instant" });
    }
    if (focus) {
      steps[i].tabIndex = -1;
      steps[i].focus({ preventScroll: true });
    }
  }
  const stacked = () => innerWidth < 1200;
  const line = () => {
    const high = stacked() ? el.getBoundingClientRect().bottom : 0;
    return high + (innerHeight - high) * 0.38;
  };
  let asked = 0;
  addEventListener(
    "scroll",
    () => {
      if (asked || html.classList.contains("presenting")) return;
      window.rpPath.busy("scroll", true);
      asked = requestAnimationFrame(() => {
        asked = 0;
        window.rpPath.busy("scroll", false);
        const mine = el.getBoundingClientRect();
        const covered = $$(":scope > :is(.expert[open], .lv-place)").some((fold) => {
          const r = fold.getBoundingClientRect();
          const over = Math.min(r.bottom, mine.bottom) - Math.max(r.top, mine.top);
          return over > (fold.matches(".lv-place") ? 0.5 * mine.height : 90); // a picture below leaves the step its figure
        });
        el.classList.toggle("under", covered);
        el.inert = covered;
        if (performance.now() - quiet < 150) return;
        const y = line(),
          i = Math.max(
            0,
            steps.findLastIndex((step) => step.getBoundingClientRect().top <= y),
          );
        if (i !== now) become(i);
      });
    },
    { passive: true },
  );
  back.addEventListener("click", () => {
    own = false;
    at = -1;
    apply();
  });
  prev.addEventListener("click", () => go(now - 1));
  next.addEventListener("click", () => go(now + 1));
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.key === "Escape" && html.classList.contains("presenting")) return present(false);
      if (
        /** @type {Element} */ (event.target).closest(
          "input, select, textarea, .pen, .score-picture, .lv, pre, [contenteditable], [role=tab]",
        )
      )
        return;
      const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      go(now + way, true);
    },
    true,
  );

  // ------------------------------------------------------------------------------------ present, folds, paper
  function zoom() {
    el.style.zoom = html.classList.contains("presenting")
      ? Math.max(0.6, Math.min(innerWidth / 1280, innerHeight / 720)).toFixed(3)
      : "";
  }
  /** @param {boolean} on */
  function present(on) {
    html.classList.toggle("presenting", on);
    const known = new URLSearchParams(location.search);
    if (on) known.set("present", "1");
    else known.delete("present");
    history.replaceState(null, "", `?${known}${location.hash}`);
    zoom();
    stage.draw();
    if (!on) go(now);
    (on ? next : whole).focus({ preventScroll: true });
  }
  addEventListener("resize", () => {
    zoom();
    measure();
  });
  whole.addEventListener("click", () => present(true));
  leave.addEventListener("click", () => present(false));

  function unfold() {
    const to = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = to && /** @type {HTMLDetailsElement | null} */ (to.closest("details.expert"));
    if (!fold) return;
    fold.open = true;
    quiet = performance.now();
    (to === fold || fold.querySelector("summary").previousElementSibling === to ? fold : to).scrollIntoView({
      block: "start",
    });
    dispatchEvent(new Event("scroll"));
  }
  addEventListener("hashchange", unfold);
  /** @param {string} [more] */
  const folds = (more = "") =>
    /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll(`details.expert${more}`)]);
  folds().forEach((fold) => {
    if (fold.querySelector(".highlighted")) fold.open = true; // somebody came from a search
    fold.addEventListener("toggle", () => {
      dispatchEvent(new Event("scroll"));
      dispatchEvent(new Event("resize"));
    });
  });
  /** @type {HTMLDetailsElement[]} */
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds(":not([open])");
    closed.forEach((fold) => {
      fold.open = true;
    });
    steps.forEach((step, i) => {
      if (step.querySelector(".paper")) return;
      const box = make("figure", { className: "paper" });
      step.append(box);
      stage.picture(box, { ...states[i], early: before(i) });
    });
  });
  addEventListener("afterprint", () =>
    closed.forEach((fold) => {
      fold.open = false;
    }),
  );

  const measure = () => html.style.setProperty("--stage", `${el.offsetHeight}px`);
  new ResizeObserver(measure).observe(el);
  measure();
  const first = Math.min(steps.length, Math.max(1, +query.get("step") || 1)) - 1;
  if (query.get("present")) {
    html.classList.add("presenting");
    zoom();
    become(first);
  } else if (query.has("step") && !location.hash) go(first);
  else become(first);
  if (words[first][+query.get("at") - 1]) choose(+query.get("at") - 1);
  unfold();
  el.dataset.ready = "1";
  if (host.lab && !host.live)
    import(new URL(`${host.lab}steps.mjs`, root).href).then(({ steps }) => steps(el, stage, it));
})();
