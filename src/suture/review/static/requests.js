// Requests that wait: the list, one of them with its diff, and the answers.

import { ApiError, download, get, post } from "./api.js";
import { fileDiff } from "./diff.js";
import { Draft } from "./drafts.js";
import { announce, button, counts, element, pathName, plural, replace, serverText, since } from "./dom.js";
import { RequestList } from "./request_list.js";
import { SeveralRequests } from "./several.js";

/** Files after this one are folded. */
const MOST_OPEN_FILES = 15;
/** For this long after what is shown has changed, keys that answer are ignored: they were meant for something else. */
const PAUSE = 350;

const OUTCOMES = { once: "approved", some: "approved in part", always: "always allowed", reject: "rejected",
  unreachable: "not answered", withdrawn: "withdrawn" };

export class RequestsView {
  constructor(list, detail) {
    this.list = list;
    this.detail = detail;
    this.requests = [];
    this.request = null;
    this.draft = null;
    this.busy = false;
  }

  async show(id) {
    this.inbox = new RequestList((ids) => this.readTogether(ids));
    this.several = null;
    this.closed = element("ul", { class: "items closed" });
    this.answers = element("details", { class: "answers", ontoggle: () => this.answers.open && this.showAnswers() },
      element("summary", {}, "Answered before"), this.closed);
    replace(this.list, this.inbox.nodes, this.answers);
    if (this.requests.length) this.showList();
    await this.refresh();
    if (!this.inbox.group.isConnected) return;
    if (id && id !== this.request?.id) await this.select(id);
    else if (this.request) this.showRequest();
    else if (this.requests.length) await this.selectFirst();
    else this.showNothing();
  }

  /** Fetch the list again. What is open stays open, and the focus stays where it is. */
  refresh() {
    return (this.latest = this.load());
  }

  async load() {
    const asked = (this.asked = {});
    const { requests, total } = await get("requests");
    // A later question, or an answer that was given meanwhile, knows better.
    if (asked !== this.asked) return this.latest;
    const before = new Set(this.requests.map((request) => request.id));
    this.requests = requests;
    this.total = total;
    if (!this.inbox?.group.isConnected) return;
    this.showList();
    const fresh = requests.filter((request) => !before.has(request.id));
    if (fresh.length && before.size) announce(`${plural(fresh.length, "new request")}: ${fresh[0].subject}`);
    if (this.answers.open) await this.showAnswers();
    await this.follow();
  }

  showList() {
    this.inbox.show(this.requests);
    this.inbox.mark(this.request?.id);
  }

  /** Read several requests one below the other. */
  async readTogether(ids) {
    this.request = this.chosen = null;
    this.several = new SeveralRequests(this, ids, (answered, failed) => this.answeredTogether(answered, failed));
    this.inbox.mark(null);
    await this.several.show();
  }

  async answeredTogether(ids, failed) {
    this.requests = this.requests.filter((request) => !ids.includes(request.id));
    this.total -= ids.length;
    this.inbox.drop(ids);
    this.showList();
    this.onchange?.();
    if (failed) return;
    this.several = null;
    if (this.requests.length) await this.select(this.requests[0].id, { byItself: true });
    else this.showNothing();
    this.detail.focus({ preventScroll: true });
  }

  /** Keep the open request true: it may have gone, or a file of it may have changed. */
  async follow() {
    if (!this.request || this.busy) {
      if (!this.request && !this.several && this.requests.length && !this.busy) await this.selectFirst();
      return;
    }
    const now = this.requests.find((request) => request.id === this.request.id);
    if (!now && !this.request.gone) {
      const reason = await get(`requests/${this.request.id}`).then(() => "", (error) => error.message);
      if (reason) this.close(reason);
    } else if (now && now.is_stale !== this.request.is_stale) {
      await this.reload("A file has changed on disk since this was shown.");
    }
  }

  /** The request has ended. Its diff and what was typed stay where they are. */
  close(reason) {
    this.request.gone = reason;
    this.always = false;
    this.pause();
    this.banner.replaceChildren(this.goneBanner());
    this.showActions();
    announce(reason);
  }

  goneBanner() {
    return element("div", { class: "notice bad", id: "gone", role: "alert" }, element("p", { class: "gone" }, serverText(this.request.gone)),
      this.requests.length > 0 && button("Next request", "n", () => this.select(this.requests[0].id)));
  }

