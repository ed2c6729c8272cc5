// Requests that wait: the list, and which of them is open.

import { ApiError, get, oneAtATime } from "./api.js";
import { hold, isPaused } from "./answer_bar.js";
import { announce, element, focusLate, isWriting, OUTCOMES, plural, replace, showBlank, since } from "./dom.js";
import { RequestDetail } from "./request_detail.js";
import { Claims, RequestList } from "./request_list.js";
import { SeveralRequests } from "./several.js";

export class RequestsView {
  constructor(list, detail) {
    this.list = list;
    this.detail = detail;
    /** The requests that wait, by their ids. */
    this.waiting = new Map();
    this.total = 0;
    this.mark = "";
    /** What the detail shows: a `RequestDetail`, or nothing; or several requests at once. */
    this.open = this.several = null;
    this.answerCount = 0;
    this.loadOnce = oneAtATime(() => this.load());
  }

  async show(id) {
    this.inbox ??= new RequestList((ids) => this.readTogether(ids));
    this.several = null;
    this.closed = element("ul", { class: "items closed" });
    this.answers = element("details", { class: "answers", ontoggle: () => this.answers.open && this.showAnswers() },
      element("summary", {}, "Answered before"), this.closed);
    this.claims = new Claims();
    replace(this.list, this.inbox.nodes, this.answers, this.claims.node);
    // The request that the address names need not wait for the list.
    await Promise.all([this.refresh(), id && id !== this.open?.request.id ? this.select(id) : null]);
    if (!this.isShown) return;
    if (!this.open && !this.chosen) await this.selectFirst();
    else if (this.open && !this.open.isOnPage) this.open.draw();
  }

  /** What is drawn is not this view any more. */
  leave() {
    this.open?.close();
  }

  get isShown() {
    return document.body.dataset.view === "requests" && Boolean(this.inbox?.group.isConnected);
  }

  /** Fetch what differs in the list. What is open stays open, and the focus stays where it is. */
  async refresh() {
    await this.loadOnce();
    await this.follow();
  }

  async load() {
    const { answerCount } = this;
    const { requests, gone, is_whole: isWhole, mark, total } = await get("requests", { mark: this.mark });
    // It may have what was answered since it was asked for.
    if (answerCount !== this.answerCount) return this.load();
    const before = this.waiting;
    this.waiting = new Map(isWhole ? [] : before);
    for (const id of gone) this.waiting.delete(id);
    for (const request of requests) this.waiting.set(request.id, request);
    this.mark = mark;
    this.total = total;
    this.onchange?.();
    const fresh = requests.filter((request) => !before.has(request.id));
    if (fresh.length && before.size) announce(`${plural(fresh.length, "new request")}: ${fresh[0].subject}`);
    if (fresh.length && this.wasLoaded) this.onnew?.(fresh);
    this.wasLoaded = true;
    if (!this.isShown) return;
    this.showList();
    if (this.answers.open) await this.showAnswers();
    if (this.claims.node.open) await this.claims.load();
  }

  showList() {
    this.inbox.show([...this.waiting.values()]);
    this.inbox.mark(this.open?.request.id);
  }

  /** Some requests were answered. A list that is on its way is out of date. */
  forget(ids) {
    for (const id of ids) this.waiting.delete(id);
    this.total = Math.max(0, this.total - ids.length);
    this.answerCount += 1;
    this.inbox.drop(ids);
    this.showList();
    this.onchange?.();
  }

  /** Read several requests one below the other. */
  async readTogether(ids) {
    this.open?.close();
    this.open = this.chosen = null;
    const several = new SeveralRequests(this, ids, (answered, failed) => this.answeredTogether(several, answered, failed));
    this.several = several;
    this.inbox.mark(null);
    this.onopen?.();
    await this.several.show();
  }

  async answeredTogether(several, ids, failed) {
    this.forget(ids);
    if (failed || this.several !== several) return;
    this.several = null;
    if (!this.isShown) return;
    await this.selectFirst({ byItself: true });
    focusLate(this.detail);
  }

