// @ts-check
// The attacker's seat on a path: rounds of the real release, dealt in an order of this page's own. Guesses and score
// live in this file's variables and are sent to nobody.
/** @typedef {[shown: string, truth: number, would: number]} Round */
window.rpPlay = (place) => {
  const say = window.rpSay ?? String.raw,
    of = window.rpSay?.of ?? ((/** @type {string} */ text) => text);
  const { question, answers: names, rounds, ceiling } = JSON.parse(place.dataset.deal);
  /** @type {<K extends keyof HTMLElementTagNameMap>(tag: K, name: string, text?: string) => HTMLElementTagNameMap[K]} */
  const make = (tag, name, text = "") =>
    Object.assign(document.createElement(tag), { className: name, textContent: text });
  const round = make("p", "round"),
    answers = make("p", "answers"),
    score = make("ol", "score"),
    reply = make("p", "reply"),
    tally = make("span", "tally");
  score.setAttribute("aria-hidden", "true");
  reply.setAttribute("aria-live", "polite");
  place.replaceChildren(round, answers, score, reply);
  /** @param {Round[]} row */
  const shuffled = (row) => {
    for (let i = row.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [row[i], row[j]] = [row[j], row[i]];
    }
    return row;
  };
  /** @type {Round[]} */
  let deck = [];
  /** @type {Round[]} */
  let hand = [];
  let at = 0,
    played = 0,
    right = 0,
    best = 0;

  function deal() {
    if (deck.length < 10) deck = shuffled([...rounds]);
    [hand, at] = [deck.splice(0, 10), 0];
    score.replaceChildren(...hand.map(() => make("li", "")));
    show();
  }
  function show() {
    const over = at === hand.length;
    round.replaceChildren(
      ...(over
        ? [say`Ten answers named.`]
        : [
            `${say`${at + 1} of ${hand.length}`}: ${of(question)} `,
            make("b", "", of(hand[at][0])),
            say`. Which is it?`,
          ]),
    );
    const buttons = over
      ? [make("button", "more-rounds", say`Ten more`)]
      : names.map((/** @type {string} */ name) => make("button", "guess-one", of(name)));
    buttons.forEach((/** @type {HTMLButtonElement} */ button, /** @type {number} */ i) => {
      button.type = "button";
      button.addEventListener("click", () => (over ? deal() : guess(i)));
    });
    tally.textContent = played ? say`${right} of ${played} right` : "";
    const inside = answers.contains(document.activeElement);
    const which = [...answers.children].indexOf(document.activeElement);
    answers.replaceChildren(...buttons, tally);
    const next = /** @type {HTMLElement} */ (answers.children[over ? 0 : Math.max(0, Math.min(1, which))]);
    if (inside) next.focus({ preventScroll: true });
  }
  /** @param {number} answer */
  function guess(answer) {
    const [, truth, would] = hand[at];
    const fits = answer === truth;
    score.children[at].className = fits ? "right" : "no";
    [at, played, right, best] = [
      at + 1,
      played + 1,
      right + Number(fits),
      best + (would === -1 ? 0.5 : Number(would === truth)),
    ];
    const end =
      at < hand.length
        ? ""
        : ` ${say`You: ${right} of ${played}. The best attacker, on the same answers: ${Math.round(best)}.`} ${of(ceiling)}`;
    reply.textContent = `${fits ? say`Right, it was ${of(names[truth])}.` : say`It was ${of(names[truth])}.`}${end}`;
    show();
  }
  deal();
};
