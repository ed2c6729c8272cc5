// The bar with the buttons that answer. It is built once and then changed, so that nothing is exchanged under the fingers of
// whoever is about to press or to type. And the panel of "Always…".

import { post } from "./api.js";
import { button, element, plural, replace, serverText } from "./dom.js";

/** For this long after what is shown has changed, nothing is answered: a key or a click was meant for something else. */
const PAUSE = 350;
let pausing;
/** Why nothing is answered for now: what was asked for is not on the screen yet. */
const holds = new Set();

/** Answer nothing until the function that this returns was called, and for a moment after it. */
export function hold(pane) {
  const release = () => { if (holds.delete(release)) pause(pane); };
  holds.add(release);
  pause(pane);
  return release;
}

/** What is not on the screen yet is not waited for any more. */
export const releaseAll = () => { for (const release of holds) release(); };

/** Answer nothing for a moment. While that lasts, the keys on the buttons are faint. */
export function pause(pane) {
  clearTimeout(pausing);
  pane.dataset.keys = "paused";
  pausing = setTimeout(() => { if (!holds.size) delete pane.dataset.keys; }, PAUSE);
}

export const isPaused = (pane) => pane.dataset.keys === "paused";

export class AnswerBar {
  /** `answer` is called with "approve" or "reject", `typed` with the message; `extra` are more elements. */
  constructor({ answer, typed, message = "", label, extra = [] }) {
    this.approve = button("Approve", "a", () => answer("approve"), { id: "approve", class: "good" });
    this.reject = button("Reject", "r", () => answer("reject"), { id: "reject", class: "bad" });
    this.field = element("textarea", { id: "message", rows: "1", placeholder: "Message for the model (optional)", "aria-label": "Message for the model",
      "aria-keyshortcuts": "m", value: message, oninput: () => { typed(this.field.value); this.showRejectLabel(); } });
    this.panel = element("div", { class: "bar-panel", hidden: true });
    this.notice = element("div", { class: "bar-notice", hidden: true });
    this.note = element("p", { class: "answer-note muted", id: "answer-note", hidden: true });
    this.node = element("div", { class: "actions", role: "group", "aria-label": label }, this.panel, this.notice, this.note,
      element("div", { class: "action-row" }, this.approve, this.reject, this.field, extra));
    this.rejectLabel = "Reject";
  }

  /** `notice` is an element that says why it can't be approved, `note` a text about what an answer means. */
  update({ label, canApprove, canReject, rejectLabel = "Reject", notice, note = "" }) {
    setText(this.approve, label);
    this.rejectLabel = rejectLabel;
    this.showRejectLabel();
    setDisabled(this.approve, !canApprove, this.node);
    setDisabled(this.reject, !canReject, this.node);
    if (notice?.textContent !== this.notice.textContent || !notice) {
      const hadFocus = this.notice.contains(document.activeElement);
      this.notice.replaceChildren(...(notice ? [notice] : []));
      if (hadFocus) (this.notice.querySelector("button:enabled") ?? this.node.closest("[tabindex]"))?.focus({ preventScroll: true });
    }
    this.notice.hidden = !notice;
    this.note.textContent = note;
    this.note.hidden = !note;
  }

  showRejectLabel() {
    setText(this.reject, this.field.value.trim() ? `${this.rejectLabel} with message` : this.rejectLabel);
  }

  showPanel(panel) {
    this.panel.replaceChildren(...(panel ? [panel] : []));
    this.panel.hidden = !panel;
  }
}

/** The label of a button, whose first child is its text. */
export function setText(node, text) {
  if (node.firstChild.data !== text) node.firstChild.data = text;
}

/** A button that is switched off while it has the focus hands it to the pane, where keys act. */
export function setDisabled(node, yes, bar) {
  const hadFocus = yes && document.activeElement === node;
  node.disabled = yes;
  if (hadFocus) bar.closest("[tabindex]")?.focus({ preventScroll: true });
}

/**
 * "Always…": the patterns that are not asked about again in this session, and what they cover. Only what has been shown can be
 * confirmed.
 */
export class AlwaysPanel {
  /** `confirm` is called with the patterns. What was typed is kept in `request.typedPatterns`. */
  constructor(request, confirm) {
    this.request = request;
    this.covers = element("div", { class: "covers", "aria-live": "polite" });
    this.button = button("Always allow these", "", () => confirm(this.coverage.patterns, this.coverage.requests), { id: "always-confirm", class: "good", disabled: true });
    this.field = element("textarea", { id: "patterns", rows: "2", spellcheck: "false", "aria-describedby": "patterns-note",
      value: request.typedPatterns ?? request.always.join("\n"), oninput: () => { request.typedPatterns = this.field.value; this.forget(); this.later(); } });
    const proposals = proposalsFor(request).map((glob) => button(glob, "", () => { request.typedPatterns = this.field.value = glob; void this.cover(); }, { class: "chip" }));
    this.node = element("div", { class: "always" },
      element("label", { for: "patterns" }, "Don't ask again in this session for paths that match:"),
      this.field,
      element("p", { id: "patterns-note", class: "hint" }, "One glob on a line. ", proposals),
      this.covers, this.button);
    void this.cover();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.cover(), 150);
  }

  forget() {
    this.button.disabled = true;
    return (this.coverage = {});
  }

  async cover() {
    const asked = this.forget();
    const patterns = this.field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!patterns.length) return replace(this.covers, element("p", { class: "gone" }, "Write at least one glob."));
    try {
      const { files, more, cut, requests, complete } = await post(`requests/${this.request.id}/coverage`, { patterns });
      if (asked !== this.coverage) return;
      const count = files.length + more;
      replace(this.covers,
        element("p", {}, element("code", {}, patterns.join("  ")), ` covers ${plural(count, "file")} that ${count === 1 ? "exists" : "exist"} now${cut ? " (not all files were looked at)" : ""}, and new ones that match.`,
          requests.length > 0 && ` It also covers ${plural(requests.length, "other request")} of this session.`),
        files.length > 0 && element("ul", { class: "covered", tabindex: "0", "aria-label": "Files that it covers" }, files.map((path) => element("li", {}, path)),
          more > 0 && element("li", {}, `… and ${more.toLocaleString("en")} more`)),
        !complete && element("p", { class: "gone" }, "That is more than can be listed. Use a narrower glob, or a whole directory such as src/**."));
      Object.assign(asked, { patterns, requests });
      this.button.disabled = !complete;
    } catch (error) {
      if (asked === this.coverage) replace(this.covers, element("p", { class: "gone" }, serverText(error.message)));
    }
  }
}

/** Globs that cover less than the one that the request proposes. */
function proposalsFor(request) {
  const paths = request.files.map((file) => file.path).filter((path) => !/[*?[\]{}\\]/.test(path));
  const folders = paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1)).filter(Boolean).map((folder) => `${folder}**`);
  return [...new Set([...paths.slice(0, 2), ...folders.slice(0, 2), ...request.always])].slice(0, 5);
}
