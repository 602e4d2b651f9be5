// @ts-check
// What the living pictures share: sentences with open places, a clock that rests, a canvas over tiles, hands and keys,
// a link to send, the wall. Nothing is sent to anybody.
window.rpLiving = (() => {
  const THIN = "\u202f";
  const words = window.rpSay ?? String.raw,
    of = window.rpSay?.of ?? ((/** @type {string} */ text) => text);
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  // ---------------------------------------------------------------------------------------------- numbers, words
  /** @param {number} n */
  const count = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, THIN);
  /** @param {number} share */
  function percent(share) {
    const whole = Math.round(100 * share);
    if (whole === 0 && share > 0) return words`less than ${`1${THIN}%`}`;
    if (whole === 100 && share < 1) return words`more than ${`99${THIN}%`}`;
    return `${whole}${THIN}%`;
  }
  // Two digits below 10, none above; a lower bound is rounded down and an upper one up (plots/numerals.py).
  /** @param {number | string} value @param {"" | "lower" | "upper"} [bound] */
  function epsilon(value, bound = "") {
    const x = Number(value);
    if (!Number.isFinite(x)) return words`no finite ε`;
    if (x === 0) return "0";
    const digits = (/** @type {number} */ v) => Math.max(0, 1 - Math.floor(Math.log10(v)));
    const scale = 10 ** digits(x),
      dust = 1e-9 * x * scale;
    const ends = { lower: Math.floor(x * scale + dust), upper: Math.ceil(x * scale - dust), "": Math.round(x * scale) };
    const cut = ends[bound] / scale;
    return cut >= 10 ? count(cut) : cut.toFixed(digits(cut));
  }
  /** @param {string} template @param {Record<string, string | number>} said */
  const fill = (template, said) => of(template).replace(/\{(\w+)\}/g, (_, name) => String(said[name]));
  // The sentence under a picture; `**` is strong. It is heard once it has rested for a moment.
  /** @param {HTMLElement} box @param {string} text */
  function say(box, text) {
    text = of(text);
    const place = /** @type {HTMLElement & { was?: string; later?: number }} */ (box.querySelector(".lv-say"));
    if (place.was === text) return;
    place.was = text;
    place.replaceChildren(
      ...text.split("**").map((part, at) => (at % 2 ? make("strong", { textContent: part }) : part)),
    );
    clearTimeout(place.later);
    place.later = setTimeout(() => {
      box.querySelector(".lv-hear").textContent = text.replaceAll("**", "");
    }, 900);
  }

  // ------------------------------------------------------------------------------------------------------ chance
  // A small generator of uniforms (mulberry32): the same seed tells the same story on every screen.
  /** @param {number} seed */
  function chance(seed) {
    let a = seed >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) >>> 0;
      let t = Math.imul(a ^ (a >>> 15), a | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }
  /** @param {() => number} draw */
  const normal = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  /** @param {number} u @param {number} scale */
  const laplace = (u, scale) => -scale * Math.sign(u - 0.5) * Math.log(1 - 2 * Math.abs(u - 0.5));
  /** @param {number} x */
  const logistic = (x) => 1 / (1 + Math.exp(-x));
  /** @param {number} t */
  const ease = (t) => (t < 0 ? 0 : t > 1 ? 1 : t * t * (3 - 2 * t));

  // ---------------------------------------------------------------------------------------------- time and canvas
  // `step(seconds)` is called while it returns true and the picture is in sight; then the clock rests until it is woken.
  /** @param {HTMLElement} box @param {(gap: number) => boolean} step */
  function clock(box, step) {
    let then = 0,
      asked = 0,
      seen = true;
    const frames = /** @type {number[]} */ ([]);
    /** @param {number} now */
    const frame = (now) => {
      asked = 0;
      frames.push(now - then);
      if (frames.length > 600) frames.shift();
      const gap = Math.min(0.05, Math.max(0, now - then) / 1000);
      then = now;
      if (step(gap) && seen) asked = requestAnimationFrame(frame);
      box.dataset.moves = asked ? "yes" : "no";
    };
    const wake = () => {
      if (asked || !seen) return;
      then = performance.now();
      asked = requestAnimationFrame(frame);
      box.dataset.moves = "yes";
    };
    new IntersectionObserver((all) => {
      seen = all[all.length - 1].isIntersecting;
      if (seen) wake();
    }).observe(box);
    return { wake, frames };
  }
  /** @type {Living["make"]} */
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  // A pen on as many pixels as the screen has; its units are those of the page, however far the wall enlarges it.
  /** @param {HTMLCanvasElement} canvas */
  function sized(canvas) {
    const wide = canvas.offsetWidth,
      high = canvas.offsetHeight,
      zoom = canvas.getBoundingClientRect().width / wide || 1;
    const ratio = zoom * Math.min(2, devicePixelRatio || 1);
    const w = Math.round(wide * ratio),
      h = Math.round(high * ratio);
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    return { pen, wide, high, zoom };
  }
  // The palette's colours as they are now; `changed` is called when the page changes its look.
  /** @param {HTMLElement} box @param {() => void} changed */
  function colours(box, changed) {
    const names = ["ink", "page", "secondary", "paper", "repaired", "beyond", "attack", "popularity"];
    const found = /** @type {Colours} */ ({});
    const read = () => {
      const style = getComputedStyle(box);
      names.forEach((name) => (found[name] = style.getPropertyValue(`--rp-${name}`).trim()));
    };
    read();
    new MutationObserver(() => {
      read();
      changed();
    }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return found;
  }

  // ----------------------------------------------------------------------------------------------- hands and keys
  // One of a few, by mouse, finger or arrow keys. What comes back sets it without telling.
  /** @param {HTMLElement} box @param {(value: string) => void} pick */
  function segments(box, pick) {
    const all = [...box.querySelectorAll("button")];
    /** @param {number} at */
    const mark = (at) =>
      all.forEach((button, i) => {
        button.setAttribute("aria-checked", String(i === at));
        button.tabIndex = i === at ? 0 : -1;
      });
    all.forEach((button, at) => {
      button.addEventListener("click", () => {
        mark(at);
        pick(button.value);
      });
      button.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        const next = all[(at + by + all.length) % all.length];
        next.focus();
        next.click();
      });
    });
    return (/** @type {string} */ value) => mark(all.findIndex((button) => button.value === value));
  }
  // Pressed as long as it is held; Enter and Space start and stop it.
  /** @param {HTMLButtonElement} button @param {() => void} start @param {() => void} stop */
  function held(button, start, stop) {
    let by = "";
    const off = () => {
      if (!by) return;
      by = "";
      button.classList.remove("on");
      button.setAttribute("aria-pressed", "false");
      stop();
    };
    /** @param {string} how */
    const on = (how) => {
      by = how;
      button.classList.add("on");
      button.setAttribute("aria-pressed", "true");
      start();
    };
    button.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      if (by === "key") return off();
      button.setPointerCapture(event.pointerId);
      on("hand");
    });
    ["pointerup", "pointercancel", "lostpointercapture"].forEach((name) =>
      button.addEventListener(name, () => by === "hand" && off()),
    );
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("keydown", (event) => {
      if (event.repeat || !["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      if (by) off();
      else on("key");
    });
    button.addEventListener("keyup", (event) => event.key === " " && event.preventDefault());
    return off;
  }

  // ---------------------------------------------------------------------------------------------- link and wall
  // A link holds the picture's name and what it was set to, `lv=ap.5.…`. Nothing reads it but this page.
  /** @param {HTMLElement} box */
  function given(box) {
    const [id, ...values] = (new URLSearchParams(location.search).get("lv") || "").split(".");
    return id && `lv-${id}` === box.id ? values : null;
  }
  /** @param {HTMLElement} box @param {() => (string | number)[]} values */
  function linked(box, values) {
    const button = box.querySelector(".lv-link"),
      was = button.textContent;
    button.addEventListener("click", async () => {
      const link = new URL(location.href);
      link.searchParams.set("lv", [box.id.slice(3), ...values()].join("."));
      link.hash = box.id;
      history.replaceState(null, "", link);
      let copied = true;
      try {
        await navigator.clipboard.writeText(link.href);
      } catch {
        copied = false;
      }
      button.textContent = copied ? words`Copied` : words`It is in the address`;
      setTimeout(() => (button.textContent = was), 2500);
    });
  }
  // One picture on the whole screen, for a room; Escape leaves.
  /** @param {HTMLElement} box @param {() => void} drawn */
  function wall(box, drawn) {
    const button = box.querySelector(".lv-present"),
      inner = /** @type {HTMLElement} */ (box.querySelector(".lv-inner"));
    const on = () => box.classList.contains("lv-wall");
    const fit = () => {
      inner.style.zoom = "";
      if (on()) {
        const room = Math.min((innerWidth - 48) / inner.offsetWidth, (innerHeight - 32) / inner.offsetHeight);
        inner.style.zoom = Math.max(0.6, Math.min(2.5, room)).toFixed(3);
      }
      drawn();
    };
    /** @param {boolean} yes */
    const turn = (yes) => {
      box.classList.toggle("lv-wall", yes);
      document.documentElement.classList.toggle("lv-presenting", yes);
      button.textContent = yes ? words`Leave` : words`Present`;
      button.setAttribute("aria-pressed", String(yes));
      fit();
      if (!yes) box.scrollIntoView({ block: "nearest", behavior: "instant" });
    };
    button.addEventListener("click", () => turn(!on()));
    addEventListener("resize", () => on() && fit());
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !on()) return;
      event.preventDefault();
      turn(false);
    });
  }

  // Every picture of this name on the page, with its numbers.
  /** @param {string} name @param {(box: HTMLElement, told: any) => void} begin */
  function picture(name, begin) {
    document.querySelectorAll(`.lv[data-picture="${name}"]`).forEach((found) => {
      const box = /** @type {HTMLElement} */ (found);
      begin(box, JSON.parse(box.querySelector("script").textContent));
      box.dataset.ready = "1";
    });
  }

  return {
    THIN, still, count, percent, epsilon, fill, say, chance, normal, laplace, logistic, ease,
    clock, make, sized, colours, segments, held, given, linked, wall, picture,
  }; // prettier-ignore
})();
