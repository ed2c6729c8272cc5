// One request: its head, its diff, what is chosen of it, and the answer.

import { ApiError, download, get, post } from "./api.js";
import { AlwaysPanel, AnswerBar, isPaused, pause } from "./answer_bar.js";
import { Draft } from "./drafts.js";
import { announce, button, counts, element, factList, pathName, plural, replace, serverText, showBlank, since, until } from "./dom.js";
import { FileDiff, fileTree, unitsOf } from "./file_diff.js";
import { Comments, FileTools, hunkAtHand } from "./file_tools.js";
import { RowWindow } from "./row_window.js";
import { lineOf } from "./rows.js";

/** Files after this one are folded. */
const MOST_OPEN_FILES = 15;

export class RequestDetail {
  /** `view` is the view of all requests; `answered` is called after an answer, with the requests that it covers too. */
  constructor(view, request, answered) {
    Object.assign(this, { view, request, answered });
    this.place = view.detail;
    this.draft = new Draft(request);
    this.busy = false;
  }

  close() {
    this.rows?.close();
    this.drawn = null;
  }

  /** Whether what is on the page is this request, and kept up to date. */
  get isOnPage() {
    return Boolean(this.drawn?.isConnected);
  }

  // What is shown.

  draw() {
    const { request } = this;
    if (!this.view.isShown || this.view.open !== this) return;
    const focused = this.place.contains(document.activeElement) ? document.activeElement : null;
    pause(this.place);
    this.close();
    if (request.gone && !request.files.length) return this.drawGone();
    if (!this.draft.isOf(request)) this.draft = new Draft(request);
    this.rows = new RowWindow(this.place);
    this.banner = element("div", {}, request.gone && this.goneBanner());
    this.deadline = element("div", {});
    this.bar = new AnswerBar({ label: "Answer", answer: (kind) => this.view.pressed(kind), message: this.bar?.field.isConnected ? this.bar.field.value : this.draft.message,
      typed: (text) => { this.draft.message = text; this.draft.keep(); },
      extra: this.alwaysButton = button("Always…", "A", () => this.toggleAlways(), { id: "always", "aria-expanded": "false" }) });
    this.drawFiles();
    replace(this.place, requestHead(request, [this.deadline, this.banner]),
      this.tree, element("div", { class: "files" }, this.diffs.map((diff) => diff.node),
        this.missingFiles() > 0 && button(`Show ${plural(this.missingFiles(), "more file")}`, "", () => this.loadFiles(), { class: "more" }),
        element("p", { class: "plain" }, button("Save the diff as a file", "", () => download(`requests/${request.id}/diff`, `${request.id}.diff`), { class: "quiet-button" }))),
      this.bar.node);
    this.drawn = this.bar.node;
    if (this.panel && !this.alwaysButton.disabled) this.toggleAlways(true);
    this.update();
    if (focused?.id === "message") this.bar.field.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }

  drawFiles() {
    const { request, draft } = this;
    const path = (file) => `requests/${request.id}/files/${file.index}`;
    const locked = Boolean(request.gone) || request.stale.length > 0;
    const choice = { locked: locked || request.whole_only,
      chosen: (file, unit) => !draft.left.has(`${file.index}:${unit}`),
      choose: (file, units, yes) => {
        for (const unit of units) draft.left[yes ? "delete" : "add"](`${file.index}:${unit}`);
        this.choicesChanged();
      } };
    const isText = (file) => file.kind === "update" || file.kind === "move";
    const load = {
      hunk: (file, number, part) => get(`${path(file)}/hunks/${number}`, part),
      colors: (file) => ({ path: `${path(file)}/colors` }),
    };
    const viewed = { is: (file) => draft.viewed.has(file.index),
      set: (file, yes) => { draft.viewed[yes ? "add" : "delete"](file.index); draft.keep(); this.drawTree(); } };
    const comments = new Comments(draft, { locked: Boolean(request.gone), changed: () => this.update() });
    const tools = new FileTools(request, draft, { locked: locked || request.whole_only, path, redraw: () => { this.draw(); }, changed: () => this.update() });
    const many = request.files.length > MOST_OPEN_FILES;
    this.diffs = request.files.map((file, at) => {
      void tools.restore(file);
      for (const hunk of file.hunks) hunk.isSplit ??= draft.split.has(`${file.index}:${hunk.number}`) && hunk.rows.length >= hunk.total;
      const lines = isText(file) && !file.edited ? (one, first, last) => get(`${path(one)}/lines`, { first, last }) : undefined;
      return new FileDiff(file, { rows: this.rows, choice, viewed, comments, folded: many && at >= MOST_OPEN_FILES, canSplit: isText(file) && !file.edited,
        load: { ...load, lines, colors: file.edited ? undefined : load.colors }, changed: () => this.choicesChanged(),
        ...tools.options(file) });
    });
    this.tree = element("div", {});
    this.drawTree();
  }

