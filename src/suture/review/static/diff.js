// Diffs from rows that the server sends (see the schema `Row`): unified or side by side.

import { append, button, counts, element, pathName, plural } from "./dom.js";

/** What a person has chosen for all diffs. */
export const display = { split: false, whitespace: false };

/** Tables of this many rows, so that a browser only lays out those in view. */
const ROWS_IN_TABLE = 200;

const KINDS = { add: "new file", update: "", delete: "deleted", move: "renamed", read: "read", list: "list" };

/** A line in parts, of which every second one has changed. */
function line(parts, mark, cut, open) {
  const last = parts.length - 1;
  const nodes = parts.map((part, at) => {
    const changed = at % 2 === 1;
    // Whitespace that has changed is visible in any case.
    const end = at === last || parts.slice(at + 1).every((rest) => rest === "");
    const text = spaces(part, display.whitespace || (changed && /^\s+$/.test(part)), end);
    return changed && part !== "" ? element("mark", { class: mark }, text) : text;
  });
  if (cut) nodes.push(element("span", { class: "note" }, ` … ${plural(cut, "more character")}`));
  if (open) nodes.push(element("span", { class: "note" }, " no newline at end of file"));
  return nodes;
}

function spaces(text, visible, end) {
  const body = end ? text.replace(/\r$/, "") : text;
  if (!visible) return body;
  const kept = end ? body.replace(/ +$/, "") : body;
  const pieces = kept.split("\t").flatMap((piece, at) => (at ? [element("span", { class: "space" }, "→"), "\t", piece] : [piece]));
  const dots = end ? body.length - kept.length : /^ +$/.test(body) ? body.length : 0;
  if (dots) pieces.splice(end ? pieces.length : 0, end ? 0 : pieces.length, element("span", { class: "space" }, "·".repeat(dots)));
  if (body !== text) pieces.push(element("span", { class: "space" }, "␍"));
  return pieces;
}

const number = (value) => element("td", { class: "number" }, value ? String(value) : "");
const cell = (kind, sign, content) =>
  element("td", { class: `code ${kind}` }, element("span", { class: "sign" }, sign), content);

function side(row, name) {
  const parts = "text" in row ? [row.text] : row[name];
  return parts && line(parts, name === "before" ? "minus" : "plus", row.cut, row.no_newline?.includes(name));
}

function unifiedRows(rows) {
  const out = [];
  let added = [];
  const flush = () => { out.push(...added); added = []; };
  for (const row of rows) {
    if ("text" in row) {
      flush();
      out.push(element("tr", {}, number(row.old), number(row.new), cell("same", " ", side(row, "after"))));
      continue;
    }
    if (row.before) out.push(element("tr", {}, number(row.old), number(), cell("minus", "−", side(row, "before"))));
    if (row.after) added.push(element("tr", {}, number(), number(row.new), cell("plus", "+", side(row, "after"))));
  }
  flush();
  return out;
}

