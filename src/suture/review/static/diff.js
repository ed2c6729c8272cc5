// Diffs from rows that the server sends (see the schema `Row`): unified or side by side.

import { append, button, code, counts, element, pathName, plural, serverText, useUp } from "./dom.js";

/** What a person has chosen for all diffs. */
export const display = { split: false, whitespace: false };

/** Tables of this many rows, so that a browser only lays out those in view. */
const ROWS_IN_TABLE = 200;

const KINDS = { add: "new file", update: "", delete: "deleted", move: "renamed", read: "read", list: "list" };

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
  const end = changed || display.whitespace ? /[ \t\r]*$/ : /\r*$/;
  const text = parts.join("");
  let left = end.exec(text)[0].length;
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

/** Whitespace at the end of a line: spaces, tabs and carriage returns as marks. */
const lineEnd = (text) => element("span", { class: "space end" }, [...text].map((one) => SPACES[one]).join(""));

/** Text with visible tabs, and with visible spaces if it has nothing else. */
function spaces(text, visible) {
  if (!visible) return text;
  if (/^ +$/.test(text)) return element("span", { class: "space" }, "·".repeat(text.length));
  return text.split("\t").flatMap((piece, at) => (at ? [element("span", { class: "space" }, "→"), "\t", piece] : [piece]));
}

const number = (value) => element("td", { class: "number" }, value ? String(value) : "");
const cell = (kind, sign, content) =>
  element("td", { class: `code ${kind}` }, element("span", { class: "sign" }, sign), content);

function side(row, name) {
  const parts = "text" in row ? [row.text] : row[name];
  const changed = !("text" in row) && !row.around;
  return parts && line(parts, name === "before" ? "minus" : "plus", { changed, cut: row.cut, open: row.no_newline?.includes(name) });
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

/**
 * The rows of a hunk in tables, with buttons for the rest of it and of long lines. `load` fetches more.
 * `hunk.isShown` says whether all of it is on the page; `changed` is called when that may have changed.
 */
function hunkBody(hunk, load, changed) {
  const body = element("div", { class: "rows" });
  // Rows that are not on the page yet, and parts in which lines are cut, each with what shows them.
  const missing = new Set();
  const update = () => { hunk.isShown = missing.size === 0; changed?.(); };
  const offer = (label, act) => {
    const task = { act: async () => {
      if (!missing.has(task)) return;
      await useUp(offered, async () => {
        offered.disabled = true;
        await act().finally(() => { offered.disabled = false; });
        missing.delete(task);
        offered.remove();
      });
      update();
    } };
    const offered = load && button(label, "", task.act, { class: "more" });
    missing.add(task);
    return offered;
  };
  const show = (view, place) => {
    const part = element("div");
    const draw = ({ rows }) => {
      part.replaceChildren();
      for (let at = 0; at < rows.length; at += ROWS_IN_TABLE) {
        append(part, [table(rows.slice(at, at + ROWS_IN_TABLE), `Hunk ${hunk.number}`)]);
      }
    };
    draw(view);
    place.append(part);
    const cut = view.rows.filter((row) => row.cut).length;
    if (cut) {
      append(place, [offer(`Show all of ${plural(cut, "long line")}`, async () =>
        draw(await load(hunk.number, { start: view.start, rows: view.rows.length, whole: 1 })))]);
    }
    const next = view.start + view.rows.length;
    const left = view.total - next;
    if (left > 0) {
      const rest = element("div");
      append(place, [offer(`Show ${plural(Math.min(left, 2000), "more line")} of ${left.toLocaleString("en")}`, async () =>
        show(await load(hunk.number, { start: next }), rest)), rest]);
    }
  };
  show(hunk, body);
  /** Show everything that is missing. */
  hunk.reveal = async () => {
    while (missing.size) await [...missing][0].act();
  };
  update();
  return body;
}

/** The fold between two hunks. `load` fetches lines of the file before, if there is a way. */
function gap(first, last, shift, load) {
  if (last < first) return null;
  const text = `${plural(last - first + 1, "unchanged line")}`;
  if (!load) return element("div", { class: "gap" }, text);
  const fold = element("div", { class: "gap" }, button(`Show ${text}`, "", () => useUp(fold, async () => {
    const { lines } = await load(first, Math.min(last, first + 499));
    const rows = lines.map((content, at) => ({ old: first + at, new: first + at + shift, text: content }));
    const left = gap(first + lines.length, last, shift, load);
    fold.replaceWith(table(rows, "Unchanged lines"), ...(left && lines.length ? [left] : []));
  })));
  return fold;
}

/**
 * One file of a request or a commit.
 * `choice` (optional) has `chosen(path, hunk)`, `choose(path, hunk, yes)` and `locked`; `load` has `hunk` and `lines`.
 * `file.reveal` shows all of it, and `changed` is called when more of it is shown.
 */
export function fileDiff(file, { choice, load = {}, folded = false, links, changed } = {}) {
  const id = `file-${file.index}`;
  const body = element("div", { class: "file-body", id: `${id}-body`, hidden: folded });
  const unfold = (yes) => {
    body.hidden = !yes;
    fold.setAttribute("aria-expanded", String(yes));
    if (yes && !body.hasChildNodes()) fill();
  };
  const fold = element("button", { type: "button", class: "fold", id: `${id}-fold`, "aria-expanded": String(!folded),
    "aria-controls": `${id}-body`, "aria-label": `Show ${file.path}`, onclick: () => unfold(body.hidden) },
  element("span", { class: "chevron", "aria-hidden": "true" }));
  for (const hunk of file.hunks) hunk.isShown = false;
  file.reveal = async () => {
    if (file.hunks.some((hunk) => !hunk.isShown)) unfold(true);
    for (const hunk of file.hunks) await hunk.reveal();
  };
  const fill = () => {
    let end = 0;
    let shift = 0;
    for (const hunk of file.hunks) {
      append(body, [gap(end + 1, hunk.first - 1, shift, load.lines), hunkSection(file, hunk, choice, load, changed)]);
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
  if (file.summary) return file.summary;
  if (file.kind === "read" || file.kind === "list") return `Only asks to ${file.kind} it.`;
  if (file.kind === "move") return "Renamed without changes.";
  return file.is_binary ? "A binary file, or one that is not text. There is no diff to show." : "An empty file.";
}

function checkbox(id, label, choice, file, hunk, text = "") {
  return element("label", { class: "choice" },
    element("input", { type: "checkbox", id, checked: choice.chosen(file, hunk), disabled: choice.locked,
      "aria-label": label, onchange: (event) => choice.choose(file, hunk, event.target.checked) }), text);
}

function hunkSection(file, hunk, choice, load, changed) {
  const id = `hunk-${file.index}-${hunk.number}`;
  const label = `Hunk ${hunk.number} of ${file.hunks.length} of ${file.path}`;
  return element("section", { class: "hunk", id, tabindex: "-1", "aria-label": label,
    "data-file": String(file.index), "data-hunk": String(hunk.number) },
    element("header", { class: "hunk-head" },
      choice && checkbox(`${id}-choice`, `Approve ${label.toLowerCase()}`, choice, file, hunk.number),
      element("span", { class: "hunk-name" }, `Hunk ${hunk.number}`),
      element("code", {}, hunk.header)),
    hunkBody(hunk, load.hunk && ((numberOf, part) => load.hunk(file, numberOf, part)), changed));
}
