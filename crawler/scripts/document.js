// The document as it is shown: open shadow roots and frames of the same origin stand where a reader sees them.
// Nothing of the page is changed; of scripts and style sheets nothing is kept, since nothing will run them.
(limit) => {
  const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
  const LEFT_OUT = new Set(["style", "template", "noscript"]);
  const RAW = new Set(["script"]);
  const out = [];
  let size = 0;
  let cut = false;
  let shadows = 0;
  let frames = 0;
  const put = (text) => {
    if (size + text.length > limit) { cut = true; return; }
    size += text.length;
    out.push(text);
  };
  const text = (value) => value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const quoted = (value) => value.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  const children = (node, depth) => { for (const child of node.childNodes) { if (cut) return; walk(child, depth + 1); } };
  const walk = (node, depth) => {
    if (cut || depth > 1500) { cut = cut || depth > 1500; return; }
    if (node.nodeType === 3) { put(text(node.data)); return; }
    if (node.nodeType !== 1) return;
    const name = node.localName;
    if (LEFT_OUT.has(name)) return;
    if (name === "script" && !/ld\+json/i.test(node.type || "")) return;
    if (name === "slot") {
      const given = node.assignedNodes ? node.assignedNodes() : [];
      if (given.length) { for (const one of given) walk(one, depth + 1); } else children(node, depth);
      return;
    }
    if (name === "iframe" || name === "frame") {
      let inner = null;
      try { inner = node.contentDocument; } catch (_) { inner = null; }
      if (inner && inner.body && inner.body.childNodes.length) {
        frames += 1;
        put("<div data-frame>");
        children(inner.body, depth);
        put("</div>");
      }
      return;
    }
    put("<" + name);
    for (const attribute of node.attributes) put(" " + attribute.name.replace(/[\s"'<>=/]/g, "_") + '="' + quoted(attribute.value) + '"');
    put(">");
    if (VOID.has(name)) return;
    if (RAW.has(name)) { put(node.textContent.replace(/<\//g, "<\\/")); put("</" + name + ">"); return; }
    if (node.shadowRoot) { shadows += 1; children(node.shadowRoot, depth); } else children(node, depth);
    put("</" + name + ">");
  };
  put("<!DOCTYPE html>\n");
  const root = document.documentElement;
  if (root) walk(root, 0);
  if (cut) out.push("</body></html>");
  return { html: out.join(""), cut, shadows, frames };
}
