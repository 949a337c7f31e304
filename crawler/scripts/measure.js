// How long the page is, whether anything in it can still change it, how much there is to read, and whether something in
// it is loaded only when it is near to being seen. Open shadow roots and frames of the same origin count as the page.
// Measured anew only if something has changed, as long pages take a while. `ended` counts the scripts that were ended:
// what we were to be told of a change may have been among them.
(ended) => {
  // Elements that are asked at each look whether they have a shadow root by now, of which no observer is told.
  const MOST_HOSTS = 5000;
  const HOSTS = /-|^(?:article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
  // Pictures of a document go by their names as properties of it: asked so, none can answer for another.
  const plain = (page, name) => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(page);
  const type = (root) => root instanceof ShadowRoot ? DocumentFragment : Document;
  const all = (root, selector) => [...type(root).prototype.querySelectorAll.call(root, selector)];
  const kept = globalThis.kept ??= { changed: true };
  if (!kept.changes) {
    kept.changes = new MutationObserver(() => { kept.changes.disconnect(); kept.changed = true; });
  }
  const progress = (pages) => pages.map((page) => page && plain(page, "readyState") + plain(page, "styleSheets").length).join();
  const state = progress([document]) + "/" + ended;
  if (kept.changes.takeRecords().length || state !== kept.state) kept.changed = true;
  kept.changed ||= kept.hosts.some((host) => host.shadowRoot) || progress(kept.pages) !== kept.progress ||
    kept.frames.some((frame, n) => inside(frame) !== kept.pages[n]);
  if (kept.changed) {
    kept.changed = false;
    kept.state = state;
    kept.changes.disconnect();
    const roots = [document], hosts = [], frames = [];
    for (let n = 0; n < roots.length; n += 1) {
      kept.changes.observe(roots[n], { subtree: true, childList: true, characterData: true, attributes: true });
      for (const one of all(roots[n], "*")) {
        if (FRAMES.test(one.localName)) {
          frames.push(one);
          if (inside(one)) roots.push(inside(one));
        } else if (one.shadowRoot instanceof ShadowRoot) {
          roots.push(one.shadowRoot);
        } else if (hosts.length < MOST_HOSTS && HOSTS.test(one.localName)) {
          hosts.push(one);
        }
      }
    }
    const pages = frames.map(inside);
    Object.assign(kept, { hosts, frames, pages, progress: progress(pages) });
    const body = plain(document, "body");
    const length = (root) => (root instanceof ShadowRoot ? root : plain(root, "body"))?.innerHTML.length || 0;
    kept.found = [
      roots.reduce((sum, root) => sum + length(root), 0),
      roots.some((root) => all(root, "script").some((script) => !/json|template|x-/i.test(script.type))),
      body ? body.innerText.length : 0,
      roots.some((root) => all(root, "[loading=lazy]").length > 0),
    ];
  }
  return kept.found;
}