  /** Keep the open request true: it may have gone, a file of it may have changed, or its agent may wait anew. */
  async follow() {
    const { open } = this;
    if (!this.isShown) return;
    if (!open) {
      if (!this.several && !this.chosen && this.waiting.size) await this.selectFirst();
      return;
    }
    if (open.busy) return;
    const now = this.waiting.get(open.request.id);
    if (!now && !open.request.gone) {
      const reason = await get(`requests/${open.request.id}`).then(() => "", (error) => error.message);
      if (reason && this.open === open && !open.request.gone) open.end(reason);
    } else if (now && now.is_stale !== open.request.is_stale) {
      const notice = "A file has changed on disk since this was shown.";
      const request = { ...(await get(`requests/${open.request.id}`)), notice };
      if (this.open !== open || now.is_stale === open.request.is_stale) return;
      open.request = request;
      open.draw();
      announce(notice);
    } else if (now && (now.late_note !== open.request.late_note || now.deadline !== open.request.deadline)) {
      if (now.late_note && !open.request.late_note) announce(now.late_note);
      Object.assign(open.request, { late_note: now.late_note, deadline: now.deadline });
      open.update();
    }
  }

  /** Open the first request, unless one is being fetched that somebody has chosen. */
  async selectFirst(how = { byItself: true }) {
    const first = this.inbox.requests[0];
    if (first) await this.select(first.id, how);
    else this.showNothing();
  }

