// @ts-check
// The page's own elements: what is said, the prediction, the states, the footer, and the height told to the book.
const WAIT = 1000; // ms before a wait shows its progress and can be cancelled
const SETTLE = 300; // ms of silence before the address changes: browsers refuse to change it at every step
const SPEAK = 500; // ms of silence before the sentence is read out
const AGAIN = 4000; // ms between two looks whether a lost server is back
const SLEPT = 90000; // ms without a clock: the lid was closed (a hidden page still has one a minute)
const DESK = 860; // px from which all stands on one screen, as in frame.css
const WIDE = 1000; // px from which two figures stand beside the main one
const SILENT = 15000; // ms that a server may take to say that it is there

/** @param {{ model: FrameModel }} here */
export function render({ model }) {
  const page = document.querySelector("main.page");
  /** @param {string} selector */
  const $ = (selector) => page.querySelector(selector);
  /** @param {string} selector */
  const $$ = (selector) => [...page.querySelectorAll(selector)];
  /** @param {Record<string, unknown>} message */
  const send = (message) => model.send_msg(message);
  /** @param {HTMLElement} element @param {unknown} on */
  const toggle = (element, on) => {
    element.hidden = !on;
  };
  /** @type {number | null} */
  let guess = null; // the reader's own: it never leaves this variable
  let lost = false;
  /** @typedef {number | undefined} Timer */
  let /** @type {Timer} */ speaking, /** @type {Timer} */ counting, /** @type {Timer} */ writing;
  document.addEventListener("veil", () => {
    say();
    describe();
  });
  let told = 0;

  // ------------------------------------------------------------------------------------------ what is said
  function say() {
    const { sentence, card, advice, notice } = model;
    const text = card ? card.what : veiled ? "" : sentence;
    $(".sentence").textContent = sentence || "Loading the figure…";
    toggle($(".sentence"), !card);
    toggle($(".card"), card);
    $(".card").classList.toggle("empty", Boolean(card && card.empty));
    $(".card p").textContent = card ? card.what : "";
    $(".card button").textContent = card ? card.cure : "";
    toggle($(".card button"), card && card.cure);
    toggle($(".last-good"), card && card.last);
    $(".last-good").textContent = card ? card.last : "";
    toggle($(".notice"), notice && !lost);
    $(".notice").textContent = notice;
    toggle($(".watch"), advice);
    $(".watch").textContent = advice;
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      $(".spoken").textContent = text;
    }, SPEAK);
    shorten();
    mark();
  }
  function mark() {
    const { card, busy } = model;
    page.dataset.state = lost
      ? "lost"
      : card
        ? card.empty
          ? "empty"
          : "error"
        : busy
          ? "busy"
          : model.shown
            ? "ready"
            : "loading";
    page.dataset.shown = String(model.shown);
    window.rpMove.busy("work", Boolean(busy || writing));
  }

  // ------------------------------------------------------------------------------------------------ waiting
  function wait() {
    const { busy } = model;
    clearTimeout(counting);
    toggle($(".bar"), busy);
    page.classList.toggle("is-busy", Boolean(busy));
    if (!busy) toggle($(".waiting"), false);
    else {
      const known = busy.progress !== null && busy.progress !== undefined;
      $(".bar").classList.toggle("known", known);
      $(".bar i").style.width = known ? `${100 * busy.progress}%` : "";
      const left = known && busy.remaining ? ` about ${Math.max(1, Math.round(busy.remaining))} s left` : "";
      $(".waiting span").textContent = busy.text + left;
      toggle($(".waiting"), true);
      if (!page.dataset.since) page.dataset.since = String(Date.now());
      const rest = WAIT - (Date.now() - Number(page.dataset.since));
      toggle($(".cancel"), rest <= 0);
      if (rest > 0) counting = setTimeout(() => toggle($(".cancel"), model.busy), rest);
    }
    if (!busy) delete page.dataset.since;
    mark();
  }

  // --------------------------------------------------------------------------------------------- prediction
  function reply() {
    if (guess === null) return;
    const text = model.replies[guess] || "Computing the answer…";
    $(".reply").textContent = text;
  }
  for (const button of $$(".answer")) {
    button.addEventListener("click", () => {
      guess = +button.dataset.at;
      $$(".answer").forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      veil(false);
      reply();
      coach();
      $(".spoken").textContent = $(".reply").textContent;
    });
  }
  // Until the reader has answered, nothing on the screen gives the answer away; a link with settings has its own point,
  // and whoever has answered in the chapter is not asked again (stage.js keeps that it was, and not what).
  const ANSWERED = `recpriv-answered:${page.dataset.stem}`,
    begun = model.query;
  function known() {
    try {
      return sessionStorage.getItem(ANSWERED) !== null;
    } catch {
      return false; // framed by another site, a page may not keep anything
    }
  }
  let veiled = Boolean($(".answers")) && !model.query && !known();
  /** @param {boolean} on */
  function veil(on) {
    veiled = on;
    page.classList.toggle("veiled", on);
    document.dispatchEvent(new Event("veil"));
  }
  // A question that was passed over is gone; one that was answered goes with the next move, where it stands beside the
  // figure: above it, on a phone, what a finger holds would slip away.
  function pass() {
    if (veiled) veil(false);
    $(".predict:not(:has(.game))")?.classList.add("done");
    coach();
  }
  const beside = () => ["snug", "wide"].includes(page.dataset.size);
  function coach() {
    const question = $(".predict:not(:has(.game), .done)");
    $(".frame").classList.toggle("coached", Boolean(question && !veiled && beside()));
  }
  veil(veiled);
  if ($(".answers") && !veiled) pass();
  const showMe = /** @type {HTMLButtonElement | null} */ ($(".show-me"));
  if (showMe) showMe.addEventListener("click", pass);
  window.addEventListener("storage", () => {
    if (veiled && known()) pass();
  });
  model.on("query", () => {
    if (model.query === begun) return;
    if (beside()) pass();
    else if (veiled) veil(false);
  });

  // -------------------------------------------------------------------------------------------- size, theme
  function measure() {
    const width = $(".frame").clientWidth;
    const size = width < 640 ? "phone" : width < DESK ? "book" : width < WIDE ? "snug" : "wide";
    if (page.dataset.size !== size || !page.dataset.folded) {
      page.dataset.size = page.dataset.folded = size;
      const folds = /** @type {HTMLDetailsElement[]} */ ($$(".rail > .fold, .evidence > .fold"));
      folds.forEach((fold) => {
        fold.open = size !== "phone";
      });
      tab();
      coach();
    }
    if (model.size !== size) model.size = size;
    tell();
  }
  function tell() {
    if (window.parent === window) return;
    const height = Math.ceil(page.getBoundingClientRect().height) + 2;
    if (height === told) return;
    told = height;
    window.parent.postMessage({ dashboard: page.dataset.stem, height }, window.location.origin);
  }
  /** @param {string} theme */
  function paint(theme) {
    document.documentElement.dataset.theme = theme;
    if (model.theme !== theme) model.theme = theme;
  }
  window.addEventListener("message", (event) => {
    if (event.origin !== window.location.origin || event.source !== window.parent || !event.data) return;
    if (event.data.theme === "light" || event.data.theme === "dark") paint(event.data.theme);
  });
  new ResizeObserver(measure).observe(page);

  // ---------------------------------------------------------------------------------------------- evidence
  // Where there is little room, what is seen at once elsewhere takes turns with the evidence.
  const leads = $$(".lead .plot").map((plot) => plot.dataset.figure),
    others = $$(".evidence > .fold").map((fold) => fold.dataset.tab);
  let chosen = "";
  /** @param {string=} name */
  function tab(name) {
    const snug = page.dataset.size === "snug",
      names = snug ? [...leads, ...others] : others,
      tabbed = page.dataset.size !== "phone" && names.length > 1;
    chosen = [name, chosen, names[0]].find((one) => names.includes(one)) ?? "";
    for (const button of $$(".tabs button")) {
      toggle(button, names.includes(button.dataset.tab));
      button.setAttribute("aria-selected", String(button.dataset.tab === chosen));
    }
    $(".evidence")?.classList.toggle("tabbed", tabbed);
    if ($(".lead")) toggle($(".lead"), !snug || leads.includes(chosen));
    for (const fold of $$(".evidence > .fold")) toggle(fold, !tabbed || fold.dataset.tab === chosen);
  }
  $$(".tabs button").forEach((b) => b.addEventListener("click", () => tab(b.dataset.tab)));

  // ------------------------------------------------------------------------------------------------ footer
  /** @param {string} text */
  function done(text) {
    $(".done").textContent = text;
    setTimeout(() => {
      if ($(".done").textContent === text) $(".done").textContent = "";
    }, 3000);
  }
  /** @param {string=} extra */
  function address(extra) {
    const query = [model.query, extra].filter(Boolean).join("&");
    return new URL(window.location.pathname + (query ? `?${query}` : ""), window.location.origin).href;
  }
  /** @param {string} text @param {string} label */
  async function copy(text, label) {
    try {
      await navigator.clipboard.writeText(text);
      done(`${label} copied`);
    } catch {
      window.prompt(label, text);
    }
  }
  /** @param {string} text @param {string} name */
  function save(text, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    done(`${name} saved`);
  }
  /** @type {Record<string, (button?: HTMLElement) => void>} */
  const wishes = {
    /** @param {HTMLElement} button */
    table(button) {
      model.tables = !model.tables;
      button.setAttribute("aria-expanded", String(model.tables));
      toggle($(".tables"), model.tables);
    },
    csv() {
      send({ do: "csv" });
    },
    link() {
      copy(address(), "Link");
    },
    /** @param {HTMLElement} button */
    code(button) {
      const open = $(".code").hidden;
      button.setAttribute("aria-expanded", String(open));
      toggle($(".code"), open);
      if (open) send({ do: "code" });
    },
    present() {
      if (window.parent !== window) return void window.open(address(`present=1&theme=${model.theme}`), "_blank");
      model.large = !model.large;
      model.curve = model.curve || model.large;
      dress();
      remember();
    },
    noise() {
      send({ do: "noise" });
    },
  };
  $$("[data-do]").forEach((b) => b.addEventListener("click", () => wishes[b.dataset.do](b)));
  $$(".try").forEach((b) => b.addEventListener("click", () => send({ do: "try", at: +b.dataset.at })));
  $(".cancel").addEventListener("click", () => send({ do: "cancel" }));
  $(".card button").addEventListener("click", () => send({ do: "cure" }));
  $(".copy").addEventListener("click", () => copy($(".code code").textContent, "Code"));
  model.on("msg:custom", ({ csv, name, code }) => {
    if (csv !== undefined) save(csv, name);
    if (code !== undefined) $(".code code").textContent = code;
  });
  function fill() {
    $(".tables").replaceChildren(
      ...Object.entries(model.rows).map(([figure, { head, rows }]) => {
        const table = document.createElement("table");
        const known = $(`[data-figure="${figure}"] figcaption`);
        table.createCaption().textContent = known ? known.textContent : figure;
        const top = table.createTHead().insertRow();
        head.forEach((text) => {
          const cell = document.createElement("th");
          cell.scope = "col";
          cell.textContent = text;
          top.append(cell);
        });
        const body = table.createTBody();
        rows.forEach((cells) => {
          const row = body.insertRow();
          cells.forEach((text) => {
            row.insertCell().textContent = text;
          });
        });
        return table;
      }),
    );
  }

  // --------------------------------------------------------------------------------- curve, words, address
  // Presented, a page is one screen, laid out for 1280 × 720 and enlarged to what there is; a phone scrolls as ever.
  function fill_screen() {
    const one = model.large && window.innerWidth >= 1000,
      zoom = Math.max(0.6, Math.min(innerWidth / 1280, innerHeight / 720));
    page.classList.toggle("one-screen", one);
    page.style.zoom = one ? zoom.toFixed(3) : "";
    page.style.height = one ? `${Math.floor(innerHeight / Number(zoom.toFixed(3)))}px` : "";
    shorten();
  }
  // A sentence longer than its lines is set smaller; what stands below it stays where it is.
  function shorten() {
    const box = $(".said");
    page.classList.remove("long");
    page.classList.toggle("long", page.classList.contains("one-screen") && box.scrollHeight > box.clientHeight + 1);
  }
  window.addEventListener("resize", fill_screen);
  function dress() {
    page.classList.toggle("large", model.large);
    fill_screen();
    const whole = $(".whole");
    if (whole) {
      whole.setAttribute("aria-pressed", String(model.curve));
      const shown = model.curving ? "Computing the whole curve…" : "Hide the whole curve";
      whole.textContent = model.curve ? shown : "Show the whole curve";
    }
    const present = $('[data-do="present"]');
    present.textContent = model.large ? "End presentation" : "Present";
  }
  if ($(".whole"))
    $(".whole").addEventListener("click", () => {
      model.curve = !model.curve;
      dress();
    });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && model.large && window.parent === window) return void wishes.present();
    const at = /** @type {Element} */ (event.composedPath()[0]);
    const typing = at.matches?.("input:not([type=range], [type=radio], [type=checkbox]), select, textarea");
    if (event.key !== "w" || typing || event.ctrlKey || event.metaKey || event.altKey || !$(".whole")) return;
    model.curve = !model.curve;
    dress();
  });
  function describe() {
    for (const [figure, told] of Object.entries(model.alts)) {
      const words = veiled ? told && "Empty axes, until you have guessed" : told;
      const canvas = $(`[data-figure="${figure}"] .canvas`);
      if (!canvas || !words) continue;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", words);
    }
    lane();
  }
  // Whoever reads what its marks mean goes on reading while it moves.
  function lane() {
    const strip = $(".strip");
    if (!strip || strip.dataset.html === model.strip) return;
    const key = strip.querySelector("details"),
      open = key?.open,
      inside = key?.contains(document.activeElement);
    strip.innerHTML = strip.dataset.html = model.strip;
    const fresh = strip.querySelector("details");
    if (fresh && open) fresh.open = true;
    if (inside) fresh?.querySelector("summary")?.focus();
  }
  function remember() {
    const kept = new URLSearchParams(window.location.search);
    const frame = ["theme", "size", "present"].filter((n) => kept.has(n)).map((n) => [n, kept.get(n)]);
    const own = frame.filter(([n]) => n !== "present").concat(model.large ? [["present", "1"]] : []);
    const query = [model.query, new URLSearchParams(own).toString()].filter(Boolean).join("&");
    window.history.replaceState(null, "", window.location.pathname + (query ? `?${query}` : ""));
  }

  // ------------------------------------------------------------------------------------------- lost server
  // A session is entered once: who was cut off opens the page anew, at the settings in its address, when a server answers.
  function lose() {
    if (lost) return;
    lost = true;
    remember();
    toggle($(".notice"), true);
    $(".notice").textContent =
      "The connection to the server is lost; what you see stays. The page goes on by itself when the server answers. ";
    const reload = document.createElement("button");
    reload.type = "button";
    reload.textContent = "Reload now";
    reload.addEventListener("click", () => window.location.reload());
    $(".notice").append(reload);
    $$(".control, .tries, .whole, .game, .tools [data-do]:not([data-do=link])").forEach((dead) => {
      dead.inert = true;
    });
    mark();
    setTimeout(again, AGAIN * Math.random());
  }
  /** @returns {Promise<void>} */
  async function again() {
    try {
      const answer = await fetch("../live.json", { cache: "no-store" });
      if (answer.ok && (await answer.json()).live) return void window.location.reload();
    } catch {
      /* not yet */
    }
    setTimeout(again, AGAIN * (0.5 + Math.random())); // a class of thirty does not come back all at once
  }
  model.document.on_event("connection_lost", lose);
  // After a sleep the socket may be dead without knowing: the server is asked whether it still knows this page.
  let woke = Date.now(),
    /** @type {Timer} */ silent;
  function alive() {
    if (lost) return;
    clearTimeout(silent);
    silent = setTimeout(lose, SILENT);
    send({ do: "alive" });
  }
  model.on("msg:custom", ({ alive: heard }) => {
    if (heard) clearTimeout(silent);
  });
  window.addEventListener("online", alive);
  setInterval(() => {
    const slept = Date.now() - woke > SLEPT;
    woke = Date.now();
    if (slept) alive();
  }, 5000);

  model.on(["sentence", "card", "notice", "advice", "shown"], say);
  model.on("busy", wait);
  model.on("replies", reply);
  model.on("rows", fill);
  model.on(["alts", "strip"], describe);
  model.on("query", () => {
    clearTimeout(writing);
    writing = setTimeout(() => {
      writing = 0;
      remember();
      mark();
    }, SETTLE);
    mark();
  });
  model.on(["large", "curve", "curving"], dress);
  model.calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const act of [say, wait, dress, describe, fill, measure]) act();
  const asked = new URLSearchParams(window.location.search).has("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => paint(dark.matches ? "dark" : "light");
  if (asked) paint(document.documentElement.dataset.theme || model.theme);
  else {
    follow();
    dark.addEventListener("change", follow);
  }
}
