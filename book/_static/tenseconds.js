// @ts-check
// Moves the figure of the first page: tiles flip one by one under fixed uniforms, bars step through measured numbers.
// Nothing is sent anywhere and nothing is stored.
(() => {
  const say = window.rpSay ?? String.raw,
    of = window.rpSay?.of ?? ((/** @type {string} */ text) => text);
  /** @param {number} share */
  const percent = (share) => `${Math.round(100 * share)}\u202f%`;
  document.querySelectorAll(".ten").forEach((box) => {
    /** @param {string} name */
    const one = (name) => box.querySelector(name);
    const figure = JSON.parse(one("script").textContent);
    const slider = box.querySelector("input"),
      button = one(".ten-better"),
      name = one(".ten-name");
    const mine = [...box.querySelectorAll(".ten-tiles button")],
      sent = [...box.querySelectorAll(".ten-out i")];
    const row = one('[data-role="server"]');
    const wide = () => getComputedStyle(mine[0].parentElement).gridTemplateColumns.split(" ").length;
    let role = "printed";

    function draw() {
      const state = figure.states[slider.value],
        server = state.servers[role];
      mine.forEach((tile, at) => {
        const watched = tile.getAttribute("aria-pressed") === "true",
          lie = figure.uniforms[at] >= state.right;
        tile.classList.toggle("on", watched);
        sent[at].classList.toggle("on", watched !== lie);
        sent[at].classList.toggle("lie", lie);
      });
      slider.setAttribute("aria-valuetext", of(state.spoken));
      one("output").textContent = `ε = ${state.epsilon}`;
      if (row && server) {
        const bar = /** @type {HTMLElement} */ (row.firstElementChild);
        bar.style.width = `${(100 * server.rate) / figure.full}%`;
        bar.classList.toggle("better", role === "better");
        row.lastElementChild.textContent = percent(server.rate);
        row.title = say`95 %: ${percent(server.low)} to ${percent(server.high)}`;
      }
      one(".ten-three strong").textContent = of(state.three);
      one(".ten-say").textContent = `${of(state.guess)} ${of(state.said[role])}`;
    }

    /** @param {HTMLElement} tile */
    function own(tile) {
      tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") !== "true"));
      const lit = mine.filter((each) => each.getAttribute("aria-pressed") === "true").length;
      name.textContent = say`Your phone`;
      name.nextElementSibling.textContent =
        lit === 1 ? say`1 film watched. It stays in this page.` : say`${lit} films watched. It stays in this page.`;
      draw();
    }

    mine.forEach((tile, at) => {
      tile.addEventListener("click", () => own(tile));
      tile.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide(), ArrowUp: -wide() }[event.key];
        const next = step && mine[at + step];
        if (!next || !next.offsetParent) return;
        event.preventDefault();
        tile.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      });
    });
    slider.addEventListener("input", draw);
    button.hidden = !figure.states.some((/** @type {any} */ state) => state.servers.better);
    button.addEventListener("click", () => {
      role = role === "printed" ? "better" : "printed";
      button.setAttribute("aria-pressed", String(role === "better"));
      draw();
    });
    draw();
    box.classList.add("nudge");
  });
})();
