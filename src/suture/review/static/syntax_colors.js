// Syntax colors. They come from the server after the rows, and are drawn with the highlights of the browser: the elements
// of a diff stay as they are. A line in which a character is shown as its code has none.

import { ApiError, get } from "./api.js";
import { lineOf } from "./rows.js";

const NAMES = { k: "keyword", s: "string", c: "comment", n: "number", f: "function", t: "type" };
/** Lines that are fetched at once. The server sends no more. */
const LINES = 500;

/** What is fetched before the next colors: one call at a time, so that no answer and no diff waits for colors of many files. */
let fetched = Promise.resolve();

const isPossible = "highlights" in CSS && typeof Highlight === "function";
const highlights = new Map();
if (isPossible) {
  for (const [letter, name] of Object.entries(NAMES)) {
    highlights.set(letter, new Highlight());
    CSS.highlights.set(name, highlights.get(letter));
  }
}

/** Forget the colors of what is no longer in the document. */
function sweep() {
  for (const highlight of highlights.values()) {
    for (const range of highlight) if (!range.startContainer.isConnected) highlight.delete(range);
  }
}

export class SyntaxColors {
  /** The colors of one file, which are fetched from the address. */
  constructor(address, query = {}) {
    this.address = address;
    this.query = query;
    this.pages = new Map();
  }

  /** Color the lines of a table once their colors are there. */
  async color(root) {
    if (!isPossible) return;
    const cells = [...root.querySelectorAll("td.code")].filter((cell) => lineOf.get(cell)?.number);
    const pages = new Set(cells.map((cell) => { const { side, number } = lineOf.get(cell); return `${side} ${Math.floor((number - 1) / LINES)}`; }));
    await Promise.all([...pages].map((page) => this.page(page, root)));
    sweep();
    for (const cell of cells) {
      if (!cell.isConnected) continue;
      const { side, number, text } = lineOf.get(cell);
      const lines = await this.page(`${side} ${Math.floor((number - 1) / LINES)}`, root);
      paint(cell, text, lines[(number - 1) % LINES] ?? []);
    }
  }

  page(key, root) {
    if (!this.pages.has(key)) {
      const [side, number] = key.split(" ");
      const first = Number(number) * LINES + 1;
      const page = fetched.then(async () => {
        if (root.isConnected) return (await get(this.address, { ...this.query, side, first, last: first + LINES - 1 })).lines;
        this.pages.delete(key); // It has left the page meanwhile.
        return [];
      }).catch((error) => {
        if (error instanceof ApiError) return [];
        throw error;
      });
      this.pages.set(key, page);
      fetched = page.catch(() => {}); // Whoever waits for the page says that it failed.
    }
    return this.pages.get(key);
  }
}

/** Mark the parts of a line that have a color. */
function paint(cell, text, colors) {
  if (!colors.length) return;
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest(".sign, .note, .space") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const nodes = [];
  let length = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, start: length });
    length += node.data.length;
  }
  if (!text.startsWith(nodes.map(({ node }) => node.data).join(""))) return;
  for (let at = 0; at < colors.length; at += 3) {
    const [start, end, letter] = colors.slice(at, at + 3);
    for (const { node, start: offset } of nodes) {
      const from = Math.max(0, start - offset);
      const to = Math.min(node.data.length, end - offset);
      if (from >= to) continue;
      highlights.get(letter)?.add(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }));
    }
  }
}
