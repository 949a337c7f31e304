// The document as it is shown: open shadow roots and frames of the same origin stand where a reader sees them, and what a
// page has written for a frame (`srcdoc`) also if it is shut off. Addresses in frames are whole, as they are relative to
// those. Nothing of the page is changed; of scripts and style sheets nothing is kept, since nothing will run them.
(limit) => {
  // Fields of a form go by their names as properties of it, and so do pictures of a document: asked so, neither can
  // answer for another.
  const plain = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const first_of = plain(Node, "firstChild"), next_of = plain(Node, "nextSibling"), kind_of = plain(Node, "nodeType");
  const tag_of = plain(Element, "localName"), shadow_of = plain(Element, "shadowRoot");
  const { getAttributeNames, getAttribute } = Element.prototype;
  const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
  const HIDING = new Set(["hidden", "style"]);
  const LEFT_OUT = new Set(["style", "template", "noscript", "noframes"]);
  const RAW = new Set(["script"]);
  const ADDRESSES = new Set(["action", "cite", "data", "href", "poster", "src"]);
  const out = [];
  let size = 0;
  let cut = false;
  let shadows = 0;
  let frames = 0;
  let base = null;  // of the frame that is being written down
  const whole = (address) => { try { return new URL(address, base).href; } catch (_) { return address; } };
  const shut = (frame) => {  // a frame that may not be looked into shows what the page gave it, without its scripts
    const given = frame.localName === "iframe" ? getAttribute.call(frame, "srcdoc") : null;
    try { return given && new DOMParser().parseFromString(given, "text/html"); } catch (_) { return null; }
  };
  const put = (text) => {
    if (size + text.length > limit) { cut = true; return; }
    size += text.length;
    out.push(text);
  };
  const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const text = (value) => /[&<>]/.test(value) ? value.replace(/[&<>]/g, (sign) => SIGNS[sign]) : value;
  const quoted = (value) => /[&"<]/.test(value) ? value.replace(/[&"<]/g, (sign) => SIGNS[sign]) : value;
  const named = new Map();  // names of attributes as they are written: one page has few of them, many times
  const name_of = (name) => {
    let written = named.get(name);
    if (written === undefined) named.set(name, written = name.replace(/[\s"'<>=/]/g, "_"));
    return written;
  };
  const children = (node, depth) => {
    for (let child = first_of(node); child && !cut; child = next_of(child)) walk(child, depth + 1);
  };
  const attributes = (node, only) => {
    let all = "";
    for (const given of getAttributeNames.call(node)) {
      if (only && !only.has(given)) continue;
      const value = getAttribute.call(node, given);
      all += " " + name_of(given) + '="' + quoted(base !== null && ADDRESSES.has(given) ? whole(value) : value) + '"';
    }
    return all;
  };
  const walk = (node, depth) => {
    if (cut || depth > 1500) { cut = cut || depth > 1500; return; }
    const kind = kind_of(node);
    if (kind === 3) { put(text(node.data)); return; }
    if (kind !== 1) return;
    const name = tag_of(node);
    if (LEFT_OUT.has(name)) return;
    if (name === "script" && !/ld\+json/i.test(node.type || "")) return;
    if (name === "slot") {
      const given = node.assignedNodes ? node.assignedNodes() : [];
      if (given.length) { for (const one of given) walk(one, depth + 1); } else children(node, depth);
      return;
    }
    if (FRAMES.test(name)) {
      const inner = inside(node) || shut(node);
      const body = inner && plain(Document, "body")(inner);
      if (body && body.childNodes.length) {
        frames += 1;
        put("<div data-frame" + attributes(node, HIDING) + ">");
        const outer = base;
        base = plain(Node, "baseURI")(inner);
        children(body, depth);
        base = outer;
        put("</div>");
        return;
      }
      if (/frame/.test(name)) return;  // in the place of others something else is shown
    }
    if (name === "frameset") { // as a body: a reader of HTML takes nothing but frames in a frameset
      const outer = node.parentNode === document.documentElement ? "body" : "div";
      put("<" + outer + ">");
      children(node, depth);
      put("</" + outer + ">");
      return;
    }
    put("<" + name + attributes(node) + ">");
    if (VOID.has(name)) return;
    if (RAW.has(name)) { put(node.textContent.replace(/<\//g, "<\\/")); put("</" + name + ">"); return; }
    const shadow = shadow_of(node);
    if (shadow) { shadows += 1; children(shadow, depth); } else children(node, depth);
    put("</" + name + ">");
  };
  put("<!DOCTYPE html>\n");
  const root = plain(Document, "documentElement")(document);
  if (root) walk(root, 0);
  if (cut) out.push("</body></html>");
  const broken = /xml/.test(plain(Document, "contentType")(document)) &&
    Document.prototype.querySelector.call(document, "parsererror") !== null;
  return { html: out.join(""), cut, shadows, frames, broken };
}