  drawTree() {
    replace(this.tree, fileTree(this.request.files, { go: (file) => file.goTo(), isViewed: (file) => this.draft.viewed.has(file.index) }));
  }

  drawGone() {
    showBlank(this.place, this.request.subject || "This request", element("p", { class: "gone" }, serverText(this.request.gone)), this.nextButton());
    this.drawn = this.place.firstElementChild;
  }

  nextButton() {
    return this.view.inbox.requests.length > 0 && button("Next request", "n", () => this.view.select(this.view.inbox.requests[0].id));
  }

  goneBanner() {
    return element("div", { class: "notice bad", id: "gone", role: "alert" }, element("p", { class: "gone" }, serverText(this.request.gone)), this.nextButton());
  }

  /** The request has ended. Its diff and what was typed stay where they are. */
  end(reason) {
    this.request.gone = reason;
    pause(this.place);
    this.banner.replaceChildren(this.goneBanner());
    this.update();
    announce(reason);
  }

  // What is chosen, and whether all of it is shown.

  choicesChanged() {
    const { draft, request } = this;
    draft.split = new Set(request.files.flatMap((file) => file.hunks.filter((hunk) => hunk.isSplit).map((hunk) => `${file.index}:${hunk.number}`)));
    const units = new Set(this.units().map((unit) => unit.key));
    for (const key of draft.left) if (!units.has(key)) draft.left.delete(key);
    draft.keep();
    if (this.diffs) this.update();
  }

  units() {
    return this.request.files.flatMap((file) => unitsOf(file).map((unit) => ({ file, unit, key: `${file.index}:${unit}` })));
  }

  /** How many files of the request were not fetched yet. */
  missingFiles() {
    return this.request.file_count - this.request.files.length;
  }

  async loadFiles() {
    const { request } = this;
    const { files } = await get(`requests/${request.id}`, { files: request.files.length });
    if (request !== this.request || this.view.open !== this) return;
    request.files.push(...files);
    this.draw();
  }

  /** What is chosen and not wholly on the page. What was not shown can't be approved; a deletion is told by its name. */
  hidden() {
    const chosen = this.units().filter(({ key, file }) => file.kind !== "delete" && !this.draft.left.has(key));
    const hunks = new Set(chosen.flatMap(({ file, unit }) => {
      const shown = unit === "0" ? file.hunks : [file.hunks[Number.parseInt(unit, 10) - 1]];
      return shown.filter((hunk) => !hunk.isShown);
    }));
    // If something is left out, only what is named is approved.
    return { hunks: hunks.size, files: this.draft.left.size ? 0 : this.missingFiles() };
  }

  async reveal() {
    const { request } = this;
    this.isRevealing = true;
    this.update();
    try {
      while (this.view.open === this && !this.draft.left.size && this.missingFiles() > 0) await this.loadFiles();
      for (const file of request.files) {
        if (this.view.open === this && request === this.request && file.kind !== "delete") await file.reveal();
      }
    } finally {
      this.isRevealing = false;
      if (this.view.open === this) {
        pause(this.place);
        this.update();
      }
    }
  }

  /** Why it can't be approved yet, and a button that shows the rest. */
  hiddenNotice({ hunks, files }) {
    const what = [hunks && plural(hunks, "hunk"), files && plural(files, "file")].filter(Boolean).join(" and ");
    return element("p", { class: "notice", id: "hidden" }, `Not everything is shown: ${what} ${hunks + files === 1 ? "is" : "are"} incomplete. What was not shown can't be approved. `,
      button(this.isRevealing ? "Loading …" : "Show everything", "", () => this.reveal(), { id: "reveal", disabled: this.isRevealing }));
  }

  /** Until when the agent waits. What an answer does if it no longer waits is said beside the buttons. */
  showDeadline() {
    const { deadline, late_note: note, gone } = this.request;
    const waits = deadline > 0 && !note && !gone;
    this.deadline.replaceChildren(...(waits ? [element("p", { class: "muted", id: "waits" }, "The agent waits ", until(deadline), " more for an answer.")] : []));
  }

