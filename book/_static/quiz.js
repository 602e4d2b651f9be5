// @ts-check
// Ten questions, twice: before a course and after it. They are counted in this page, kept in this browser, and never sent.
(() => {
  const quiz = document.querySelector(".quiz");
  if (!quiz) return;
  const say = window.rpSay ?? String.raw;
  const KEEP = "recpriv-questions",
    TIMES = /** @type {const} */ (["before", "after"]);
  /** @type {Make} */
  const make = (tag, about = {}, ...parts) => {
    const node = Object.assign(document.createElement(tag), about);
    node.append(...parts);
    return node;
  };
  /** @type {Partial<Record<"before" | "after", number[]>>} the answers given, by number; what was kept may be anything */
  let kept = {};
  const boxes = [...quiz.querySelectorAll(".check")],
    many = boxes.length;
  function recall() {
    try {
      const found = JSON.parse(localStorage.getItem(KEEP) || "{}");
      for (const time of TIMES)
        if (Array.isArray(found[time]) && found[time].length === many) kept[time] = found[time].map(Number);
    } catch {
      /* nothing can be kept here: then this page counts, and forgets */
    }
  }
  function keep() {
    try {
      localStorage.setItem(KEEP, JSON.stringify(kept));
    } catch {
      /* see above */
    }
  }
  recall();
  /** @type {number[]} what is chosen now; -1: nothing yet */
  const given = boxes.map(() => -1);
  let counted = false;
  const questions = boxes.map((box, q) => {
    box.querySelector(".check-ask").prepend(`${q + 1}. `);
    const answers = window.rpCheck(box, (at) => {
      if (counted) return;
      given[q] = at;
      answers.forEach((answer, i) => answer.mark(i === at));
      told();
    });
    return answers;
  });
  /** @param {number[]} answers */
  const score = (answers) => answers.filter((at, q) => questions[q][at]?.right).length;
  const place = make("p", { className: "quiz-said" }),
    times = make("div", { className: "quiz-times" });
  place.setAttribute("role", "status");
  times.setAttribute("role", "group");
  times.setAttribute("aria-label", say`Which time is this?`);
  /** @type {"before" | "after"} */
  let time = kept.before ? "after" : "before";
  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const made = make("button", { type: "button", textContent: text });
    made.addEventListener("click", act);
    return made;
  };
  const which = TIMES.map((one) =>
    button(one === "before" ? say`The first time` : say`The second time`, () => {
      time = one;
      again();
    }),
  );
  const count = button(say`Count`, () => {
    const open = given.indexOf(-1);
    if (open >= 0) {
      boxes[open].querySelector("button").focus();
      place.textContent = say`Question ${open + 1} has no answer yet. If you do not know, guess.`;
      return;
    }
    kept = { ...kept, [time]: [...given] };
    keep();
    counted = true;
    if (time === "after") reasons();
    told();
  });
  const why = button(say`Show the reasons`, reasons),
    anew = button(say`Answer again`, again);
  const forget = button(say`Forget my answers`, () => {
    kept = {};
    try {
      localStorage.removeItem(KEEP);
    } catch {
      /* nothing was kept */
    }
    time = "before";
    again();
  });
  times.append(...which);
  quiz.prepend(times);
  quiz.append(make("div", { className: "quiz-end" }, count, why, anew, forget, place));
  function reasons() {
    questions.forEach((answers, q) =>
      answers.forEach((answer, at) => answer.say(at === given[q] || (answer.right && !answers[given[q]]?.right))),
    );
    why.hidden = true;
  }
  function again() {
    counted = false;
    given.fill(-1);
    for (const answer of questions.flat()) {
      answer.mark(false);
      answer.say(false);
    }
    told();
  }
  function told() {
    which.forEach((one, i) => one.setAttribute("aria-pressed", String(TIMES[i] === time)));
    count.hidden = counted;
    why.hidden = !counted || time === "after";
    anew.hidden = !counted;
    const { before, after } = kept;
    forget.hidden = !before && !after;
    const first = before && say`The first time: ${score(before)} of ${many}.`,
      second = after && say`The second time: ${score(after)} of ${many}.`;
    const gained =
      before && after && before.filter((at, q) => !questions[q][at]?.right && questions[q][after[q]]?.right).length;
    const done = given.filter((at) => at >= 0).length;
    place.textContent = [
      counted ? "" : say`${done} of ${many} answered.`,
      first,
      second,
      gained === undefined ? "" : say`Learnt in between: ${gained}.`,
      counted && time === "before"
        ? say`The reasons are better read after the course: then the second time measures more.`
        : "",
    ]
      .filter(Boolean)
      .join(" ");
  }
  told();
})();
