// @ts-check
// Puts the live dashboard into its place in a chapter: the server's where one answers, else the page's own laboratory,
// where the site has one and the browser can run it, else the frame of committed results.
(() => {
  const places = [...document.querySelectorAll(".dash[data-stem]")];
  if (!places.length) return;
  const say = window.rpSay ?? String.raw;
  const top = document.documentElement;
  const root = new URL(top.dataset.content_root || "./", location.href);
  const theme = () => (top.dataset.theme === "dark" ? "dark" : "light");
  /** @param {HTMLElement} place */
  const narrow = (place) => place.clientWidth < 640;
  const DESK = 860, // px from which a dashboard is one screen, so high (widgets/kit/frame.css, frame.js)
    WIDE = 1000,
    SCREEN = 738;

  // Room for it before it is there, so that the text does not jump.
  /** @param {HTMLElement} place */
  const reserve = (place) => {
    const { phone, height } = place.dataset;
    place.style.minHeight = `${narrow(place) ? phone : place.clientWidth < DESK ? height : SCREEN}px`;
  };
  places.forEach(reserve);

  /** @param {HTMLElement} place @param {string} [page] */
  function live(place, page = `apps/${place.dataset.stem}`) {
    const { stem, title } = place.dataset;
    const frame = document.createElement("iframe");
    const width = place.clientWidth,
      size = narrow(place) ? "phone" : width < DESK ? "book" : width < WIDE ? "snug" : "wide";
    frame.src = new URL(`${page}?theme=${theme()}&size=${size}`, root).href;
    frame.title = title;
    frame.loading = "lazy";
    frame.scrolling = "no";
    place.append(frame);
    const alone = document.createElement("a");
    alone.href = new URL(page, root).href;
    alone.textContent = say`Open alone`;
    alone.target = "_blank";
    alone.rel = "opener"; // what was answered here is not asked there
    alone.className = "dash-alone";
    place.append(alone);
    window.addEventListener("message", ({ origin, source, data }) => {
      if (origin !== location.origin || source !== frame.contentWindow || !data || data.dashboard !== stem) return;
      frame.style.height = `${Math.min(20000, Math.max(200, data.height))}px`;
      place.style.minHeight = "";
    });
    new MutationObserver(() => frame.contentWindow?.postMessage({ theme: theme() }, location.origin)).observe(top, {
      attributes: true,
      attributeFilter: ["data-theme"],
    });
  }

  /** @param {HTMLElement} place @param {string} [why] */
  function still(place, why = "") {
    const note = document.createElement("p");
    note.className = "dash-note";
    note.append(
      why
        ? say`${why}: you see numbers computed for this book beforehand.`
        : `${say`You see numbers computed for this book beforehand. To re-train while you drag:`} `,
    );
    if (!why) note.append(Object.assign(document.createElement("code"), { textContent: "make serve" }), ".");
    place.append(note);
    place.style.minHeight = "";
    if (window.staticFrame) window.staticFrame(place, new URL(place.dataset.json, root).href);
    return note;
  }

  // Python in this page, one for all its dashboards. Where bytes cost money, the frame stands until the reader agrees.
  /** @param {HTMLElement} place @param {Lab} lab @returns {Promise<void>} */
  async function here(place, lab) {
    const page = `lab/${place.dataset.stem}.html`;
    /** @param {() => void} act */
    const instead = (act) => {
      place.replaceChildren();
      reserve(place);
      act();
    };
    if (await lab.asks()) {
      const note = still(place, say`This page can re-train in your browser, but needs to load something first`);
      const get = Object.assign(document.createElement("button"), {
        type: "button",
        textContent: say`Load the laboratory, ${lab.size}, once`,
      });
      get.addEventListener("click", () =>
        instead(() => {
          lab.want(true);
          live(place, page);
        }),
      );
      note.append(" ", get);
      return;
    }
    if (lab.state === "broken") return void still(place, lab.why);
    live(place, page);
    const off = lab.on(() => {
      if (lab.state === "broken") {
        off();
        instead(() => still(place, lab.why));
      }
    });
  }

  async function found() {
    if (location.protocol === "file:") return {};
    try {
      const answer = await fetch(new URL("live.json", root), { cache: "no-store" });
      const known = answer.ok ? await answer.json() : {};
      if (known.live || !known.lab) return known;
      const { lab, obstacle } = await import(new URL(`${known.lab}lab.mjs`, root).href);
      return { lab, why: obstacle() };
    } catch {
      return {};
    }
  }

  // One in a fold comes when the fold is opened.
  /** @param {HTMLElement} place @param {(place: HTMLElement) => void} act */
  const soon = (place, act) => {
    const fold = place.closest("details:not([open])");
    if (fold)
      fold.addEventListener(
        "toggle",
        () => {
          reserve(place);
          act(place);
        },
        { once: true },
      );
    else act(place);
  };
  found().then(({ live: served, apps = [], lab, why }) =>
    places.forEach((place) =>
      soon(place, () => {
        if (served && apps.includes(place.dataset.stem)) live(place);
        else if (lab && !why) here(place, lab);
        else still(place, why);
      }),
    ),
  );
})();
