// Several requests, read one below the other and answered at once. What was not shown can't be approved here either.

import { ApiError, get, post } from "./api.js";
import { fileDiff } from "./diff.js";
import { announce, button, counts, element, plural, replace, serverText } from "./dom.js";

/** Requests that are read together at most. */
const MOST = 100;

export class SeveralRequests {
  /** `view` shows them; `done` is called with the ids of those that were answered. */
  constructor(view, ids, done) {
    this.view = view;
    this.ids = ids.slice(0, MOST);
    this.done = done;
    this.requests = [];
    this.message = "";
    this.busy = false;
  }

  async show() {
    const got = await Promise.all(this.ids.map((id) => get(`requests/${encodeURIComponent(id)}`).catch((error) => {
      if (error instanceof ApiError) return null;
      throw error;
    })));
    if (this.view.several !== this) return;
    this.requests = got.filter(Boolean);
    this.draw();
  }

  draw() {
    this.view.pause();
    this.actions = element("div", { class: "actions", role: "group", "aria-label": "Answer all of them" });
    this.failures = element("div", {});
    // Diffs of one page have numbers of their own, so that each box and hunk has one name.
    let number = 0;
    const sections = this.requests.map((request) => element("section", { class: "one-of-several", "aria-label": request.subject },
      element("header", {}, element("h3", {}, element("span", { class: "verb" }, `${request.heading} `), element("a", { href: `#/requests/${request.id}` }, request.subject)),
        counts(request.additions, request.deletions),
        element("span", { class: "muted" }, [request.tool, request.actor, request.workspace].filter(Boolean).join(" · ")),
        button("Not this one", "", () => this.leave(request), { class: "quiet-button" })),
      request.stale.length > 0 && element("p", { class: "notice bad" }, serverText(request.stale.join(" "))),
      request.files.map((file, at) => {
        file.index = number++;
        return fileDiff(file, { changed: () => this.drawActions(),
          load: { hunk: (_, hunk, part) => get(`requests/${request.id}/files/${at}/hunks/${hunk}`, part) } });
      })));
    this.isDrawn = true;
    this.drawActions();
    replace(this.view.detail, element("header", { class: "request-head" },
      element("h2", {}, plural(this.requests.length, "request")), this.summary(), this.failures), this.actions, element("div", { class: "files" }, sections));
    this.view.detail.scrollTop = 0;
    this.view.detail.focus({ preventScroll: true });
  }

  summary() {
    return element("ul", { class: "summary" }, this.requests.map((request) => element("li", {}, `${request.heading} ${request.subject} `,
      counts(request.additions, request.deletions), request.files.some((file) => file.kind === "delete") && element("span", { class: "badge delete" }, "deletes"))));
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

  drawActions() {
    if (!this.isDrawn) return;
    const hidden = this.hidden();
    const count = plural(this.requests.length, "request");
    const field = element("textarea", { id: "message", rows: "1", placeholder: "Message for the model (optional)", "aria-label": "Message for the model",
      value: this.message, oninput: (event) => { this.message = event.target.value; } });
    replace(this.actions,
      button(`Approve ${count}`, "a", () => this.answer("approve"), { id: "approve", class: "good", disabled: !this.requests.length || hidden.length > 0 }),
      button(`Reject ${count}`, "r", () => this.answer("reject"), { id: "reject", class: "bad", disabled: !this.requests.length }),
      field,
      hidden.length > 0 && element("p", { class: "notice", id: "hidden" },
        `Not everything is shown of ${plural(hidden.length, "request")}: ${hidden.slice(0, 5).map((one) => one.subject).join(", ")}. What was not shown can't be approved. `,
        button("Show everything", "", () => this.reveal(), { id: "reveal" })));
  }

  async reveal() {
    for (const request of this.requests) {
      for (const file of request.files) if (this.view.several === this && file.kind !== "delete") await file.reveal();
    }
    this.drawActions();
  }

  async answer(kind) {
    if (this.busy) return;
    this.busy = this.actions.inert = true;
    const answered = [];
    const failed = [];
    for (const request of this.requests) {
      try {
        await post(`requests/${request.id}/answer`, { kind: kind === "reject" ? "reject" : "once", message: this.message.trim(), fingerprint: request.fingerprint });
        answered.push(request);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failed.push(`${request.subject}: ${error.message}`);
      }
    }
    announce(`${kind === "reject" ? "Rejected" : "Approved"}: ${plural(answered.length, "request")}. ${failed.length ? `${failed.length} failed.` : ""}`);
    this.busy = false;
    if (failed.length) {
      this.requests = this.requests.filter((request) => !answered.includes(request));
      this.draw();
      replace(this.failures, element("div", { class: "notice bad", role: "alert" }, element("p", {}, "These were not answered:"), element("ul", {}, failed.map((text) => element("li", {}, text)))));
    }
    await this.done(answered.map((request) => request.id), failed.length);
  }
}
