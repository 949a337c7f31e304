// Closes a notice that asks for consent, where one click does it: refusing where that is offered, else agreeing.
// A notice is a box that lies over the page, or a dialog, and speaks of cookies or consent.
async ({ refuse, agree, about, known }) => {
  const REFUSE = new RegExp(refuse, "iu"), AGREE = new RegExp(agree, "iu"), ABOUT = new RegExp(about, "iu");
  const shown = (e) => {
    if (!e.isConnected) return false;
    const box = e.getBoundingClientRect();
    const style = getComputedStyle(e);
    return box.width > 1 && box.height > 1 && style.visibility !== "hidden" && style.display !== "none" && style.opacity !== "0";
  };
  const roots = [document];
  for (let n = 0; n < roots.length && n < 200; n += 1) {
    for (const e of roots[n].querySelectorAll("*")) if (e.shadowRoot) roots.push(e.shadowRoot);
  }
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  if (roots.length === 1 && !ABOUT.test(document.body ? document.body.textContent : "")) return null;
  const label = (e) => (e.innerText || e.value || e.getAttribute("aria-label") || "").replace(/\s+/g, " ").trim();
  const parent = (e) => e.parentElement || (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
  const box = (e) => {
    for (let at = e, n = 0; at && at !== document.body && n < 15; at = parent(at), n += 1) {
      const style = getComputedStyle(at);
      const over = style.position === "fixed" || style.position === "sticky" || at.localName === "dialog" ||
        /^(alert)?dialog$/.test(at.getAttribute("role") || "") || at.getAttribute("aria-modal") === "true";
      if (over && ABOUT.test(at.innerText || (at.shadowRoot ? at.shadowRoot.textContent : "") || "")) return at;
    }
    return null;
  };
  const settled = async (e, around) => {
    for (let n = 0; n < 8; n += 1) {
      await new Promise((done) => setTimeout(done, 100));
      if (!shown(e) && (!around || !shown(around))) return true;
    }
    return !shown(e);
  };
  for (const [selector, what] of known) {
    const e = all(selector).find(shown);
    if (e) { e.click(); return { clicked: what, closed: await settled(e, null) }; }
  }
  const buttons = all("button, [role=button], a, input[type=button], input[type=submit]").slice(0, 3000);
  const candidates = [];
  for (const e of buttons) {
    const said = label(e);
    if (!said || said.length > 60 || !shown(e)) continue;
    const kind = REFUSE.test(said) ? "refuse" : AGREE.test(said) ? "agree" : null;
    if (!kind) continue;
    if (e.localName === "a" && /^https?:/.test(e.href) && e.getAttribute("href") !== "#" && !e.href.startsWith(location.href.split("#")[0] + "#")) continue;
    const around = box(e);
    if (around) candidates.push({ e, kind, around });
  }
  const best = candidates.find((c) => c.kind === "refuse") || candidates.find((c) => c.kind === "agree");
  if (!best) return null;
  best.e.click();
  return { clicked: best.kind, closed: await settled(best.e, best.around) };
}
