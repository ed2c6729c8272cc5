// The history of a workspace: what was asked, answered, written and undone; undo and redo of a commit, a hunk and a session.

import { ApiError, get, oneAtATime, post } from "./api.js";
import { FileDiff, fileTree } from "./file_diff.js";
import { RowWindow } from "./row_window.js";
import { display } from "./rows.js";
import { hold, isPaused, pause, setDisabled, setText } from "./answer_bar.js";
import { announce, arrange, button, counts, element, factList, focusLate, Items, OUTCOMES, pathName, plural, replace, serverText, showBlank, since } from "./dom.js";

/** How many events are fetched at a time, and how many at most. */
const PAGE = 100;
const MOST_EVENTS = 1000;
/** Lines in one table, so that a browser only lays out those in view. */
const ROWS_IN_TABLE = 500;

export class HistoryView {
  constructor(list, detail) {
    this.list = list;
    this.detail = detail;
    this.filter = { workspace: "", path: "", session: "", since: "", until: "" };
    /** What happened, newest first; and of it, the commits. */
    this.events = [];
    this.items = new Items((event) => this.item(event));
    /** Fetch the commits again; the one that is open is fetched again too, since it may have been undone. */
    this.refresh = oneAtATime(() => this.load());
  }

  get isShown() {
    return document.body.dataset.view === "history" && Boolean(this.group?.isConnected);
  }

  get commits() {
    return this.events.filter((event) => event.kind === "written" || event.kind === "undone");
  }

  leave() {
    this.rows?.close();
  }

  async show(address) {
    const { workspaces } = await get("workspaces");
    // Somebody went on while they were fetched.
    if (document.body.dataset.view !== "history") return;
    this.workspaces = workspaces;
    const given = new URLSearchParams(address.startsWith("?") ? address.slice(1) : "");
    for (const name of Object.keys(this.filter)) this.filter[name] = given.get(name) ?? this.filter[name];
    if (!workspaces.includes(this.filter.workspace)) this.filter.workspace = workspaces[0] ?? "";
    this.group = element("ul", { class: "items" });
    this.items.known.clear();
    this.empty = element("p", { class: "empty" }, "");
    this.rest = element("p", { class: "empty" }, button("Show older ones", "", () => this.showOlder()));
    replace(this.list, element("h2", { class: "quiet" }, "What happened"), this.filters(), this.empty, this.group, this.rest);
    if (!workspaces.length) {
      this.empty.textContent = "No workspace is known yet. Start suture review inside one.";
      return this.showNothing();
    }
    this.commit = null;
    await this.refresh();
    if (!this.isShown) return;
    if (given.get("blame")) await this.showBlame(given.get("blame"));
    else if (given.get("commit")) await this.open(given.get("commit"));
    else if (given.get("answer")) this.openAnswer(given.get("answer"));
    else await this.openFirst();
  }

  /** Open the newest commit, or else the newest answer. */
  async openFirst() {
    const [first] = this.commits;
    const answer = this.events.find((event) => event.kind === "answered");
    if (first) await this.open(first.id);
    else if (answer) this.openAnswer(answer.id);
    else this.showNothing();
  }

  filters() {
    const change = (name) => (event) => { this.filter[name] = event.target.value; void this.apply(); };
    const field = (name, label, type, wide) => element("label", { class: wide && "wide" }, label,
      element("input", { type, id: `filter-${name}`, value: this.filter[name], spellcheck: "false", onchange: change(name) }));
    return element("div", { class: "filters", role: "search", "aria-label": "Filter the history" },
      this.workspaces.length > 1 && element("label", { class: "wide" }, "Workspace",
        element("select", { id: "filter-workspace", onchange: change("workspace") },
          this.workspaces.map((root) => element("option", { value: root, selected: root === this.filter.workspace }, root)))),
      field("path", "File", "text", true), field("session", "Session", "text", true),
      field("since", "From", "date"), field("until", "To", "date"));
  }

  async apply() {
    this.commit = null;
    // The addresses of the items have the filter.
    this.items.known.clear();
    this.events = [];
    await this.refresh();
    await this.openFirst();
  }

