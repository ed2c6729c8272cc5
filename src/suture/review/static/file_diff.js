// One file of a request or a commit: its head, its hunks, and the unchanged lines around them on request. What was unfolded
// or fetched is kept in the file, so that it stays when the diff is drawn again. And the tree of all files.

import { append, button, counts, element, pathName, plural, redraw, replace, useUp } from "./dom.js";
import { SyntaxColors } from "./syntax_colors.js";

const KINDS = { add: "new file", update: "", delete: "deleted", move: "renamed", read: "read", list: "list" };

/** Unchanged lines that are shown at once above or below a hunk. */
const STEP = 20;
/** A fold with no more lines than this unfolds as a whole. */
const SMALL_FOLD = 2 * STEP;
/** The server sends no more lines at once than this. */
const MOST_LINES = 500;

/** How many parts a hunk has: runs of changed rows. */
export const partCount = (hunk) => hunk.rows.filter((row, at) => !("text" in row) && (at === 0 || "text" in hunk.rows[at - 1])).length;

/** The names of what can be chosen of a file: its hunks, the parts of those that are split, or the file itself. */
export function unitsOf(file) {
  if (!file.hunks.length || file.edited) return ["0"];
  return file.hunks.flatMap((hunk) => hunk.isSplit
    ? Array.from({ length: partCount(hunk) }, (_, at) => `${hunk.number}.${at + 1}`) : [`${hunk.number}`]);
}

/**
 * The elements of a file.
 *
 * - `rows` is the `RowWindow` that shows its rows.
 * - `choice` (optional) has `locked`, `chosen(file, unit)` and `choose(file, units, yes)`.
 * - `load` has `hunk(file, number, part)`, and `lines(file, first, last)` and `colors(file)` where that is possible.
 * - `viewed` (optional) has `is(file)` and `set(file, yes)`; `comments` (optional) shows what was written about lines.
 * - `links` and `tools` (optional) are more elements for the head; `below` come under it.
 * - `changed` is called when more of it is shown, or other units can be chosen.
 */
export class FileDiff {
  constructor(file, options) {
    Object.assign(this, { file, ...options });
    file.gaps ??= {};
    file.isFolded ??= Boolean(options.folded) || Boolean(this.viewed?.is(file));
    file.wasOpened ??= !file.isFolded;
    this.id = `file-${file.index}`;
    const address = this.load?.colors?.(file);
    this.colors = address && new SyntaxColors(address.path, address.query);
    this.boxes = new Map();
    for (const hunk of file.hunks) hunk.isShown = file.wasOpened && isComplete(hunk);
    this.node = this.build();
    file.reveal = () => this.reveal();
    file.goTo = () => { this.unfold(true); this.node.scrollIntoView({ block: "start" }); this.node.focus({ preventScroll: true }); };
    file.setViewed = (yes) => this.setViewed(yes);
  }

  build() {
    const { file, id } = this;
    this.body = element("div", { class: "file-body", id: `${id}-body`, hidden: file.isFolded });
    this.fold = element("button", { type: "button", class: "fold", id: `${id}-fold`, "aria-expanded": String(!file.isFolded),
      "aria-controls": `${id}-body`, "aria-label": `Show ${file.path}`, onclick: () => this.unfold(this.body.hidden) },
    element("span", { class: "chevron", "aria-hidden": "true" }));
    this.mark = this.viewed && element("label", { class: "viewed-mark" },
      element("input", { type: "checkbox", id: `${id}-viewed`, checked: this.viewed.is(file), onchange: (event) => this.setViewed(event.target.checked) }), " Viewed");
    if (!file.isFolded) this.fill();
    const node = element("section", { class: "file", id, tabindex: "-1", "aria-label": file.path, "data-path": file.index },
      element("header", { class: "file-head" }, this.fold, this.choice && this.wholeBox(),
        element("h3", {}, pathName(file.path), file.move_to && [" → ", pathName(file.move_to)]),
        KINDS[file.kind] && element("span", { class: `badge ${file.kind}` }, KINDS[file.kind]),
        file.target && element("span", { class: "badge" }, `link to ${file.target}`),
        this.notes ? this.notes(file) : (file.notes || []).map((note) => element("span", { class: "badge warn" }, note)),
        element("span", { class: "fill" }), this.tools, this.links, counts(file.additions, file.deletions), this.mark),
      this.below, this.body);
    return node;
  }

