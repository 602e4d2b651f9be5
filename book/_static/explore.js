// @ts-check
// The page of all dashboards: a small picture of the first step of each, from the numbers built with the book.
(async () => {
  for (const card of document.querySelectorAll(".explore-card")) {
    try {
      const it = await window.rpPath.load(card.dataset.chapter);
      const stage = window.rpStage(document.createElement("section"), it, null, () => {});
      const draw = () =>
        stage.picture(card.querySelector(".explore-picture"), JSON.parse(card.dataset.state), {
          width: 300,
          height: 190,
        });
      draw();
      new MutationObserver(draw).observe(document.documentElement, {
        attributes: true,
        attributeFilter: ["data-theme"],
      });
    } catch {
      card.querySelector(".explore-picture").remove();
    }
  }
})();
