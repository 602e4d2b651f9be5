// @ts-check
// On or off: a native checkbox.
/** @param {{ model: SwitchModel }} here */
export function render({ model }) {
  const label = document.createElement("label");
  label.className = "tick name";
  label.title = model.hint;
  const input = document.createElement("input");
  input.type = "checkbox";
  input.addEventListener("change", () => {
    model.value = input.checked;
    model.released += 1;
  });
  const show = () => {
    input.checked = model.value;
    label.inert = !model.active;
  };
  model.on(["value", "active"], show);
  show();
  label.append(input, document.createTextNode(model.label));
  return label;
}
