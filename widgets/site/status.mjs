// @ts-check
// The line above a dashboard: how far the laboratory is, whose data it computes on, and the reader's own ratings.
/** @type {Make} */
const make = (tag, about = {}, ...parts) => {
  const node = Object.assign(document.createElement(tag), about);
  node.append(...parts);
  return node;
};
const ROLES = ["user", "item", "rating", "time"];

/** @param {HTMLElement} page @param {Lab} lab @param {{ data: boolean, settings: string }} it */
export function label(page, lab, { data, settings }) {
  const text = make("span", { className: "lab-text" }),
    bar = make("progress", { max: 1, hidden: true });
  const leave = make("button", { type: "button", className: "quiet", textContent: "Get it", hidden: true });
  const file = make("input", { type: "file", accept: ".csv,.tsv,.txt,.dat,.zip", hidden: true });
  const bring = make("button", {
    type: "button",
    className: "quiet bring",
    textContent: "Use your own ratings…",
    hidden: true,
  });
  const guess = make("p", { className: "lab-guess", hidden: true });
  const line = make(
    "div",
    { className: "lab" },
    make("p", { role: "status" }, text, " ", bar, leave, bring, file),
    guess,
  );
  page.querySelector(".top").append(line);
  /** @type {File | null} */
  let brought = null;

  leave.addEventListener("click", () => lab.want(true));
  bring.addEventListener("click", () => file.click());
  /** @param {Record<string, string>=} columns */
  const take = (columns) => {
    if (brought) lab.own(brought, columns);
  };
  file.addEventListener("change", () => {
    [brought] = file.files;
    take();
  });
  if (data) {
    page.addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("Files")) {
        event.preventDefault();
        page.classList.add("over");
      }
    });
    page.addEventListener("dragleave", () => page.classList.remove("over"));
    page.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      page.classList.remove("over");
      [brought] = event.dataTransfer.files;
      take();
    });
  }
  function words() {
    const { state, size } = lab,
      live = page.dataset.live === "yes";
    if (state === "broken") return `${lab.why}: what you see was computed beforehand, and stays.`;
    if (state === "asks") return `To re-train here, in your browser, this page needs a laboratory of ${size}, once.`;
    if (state === "loading") return lab.coming;
    if (lab.refused) return lab.refused;
    if (state !== "ready") return "";
    if (lab.people && data) return `Computed in this page, on ${lab.people}. They stay in this page.`;
    if (!data) return "Computed in this page, now.";
    return live
      ? "Computed in this page, now, on 1 000 invented people."
      : "The picture is MovieLens, computed beforehand. Moves are computed in this page, on 1 000 invented people.";
  }
  function show() {
    text.textContent = words();
    bar.hidden = lab.state !== "loading";
    bar.value = lab.share;
    leave.hidden = lab.state !== "asks";
    bring.hidden = !data || !["ready", "loading"].includes(lab.state);
    line.hidden = !text.textContent;
    page.dataset.lab = lab.state;
    columns();
  }
  // What the columns of a table were taken for, to be mended.
  function columns() {
    const known = data && lab.columns && brought;
    guess.hidden = !known;
    const now = known && JSON.stringify([lab.columns, lab.notes]);
    if (!known || guess.dataset.shown === now) return;
    guess.dataset.shown = now;
    guess.replaceChildren(
      "In your file, ",
      ...ROLES.flatMap((role, at) => {
        const choice = make("select", { ariaLabel: role });
        for (const name of ["", ...lab.columns.names])
          choice.add(new Option(name || "nothing", name, false, name === (lab.columns.roles[role] || "")));
        choice.addEventListener("change", () => take({ ...lab.columns.roles, [role]: choice.value }));
        return [`${at ? ", " : ""}${role} is `, choice];
      }),
      ".",
      lab.notes.length ? ` Read so: ${lab.notes.join("; ")}.` : "",
    );
  }
  lab.on(show);
  new MutationObserver(show).observe(page, { attributes: true, attributeFilter: ["data-live"] });
  if (settings) page.dataset.link = "yes";
  show();
}