  async select(id, { byItself = false } = {}) {
    // It is on its way already: a second answer would undo what was typed or opened since the first.
    if (this.fetching === id) return;
    if (this.isOpen(id)) return this.stay(id);
    this.chosen = this.fetching = id;
    this.release?.();
    const release = (this.release = hold(this.detail));
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
      release();
    }
    // Somebody went on while it was fetched.
    if (this.chosen !== id) return;
    if (!this.isShown) return void (this.chosen = this.open?.request.id ?? null);
    this.open?.close();
    this.several = null;
    this.open = new RequestDetail(this, request, (detail, kind, covered) => this.answered(detail, kind, covered));
    history.replaceState(null, "", `#/requests/${id}`);
    this.inbox.mark(id);
    this.inbox.items.get(id)?.scrollIntoView({ block: "nearest" });
    if (!byItself) this.onopen?.();
    const wasWriting = isWriting();
    this.open.draw();
    this.detail.scrollTop = 0;
    // Keys act only inside; whoever works in the list or in a field stays there.
    if (!wasWriting && document.activeElement === document.body) this.detail.focus({ preventScroll: true });
  }

  /** Whether a request is open and still waits. */
  isOpen(id) {
    return this.open?.request.id === id && this.open.isOnPage && !this.open.request.gone;
  }

  /** Keep what is open, with all that was begun in it; another request that was asked for meanwhile is not opened. */
  stay(id) {
    this.release?.();
    this.chosen = id;
    this.fetching = null;
    history.replaceState(null, "", `#/requests/${id}`);
    this.inbox.mark(id);
  }

  /** A request was answered: go on with the next. */
  async answered({ request }, kind, covered) {
    const at = this.inbox.visible().flat().findIndex((one) => one.id === request.id);
    this.forget([request.id]);
    const what = `${kind === "reject" ? "Rejected" : "Approved"}: ${request.subject}.`;
    announce(`${what} ${request.late_note} ${plural(this.waiting.size, "request")} left.`);
    // Whoever answers late sees what comes of it.
    if (request.late_note) this.ontell?.(`${what} ${request.late_note}`);
    // The session closes those that this answer covers by itself.
    const isOpen = (one) => kind !== "always" || !covered.includes(one.id);
    // The one below in the list; if the search leaves none, the oldest of all.
    const open = this.inbox.visible().flat().filter(isOpen);
    const next = this.isShown && (open[Math.min(Math.max(0, at), open.length - 1)] ?? this.inbox.requests.find(isOpen));
    if (next) await this.select(next.id, { byItself: true });
    else this.showNothing();
    if (this.isShown) focusLate(this.detail);
  }

  showNothing() {
    this.open?.close();
    this.open = this.chosen = null;
    if (!this.isShown) return;
    showBlank(this.detail, "All done", "No agent is waiting for an answer. New requests appear here by themselves.");
  }

  showAgain() {
    this.several ? this.several.draw() : this.open?.draw();
  }

  async showAnswers() {
    const { answers } = await get("answers");
    replace(this.closed, answers.map((record) => element("li", { class: "item" },
      element("span", { class: "row" }, element("span", { class: "subject" }, record.subject), element("span", { class: `outcome ${record.kind}` }, OUTCOMES[record.kind] || record.kind)),
      element("span", { class: "row muted" }, element("span", {}, [record.tool, record.actor].filter(Boolean).join(" · ")), since(record.time)),
      record.message && element("span", { class: "row message" }, record.message))),
    !answers.length && element("li", { class: "empty" }, "None yet."));
  }

  closePanel() {
    return this.open?.closePanel() ?? false;
  }

  // Keys.

  step(by) {
    const requests = this.inbox.visible().flat();
    const at = requests.findIndex((request) => request.id === this.chosen);
    const next = requests[at < 0 ? 0 : Math.max(0, Math.min(requests.length - 1, at + by))];
    if (next && next.id !== this.chosen) return this.select(next.id);
  }

  /** Open the next request that needs a closer look. */
  stepToCaution() {
    const requests = this.inbox.visible().flat();
    const at = requests.findIndex((request) => request.id === this.chosen);
    const next = [...requests.slice(at + 1), ...requests.slice(0, at + 1)].find((request) => request.cautions.length || request.is_stale);
    if (!next) announce("No request deletes a file, is outside the workspace, or was matched loosely.");
    else if (next.id !== this.chosen) return this.select(next.id);
  }

  clearSearch() {
    this.inbox.search.value = "";
    this.inbox.draw();
  }

  /** Open the first request that the search leaves. */
  async openFound() {
    const [first] = this.inbox.visible().flat();
    if (!first) return;
    this.detail.focus({ preventScroll: true });
    await this.select(first.id);
  }

  keys() {
    return {
      a: ["approve the chosen hunks", () => this.pressed("approve")],
      r: ["reject", () => this.pressed("reject")],
      j: ["next hunk", () => this.open?.focusHunk(1)],
      k: ["previous hunk", () => this.open?.focusHunk(-1)],
      " ": ["choose or leave out the hunk", () => this.open?.toggleHunk()],
      f: ["mark the file as viewed", () => this.open?.toggleViewed()],
      c: ["comment on the hunk's first added line", () => this.open?.comment()],
      e: ["edit the proposed text", () => this.open?.edit()],
      m: ["write a message for the model", () => document.getElementById("message")?.focus()],
      A: ["always allow a pattern", () => this.open && !this.open.request.gone && !document.getElementById("always").disabled && this.open.toggleAlways()],
      n: ["next request", () => this.step(1)],
      p: ["previous request", () => this.step(-1)],
      "!": ["next request that needs a closer look", () => this.stepToCaution()],
      x: ["choose the request, to answer several", () => this.waiting.has(this.chosen) && this.inbox.toggle(this.chosen)],
      "*": ["choose all that are listed, or none", () => this.inbox.pickAll()],
      o: ["read the chosen ones together", () => this.inbox.read()],
      "/": ["search; Enter opens the first match", () => { this.inbox.search.focus(); this.inbox.search.select(); }],
    };
  }

  /** A key or a button that answers was pressed. */
  pressed(kind) {
    if (isPaused(this.detail)) return;
    const shown = this.several ?? this.open;
    // Another view may still be on the screen.
    if (!shown?.bar?.node.isConnected) return;
    if (kind === "reject" || !shown.bar.approve.disabled) return shown.answer(kind);
    if (document.getElementById("hidden")) announce("Not approved: not everything is shown.");
  }
}
