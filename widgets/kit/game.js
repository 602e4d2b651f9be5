// @ts-check
// A few rounds against the real release. Guesses and score live in this page and are sent to nobody.
/** @param {{ model: GameModel }} here */
export function render({ model }) {
  const place = document.querySelector(".game");
  const spoken = document.querySelector(".spoken");
  /** @type {<K extends keyof HTMLElementTagNameMap>(tag: K, name: string, text?: string) => HTMLElementTagNameMap[K]} */
  const make = (tag, name, text = "") =>
    Object.assign(document.createElement(tag), { className: name, textContent: text });
  let at = 0,
    setting = -1,
    hits = 0,
    alarms = 0,
    yes = 0,
    no = 0,
    best = 0;

  const round = make("p", "round");
  const shown = make("b", "shown");
  const answers = make("div", "answers");
  const reply = make("p", "reply");
  const tally = make("span", "tally");
  place.replaceChildren(round, answers, reply);
  const played = () => yes + no;
  const right = () => hits + no - alarms;

  function deal() {
    if (!model.deal) return;
    if (setting !== model.setting) {
      [hits, alarms, yes, no, best] = [0, 0, 0, 0, 0];
      reply.textContent = "";
    }
    setting = model.setting;
    at = 0;
    show();
    cross();
  }
  function show() {
    const { question, answers: names, rounds } = model.deal;
    const over = at === rounds.length;
    shown.textContent = over ? "" : rounds[at].shown;
    round.replaceChildren(`${at + 1} of ${rounds.length}: ${question} `, shown, " Which is it?");
    round.hidden = over;
    const buttons = over
      ? [make("button", "more-rounds", "Ten more")]
      : names.map((name) => make("button", "guess-one", name));
    buttons.forEach((button, i) => {
      button.type = "button";
      button.addEventListener("click", () => (over ? model.send_msg({ do: "deal" }) : guess(i)));
    });
    tally.textContent = played() ? `${right()} of ${played()} right` : "";
    answers.replaceChildren(...buttons, tally);
  }
  /** @param {number} answer */
  function guess(answer) {
    const { rounds, answers: names, ceiling } = model.deal;
    const { truth, best: would } = rounds[at];
    at += 1;
    [yes, no] = [yes + Number(truth === 1), no + Number(truth === 0)];
    hits += Number(truth === 1 && answer === 1);
    alarms += Number(truth === 0 && answer === 1);
    best += would === -1 ? 0.5 : Number(would === truth);
    const verdict = answer === truth ? `Right, it was ${names[truth]}.` : `It was ${names[truth]}.`;
    const total =
      at < rounds.length
        ? ""
        : ` You: ${right()} of ${played()}. The best attacker, on the same answers: ${Math.round(best)}. ${ceiling}`;
    reply.textContent = verdict + total;
    const inside = place.contains(document.activeElement);
    show();
    if (inside) answers.querySelectorAll("button")[at < rounds.length ? answer : 0].focus();
    spoken.textContent = `${verdict}${total} ${at < rounds.length ? round.textContent : ""}`;
    cross();
  }
  // The reader's own point: the share of false alarms and of hits so far.
  function cross() {
    const canvas = document.querySelector(`[data-figure="${model.figure}"] .canvas`);
    const traces = () => {
      const ink = getComputedStyle(document.documentElement).getPropertyValue("--rp-ink").trim();
      if (!yes || !no) return [];
      return [
        {
          type: "scatter",
          mode: "markers+text",
          name: "you",
          x: [alarms / no],
          y: [hits / yes],
          cliponaxis: false,
          marker: { symbol: "x-thin", size: 13, line: { color: ink, width: 3 } },
          text: ["you"],
          textposition: alarms / no > 0.8 ? "middle left" : "middle right",
          hovertemplate: `you, ${played()} guesses<extra></extra>`,
        },
      ];
    };
    canvas.dispatchEvent(new CustomEvent("own", { detail: traces }));
  }
  model.on("deal", deal);
  deal();
}