function splitRows(rows) {
  return rows.map((row) => {
    const same = "text" in row || row.around;
    const half = (name, kind, sign, value) => row[name] || "text" in row
      ? [number(value), cell(same ? "same" : kind, same ? " " : sign, side(row, name))]
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

/** The rows of a hunk in tables, and a button for the rest. `load` fetches more of it. */
function hunkBody(hunk, load) {
  const body = element("div", { class: "rows" });
  const show = (view) => {
    for (let at = 0; at < view.rows.length; at += ROWS_IN_TABLE) {
      append(body, [table(view.rows.slice(at, at + ROWS_IN_TABLE), `Hunk ${hunk.number}`)]);
    }
    const left = view.total - view.start - view.rows.length;
    if (left > 0 && load) {
      const more = button(`Show ${plural(Math.min(left, 2000), "more line")} of ${left.toLocaleString("en")}`, "", async () => {
        more.disabled = true;
        const next = await load(hunk.number, view.start + view.rows.length);
        more.remove();
        show(next);
      }, { class: "more" });
      append(body, [more]);
    }
  };
  show(hunk);
  return body;
}

/** The fold between two hunks. `load` fetches lines of the file before, if there is a way. */
function gap(first, last, shift, load) {
  if (last < first) return null;
  const text = `${plural(last - first + 1, "unchanged line")}`;
  if (!load) return element("div", { class: "gap" }, text);
  const fold = element("div", { class: "gap" }, button(`Show ${text}`, "", async () => {
    const { lines } = await load(first, Math.min(last, first + 499));
    const rows = lines.map((content, at) => ({ old: first + at, new: first + at + shift, text: content }));
    const left = gap(first + lines.length, last, shift, load);
    fold.replaceWith(table(rows, "Unchanged lines"), ...(left && lines.length ? [left] : []));
  }));
  return fold;
}

/**
 * One file of a request or a commit.
 * `choice` (optional) has `chosen(path, hunk)`, `choose(path, hunk, yes)` and `locked`; `load` has `hunk` and `lines`.
 */
export function fileDiff(file, { choice, load = {}, folded = false, links } = {}) {
  const id = `file-${file.index}`;
  const body = element("div", { class: "file-body", id: `${id}-body`, hidden: folded });
  const fold = element("button", { type: "button", class: "fold", id: `${id}-fold`, "aria-expanded": String(!folded),
    "aria-controls": `${id}-body`, "aria-label": `Show ${file.path}`, onclick: () => {
      body.hidden = !body.hidden;
      fold.setAttribute("aria-expanded", String(!body.hidden));
      if (!body.hidden && !body.hasChildNodes()) fill();
    } }, element("span", { class: "chevron", "aria-hidden": "true" }));
  const fill = () => {
    let end = 0;
    let shift = 0;
    for (const hunk of file.hunks) {
      append(body, [gap(end + 1, hunk.first - 1, shift, load.lines), hunkSection(file, hunk, choice, load)]);
      end = hunk.last;
      shift = hunk.shift;
    }
    if (!file.hunks.length) append(body, [element("p", { class: "plain" }, nothingToShow(file))]);
  };
  if (!folded) fill();
  return element("section", { class: "file", "aria-label": file.path, "data-path": file.index },
    element("header", { class: "file-head" }, fold,
      choice && !file.hunks.length && checkbox(`${id}-choice`, `Approve ${file.path}`, choice, file, 0),
      element("h3", {}, pathName(file.path), file.move_to && [" → ", pathName(file.move_to)]),
      KINDS[file.kind] && element("span", { class: `badge ${file.kind}` }, KINDS[file.kind]),
      file.target && element("span", { class: "badge" }, `link to ${file.target}`),
      (file.notes || []).map((note) => element("span", { class: "badge warn" }, note)),
      element("span", { class: "fill" }), links, counts(file.additions, file.deletions)),
    body);
}

function nothingToShow(file) {
  if (file.kind === "read" || file.kind === "list") return `Only asks to ${file.kind} it.`;
  if (file.kind === "move") return "Renamed without changes.";
  return file.is_binary ? "A binary file, or one that is not text. There is no diff to show." : "An empty file.";
}

function checkbox(id, label, choice, file, hunk, text = "") {
  return element("label", { class: "choice" },
    element("input", { type: "checkbox", id, checked: choice.chosen(file, hunk), disabled: choice.locked,
      "aria-label": label, onchange: (event) => choice.choose(file, hunk, event.target.checked) }), text);
}

function hunkSection(file, hunk, choice, load) {
  const id = `hunk-${file.index}-${hunk.number}`;
  const label = `Hunk ${hunk.number} of ${file.hunks.length} of ${file.path}`;
  return element("section", { class: "hunk", id, tabindex: "-1", "aria-label": label,
    "data-file": String(file.index), "data-hunk": String(hunk.number) },
    element("header", { class: "hunk-head" },
      choice && checkbox(`${id}-choice`, `Approve ${label.toLowerCase()}`, choice, file, hunk.number),
      element("span", { class: "hunk-name" }, `Hunk ${hunk.number}`),
      element("code", {}, hunk.header)),
    hunkBody(hunk, load.hunk && ((numberOf, start) => load.hunk(file, numberOf, start))));
}
