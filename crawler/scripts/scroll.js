// Goes down the page once, a screen at a time, so that what loads when it is seen is loaded; then back to the top.
// Bounded in steps and time: some pages have no end.
async ({ steps, pause }) => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const page = document.scrollingElement || document.documentElement;
  if (!page) return { steps: 0, ended: true, grown: false };
  let done = 0;
  const before = page.scrollHeight;
  const bottom = () => window.scrollY + window.innerHeight >= page.scrollHeight - 2;
  while (done < steps && !bottom()) {
    window.scrollBy(0, Math.max(200, window.innerHeight * 0.9));
    done += 1;
    await wait(pause);
  }
  const ended = bottom();
  window.scrollTo(0, 0);
  return { steps: done, ended, grown: page.scrollHeight !== before };
}
