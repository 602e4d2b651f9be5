// @ts-check
// A few films out of many: each a chip with its own remove button, and a box that completes what is typed.
/** @param {{ model: FilmsModel }} here */
export function render({ model }) {
  const root = document.createElement("div");
  root.className = "pick";
  const id = `films-${Math.random().toString(36).slice(2)}`;
  root.innerHTML = `
    <label class="name" for="${id}"></label>
    <ul class="chips"></ul>
    <input id="${id}" list="${id}-all" autocomplete="off"><datalist id="${id}-all"></datalist>
    <p class="refused" role="alert" hidden></p>`;
  const [name, chips, all, refused] = [".name", ".chips", "datalist", ".refused"].map((s) => root.querySelector(s));
  const box = root.querySelector("input");
  /** @param {number} film */
  const title = (film) => (model.options.find(([known]) => known === film) || [film, `film ${film}`])[1];

  /** @param {number[]} films */
  function set(films) {
    model.value = films;
    model.released += 1;
    show();
  }
  function show() {
    name.textContent = model.label;
    root.title = model.hint;
    root.inert = !model.active;
    chips.replaceChildren(
      ...model.value.map((film) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "×";
        button.setAttribute("aria-label", `remove ${title(film)}`);
        button.addEventListener("click", () => {
          set(model.value.filter((f) => f !== film));
          box.focus();
        });
        const text = document.createElement("span");
        text.textContent = title(film);
        item.append(text, button);
        return item;
      }),
    );
    const full = model.value.length >= model.most;
    box.disabled = full;
    box.placeholder = full ? `${model.most} is the most` : "add a film…";
  }
  function fill() {
    all.replaceChildren(...model.options.map(([, text]) => new Option(text)));
    show();
  }
  /** @param {boolean} strict */
  function add(strict) {
    const typed = box.value.trim().toLowerCase();
    if (!typed) return;
    const exact = model.options.find(([, text]) => text.toLowerCase() === typed);
    if (!exact && !strict) return;
    const found = exact || model.options.find(([, text]) => text.toLowerCase().includes(typed));
    refused.hidden = Boolean(found);
    refused.textContent = found ? "" : "No film of that name here.";
    if (!found) return;
    box.value = "";
    if (!model.value.includes(found[0])) set([...model.value, found[0]]);
  }
  box.addEventListener("input", () => {
    refused.hidden = true;
    add(false);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") add(true);
  });
  model.on("options", fill);
  model.on(["value", "active"], show);
  fill();
  return root;
}
