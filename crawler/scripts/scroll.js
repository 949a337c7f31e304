// Goes down the page once, a screen at a time, so that what loads when it is seen is loaded; then back to where it was.
// Bounded in steps and time: some pages have no end. A screen is left once it has been drawn and observers were told.
async ({ steps, pause }) => {
  const drawn = () => new Promise((done) => {
    setTimeout(done, pause);
    requestAnimationFrame(() => setTimeout(done, 0));
  });
  const page = document.scrollingElement || document.documentElement;
  if (!page) return { steps: 0, ended: true };
  const height = window.innerHeight;
  // Where the page itself is no longer than the screen, a box in its middle may be what a reader scrolls.
  const box = () => {
    const [x, y] = [window.innerWidth / 2, height / 2];
    let at = document.elementFromPoint(x, y);
    for (let n = 0; n < 100 && at && at.shadowRoot; n += 1) {
      const below = at.shadowRoot.elementFromPoint(x, y);
      if (!below || below === at) break;
      at = below;
    }
    for (; at && at !== page; at = at.parentElement || at.getRootNode().host) {
      const long = at.scrollHeight > at.clientHeight + 2 && at.clientHeight > height / 2;
      if (long && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
    }
    return null;
  };
  const inner = page.scrollHeight > height + 2 ? null : box();
  const [scrolled, long, screen] = inner ? [inner, inner, inner.clientHeight] : [window, page, height];
  const top = () => inner ? inner.scrollTop : window.scrollY;
  const bottom = () => top() + screen >= long.scrollHeight - 2;
  const first = inner ? inner.scrollTop : 0;
  let done = 0;
  while (done < steps && !bottom()) {
    scrolled.scrollBy({ top: Math.max(200, screen * 0.9), behavior: "instant" });
    done += 1;
    await drawn();
  }
  const ended = bottom();
  scrolled.scrollTo({ top: first, behavior: "instant" });
  return { steps: done, ended };
}