  /** Bring the bar up to date with what is chosen, shown and written. */
  update() {
    if (!this.bar) return;
    this.showDeadline();
    const units = this.units();
    const chosen = units.filter((unit) => !this.draft.left.has(unit.key));
    const all = chosen.length === units.length;
    const hidden = this.hidden();
    const isShown = hidden.hunks + hidden.files === 0;
    const isOver = this.request.stale.length > 0 || Boolean(this.request.gone);
    const edits = Object.keys(this.draft.edits).length;
    const comments = this.draft.saidComments.length;
    // What somebody has typed is not approved away.
    const typed = this.typedPaths();
    this.bar.update({
      label: all ? (units.length > 1 ? "Approve all" : "Approve") : `Approve ${chosen.length} of ${plural(units.length, "hunk")}`,
      canApprove: chosen.length > 0 && !isOver && isShown && !typed.length,
      canReject: !this.request.gone,
      notice: !isShown && !isOver ? this.hiddenNotice(hidden) : null,
      note: [!isOver && typed.length > 0 && `Use your text of ${typed.join(", ")}, or cancel it, before you approve.`, edits && `With your version of ${plural(edits, "file")}.`, comments && `${plural(comments, "line comment")} will be sent along.`, !this.request.gone && this.request.late_note].filter(Boolean).join(" "),
    });
    this.alwaysButton.disabled = isOver || !isShown || !all || edits + typed.length > 0;
    this.alwaysButton.title = all && !edits ? "" : "It approves everything as proposed";
    if (this.panel && this.alwaysButton.disabled) this.toggleAlways(false);
  }

  toggleAlways(yes = !this.panel) {
    this.panel = yes ? new AlwaysPanel(this.request, (patterns, covered) => { if (!isPaused(this.place)) void this.answer("always", patterns, covered); }) : null;
    this.bar.showPanel(this.panel?.node);
    this.alwaysButton.setAttribute("aria-expanded", String(yes));
    if (yes) this.panel.field.focus();
  }

  /** Close the panel that is open, if there is one. */
  closePanel() {
    if (this.panel) {
      this.toggleAlways(false);
      this.alwaysButton.focus();
      return true;
    }
    const opened = (document.activeElement.closest(".file") ?? this.place).querySelector(".file-head [aria-expanded=true]:not(.fold)");
    // An editor stays open with what was typed into it.
    if (!opened || opened.closest(".file").querySelector(".editor") && this.typedPaths().length) return false;
    opened.click();
    opened.focus({ preventScroll: true });
    return true;
  }

  /** The files with text that was typed and is not used yet, or is about to be shown again after the page was loaded. */
  typedPaths() {
    const { typed, edits } = this.draft;
    return this.request.files.filter((file) => Object.hasOwn(typed, file.path) || Object.hasOwn(edits, file.path) && !file.edited).map((file) => file.path);
  }

  // The answer.

  answerOf(kind, patterns) {
    const { draft, request } = this;
    const answer = { kind: kind === "approve" ? "once" : kind, message: draft.message.trim(), fingerprint: request.fingerprint };
    if (draft.saidComments.length) answer.comments = draft.saidComments.map(({ path, side, line, text }) => ({ path, side, line, text: text.trim() }));
    if (patterns) {
      // Without any, the server would take those that the request proposes.
      if (!patterns.length) throw new RangeError("an answer for always has a pattern");
      answer.patterns = patterns;
    }
    return kind === "approve" ? Object.assign(answer, this.choices()) : answer;
  }

  /** What is approved, if it is not everything as proposed: hunks, parts of hunks, and text of the person's own. */
  choices() {
    const { draft, request } = this;
    const found = { edits: Object.create(null), parts: Object.create(null), hunks: Object.create(null) };
    for (const file of request.files) {
      const units = unitsOf(file);
      const chosen = units.filter((unit) => !draft.left.has(`${file.index}:${unit}`));
      if (!chosen.length) continue;
      if (file.edited) found.edits[file.path] = file.edited.text;
      else if (!file.hunks.length) found.hunks[file.path] = "all";
      else if (isInParts(chosen, units)) found.parts[file.path] = chosen;
      else found.hunks[file.path] = [...new Set(chosen.map((unit) => Number.parseInt(unit, 10)))];
    }
    const isWhole = !draft.left.size;
    const given = {};
    if (Object.keys(found.edits).length) given.edits = found.edits;
    if (Object.keys(found.parts).length) given.parts = found.parts;
    if (!isWhole) Object.assign(given, { kind: "some", hunks: found.hunks });
    return given;
  }

