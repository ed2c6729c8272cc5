// Rows of a diff, as the server sends them (see the schema `Row`), as a table: unified or side by side.

import { code, element, plural, serverText } from "./dom.js";

/** What a person has chosen for all diffs. */
export const display = { split: false, whitespace: false };

/** Of a cell with code: which line of which side it shows, and its text. */
export const lineOf = new WeakMap();

const SPACES = { " ": "·", "\t": "→", "\r": "\\r" };

/** What a line itself has at its end and what looks like a mark: its last character is shown as its code. */
const FORGED_END = /[·→]$|\\r$/u;

/** The parts of a line, none of which ends inside of a text that looks like a code: it would not be seen as one then. */
function keepCodesWhole(parts) {
  const whole = [...parts];
  for (let at = 0; at + 1 < whole.length; at += 1) {
    const start = /⟨U?$/u.exec(whole[at])?.[0] ?? "";
    if (start && (start + whole.slice(at + 1).join("")).startsWith("⟨U+")) {
      whole[at] = whole[at].slice(0, whole[at].length - start.length);
      whole[at + 1] = start + whole[at + 1];
    }
  }
  return whole;
}

/** A line in parts, of which every second one has changed. Whitespace at the end of a changed line is always visible. */
function line(split, mark, { changed, cut, open }) {
  const parts = keepCodesWhole(split);
  const text = parts.join("");
  let left = countAtEnd(text, changed || display.whitespace ? " \t\r" : "\r");
  let forged = FORGED_END.exec(text.slice(0, text.length - left))?.[0].at(-1) ?? "";
  const nodes = [];
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const isMarked = at % 2 === 1;
    const rest = parts[at].slice(0, Math.max(0, parts[at].length - left));
    const tail = parts[at].slice(rest.length);
    left -= tail.length;
    const last = rest && forged;
    if (last) forged = "";
    const body = rest.slice(0, rest.length - last.length);
    // Whitespace that has changed is visible in any case.
    const cells = [spaces(body, display.whitespace || (isMarked && /^\s+$/.test(body))), last && serverText(code(last)), tail && lineEnd(tail)];
    nodes.unshift(isMarked && parts[at] !== "" ? element("mark", { class: mark }, cells) : cells);
  }
  if (cut) nodes.push(element("span", { class: "note" }, ` … ${plural(cut, "more character")}`));
  if (open) nodes.push(element("span", { class: "note" }, " no newline at end of file"));
  return nodes;
}

/** How many of these characters end a text. Without a pattern: one that looks for an end tries every place. */
function countAtEnd(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end -= 1;
  return text.length - end;
}

/** Whitespace at the end of a line: spaces, tabs and carriage returns as marks. */
const lineEnd = (text) => element("span", { class: "space end" }, [...text].map((one) => SPACES[one]).join(""));

/** Text with visible tabs, and with visible spaces if it has nothing else. */
function spaces(text, visible) {
  if (!visible) return text;
  if (/^ +$/.test(text)) return element("span", { class: "space" }, "·".repeat(text.length));
  return text.split("\t").flatMap((piece, at) => (at ? [element("span", { class: "space" }, "→"), "\t", piece] : [piece]));
}

const number = (value) => element("td", { class: "number" }, value ? String(value) : "");

/** The cell of a line, on the side `before` or `after`. */
function codeCell(row, side, { kind = "same", sign = " " } = {}) {
  const isSame = "text" in row;
  const parts = isSame ? [row.text] : row[side];
  const content = line(parts, side === "before" ? "minus" : "plus",
    { changed: !isSame && !row.around, cut: row.cut, open: row.no_newline?.includes(side) });
  const cell = element("td", { class: `code ${kind}` }, element("span", { class: "sign" }, sign), content);
  lineOf.set(cell, { side, number: side === "before" ? row.old : row.new, text: parts.join("") });
  return cell;
}

/** The rows below one another: of each block, what is removed comes first. */
function unifiedRows(rows) {
  const out = [];
  let added = [];
  const flush = () => { out.push(...added); added = []; };
  for (const row of rows) {
    if ("text" in row) {
      flush();
      out.push(element("tr", {}, number(row.old), number(row.new), codeCell(row, "after")));
      continue;
    }
    if (row.before) out.push(element("tr", {}, number(row.old), number(), codeCell(row, "before", { kind: "minus", sign: "−" })));
    if (row.after) added.push(element("tr", {}, number(), number(row.new), codeCell(row, "after", { kind: "plus", sign: "+" })));
  }
  flush();
  return out;
}

function splitRows(rows) {
  return rows.map((row) => {
    const same = "text" in row || row.around;
    const half = (side, kind, sign, value) => row[side] || "text" in row
      ? [number(value), codeCell(row, side, same ? {} : { kind, sign })]
      : [number(), element("td", { class: "code none" })];
    return element("tr", { class: row.around && "around" }, half("before", "minus", "−", row.old), half("after", "plus", "+", row.new));
  });
}

/** Rows in a table. `compare` is for two texts neither of which is older: side by side, without signs. */
export function table(rows, label, { compare = false } = {}) {
  const split = display.split || compare;
  const columns = split ? ["number", "code", "number", "code"] : ["number", "number", "code"];
  return element("table", { class: `diff ${split ? "split" : "unified"} ${compare ? "compare" : ""}`, "aria-label": label },
    element("colgroup", {}, columns.map((name) => element("col", { class: name }))),
    element("tbody", {}, split ? splitRows(rows) : unifiedRows(rows)));
}

/** Rows in parts of about so many. A block of changed rows stays whole: unified, its removed lines come first. */
export function chunksOf(rows, size) {
  const chunks = [];
  let start = 0;
  while (start < rows.length) {
    let end = Math.min(rows.length, start + size);
    while (!display.split && end < rows.length && end < start + 2 * size && !("text" in rows[end]) && rows[end].before && rows[end - 1].after) end += 1;
    chunks.push(rows.slice(start, end));
    start = end;
  }
  return chunks;
}