  /** The box of the whole file, which is neither on nor off if only some of it is chosen. */
  wholeBox() {
    const { file, choice } = this;
    this.whole = element("input", { type: "checkbox", id: `${this.id}-choice`, disabled: choice.locked, "aria-label": `Approve ${file.path}`,
      onchange: (event) => { choice.choose(file, unitsOf(file), event.target.checked); this.showChoice(); } });
    this.showChoice();
    return element("label", { class: "choice" }, this.whole);
  }

  showChoice() {
    if (!this.choice) return;
    const units = unitsOf(this.file);
    const chosen = units.filter((unit) => this.choice.chosen(this.file, unit)).length;
    this.whole.checked = chosen === units.length;
    this.whole.indeterminate = chosen > 0 && chosen < units.length;
    for (const [unit, box] of this.boxes) box.checked = this.choice.chosen(this.file, unit);
  }

  box(unit, label) {
    const { file, choice } = this;
    const box = element("input", { type: "checkbox", id: `hunk-${file.index}-${unit.replace(".", "-")}-choice`, checked: choice.chosen(file, unit), disabled: choice.locked,
      "aria-label": `Approve ${label}`, onchange: (event) => { choice.choose(file, [unit], event.target.checked); this.showChoice(); } });
    this.boxes.set(unit, box);
    return element("label", { class: "choice" }, box);
  }

  unfold(yes) {
    const { file } = this;
    this.body.hidden = !yes;
    file.isFolded = !yes;
    this.fold.setAttribute("aria-expanded", String(yes));
    if (!yes || this.body.hasChildNodes()) return;
    file.wasOpened = true;
    this.fill();
    for (const hunk of file.hunks) hunk.isShown = isComplete(hunk);
    this.changed?.();
  }

  setViewed(yes) {
    this.viewed.set(this.file, yes);
    this.mark.querySelector("input").checked = yes;
    if (yes && this.body.contains(document.activeElement)) this.node.focus({ preventScroll: true });
    this.unfold(!yes);
  }

  async reveal() {
    if (this.file.hunks.some((hunk) => !hunk.isShown)) this.unfold(true);
    for (const hunk of this.file.hunks) {
      while (!hunk.isShown) await this.loadMore(hunk);
    }
  }

  fill() {
    const { file } = this;
    file.hunks.forEach((hunk, at) => append(this.body, [this.gap(at), this.hunk(hunk)]));
    append(this.body, [file.hunks.length > 0 && this.gap(file.hunks.length)]);
    if (!file.hunks.length) append(this.body, [element("p", { class: "plain" }, nothingToShow(file))]);
    append(this.body, [this.preview?.(file)]);
  }

  show(rows, label) {
    return this.rows.show(rows, label, { drawn: (node) => {
      this.comments?.draw(this.file, node);
      if (this.colors) void this.colors.color(node);
    } });
  }

  // Unchanged lines.

  /** The unchanged lines before a hunk, or after the last one: those that were unfolded, and buttons for the others. */
  gap(at) {
    const { file } = this;
    const [above, below] = [file.hunks[at - 1], file.hunks[at]];
    const first = above ? above.last + 1 : 1;
    const last = below ? below.first - 1 : file.line_count ?? 0;
    if (last < first) return null;
    const gap = (file.gaps[at] ??= { top: [], bottom: [] });
    const shift = above?.shift ?? 0;
    const place = element("div", { class: "unchanged" });
    const draw = () => {
      this.rows.drop([...place.querySelectorAll(".chunk")]);
      const [from, to] = [first + gap.top.length, last - gap.bottom.length];
      replace(place, this.show(gap.top, "Unchanged lines"), to >= from && bar(from, to), this.show(gap.bottom, "Unchanged lines"));
    };
    const fetchLines = async (from, to) => {
      const { lines } = await this.load.lines(file, from, to);
      return lines.map((text, offset) => ({ old: from + offset, new: from + offset + shift, text }));
    };
    const bar = (from, to) => {
      const left = to - from + 1;
      const text = plural(left, "unchanged line");
      if (!this.load.lines) return element("div", { class: "gap" }, text);
      const step = (label, name, act) => button(label, "", () => useUp(fold, async () => { await act(); draw(); }), { "aria-label": name });
      const down = async (count) => { gap.top.push(...await fetchLines(from, Math.min(to, from + count - 1))); };
      const up = async (count) => { gap.bottom.unshift(...await fetchLines(Math.max(from, to - count + 1), to)); };
      const isSmall = left <= SMALL_FOLD;
      const fold = element("div", { class: "gap" },
        !isSmall && above && step(`↓ ${STEP} lines`, `Show ${STEP} lines below hunk ${above.number}`, () => down(STEP)),
        step(`Show ${left > MOST_LINES ? `${MOST_LINES} of ` : ""}${text}`, "", () => (below ? up(Math.min(left, MOST_LINES)) : down(MOST_LINES))),
        !isSmall && below && step(`↑ ${STEP} lines`, `Show ${STEP} lines above hunk ${below.number}`, () => up(STEP)));
      return fold;
    };
    draw();
    return place;
  }