  async answer(kind, patterns, covered = []) {
    const { request } = this;
    if (request.gone || this.busy || this.view.open !== this) return;
    this.busy = this.bar.node.inert = true;
    try {
      await post(`requests/${request.id}/answer`, this.answerOf(kind, patterns));
      this.draft.drop();
      await this.answered(this, kind, covered);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409 && error.data.request) {
        this.request = { ...error.data.request, notice: `Your answer was not sent: ${error.message}` };
        this.draw();
        announce(error.message);
      } else if (error.status === 409) {
        this.end(error.message);
      } else {
        this.request.notice = `Your answer was not sent: ${error.message}`;
        this.draw();
      }
    } finally {
      this.busy = this.bar.node.inert = false;
    }
  }

  // Keys.

  focusHunk(by) {
    const hunks = [...this.place.querySelectorAll(".hunk")].filter((hunk) => hunk.offsetParent);
    const hunk = hunkAtHand(this.place);
    const next = hunk?.contains(document.activeElement) ? hunks[hunks.indexOf(hunk) + by] ?? hunk : hunk;
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  toggleHunk() {
    const box = document.activeElement.closest?.(".hunk")?.querySelector("input[type=checkbox]");
    if (box && !box.disabled) box.click();
  }

  /** Mark the file that has the focus as viewed, or not, and go to the next one. */
  toggleViewed() {
    const index = Number(document.activeElement.closest?.(".file")?.dataset.path ?? 0);
    const file = this.request.files.find((one) => one.index === index);
    if (!file) return;
    const yes = !this.draft.viewed.has(index);
    file.setViewed(yes);
    if (yes) this.request.files.find((one) => one.index > index && !this.draft.viewed.has(one.index))?.goTo();
  }

  /** Edit the file that has the focus, or else the one in view; if that can't be edited, the first one that can. */
  edit() {
    const file = document.activeElement.closest?.(".file");
    const opener = (place) => place?.querySelector("[id^=edit-]");
    (file ? opener(file) : opener(hunkAtHand(this.place)?.closest(".file")) ?? opener(this.place))?.click();
  }

  /** Comment on the first added line of the hunk at hand; if it only removes lines, on the first of those. */
  comment() {
    const hunk = hunkAtHand(this.place);
    const first = (kind) => [...hunk?.querySelectorAll(`td.code.${kind}`) ?? []].find((one) => lineOf.get(one)?.number);
    const cell = first("plus") ?? first("minus");
    cell?.previousElementSibling.click();
  }
}

/** Whether some hunk is chosen in parts only. */
function isInParts(chosen, units) {
  const count = (list) => list.reduce((counts, unit) => counts.set(Number.parseInt(unit, 10), (counts.get(Number.parseInt(unit, 10)) ?? 0) + 1), new Map());
  const all = count(units);
  return [...count(chosen)].some(([hunk, number]) => number < all.get(hunk));
}

// The head of a request: who wants to do what, and why, as a sentence. The rest is behind "Details".

function requestHead(request, banner) {
  return element("header", { class: "request-head" },
    element("h2", {}, sentence(request), " ", counts(request.additions, request.deletions)),
    request.reason && element("blockquote", { class: "reason", "aria-label": "The reason that the model gave" }, request.reason),
    element("p", { class: "muted asked" }, "Asked ", since(request.time), request.workspace && [" in ", element("span", { dir: "ltr" }, request.workspace)]),
    details(request),
    banner,
    request.notice && element("p", { class: "notice", role: "alert" }, serverText(request.notice)),
    request.stale.length > 0 && element("div", { class: "notice bad" },
      element("p", {}, "This can no longer be approved:"), element("ul", {}, request.stale.map((text) => element("li", {}, serverText(text))))),
    request.whole_only && request.files.length > 0 && element("p", { class: "notice" }, "Its changes depend on one another, so it is approved or rejected as a whole."),
    diagnostics(request));
}

/** Who wants what, with the path of the first file so that its name stands out. */
function sentence({ sentence: text, path }) {
  const at = path ? text.lastIndexOf(path) : -1;
  return at < 0 ? text : [text.slice(0, at), pathName(path), text.slice(at + path.length)];
}

function details(request) {
  const rows = [["Tool", request.tool], ["Actor", request.actor], ["Session", request.session], ["Workspace", request.workspace],
    ["Permission", request.permission], ["Rule", request.rule || "none matches, so it asks"]];
  return element("details", { class: "facts-box" }, element("summary", {}, "Details"),
    factList(rows));
}

function diagnostics(request) {
  if (!request.diagnostics?.length) return null;
  return element("div", { class: "notice" }, element("p", {}, "Errors that it would introduce:"),
    element("ul", {}, request.diagnostics.map((text) => element("li", {}, text))));
}
