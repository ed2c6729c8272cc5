// Several requests, read one below the other and answered at once. What was not shown can't be approved here either.

import { ApiError, get, post } from "./api.js";
import { AnswerBar, pause } from "./answer_bar.js";
import { announce, button, counts, element, focusLate, plural, replace, serverText } from "./dom.js";
import { Draft } from "./drafts.js";
import { FileDiff } from "./file_diff.js";
import { RowWindow } from "./row_window.js";

/** Requests that are read together at most. */
const MOST = 100;

export class SeveralRequests {
  /** `view` shows them; `done` is called with the ids of those that were answered. */
  constructor(view, ids, done) {
    this.view = view;
    this.ids = ids;
    this.done = done;
    this.requests = [];
    /** Those that somebody has begun to answer in another way: they are not approved as they were proposed. */
    this.begun = [];
    this.message = "";
    this.busy = false;
  }

  async show() {
    const got = await Promise.all(this.ids.slice(0, MOST).map((id) => get(`requests/${encodeURIComponent(id)}`).catch((error) => {
      if (error instanceof ApiError) return null;
      throw error;
    })));
    if (this.view.several !== this) return;
    for (const request of got.filter(Boolean)) (new Draft(request).isBegun ? this.begun : this.requests).push(request);
    this.draw();
  }

  draw() {
    if (!this.view.isShown || this.view.several !== this) return;
    pause(this.view.detail);
    this.rows?.close();
    this.rows = new RowWindow(this.view.detail);
    this.failures = element("div", {});
    this.bar = new AnswerBar({ label: "Answer all of them", message: this.message, typed: (text) => { this.message = text; }, answer: (kind) => this.view.pressed(kind) });
    // Diffs of one page have numbers of their own, so that each box and hunk has one name.
    let number = 0;
    const sections = this.requests.map((request) => element("section", { class: "one-of-several", "aria-label": request.sentence },
      element("header", {}, element("h3", {}, element("a", { href: `#/requests/${request.id}` }, request.sentence)),
        counts(request.additions, request.deletions),
        element("span", { class: "muted" }, [request.tool, request.workspace].filter(Boolean).join(" · ")),
        button("Not this one", "", () => this.leave(request), { class: "quiet-button", "aria-label": `Not this one: ${request.subject}` })),
      request.reason && element("p", { class: "reason" }, request.reason),
      request.stale.length > 0 && element("p", { class: "notice bad" }, serverText(request.stale.join(" "))),
      request.late_note && element("p", { class: "notice" }, request.late_note),
      request.files.map((file, at) => {
        file.index = number++;
        return new FileDiff(file, { rows: this.rows, changed: () => this.update(), load: {
          hunk: (_, hunk, part) => get(`requests/${request.id}/files/${at}/hunks/${hunk}`, part),
          colors: () => ({ path: `requests/${request.id}/files/${at}/colors` }) } }).node;
      })));
    this.isDrawn = true;
    replace(this.view.detail, element("header", { class: "request-head" },
      element("h2", {}, plural(this.requests.length, "request")), this.summary(), this.leftOut(), this.failures), element("div", { class: "files" }, sections), this.bar.node);
    this.update();
    this.view.detail.scrollTop = 0;
    focusLate(this.view.detail);
  }

  summary() {
    return element("ul", { class: "summary" }, this.requests.map((request) => element("li", {}, `${request.sentence} `,
      counts(request.additions, request.deletions), request.files.some((file) => file.kind === "delete") && element("span", { class: "badge delete" }, "deletes"))));
  }

  leftOut() {
    return [this.begun.length > 0 && element("p", { class: "notice", id: "begun" },
      `Not among these, because you have begun to answer ${this.begun.length === 1 ? "it" : "them"}: ${this.begun.map((one) => one.subject).join(", ")}.`),
    this.ids.length > MOST && element("p", { class: "notice" }, `These are the first ${MOST} of ${this.ids.length}.`)];
  }

  leave(request) {
    this.requests = this.requests.filter((one) => one !== request);
    this.draw();
  }

  /** The requests that can't be approved from here, and why. */
  hidden() {
    const isCut = (request) => request.file_count > request.files.length
      || request.files.some((file) => file.kind !== "delete" && file.hunks.some((hunk) => !hunk.isShown));
    return this.requests.filter((request) => request.stale.length > 0 || isCut(request));
  }

  /** Bring the bar up to date; several changes at once count once. */
  update() {
    if (!this.isDrawn || this.isPlanned) return;
    this.isPlanned = true;
    queueMicrotask(() => { this.isPlanned = false; this.updateNow(); });
  }

  updateNow() {
    const hidden = this.hidden();
    const count = plural(this.requests.length, "request");
    this.bar.update({ label: `Approve ${count}`, rejectLabel: `Reject ${count}`,
      canApprove: this.requests.length > 0 && !hidden.length, canReject: this.requests.length > 0,
      notice: hidden.length > 0 ? element("p", { class: "notice", id: "hidden" },
        `Not everything is shown of ${plural(hidden.length, "request")}: ${hidden.slice(0, 5).map((one) => one.subject).join(", ")}. What was not shown can't be approved. `,
        button("Show everything", "", () => this.reveal(), { id: "reveal" })) : null });
  }

  async reveal() {
    for (const request of this.requests) {
      for (const file of request.files) if (this.view.several === this && file.kind !== "delete") await file.reveal();
    }
    pause(this.view.detail);
    this.update();
  }

  async answer(kind) {
    if (this.busy || !this.requests.length) return;
    this.busy = this.bar.node.inert = true;
    const message = this.message.trim();
    try {
      const { answers } = await post("answers", { answers: this.requests.map(({ id, fingerprint }) => ({ id, fingerprint, message, kind: kind === "reject" ? "reject" : "once" })) });
      const reasons = new Map(answers.filter((one) => one.message).map((one) => [one.id, one.message]));
      const failed = this.requests.filter((request) => reasons.has(request.id));
      const answered = this.requests.filter((request) => !reasons.has(request.id));
      for (const request of answered) new Draft(request).drop();
      announce(`${kind === "reject" ? "Rejected" : "Approved"}: ${plural(answered.length, "request")}. ${failed.length ? `${failed.length} failed.` : ""}`);
      if (failed.length && this.view.several === this) {
        this.requests = failed;
        this.draw();
        replace(this.failures, element("div", { class: "notice bad", role: "alert" }, element("p", {}, "These were not answered:"),
          element("ul", {}, failed.map((request) => element("li", {}, `${request.subject}: `, serverText(reasons.get(request.id)))))));
      }
      await this.done(answered.map((request) => request.id), failed.length);
    } finally {
      this.busy = this.bar.node.inert = false;
    }
  }
}