  // Hunks.

  hunk(hunk) {
    const { file } = this;
    const id = `hunk-${file.index}-${hunk.number}`;
    const label = `hunk ${hunk.number} of ${file.hunks.length} of ${file.path}`;
    const node = element("section", { class: "hunk", id, tabindex: "-1", "aria-label": label[0].toUpperCase() + label.slice(1),
      "data-file": String(file.index), "data-hunk": String(hunk.number) });
    hunk.draw = () => redraw(node, () => {
      this.rows.drop([...node.querySelectorAll(".chunk")]);
      node.replaceChildren();
      for (const unit of [...this.boxes.keys()]) if (unit.split(".")[0] === String(hunk.number)) this.boxes.delete(unit);
      const body = element("div", { class: "rows" });
      append(node, [
        element("header", { class: "hunk-head" },
          this.choice && !hunk.isSplit && !file.edited && this.box(`${hunk.number}`, label),
          element("span", { class: "hunk-name" }, hunk.label ?? `Hunk ${hunk.number}`), element("code", {}, hunk.header.replace(/ @@ .*$/, " @@")),
          hunk.section && element("code", { class: "section", title: hunk.section }, hunk.section),
          element("span", { class: "fill" }), this.splitButton(hunk), this.hunkTools?.(file, hunk)),
        body]);
      append(body, hunk.isSplit ? this.parts(hunk) : this.show(hunk.rows, `Hunk ${hunk.number}`));
      append(body, [this.moreButton(hunk)]);
    });
    hunk.draw();
    return node;
  }

  /** The rows of a hunk that is split, part by part, each with its own box. */
  parts(hunk) {
    const nodes = [];
    let part = 0;
    let start = 0;
    const isNew = (at) => !("text" in hunk.rows[at]) && (at === 0 || "text" in hunk.rows[at - 1]);
    const ends = hunk.rows.map((_, at) => at).filter(isNew).slice(1).map((at) => middle(hunk.rows, at));
    for (const end of [...ends, hunk.rows.length]) {
      part += 1;
      const unit = `${hunk.number}.${part}`;
      nodes.push(element("div", { class: "part" }, element("header", { class: "hunk-head" },
        this.choice && this.box(unit, `part ${part} of hunk ${hunk.number} of ${this.file.path}`), element("span", {}, `Part ${part}`)),
      this.show(hunk.rows.slice(start, end), `Part ${part} of hunk ${hunk.number}`)));
      start = end;
    }
    return nodes;
  }

  splitButton(hunk) {
    const canSplit = this.choice && this.canSplit && !this.choice.locked && isComplete(hunk) && partCount(hunk) > 1;
    if (!canSplit) return null;
    return button(hunk.isSplit ? "Join" : "Split", "", () => {
      const units = unitsOf(this.file).filter((unit) => unit.split(".")[0] === String(hunk.number));
      this.choice.choose(this.file, units, true);
      hunk.isSplit = !hunk.isSplit;
      hunk.draw();
      this.showChoice();
      this.changed?.();
      document.getElementById(`hunk-${this.file.index}-${hunk.number}`)?.focus({ preventScroll: true });
    }, { class: "quiet-button split-hunk", "aria-label": `${hunk.isSplit ? "Join" : "Split"} hunk ${hunk.number}` });
  }

