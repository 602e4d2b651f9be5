// @ts-check
// A whole number in a box.
/** @param {{ model: SeedModel }} here */
export function render({ model }) {
  const label = document.createElement("label");
  label.className = "count name";
  label.title = model.hint;
  const input = document.createElement("input");
  Object.assign(input, { type: "number", min: model.low, max: model.high, step: 1 });
  input.addEventListener("change", () => {
    if (!input.checkValidity() || !Number.isInteger(input.valueAsNumber)) return show();
    model.value = input.valueAsNumber;
    model.released += 1;
  });
  const show = () => {
    input.value = String(model.value);
  };
  model.on("value", show);
  show();
  label.append(document.createTextNode(model.label), input);
  return label;
}