  /** Ignore the keys that answer for a moment. While that lasts, their names on the buttons are faint. */
  pause() {
    this.detail.dataset.keys = "paused";
    clearTimeout(this.pausing);
    this.pausing = setTimeout(() => { delete this.detail.dataset.keys; }, PAUSE);
  }

  async reload(notice) {
    this.request = { ...(await get(`requests/${this.request.id}`)), notice };
    this.showRequest();
    announce(notice);
  }

  /** Open the first request, unless one is being fetched that somebody has chosen. */
  async selectFirst() {
    if (!this.chosen) await this.select(this.inbox.requests[0].id);
  }

  async select(id, { byItself = false } = {}) {
    // It is on its way already: a second answer would undo what was typed or opened since the first.
    if (this.fetching === id) return;
    this.chosen = this.fetching = id;
    let request;
    try {
      request = await get(`requests/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        this.chosen = null;
        throw error;
      }
      request = { id, gone: error.message, files: [], stale: [], notes: [] };
    } finally {
      if (this.fetching === id) this.fetching = null;
    }
    // Somebody went on while it was fetched.
    if (this.chosen !== id) return;
    this.request = request;
    this.several = null;
    this.always = false;
    this.patterns = null;
    this.covered = [];
    history.replaceState(null, "", `#/requests/${id}`);
    this.inbox.mark(id);
    this.inbox.items.get(id)?.scrollIntoView({ block: "nearest" });
    this.showRequest();
    this.detail.scrollTop = 0;
    // Keys act only inside; whoever works in the list or in a field stays there.
    if (document.activeElement === document.body) this.detail.focus({ preventScroll: true });
    if (innerWidth < 900 && !byItself) this.detail.scrollIntoView();
  }

  showNothing() {
    this.request = this.chosen = null;
    replace(this.detail, element("div", { class: "blank" },
      element("h2", {}, "All done"),
      element("p", {}, "No agent is waiting for an answer. New requests appear here by themselves.")));
  }

  // One request.

  showRequest() {
    const request = this.request;
    this.pause();
    if (request.gone && !request.files.length) {
      replace(this.detail, element("div", { class: "blank" },
        element("h2", {}, request.subject || "This request"), element("p", { class: "gone" }, serverText(request.gone)),
        this.requests.length > 0 && button("Next request", "n", () => this.select(this.requests[0].id))));
      return;
    }
    const many = request.files.length > MOST_OPEN_FILES;
    if (!this.draft?.isOf(request)) this.draft = new Draft(request);
    const choice = { locked: Boolean(request.gone) || request.whole_only || request.stale.length > 0,
      chosen: (file, hunk) => !this.left.has(`${file.index}:${hunk}`),
      choose: (file, hunk, yes) => { this.left[yes ? "delete" : "add"](`${file.index}:${hunk}`); this.draft.keep(); this.showActions(); } };
    const load = {
      hunk: (file, number, part) => get(`requests/${request.id}/files/${file.index}/hunks/${number}`, part),
    };
    const lines = (file) => file.kind === "update" || file.kind === "move"
      ? (first, last) => get(`requests/${request.id}/files/${file.index}/lines`, { first, last }) : undefined;
    this.actions = element("div", { class: "actions", role: "group", "aria-label": "Answer" });
    this.banner = element("div", {}, request.gone && this.goneBanner());
    const changed = () => this.isDrawn && this.showActions();
    this.isDrawn = false;
    const files = request.files.map((file, at) =>
      fileDiff(file, { choice, load: { ...load, lines: lines(file) }, folded: many && at >= MOST_OPEN_FILES, changed }));
    this.isDrawn = true;
    this.showActions();
    replace(this.detail,
      element("header", { class: "request-head" },
        element("h2", {}, element("span", { class: "verb" }, `${request.heading} `), title(request), counts(request.additions, request.deletions)),
        facts(request),
        this.banner,
        request.notice && element("p", { class: "notice", role: "alert" }, serverText(request.notice)),
        request.stale.length > 0 && element("div", { class: "notice bad" },
          element("p", {}, "This can no longer be approved:"), element("ul", {}, request.stale.map((text) => element("li", {}, serverText(text))))),
        request.whole_only && request.files.length > 0 && element("p", { class: "notice" }, "Its changes depend on one another, so it is approved or rejected as a whole."),
        diagnostics(request)),
      this.actions,
      element("div", { class: "files" }, files,
      this.missingFiles() > 0 && button(`Show ${plural(this.missingFiles(), "more file")}`, "", () => this.loadFiles(), { class: "more" }),
      element("p", { class: "plain" }, button("Save the diff as a file", "", () => download(`requests/${request.id}/diff`, `${request.id}.diff`), { class: "quiet-button" }))));
  }

  /** The keys of the hunks that are left out. */
  get left() {
    return this.draft.left;
  }

  units() {
    return this.request.files.flatMap((file) => file.hunks.length
      ? file.hunks.map((hunk) => ({ file, key: `${file.index}:${hunk.number}`, hunk: hunk.number }))
      : [{ file, key: `${file.index}:0`, hunk: 0 }]);
  }

  /** How many files of the request were not fetched yet. */
  missingFiles() {
    return this.request.file_count - this.request.files.length;
  }

  async loadFiles() {
    const request = this.request;
    const { files } = await get(`requests/${request.id}`, { files: request.files.length });
    if (request !== this.request) return;
    request.files.push(...files);
    this.showRequest();
  }

  /** What is chosen and not wholly on the page. What was not shown can't be approved; a deletion is told by its name. */
  hidden() {
    const units = this.units().filter(({ key, hunk, file }) => hunk > 0 && file.kind !== "delete" && !this.left.has(key));
    const hunks = units.filter(({ file, hunk }) => !file.hunks[hunk - 1].isShown).length;
    // If something is left out, only what is named is approved.
    return { hunks, files: this.left.size ? 0 : this.missingFiles() };
  }

  async reveal() {
    const request = this.request;
    this.isRevealing = true;
    try {
      while (request === this.request && !this.left.size && this.missingFiles() > 0) await this.loadFiles();
      for (const file of request.files) {
        if (request === this.request && file.kind !== "delete") await file.reveal();
      }
    } finally {
      this.isRevealing = false;
      if (request === this.request) this.showActions();
    }
  }

  /** Why it can't be approved yet, and a button that shows the rest. */
  hiddenNotice({ hunks, files }) {
    const what = [hunks && plural(hunks, "hunk"), files && plural(files, "file")].filter(Boolean).join(" and ");
    return element("p", { class: "notice", id: "hidden" }, `Not everything is shown: ${what} ${hunks + files === 1 ? "is" : "are"} incomplete. What was not shown can't be approved. `,
      button("Show everything", "", () => this.reveal(), { id: "reveal", disabled: this.isRevealing }));
  }

  showActions() {
    const units = this.units();
    const chosen = units.filter((unit) => !this.left.has(unit.key));
    const all = chosen.length === units.length;
    const hidden = this.hidden();
    const isShown = hidden.hunks + hidden.files === 0;
    const isStale = this.request.stale.length > 0 || Boolean(this.request.gone);
    if (!isShown || !all) this.always = false;
    const label = all ? (units.length > 1 ? "Approve all" : "Approve") : `Approve ${chosen.length} of ${plural(units.length, "hunk")}`;
    const message = element("textarea", { id: "message", rows: "1", placeholder: "Message for the model (optional)", "aria-label": "Message for the model",
      "aria-keyshortcuts": "m", value: this.draft.message, oninput: (event) => { this.draft.message = event.target.value; this.draft.keep(); this.showRejectLabel(); } });
    this.reject = button("Reject", "r", () => this.answer("reject"), { id: "reject", class: "bad", disabled: Boolean(this.request.gone) });
    replace(this.actions,
      button(label, "a", () => this.answer("approve"), { id: "approve", class: "good", disabled: !chosen.length || isStale || !isShown }),
      this.reject, message,
      button("Always…", "A", () => this.toggleAlways(), { id: "always", "aria-expanded": String(this.always),
        title: all ? null : "It approves all hunks", disabled: isStale || !isShown || !all }),
      this.always && this.alwaysPanel(),
      !isShown && !isStale && this.hiddenNotice(hidden));
    this.showRejectLabel();
  }

  showRejectLabel() {
    this.reject.firstChild.data = this.draft.message.trim() ? "Reject with message" : "Reject";
  }

  toggleAlways() {
    this.always = !this.always;
    this.showActions();
    if (this.always) document.getElementById("patterns").focus();
  }

  /** Close the panel that is open, if there is one. */
  closePanel() {
    if (!this.always) return false;
    this.toggleAlways();
    document.getElementById("always").focus();
    return true;
  }

  alwaysPanel() {
    const covers = element("div", { class: "covers", "aria-live": "polite" });
    // Only what has been shown can be confirmed: the patterns whose coverage is on the page.
    const confirm = button("Always allow these", "", () => this.answer("always", this.coverage.patterns), { id: "always-confirm", class: "good", disabled: true });
    const cover = () => this.cover(field, covers, confirm);
    const field = element("textarea", { id: "patterns", rows: "2", spellcheck: "false", "aria-describedby": "patterns-note",
      value: this.patterns ?? this.request.always.join("\n"), oninput: () => { this.patterns = field.value; this.forgetCoverage(confirm); later(cover); } });
    const proposals = proposalsFor(this.request).map((glob) => button(glob, "", () => { this.patterns = field.value = glob; cover(); }, { class: "chip" }));
    cover();
    return element("div", { class: "always" },
      element("label", { for: "patterns" }, "Don't ask again in this session for paths that match:"),
      field,
      element("p", { id: "patterns-note", class: "hint" }, "One glob on a line. ", proposals),
      covers,
      confirm);
  }

  forgetCoverage(confirm) {
    confirm.disabled = true;
    return (this.coverage = {});
  }

  async cover(field, covers, confirm) {
    const asked = this.forgetCoverage(confirm);
    const patterns = patternsOf(field);
    if (!patterns.length) return replace(covers, element("p", { class: "gone" }, "Write at least one glob."));
    try {
      const { files, more, cut, requests, complete } = await post(`requests/${this.request.id}/coverage`, { patterns });
      if (asked !== this.coverage) return;
      this.covered = requests;
      const count = files.length + more;
      replace(covers,
        element("p", {}, element("code", {}, patterns.join("  ")), ` covers ${plural(count, "file")} that ${count === 1 ? "exists" : "exist"} now${cut ? " (not all files were looked at)" : ""}, and new ones that match.`,
          requests.length > 0 && ` It also covers ${plural(requests.length, "other request")} of this session.`),
        files.length > 0 && element("ul", { class: "covered" }, files.map((path) => element("li", {}, path)),
          more > 0 && element("li", {}, `… and ${more.toLocaleString("en")} more`)),
        !complete && element("p", { class: "gone" }, "That is more than can be listed. Use a narrower glob, or a whole directory such as src/**."));
      asked.patterns = patterns;
      confirm.disabled = !complete;
    } catch (error) {
      if (asked === this.coverage) replace(covers, element("p", { class: "gone" }, serverText(error.message)));
    }
  }

  // Answers.

  answerOf(kind, patterns) {
    const answer = { kind: kind === "approve" ? "once" : kind, message: this.draft.message.trim(), fingerprint: this.request.fingerprint };
    if (patterns) {
      // Without any, the server would take those that the request proposes.
      if (!patterns.length) throw new RangeError("an answer for always has a pattern");
      answer.patterns = patterns;
    }
    const units = this.units();
    if (kind === "approve" && units.some((unit) => this.left.has(unit.key))) {
      answer.kind = "some";
      answer.hunks = Object.create(null);
      for (const { file, key, hunk } of units) {
        if (this.left.has(key)) continue;
        if (hunk === 0) answer.hunks[file.path] = "all";
        else (answer.hunks[file.path] ||= []).push(hunk);
      }
    }
    return answer;
  }

  async answer(kind, patterns) {
    const request = this.request;
    if (!request || request.gone || this.busy || request.id !== this.chosen) return;
    this.busy = this.actions.inert = true;
    const at = this.inbox.requests.findIndex((one) => one.id === request.id);
    try {
      await post(`requests/${request.id}/answer`, this.answerOf(kind, patterns));
      this.draft.drop();
      const rest = this.requests.filter((one) => one.id !== request.id);
      this.requests = rest;
      this.total -= 1;
      this.asked = this.latest = null;
      this.showList();
      announce(`${kind === "reject" ? "Rejected" : "Approved"}: ${request.subject}. ${plural(rest.length, "request")} left.`);
      // The session closes those that this answer covers by itself.
      const open = kind === "always" ? this.inbox.requests.filter((one) => !this.covered.includes(one.id)) : this.inbox.requests;
      const next = open[Math.min(at, open.length - 1)];
      if (next) await this.select(next.id, { byItself: true });
      else this.showNothing();
      this.detail.focus({ preventScroll: true });
      this.onchange?.();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409 && error.data.request) {
        this.request = { ...error.data.request, notice: `Your answer was not sent: ${error.message}` };
        this.showRequest();
        announce(error.message);
      } else if (error.status === 409) {
        this.close(error.message);
      } else {
        this.request.notice = `Your answer was not sent: ${error.message}`;
        this.showRequest();
      }
    } finally {
      this.busy = this.actions.inert = false;
    }
  }

  async showAnswers() {
    const { answers } = await get("answers");
    replace(this.closed, answers.map((record) => element("li", { class: "item" },
      element("span", { class: "row" }, element("span", { class: "subject" }, record.subject), element("span", { class: `outcome ${record.kind}` }, OUTCOMES[record.kind] || record.kind)),
      element("span", { class: "row muted" }, element("span", {}, [record.tool, record.actor].filter(Boolean).join(" · ")), since(record.time)),
      record.message && element("span", { class: "row message" }, record.message))),
    !answers.length && element("li", { class: "empty" }, "None yet."));
  }

  // Keys.

  step(by) {
    const requests = this.inbox.visible().flat();
    const at = requests.findIndex((request) => request.id === this.chosen);
    const next = requests[at < 0 ? 0 : Math.max(0, Math.min(requests.length - 1, at + by))];
    if (next && next.id !== this.chosen) return this.select(next.id);
  }

  focusHunk(by) {
    const hunks = [...this.detail.querySelectorAll(".hunk")].filter((hunk) => hunk.offsetParent);
    const at = hunks.indexOf(document.activeElement.closest?.(".hunk"));
    const next = hunks[at < 0 ? (by > 0 ? 0 : hunks.length - 1) : Math.max(0, Math.min(hunks.length - 1, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  toggleHunk() {
    const box = document.activeElement.closest?.(".hunk")?.querySelector("input[type=checkbox]");
    if (box && !box.disabled) box.click();
  }

  keys() {
    return {
      a: ["approve the chosen hunks", () => this.pressed("approve")],
      r: ["reject", () => this.pressed("reject")],
      j: ["next hunk", () => this.focusHunk(1)],
      k: ["previous hunk", () => this.focusHunk(-1)],
      " ": ["choose or leave out the hunk", () => this.toggleHunk()],
      m: ["write a message for the model", () => document.getElementById("message")?.focus()],
      A: ["always allow a pattern", () => this.request && !this.request.gone && !document.getElementById("always").disabled && this.toggleAlways()],
      n: ["next request", () => this.step(1)],
      p: ["previous request", () => this.step(-1)],
      "/": ["search", () => this.inbox.search.focus()],
    };
  }

  pressed(kind) {
    if (this.detail.dataset.keys === "paused") return;
    if (this.several) return kind === "reject" || !document.getElementById("approve").disabled ? this.several.answer(kind) : undefined;
    if (kind === "reject" || !document.getElementById("approve")?.disabled) return this.answer(kind);
    if (document.getElementById("hidden")) announce("Not approved: not everything is shown.");
  }
}

let timer = 0;
function later(act) {
  clearTimeout(timer);
  timer = setTimeout(act, 150);
}

const patternsOf = (field) => field.value.split("\n").map((line) => line.trim()).filter(Boolean);

/** Globs that cover less than the one that the request proposes. */
function proposalsFor(request) {
  const paths = request.files.map((file) => file.path).filter((path) => !/[*?[\]{}\\]/.test(path));
  const folders = paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1)).filter(Boolean).map((folder) => `${folder}**`);
  return [...new Set([...paths.slice(0, 2), ...folders.slice(0, 2), ...request.always])].slice(0, 5);
}

function title(request) {
  if (!request.files.length) return request.subject;
  const more = request.file_count - 1;
  return [pathName(request.files[0].path), more > 0 && ` and ${plural(more, "more file")}`, " "];
}

function facts(request) {
  const rows = [["Tool", request.tool], ["Actor", request.actor], ["Session", request.session], ["Workspace", request.workspace],
    ["Asked", since(request.time)], ["Rule", request.rule || "none matches, so it asks"]];
  return element("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function diagnostics(request) {
  if (!request.diagnostics?.length) return null;
  return element("div", { class: "notice" }, element("p", {}, "Errors that it would introduce:"),
    element("ul", {}, request.diagnostics.map((text) => element("li", {}, text))));
}
