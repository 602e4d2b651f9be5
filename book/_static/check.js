// @ts-check
// Questions to ask oneself: each answer can be pressed, and says at once whether it is right and why. Nothing is kept.
(() => {
  /** @type {Make} */
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  // Puts a button before each answer of a question. `say(true)` shows the reason of an answer.
  window.rpCheck = (box, chosen) => {
    const whys = [...box.querySelectorAll("details li")];
    box.classList.add("asks");
    return [...box.querySelectorAll(".check-answers > li")].map((answer, at) => {
      const words = answer.querySelector("span"),
        name = `${words.id}-press`;
      const press = make("button", { type: "button", id: name, textContent: "ABCD"[at] });
      press.setAttribute("aria-labelledby", `${name} ${words.id}`);
      press.setAttribute("aria-pressed", "false");
      const why = make("p", { className: "check-why" });
      why.setAttribute("role", "status");
      answer.prepend(press);
      answer.append(why);
      const right = Boolean(answer.dataset.right);
      /** @param {boolean} on */
      const say = (on) => {
        answer.classList.toggle(right ? "right" : "wrong", on);
        why.replaceChildren(...(on ? [...whys[at].childNodes].map((node) => node.cloneNode(true)) : []));
      };
      /** @param {boolean} on */
      const mark = (on) => press.setAttribute("aria-pressed", String(on));
      answer.addEventListener("click", (event) => {
        if (!(/** @type {Element} */ (event.target).closest("a, .check-why"))) chosen(at);
      });
      return { right, mark, say };
    });
  };
  for (const box of document.querySelectorAll(".check"))
    if (!box.closest(".quiz")) {
      const answers = window.rpCheck(box, (at) => {
        answers[at].mark(true);
        answers[at].say(true);
      });
    }
})();
