// @ts-check
// One of a few named things: radio buttons in a row that wraps, or a native list where there are many.
/** @param {{ model: ChoiceModel }} here */
export function render({ model }) {
  const root = document.createElement("div");
  root.className = "choose";
  const group = `choice-${Math.random().toString(36).slice(2)}`;

  /** @param {number} at */
  function choose(at) {
    model.value = model.options[at][0];
    model.released += 1;
  }
  function buttons() {
    const set = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.className = "name";
    legend.textContent = model.label;
    const row = document.createElement("div");
    row.className = "row";
    model.options.forEach(([value, text], at) => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      Object.assign(input, { type: "radio", name: group, value: at, checked: value === model.value });
      input.addEventListener("change", () => choose(at));
      label.append(input, document.createTextNode(text));
      row.append(label);
    });
    set.append(legend, row);
    return set;
  }
  function list() {
    const label = document.createElement("label");
    label.className = "name";
    label.textContent = model.label;
    const select = document.createElement("select");
    model.options.forEach(([value, text], at) =>
      select.add(new Option(text, String(at), false, value === model.value)),
    );
    select.addEventListener("change", () => choose(+select.value));
    label.append(select);
    return label;
  }
  function draw() {
    root.inert = !model.active;
    root.replaceChildren(model.many ? list() : buttons());
    if (!model.hint) return;
    const hint = document.createElement("p");
    Object.assign(hint, { className: "hint", id: `${group}-hint`, textContent: model.hint });
    (root.querySelector("select") || root.firstElementChild).setAttribute("aria-describedby", hint.id);
    root.append(hint);
  }
  function show() {
    const at = model.options.findIndex(([value]) => value === model.value);
    const select = root.querySelector("select");
    if (select) select.value = String(at);
    root.querySelectorAll("input").forEach((input, i) => {
      input.checked = i === at;
    });
  }
  model.on(["options", "active"], draw);
  model.on("value", show);
  draw();
  return root;
}
