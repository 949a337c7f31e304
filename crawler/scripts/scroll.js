// Goes down the page once, a screen at a time, so that what loads when it is seen is loaded; then back to the top.
// Bounded in steps and time: some pages have no end. A screen is left once it has been drawn and observers were told.
async ({ steps, pause }) => {
  const drawn = () => new Promise((done) => {
    setTimeout(done, pause);
    requestAnimationFrame(() => setTimeout(done, 0));
  });
  const page = document.scrollingElement || document.documentElement;
  if (!page) return { steps: 0, ended: true };
  const bottom = () => window.scrollY + window.innerHeight >= page.scrollHeight - 2;
  let done = 0;
  while (done < steps && !bottom()) {
    window.scrollBy({ top: Math.max(200, window.innerHeight * 0.9), behavior: "instant" });
    done += 1;
    await drawn();
  }
  const ended = bottom();
  window.scrollTo({ top: 0, behavior: "instant" });
  return { steps: done, ended };
}
