// What can be done with one file of a request besides choosing: comment on its lines, see it rendered or as a picture, see what
// the model wrote, and write another text instead.

import { hold } from "./answer_bar.js";
import { ApiError, fetchBlob, get, post } from "./api.js";
import { button, element, focusLate, serverText } from "./dom.js";
import { lineOf, table } from "./rows.js";

const MARKDOWN = /\.(md|markdown)$/i;

/** The most pixels of a side that are drawn. */
const LONGEST_SIDE = 640;

/** What is drawn before the next picture: one at a time is in memory with all of its points. */
let drawn = Promise.resolve();

export class FileTools {
  /** `path(file)` is the address of a file; `redraw` draws the request again. */
  constructor(request, draft, { locked, path, redraw, changed }) {
    Object.assign(this, { request, draft, locked, path, redraw, changed });
  }

  /** Bring back the text that a person wrote for a file before the page was loaded. If that fails, it is in an open editor. */
  async restore(file) {
    const text = this.draft.edits[file.path];
    if (text === undefined || file.edited || file.isRestoring) return;
    file.isRestoring = true;
    try {
      await this.keep(file, text);
    } catch (error) {
      this.draft.typed[file.path] = text;
      delete this.draft.edits[file.path];
      this.draft.keep();
      this.redraw();
      throw error; // The page says that the server can't be reached, or what it has said.
    } finally {
      delete file.isRestoring;
    }
  }

  options(file) {
    const panel = element("div", { class: "file-panel" });
    const openers = [];
    let opening = null;
    const show = (opener, content) => { panel.replaceChildren(content); opener.setAttribute("aria-expanded", "true"); };
    const pane = document.getElementById("detail");
    const close = (opener) => { panel.replaceChildren(); opener.setAttribute("aria-expanded", "false"); opener.focus({ preventScroll: true }); };
    const open = (id, label, act) => {
      let scrollTop;
      // Whoever closes it goes on reading where they were.
      const scrollBack = () => { pane.scrollTop = scrollTop ?? pane.scrollTop; };
      const opened = button(label, "", async () => {
        if (opening === opened) return;
        const isOpen = opened.getAttribute("aria-expanded") === "true";
        for (const other of openers) other.setAttribute("aria-expanded", "false");
        panel.replaceChildren();
        opening = isOpen ? null : opened;
        if (isOpen) return scrollBack();
        ({ scrollTop } = pane);
        const hunk = file.hunks[hunkAtHand(opened.closest(".file"))?.dataset.hunk - 1];
        // What is typed until then may be meant for the editor.
        const release = hold(pane);
        try {
          const content = await act(() => { close(opened); scrollBack(); });
          if (opening !== opened) return;
          show(opened, content);
          // The head of the file, which is in view, may belong far above.
          panel.scrollIntoView({ block: panel.getBoundingClientRect().top < pane.offsetTop ? "start" : "nearest" });
          const field = panel.querySelector("textarea");
          if (field) goToHunk(field, hunk);
          focusLate(field);
        } finally {
          if (opening === opened) opening = null;
          release();
        }
      }, { class: "quiet-button", id: `${id}-${file.index}`, "aria-expanded": "false", "aria-label": `${label}: ${file.path}` });
      openers.push(opened);
      return opened;
    };
    const canEdit = !this.locked && file.can_edit;
    const editing = canEdit && open("edit", "Edit", (close) => this.editor(file, close));
    // What was typed and not used yet is still there after the request was drawn anew.
    const typed = canEdit && this.draft.typed[file.path];
    if (typeof typed === "string") show(editing, this.editorOf(file, typed, () => close(editing)));
    const tools = element("span", { class: "links" },
      file.edited && element("span", { class: "badge warn" }, "your version"),
      file.edited && button("Discard my version", "", () => this.discard(file), { class: "quiet-button", id: `discard-${file.index}` }),
      MARKDOWN.test(file.move_to || file.path) && file.kind !== "delete" && file.hunks.length > 0 && open("preview", "Preview", () => this.preview(file)),
      editing);
    const sent = file.has_sent && ((note) => open("sent", note, () => this.sent(file)));
    return { tools, below: panel,
      notes: () => (file.notes || []).map((note, at) => {
        if (!sent || at > 0) return element("span", { class: "badge warn" }, note);
        const badge = sent(note);
        badge.className = "badge warn";
        badge.setAttribute("aria-label", `${note}: show what the model wrote`);
        return badge;
      }),
      preview: () => this.pictures(file) };
  }