  /** A button for what is missing of a hunk: rows, or the ends of long lines. */
  moreButton(hunk) {
    if (isComplete(hunk)) return null;
    const left = hunk.total - hunk.rows.length;
    const cut = hunk.rows.filter((row) => row.cut).length;
    const label = left > 0 ? `Show ${plural(Math.min(left, 2000), "more line")} of ${left.toLocaleString("en")}` : `Show all of ${plural(cut, "long line")}`;
    const more = button(label, "", () => useUp(more, () => { more.disabled = true; return this.loadMore(hunk).finally(() => { more.disabled = false; }); }), { class: "more" });
    return more;
  }

  /** Fetch the next rows of a hunk; once all are there, the whole of its long lines. */
  async loadMore(hunk) {
    if (hunk.rows.length < hunk.total) {
      const view = await this.load.hunk(this.file, hunk.number, { start: hunk.rows.length });
      hunk.rows.push(...view.rows);
      hunk.total = view.total;
    } else {
      const start = hunk.rows.findIndex((row) => row.cut);
      const view = await this.load.hunk(this.file, hunk.number, { start, rows: Math.min(200, hunk.rows.length - start), whole: 1 });
      hunk.rows.splice(start, view.rows.length, ...view.rows);
    }
    hunk.isShown = this.file.wasOpened && isComplete(hunk);
    hunk.draw?.();
    this.changed?.();
  }
}

/** Whether all rows of a hunk are there, each with all its characters. */
const isComplete = (hunk) => hunk.rows.length >= hunk.total && !hunk.rows.some((row) => row.cut);

/** Where the part before a changed row ends: in the middle of the unchanged rows above it. */
function middle(rows, at) {
  let above = at;
  while (above > 0 && "text" in rows[above - 1]) above -= 1;
  return above + Math.ceil((at - above) / 2);
}

function nothingToShow(file) {
  if (file.summary) return file.summary;
  if (file.kind === "read" || file.kind === "list") return `Only asks to ${file.kind} it.`;
  if (file.kind === "move") return "Renamed without changes.";
  return file.is_binary ? "A binary file, or one that is not text. There is no diff to show." : "An empty file.";
}

// The files as a tree: where they are, how much changes, what was viewed.

/** A tree is worth its room from this many files on. */
const FEWEST = 3;

const SIGNS = { add: "+", delete: "−", move: "→", update: "", read: "", list: "" };

/** The tree, or nothing. `go` is called with the file that somebody chose; `isViewed` says which are done. */
export function fileTree(files, { go, isViewed = () => false }) {
  if (files.length < FEWEST) return null;
  const root = { folders: new Map(), files: [] };
  for (const file of files) {
    let place = root;
    for (const name of file.path.split("/").slice(0, -1)) {
      if (!place.folders.has(name)) place.folders.set(name, { folders: new Map(), files: [] });
      place = place.folders.get(name);
    }
    place.files.push(file);
  }
  return element("details", { class: "tree", open: files.length <= 60 },
    element("summary", {}, `${files.length.toLocaleString("en")} files`),
    element("nav", { "aria-label": "Files" }, branch(root, go, isViewed)));
}

function branch({ folders, files }, go, isViewed) {
  return element("ul", {},
    [...folders].map(([name, inside]) => {
      // A folder that has only one folder in it shares its line.
      let [label, place] = [`${name}/`, inside];
      while (!place.files.length && place.folders.size === 1) {
        const [[next, deeper]] = place.folders;
        [label, place] = [`${label}${next}/`, deeper];
      }
      return element("li", {}, element("span", { class: "folder", dir: "ltr" }, label), branch(place, go, isViewed));
    }),
    files.map((file) => element("li", { class: isViewed(file) && "viewed" },
      element("button", { type: "button", class: "quiet-button", id: `tree-${file.index}`, onclick: () => go(file) },
        SIGNS[file.kind] && `${SIGNS[file.kind]} `, file.path.slice(file.path.lastIndexOf("/") + 1)), " ", counts(file.additions, file.deletions),
      isViewed(file) && element("span", { class: "muted" }, " viewed"))));
}
