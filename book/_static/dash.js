// Puts the live dashboard into its place in a chapter when a server answers, else the frame of committed results.
(() => {
  const places = [...document.querySelectorAll(".dash[data-stem]")];
  if (!places.length) return;
  const top = document.documentElement;
  const root = new URL(top.dataset.content_root || "./", location.href);
  const theme = () => (top.dataset.theme === "dark" ? "dark" : "light");
  const narrow = (place) => place.clientWidth < 640;

  // Room for it before it is there, so that the text does not jump.
  const reserve = (place) => {
    place.style.minHeight = `${narrow(place) ? place.dataset.phone : place.dataset.height}px`;
  };
  places.forEach(reserve);

  function live(place) {
    const { stem, title } = place.dataset;
    const frame = document.createElement("iframe");
    const size = narrow(place) ? "phone" : place.clientWidth < 1180 ? "book" : "wide";
    frame.src = new URL(`apps/${stem}?theme=${theme()}&size=${size}`, root).href;
    frame.title = title;
    frame.loading = "lazy";
    frame.scrolling = "no";
    place.append(frame);
    const alone = document.createElement("a");
    alone.href = new URL(`apps/${stem}`, root).href;
    alone.textContent = "Open alone";
    alone.target = "_blank";
    alone.className = "dash-alone";
    place.append(alone);
    window.addEventListener("message", ({ origin, source, data }) => {
      if (origin !== location.origin || source !== frame.contentWindow || !data || data.dashboard !== stem) return;
      frame.style.height = `${Math.min(20000, Math.max(200, data.height))}px`;
      place.style.minHeight = "";
    });
    new MutationObserver(() => frame.contentWindow.postMessage({ theme: theme() }, location.origin))
      .observe(top, { attributes: true, attributeFilter: ["data-theme"] });
  }

  function still(place) {
    const note = document.createElement("p");
    note.className = "dash-note";
    note.append("You see numbers computed for this book beforehand. To re-train while you drag: ");
    note.append(Object.assign(document.createElement("code"), { textContent: "make serve" }), ".");
    place.append(note);
    place.style.minHeight = "";
    if (window.staticFrame) window.staticFrame(place, new URL(place.dataset.json, root).href);
  }

  async function apps() {
    if (location.protocol === "file:") return [];
    try {
      const answer = await fetch(new URL("live.json", root), { cache: "no-store" });
      const known = answer.ok ? await answer.json() : {};
      return known.live ? known.apps : [];
    } catch {
      return [];
    }
  }

  // One in a fold comes when the fold is opened.
  const soon = (place, act) => {
    const fold = place.closest("details:not([open])");
    if (fold) fold.addEventListener("toggle", () => { reserve(place); act(place); }, { once: true }); else act(place);
  };
  apps().then((known) => places.forEach((place) => soon(place, known.includes(place.dataset.stem) ? live : still)));
})();