  pictures(file) {
    const { before, after } = file.sizes ?? {};
    const hasSizes = typeof before === "number" || typeof after === "number";
    if (!hasSizes || (file.hunks.length > 0 && !file.pictures.length)) return null;
    const size = (bytes) => (bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} kB`);
    const text = [typeof before === "number" && size(before), typeof after === "number" && after !== before && size(after)].filter(Boolean).join(" → ");
    return [text !== "" && element("p", { class: "plain muted sizes" }, text),
      file.pictures.length > 0 && element("div", { class: "pictures" }, file.pictures.filter((side) => side === "before" || file.sizes.before !== file.sizes.after || file.pictures.length === 1)
        .map((side) => picture(`${this.path(file)}/picture?side=${side}`, side === "before" ? "Before" : "After")))];
  }

  async preview(file) {
    const { text } = file.edited ?? await get(`${this.path(file)}/text`, { side: "after" });
    const { renderMarkdown } = await import("./markdown.js");
    return renderMarkdown(text);
  }

  /** What the model wrote beside the file: what it looked for, and what it wanted instead. */
  async sent(file) {
    const { parts } = await get(`${this.path(file)}/sent`);
    return element("div", { class: "sent" }, parts.map((part) => [
      element("h4", {}, part.label),
      element("div", { class: "heads", "aria-hidden": "true" }, element("span", {}, "The model looked for"), element("span", {}, "The file has")),
      table(part.found, "What the model looked for beside the file", { compare: true }),
      element("div", { class: "heads", "aria-hidden": "true" }, element("span", {}, "The model wrote"), element("span", {}, "This will be written")),
      table(part.written, "What the model wrote beside what will be written", { compare: true })]));
  }

  // Text of the person's own.

  async editor(file, close) {
    const typed = this.draft.typed[file.path];
    const { text } = typeof typed === "string" ? { text: typed } : file.edited ?? await get(`${this.path(file)}/text`, { side: "after" });
    return this.editorOf(file, text, close);
  }

  editorOf(file, text, close) {
    const problem = element("p", { class: "gone", role: "alert" });
    const field = element("textarea", { class: "editor", id: `editor-${file.index}`, spellcheck: "false", rows: String(Math.min(30, text.split("\n").length + 1)),
      "aria-label": `Text of ${file.path}`, value: text,
      oninput: () => { this.draft.typed[file.path] = field.value; this.draft.keep(); this.changed(); },
      onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void save(); } } });
    const cancel = () => { this.forget(file); close(); this.changed(); };
    const save = async () => {
      try {
        await this.keep(file, field.value);
        focusLate(document.getElementById("detail"));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        problem.replaceChildren(serverText(error.message));
      }
    };
    return element("div", { class: "edit-panel" },
      element("p", { class: "hint" }, "This is the whole file as it would be written. The model is told what you change."),
      field, problem,
      element("p", {}, button("Use my version", "", save, { class: "good", id: `keep-${file.index}` }), " ", button("Cancel", "", cancel, { id: `cancel-${file.index}` })));
  }

  /** Take a text instead of the proposed one: the server says what that changes, and that is shown instead. */
  async keep(file, text) {
    const view = await post(`${this.path(file)}/edited`, { text });
    file.proposed ??= { hunks: file.hunks, additions: file.additions, deletions: file.deletions };
    file.edited = { text: view.text };
    Object.assign(file, { hunks: view.hunks, additions: view.additions, deletions: view.deletions, gaps: {}, isFolded: false, wasOpened: true });
    this.draft.edits[file.path] = view.text;
    delete this.draft.typed[file.path];
    for (const key of this.draft.left) if (key.startsWith(`${file.index}:`)) this.draft.left.delete(key);
    this.draft.keep();
    this.redraw();
  }

  /** What was typed is not meant any more. */
  forget(file) {
    delete this.draft.typed[file.path];
    this.draft.keep();
  }

  discard(file) {
    delete this.draft.edits[file.path];
    Object.assign(file, file.proposed, { gaps: {} });
    delete file.edited;
    this.draft.keep();
    this.redraw();
  }
}

/** The hunk that has the focus, or else the first one in view, below the head of its file. */
export function hunkAtHand(place) {
  const focused = document.activeElement.closest(".hunk");
  const top = document.getElementById("detail").offsetTop + 40;
  return place.contains(focused) ? focused : [...place.querySelectorAll(".hunk")].find((one) => one.getBoundingClientRect().bottom > top);
}

/** Put the caret of an editor where a hunk begins to change the text, a few lines below its upper edge. */
function goToHunk(field, hunk) {
  const line = hunk?.rows.find((row) => row.new && !("text" in row))?.new ?? hunk?.first ?? 1;
  const lines = field.value.split("\n");
  const at = lines.slice(0, line - 1).join("\n").length + (line > 1);
  field.setSelectionRange(at, at);
  field.scrollTop = field.scrollHeight * (line - 6) / lines.length;
}

/** An element that draws a picture once it is there. It is fetched with the token, so the policy of the page needs no exception. */
function picture(address, label) {
  const canvas = element("canvas", { role: "img", "aria-label": label, width: "1", height: "1" });
  const caption = element("figcaption", { class: "muted" }, label);
  const draw = async () => {
    const image = await createImageBitmap(await fetchBlob(address));
    const scale = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
    canvas.width = Math.max(1, Math.round(image.width * scale));
    canvas.height = Math.max(1, Math.round(image.height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    caption.append(` · ${image.width} × ${image.height}`);
    canvas.dataset.drawn = "yes";
    image.close();
  };
  drawn = drawn.then(draw).catch(() => caption.append(" · can't be shown"));
  return element("figure", { class: "picture" }, canvas, caption);
}

/** Comments on lines. They are fields in the diff, right below their lines, and travel with the answer as `path:line`. */
export class Comments {
  /** `changed` is called when there are others. */
  constructor(draft, { locked, changed }) {
    Object.assign(this, { draft, locked, changed });
  }

  /** Show the comments on the lines of some rows, and let a click on a line number begin one. */
  draw(file, root) {
    for (const cell of root.querySelectorAll("td.code")) {
      const line = lineOf.get(cell);
      if (!line?.number) continue;
      const number = cell.previousElementSibling;
      if (!this.locked) {
        number.classList.add("can-comment");
        number.title = "Comment on this line";
        number.addEventListener("click", () => this.begin(file, cell));
      }
      for (const comment of this.draft.comments) {
        if (comment.path === file.path && comment.side === line.side && comment.line === line.number) this.show(comment, cell);
      }
    }
  }

  /** A comment on the line of a cell, or the one that is there. */
  begin(file, cell) {
    const { side, number } = lineOf.get(cell);
    let comment = this.draft.comments.find((one) => one.path === file.path && one.side === side && one.line === number);
    if (!comment) {
      comment = { path: file.path, side, line: number, text: "" };
      this.draft.comments.push(comment);
      this.show(comment, cell);
    }
    document.getElementById(nameOf(comment))?.focus();
  }

  show(comment, cell) {
    const row = cell.closest("tr");
    const end = () => {
      this.draft.comments.splice(this.draft.comments.indexOf(comment), 1);
      this.draft.keep();
      shown.remove();
      this.changed();
      (row.closest(".hunk") ?? row.closest("[tabindex]"))?.focus({ preventScroll: true });
    };
    const field = element("textarea", { id: nameOf(comment), rows: "2", disabled: this.locked, placeholder: "Comment for the model",
      "aria-label": `Comment on line ${comment.line} of ${comment.path}`, value: comment.text,
      oninput: () => { comment.text = field.value; this.draft.keep(); this.changed(); },
      onkeydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        if (!comment.text.trim()) return end();
        (row.closest(".hunk") ?? row.closest("[tabindex]"))?.focus({ preventScroll: true });
      } });
    const shown = element("tr", { class: "comment" }, element("td", { colspan: String(row.cells.length) },
      element("div", {}, element("span", { class: "muted" }, `${comment.path}:${comment.line}${comment.side === "before" ? " (removed line)" : ""}`), field,
        !this.locked && button("Remove", "", end, { class: "quiet-button", "aria-label": `Remove the comment on line ${comment.line}` }))));
    row.after(shown);
  }
}

const nameOf = (comment) => `comment-${comment.side}-${comment.line}-${encodeURIComponent(comment.path)}`;
