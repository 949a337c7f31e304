// What stands before scripts that look into frames: which elements are some, and the document inside, if it may be seen.
const FRAMES = /^(?:i?frame|object|embed)$/;
const inside = (frame) => {
  try {
    if (frame.localName !== "embed") return frame.contentDocument;
    // It does not tell its document itself, but among the windows of the page is its own.
    const page = frame.ownerDocument.defaultView;
    for (let n = 0; n < page.length; n += 1) {
      try { if (page[n].frameElement === frame) return page[n].document; } catch (_) { /* of another origin */ }
    }
  } catch (_) { /* likewise */ }
  return null;
};