  query(more = {}) {
    const seconds = (day, end) => (day ? Date.parse(`${day}T${end ? "23:59:59" : "00:00:00"}`) / 1000 : "");
    const { workspace, path, session, since: from, until } = this.filter;
    return { workspace, path, session, since: seconds(from), until: seconds(until, true), ...more };
  }

  async load() {
    const filter = JSON.stringify(this.filter);
    const { events, more, problem } = await get("timeline", this.query({ limit: Math.min(MOST_EVENTS, PAGE * Math.max(1, Math.ceil(this.events.length / PAGE))) })).catch((error) => {
      if (!(error instanceof ApiError) || error.status === 401) throw error;
      return { events: [], more: false, problem: error.message };
    });
    if (!this.isShown || filter !== JSON.stringify(this.filter)) return;
    this.events = events;
    this.showList(more);
    if (problem) this.empty.replaceChildren(serverText(problem));
    const shown = this.commit;
    if (!shown) return;
    const now = await get(`commits/${shown.id}`, { workspace: this.filter.workspace });
    const same = now.undone_by === shown.undone_by && JSON.stringify(now.reversal) === JSON.stringify(shown.reversal);
    if (same || this.commit !== shown || this.blame || !this.isShown) return;
    Object.assign(shown, { undone_by: now.undone_by, reversal: now.reversal });
    this.update();
  }

  showList(more) {
    arrange(this.group, this.items.nodes(this.events));
    this.markChosen();
    this.empty.hidden = this.events.length > 0;
    this.empty.textContent = "Nothing matches.";
    this.rest.hidden = !more;
  }

  async showOlder() {
    const { events, more } = await get("timeline", this.query({ until: this.events.at(-1).time }));
    const known = new Set(this.events.map(nameOf));
    this.events.push(...events.filter((event) => !known.has(nameOf(event))));
    this.showList(more);
  }

  item(event) {
    const isCommit = event.kind === "written" || event.kind === "undone";
    const href = event.kind === "asked" ? `#/requests/${event.id}` : `#/history/${this.address(isCommit ? { commit: event.id } : { answer: event.id })}`;
    const open = (click) => {
      if (event.kind === "asked" || click.ctrlKey || click.metaKey) return;
      click.preventDefault();
      if (isCommit) void this.open(event.id);
      else this.openAnswer(event.id);
    };
    return element("li", { class: `item ${event.undone_by ? "undone" : ""}` },
      element("a", { href, "data-event": nameOf(event), "data-commit": isCommit && event.id, onclick: open },
        element("span", { class: "row" }, pathName(event.subject, "subject"), counts(event.additions, event.deletions)),
        element("span", { class: "row muted" },
          element("span", {}, element("span", { class: `outcome ${event.answer}` }, wordFor(event)), " · ", [event.tool, event.actor].filter(Boolean).join(" · "), event.undone_by && " · undone"),
          since(event.time))));
  }

  address(more) {
    const chosen = Object.entries({ ...this.filter, ...more }).filter(([, value]) => value);
    return encodeURIComponent(`?${new URLSearchParams(chosen)}`);
  }

  showNothing() {
    showBlank(this.detail, "Nothing here", "Every edit that Suture writes becomes a commit, and shows up here.");
  }

  async open(id) {
    this.chosen = id;
    // An undo is meant for what was asked for.
    this.release?.();
    this.release = hold(this.detail);
    const commit = await get(`commits/${encodeURIComponent(id)}`, { workspace: this.filter.workspace }).finally(this.release);
    // Somebody went on while it was fetched.
    if (this.chosen !== id || !this.isShown) return;
    this.blame = this.offer = null;
    this.commit = commit;
    history.replaceState(null, "", `#/history/${this.address({ commit: id })}`);
    this.markChosen();
    this.showCommit();
    this.detail.scrollTop = 0;
  }

