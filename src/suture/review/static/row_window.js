// Keeps a long diff light: of all its rows, only those around what is in view are in the document. The others keep their
// room, so that whoever scrolls sees every row. All rows that a window has are on the page in that sense.

import { chunksOf, table } from "./rows.js";

/** Rows in one part, which is in the document as a whole or not at all. */
const ROWS_IN_CHUNK = 40;
/** As long as there are no more rows than this, all are in the document. Of more, those that are out of view leave it. */
const MOST_ROWS = 360;
/** The height of a row that was never drawn, in pixels: that of one line. */
const ROW_HEIGHT = 19;

export class RowWindow {
  /** `scroller` is the element that scrolls. */
  constructor(scroller) {
    this.chunks = new Map();
    this.rows = 0;
    this.observer = new IntersectionObserver((entries) => this.seen(entries), { root: scroller, rootMargin: "60% 0px" });
  }

  close() {
    this.observer.disconnect();
    this.chunks.clear();
    this.rows = 0;
  }

  /** Rows in tables, as elements. `drawn` (optional) is called with each of them whenever its table was drawn. */
  show(rows, label, options = {}) {
    return chunksOf(rows, ROWS_IN_CHUNK).map((part) => {
      const node = document.createElement("div");
      node.className = "chunk";
      const chunk = { node, rows: part, label, options, isDrawn: false, isSeen: false };
      this.chunks.set(node, chunk);
      if (this.rows + part.length <= MOST_ROWS) this.draw(chunk);
      else node.style.height = `${part.length * ROW_HEIGHT}px`;
      this.observer.observe(node);
      return node;
    });
  }

  /** Forget elements that have left the page. */
  drop(nodes) {
    for (const node of nodes) {
      const chunk = this.chunks.get(node);
      if (!chunk) continue;
      if (chunk.isDrawn) this.rows -= chunk.rows.length;
      this.observer.unobserve(node);
      this.chunks.delete(node);
    }
  }

  draw(chunk) {
    chunk.node.replaceChildren(table(chunk.rows, chunk.label, chunk.options));
    chunk.node.style.height = "";
    chunk.isDrawn = true;
    this.rows += chunk.rows.length;
    chunk.options.drawn?.(chunk.node);
  }

  clear(chunk) {
    chunk.node.style.height = `${chunk.node.offsetHeight}px`;
    chunk.node.replaceChildren();
    chunk.isDrawn = false;
    this.rows -= chunk.rows.length;
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const chunk = this.chunks.get(target);
      if (!chunk) continue;
      chunk.isSeen = isIntersecting;
      if (isIntersecting && !chunk.isDrawn) this.draw(chunk);
    }
    if (this.rows <= MOST_ROWS) return;
    for (const chunk of this.chunks.values()) {
      if (this.rows <= MOST_ROWS) return;
      // Where somebody writes, nothing is taken away.
      if (chunk.isDrawn && !chunk.isSeen && !chunk.node.contains(document.activeElement)) this.clear(chunk);
    }
  }
}
