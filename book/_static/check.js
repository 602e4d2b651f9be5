// @ts-check
// Questions to ask oneself: each answer can be pressed, and says at once whether it is right and why. Nothing is kept.
(() => {
  /** @type {Make} */
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  /** @param {HTMLElement} box */
  function begin(box) {
    const key = box.querySelector("details");
    const whys = [...key.querySelectorAll("li")];
    box.classList.add("asks");
    box.querySelectorAll(".check-answers > li").forEach((answer, at) => {
      const words = answer.querySelector("span"),
        name = `${words.id}-press`;
      const press = make("button", { type: "button", id: name, textContent: "ABCD"[at] });
      press.setAttribute("aria-labelledby", `${name} ${words.id}`);
      press.setAttribute("aria-pressed", "false");
      const why = make("p", { className: "check-why" });
      why.setAttribute("role", "status");
      answer.prepend(press);
      answer.append(why);
      answer.addEventListener("click", (event) => {
        if (/** @type {Element} */ (event.target).closest("a, .check-why")) return;
        press.setAttribute("aria-pressed", "true");
        answer.classList.add(answer.dataset.right ? "right" : "wrong");
        why.replaceChildren(...[...whys[at].childNodes].map((node) => node.cloneNode(true)));
      });
    });
  }
  for (const box of document.querySelectorAll(".check")) if (!box.closest(".quiz")) begin(box);
})();