  markChosen() {
    for (const link of this.group.querySelectorAll("[data-event]")) {
      if (link.dataset.event.endsWith(` ${this.chosen}`)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** How a request was answered, and what came of it. */
  openAnswer(id) {
    const event = this.events.find((one) => one.kind === "answered" && one.id === id);
    if (!event) return this.showNothing();
    this.chosen = id;
    this.commit = this.blame = this.offer = null;
    this.answer = event;
    history.replaceState(null, "", `#/history/${this.address({ answer: id })}`);
    this.markChosen();
    this.showAnswer();
    this.detail.scrollTop = 0;
  }

  showAnswer() {
    const event = this.answer;
    const facts = [["Asked", since(event.asked)], ["Answered", since(event.time)], ["Tool", event.tool], ["Actor", event.actor], ["Session", event.session && this.sessionLink(event.session)],
      ["Request", element("code", {}, event.id)], ["Written by", event.link && element("span", { id: "written-by" }, this.link(event.link))]];
    replace(this.detail, element("header", { class: "request-head" },
      element("h2", {}, pathName(event.subject), ` was ${wordFor(event)}`),
      event.message && element("blockquote", { class: "reason" }, event.message),
      factList(facts), this.offer,
      !event.link && ["once", "some", "always"].includes(event.answer) && element("p", { class: "muted" }, "No commit of this history began with what was asked about.")));
  }

  showAgain() {
    if (this.blame) this.showBlamed();
    else if (this.commit) this.showCommit();
    else if (this.answer) this.showAnswer();
  }

  showCommit() {
    const { commit } = this;
    const { workspace } = this.filter;
    const path = (file) => `commits/${commit.id}/files/${file.index}`;
    const load = { hunk: (file, number, part) => get(`${path(file)}/hunks/${number}`, { ...part, workspace }),
      lines: (file, first, last) => get(`${path(file)}/lines`, { first, last, workspace }),
      colors: (file) => ({ path: `${path(file)}/colors`, query: { workspace } }) };
    pause(this.detail);
    this.rows?.close();
    this.rows = new RowWindow(this.detail);
    const hunkTools = (file, hunk) => file.hunks.length > 1 && ["update", "move"].includes(file.kind)
      && button("Undo this hunk", "", () => this.undoHunk(file, hunk), { class: "quiet-button undo-hunk", "aria-label": `Undo hunk ${hunk.number} of ${file.path}` });
    this.facts = element("div", {});
    this.files = element("div", { class: "files" }, commit.files.map((file, at) => new FileDiff(file, { rows: this.rows, folded: at >= 15, links: this.links(file), hunkTools,
      load: { ...load, lines: file.line_count === null ? undefined : load.lines } }).node));
    this.reason = element("p", { class: "gone", id: "reason" });
    this.undoButton = button("Undo this commit", "u", () => this.reverse(false), { id: "reverse" });
    this.mergeButton = button("Undo and keep later changes", "", () => this.reverse(true), { id: "merge" });
    replace(this.detail,
      element("header", { class: "request-head" },
        element("h2", {}, pathName(commit.paths[0] ?? "nothing"), commit.file_count > 1 && ` and ${plural(commit.file_count - 1, "more file")}`, " ", counts(commit.additions, commit.deletions)),
        this.facts),
      fileTree(commit.files, { go: (file) => file.goTo() }), this.files,
      element("div", { class: "actions", role: "group", "aria-label": "Change history" },
        this.reason, element("div", { class: "action-row" }, this.undoButton, this.mergeButton)));
    this.update();
  }

  /** Bring what is said about the open commit up to date. Its diff and the buttons stay the same elements. */
  update() {
    if (!this.commit) return this.answer && this.showAnswer();
    const { id, tool, actor, session, time, undoes, undone_by: undoneBy, notice, reversal } = this.commit;
    const { action, is_possible: isPossible, reason, may_merge: mayMerge } = reversal;
    const approved = this.events.find((event) => event.kind !== "answered" && event.id === id)?.link;
    const facts = [["Commit", element("code", {}, id)], ["Tool", tool], ["Actor", actor], ["Session", session && this.sessionLink(session)],
      ["Approved", approved && button("by a request", "", () => this.openAnswer(approved), { class: "quiet-button", id: "approved-by" })], ["Written", since(time)], ["Undoes", undoes && this.link(undoes)], ["Undone by", undoneBy && this.link(undoneBy)]];
    replace(this.facts, factList(facts), this.offer, notice && element("p", { class: "notice", role: "alert" }, serverText(notice)));
    this.reason.replaceChildren(serverText(reason));
    this.reason.hidden = !reason;
    const verb = action === "undo" ? "Undo" : "Redo";
    setText(this.undoButton, `${verb} this commit`);
    setText(this.mergeButton, `${verb} and keep later changes`);
    setDisabled(this.undoButton, !isPossible, this.detail);
    this.mergeButton.hidden = !mayMerge;
    this.files.classList.toggle("is-fixed", action !== "undo" || !isPossible);
  }

  links(file) {
    const path = file.move_to || file.path;
    return element("span", { class: "links" },
      button("History", "", () => { this.filter.path = path; document.getElementById("filter-path").value = path; void this.apply(); }, { class: "quiet-button", "aria-label": `History of ${path}` }), " ",
      file.kind !== "delete" && button("Blame", "", () => void this.showBlame(path), { class: "quiet-button", "aria-label": `Blame of ${path}` }));
  }

  link(id) {
    return button(id, "", () => void this.open(id), { class: "quiet-button" });
  }

  sessionLink(session) {
    return [button(session, "", () => { this.filter.session = session; document.getElementById("filter-session").value = session; void this.apply(); }, { class: "quiet-button", "aria-label": `History of the session ${session}` }), " ",
      button("Undo all of it…", "", () => this.offerSessionUndo(session), { class: "quiet-button", id: "undo-session" })];
  }

  /** Say what an undo of a session would take back, and do it only then. */
  async offerSessionUndo(session) {
    const { chosen } = this;
    const { commits } = await get("commits", { workspace: this.filter.workspace, session, limit: 1000 });
    const open = commits.filter((commit) => !commit.undone_by && !commit.undoes);
    if (!this.isShown || this.chosen !== chosen || this.blame) return;
    this.offer = element("div", { class: "notice", id: "session-undo", role: "alertdialog", "aria-label": "Undo a session" },
      element("p", {}, open.length ? `This takes back ${plural(open.length, "commit")} of the session, the newest first:` : "All commits of the session are undone already."),
      element("ul", {}, open.slice(0, 20).map((commit) => element("li", {}, `${commit.paths.join(", ")} `, counts(commit.additions, commit.deletions))), open.length > 20 && element("li", {}, `… and ${open.length - 20} more`)),
      element("p", {}, open.length > 0 && button(`Undo ${plural(open.length, "commit")}`, "", () => this.undoSession(session), { id: "undo-session-confirm", class: "bad" }), " ",
        button("Cancel", "", () => this.closePanel(), { id: "undo-session-cancel" })));
    this.update();
    pause(this.detail);
    // Whoever holds Enter down means the button before.
    focusLate(document.getElementById("undo-session-cancel"));
  }

  closePanel() {
    if (!this.offer) return false;
    this.offer.remove();
    this.offer = null;
    document.getElementById("undo-session")?.focus({ preventScroll: true });
    return true;
  }

  /** Change the history, unless what is shown has just changed. Until that is done, nothing else is changed. */
  async change(act) {
    if (isPaused(this.detail)) return;
    const release = hold(this.detail);
    await act().finally(release);
  }

  undoSession(session) {
    return this.change(async () => {
      const { undone, stopped_at: end, reason } = await post("sessions/undo", { workspace: this.filter.workspace, session });
      const text = end && !undone.length ? `Nothing was undone, because the commit ${end} can't be: ${reason}`
        : `${plural(undone.length, "commit")} of the session ${undone.length === 1 ? "was" : "were"} undone.${end ? ` It ended at the commit ${end}: ${reason}` : ""}`;
      await this.goTo(end || undone.at(-1) || this.chosen, text, text);
    });
  }

  undoHunk(file, hunk) {
    return this.changeCommit("undo-hunk", { file: file.index, hunk: hunk.number }, "The hunk was undone.");
  }

  reverse(merge) {
    const { action } = this.commit.reversal;
    return this.changeCommit(action, { merge }, action === "undo" ? "Undone." : "Redone.");
  }

  changeCommit(action, body, told) {
    const { commit } = this;
    return this.change(async () => {
      const made = await post(`commits/${commit.id}/${action}`, { workspace: this.filter.workspace, ...body }).catch((error) => {
        if (!(error instanceof ApiError)) throw error;
        commit.notice = error.message;
        if (this.commit === commit && this.isShown) this.update();
        announce(error.message);
      });
      if (made) await this.goTo(made.id, told);
    });
  }

  /** Say what was changed, and show the commit that it led to. */
  async goTo(id, told, notice) {
    announce(told);
    this.commit = null;
    await this.refresh();
    if (!this.isShown) return;
    await this.open(id);
    if (!this.commit || !this.isShown) return;
    this.commit.notice = notice;
    this.update();
    focusLate(this.detail);
  }

  // Blame.

  async showBlame(path) {
    try {
      const blame = await get("blame", { workspace: this.filter.workspace, path });
      if (!this.isShown) return;
      this.blame = blame;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!this.isShown) return;
      if (this.commit) { this.commit.notice = error.message; this.showCommit(); }
      else showBlank(this.detail, "", element("p", { class: "gone" }, serverText(error.message)));
      return;
    }
    history.replaceState(null, "", `#/history/${this.address({ blame: path })}`);
    this.showBlamed();
    this.detail.scrollTop = 0;
  }

  showBlamed() {
    replace(this.detail, blameOf(this.blame, {
      address: (commit) => `#/history/${this.address({ commit })}`,
      open: (commit) => void this.open(commit),
      back: () => (this.commit ? void this.open(this.commit.id) : void this.openFirst()) }));
  }

  step(by) {
    const events = this.events.filter((event) => event.kind !== "asked");
    const at = events.findIndex((event) => event.id === this.chosen);
    const next = events[at < 0 ? 0 : Math.max(0, Math.min(events.length - 1, at + by))];
    if (!next || next.id === this.chosen) return;
    return next.kind === "answered" ? this.openAnswer(next.id) : this.open(next.id);
  }

  keys() {
    return {
      n: ["next one", () => this.step(1)],
      p: ["previous one", () => this.step(-1)],
      u: ["undo or redo the commit", () => { const act = document.getElementById("reverse"); if (act && !act.disabled) act.click(); }],
      "/": ["filter by file", () => document.getElementById("filter-path")?.focus()],
    };
  }
}

/** What an event is, and of what: no two have the same. */
const nameOf = (event) => `${event.kind} ${event.id}`;

/** What happened, in a word. */
const wordFor = (event) => (event.kind === "answered" ? OUTCOMES[event.answer] || event.answer : event.kind);

/** The blame of a file. `address` is that of a commit; `open` and `back` lead on. */
function blameOf({ path, gap, commits, lines }, { address, open, back }) {
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const row = (line, at) => {
    const first = at === 0 || lines[at - 1].commit !== line.commit;
    const commit = byId.get(line.commit);
    return element("tr", { class: first && "start" },
      element("td", { class: "writer" }, first && (commit ? element("a", { href: address(commit.id),
        onclick: (event) => { event.preventDefault(); open(commit.id); } },
      [commit.tool, commit.actor].filter(Boolean).join(" · "), " · ", since(commit.time)) : "before the history")),
      element("td", { class: "number" }, String(line.number)),
      element("td", { class: "code same" }, display.whitespace ? line.text.replace(/\t/g, "→\t").replace(/\r$/, "\\r") : line.text.replace(/\r$/, "")));
  };
  const tables = [];
  for (let at = 0; at < lines.length; at += ROWS_IN_TABLE) {
    tables.push(element("table", { class: "diff blame", "aria-label": `Blame of ${path}` },
      element("colgroup", {}, ["writer", "number", "code"].map((name) => element("col", { class: name }))),
      element("tbody", {}, lines.slice(at, at + ROWS_IN_TABLE).map((line, offset) => row(line, at + offset)))));
  }
  return [
    element("header", { class: "request-head" }, element("h2", {}, element("span", { class: "verb" }, "Blame of "), pathName(path)),
      element("p", { class: "muted" }, `${plural(lines.length, "line")}, written by ${plural(commits.length, "commit")} of this history.`),
      gap && element("p", { class: "notice" }, gap),
      element("p", {}, button("Back to the commit", "", back, { class: "quiet-button" }))),
    element("section", { class: "file", "aria-label": `Blame of ${path}` }, tables)];
}
