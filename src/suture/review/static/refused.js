// Edits that were refused, each beside the place of the file that is nearest, or the places that all fit, and beside what it
// would have written. At a place that somebody chooses, it can be asked for like any other edit.

import { ApiError, get, post } from "./api.js";
import { arrange, button, element, factList, Items, pathName, plural, replace, serverText, showBlank, since } from "./dom.js";
import { table } from "./rows.js";

export class RefusedView {
  constructor(list, detail) {
    this.list = list;
    this.detail = detail;
    this.edits = [];
    this.items = new Items((edit) => this.item(edit));
  }

  get isShown() {
    return document.body.dataset.view === "refused" && Boolean(this.group?.isConnected);
  }

  async show(address) {
    const { workspaces } = await get("workspaces");
    // Somebody went on while they were fetched.
    if (document.body.dataset.view !== "refused") return;
    const given = new URLSearchParams(address.startsWith("?") ? address.slice(1) : "");
    this.workspace = given.get("workspace") ?? this.workspace;
    if (!workspaces.includes(this.workspace)) this.workspace = workspaces[0] ?? "";
    this.group = element("ul", { class: "items" });
    this.empty = element("p", { class: "empty" }, "No edit was refused lately.");
    replace(this.list, element("h2", { class: "quiet" }, "Refused edits"),
      workspaces.length > 1 && element("div", { class: "filters" }, element("label", { class: "wide" }, "Workspace",
        element("select", { id: "refused-workspace", onchange: (event) => { this.workspace = event.target.value; this.edit = null; void this.load(); } },
          workspaces.map((root) => element("option", { value: root, selected: root === this.workspace }, root))))),
      this.empty, this.group);
    this.edit = null;
    await this.load(given.get("edit"));
  }

  address(id) {
    return `#/refused/${encodeURIComponent(`?${new URLSearchParams({ workspace: this.workspace, edit: id })}`)}`;
  }

  async load(id) {
    await this.refresh(Boolean(id));
    if (!this.isShown) return;
    if (id) await this.open(id);
    else if (this.edits.length) await this.open(this.edits[0].id);
    else this.showNothing();
  }

  async refresh(isChosen = false) {
    const edits = this.workspace ? (await get("refused", { workspace: this.workspace })).refused : [];
    if (!this.isShown) return;
    this.edits = edits;
    this.empty.hidden = this.edits.length > 0;
    arrange(this.group, this.items.nodes(this.edits));
    this.markOpen();
    if (isChosen) return;
    if (this.edit) await this.follow();
    else if (this.edits.length && !this.detail.querySelector(".file")) await this.open(this.edits[0].id);
  }

  /** What became of the open edit may be known only now. */
  async follow() {
    const shown = this.edit;
    const now = await get(`refused/${encodeURIComponent(shown.id)}`, { workspace: this.workspace }).catch((error) => {
      if (!(error instanceof ApiError) || error.status === 401) throw error;
      return null; // It is not kept any more; what is shown stays.
    });
    if (!now || this.edit !== shown || !this.isShown || now.outcome === shown.outcome && now.request === shown.request) return;
    Object.assign(shown, { outcome: now.outcome, request: now.request });
    this.showAgain();
  }

  item(edit) {
    return element("li", { class: "item" },
      element("a", { href: this.address(edit.id), id: `refused-${edit.id}`, onclick: (event) => { event.preventDefault(); void this.open(edit.id); } },
        element("span", { class: "row" }, pathName(edit.problems[0]?.path || "the patch", "subject"),
          element("span", { class: "outcome reject" }, edit.problems[0]?.title)),
        element("span", { class: "row muted" }, element("span", {}, [edit.tool, edit.actor || edit.session, edit.problem_count > 1 && plural(edit.problem_count, "problem")].filter(Boolean).join(" · ")), since(edit.time))));
  }

  markOpen() {
    for (const edit of this.edits) document.getElementById(`refused-${edit.id}`)?.removeAttribute("aria-current");
    if (this.edit) document.getElementById(`refused-${this.edit.id}`)?.setAttribute("aria-current", "true");
  }

  showNothing() {
    showBlank(this.detail, "Nothing was refused", "Edits that have no place in a file, or several, show up here beside the lines that come closest.");
  }

  async open(id) {
    this.chosen = id;
    try {
      const edit = await get(`refused/${encodeURIComponent(id)}`, { workspace: this.workspace });
      // Somebody went on while it was fetched.
      if (this.chosen !== id || !this.isShown) return;
      this.edit = edit;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.chosen !== id || !this.isShown) return;
      showBlank(this.detail, "", element("p", { class: "gone" }, serverText(error.message)));
      return;
    }
    this.markOpen();
    history.replaceState(null, "", this.address(id));
    this.showAgain();
    this.detail.scrollTop = 0;
  }

  showAgain() {
    const edit = this.edit;
    if (!edit) return;
    replace(this.detail,
      element("header", { class: "request-head" },
        element("h2", {}, element("span", { class: "verb" }, "Refused: "), pathName(edit.problems[0]?.path || "the patch")),
        factList([["Tool", edit.tool], ["Actor", edit.actor], ["Session", edit.session], ["When", since(edit.time)]])),
      edit.request && element("p", { class: "notice", id: "applied" }, edit.outcome ? serverText(edit.outcome) : ["It waits for your approval: ", element("a", { href: `#/requests/${edit.request}` }, "open the request"), "."]),
      this.notice && element("p", { class: "notice bad", role: "alert" }, serverText(this.notice)),
      element("div", { class: "files" }, edit.explanations.map((one, at) => problem(one, (place) => this.applyHere(at, place)))));
  }

  /** Ask for the edit at a place; the request is then answered like any other. */
  async applyHere(at, place) {
    const { edit } = this;
    try {
      const { request } = await post(`refused/${encodeURIComponent(edit.id)}/apply`, { problem: at, place, workspace: this.workspace });
      if (this.isShown) location.hash = `#/requests/${request}`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!this.isShown) return;
      this.notice = error.message;
      this.showAgain();
      this.notice = "";
    }
  }

  step(by) {
    const at = this.edits.findIndex((edit) => edit.id === this.edit?.id);
    const next = this.edits[Math.max(0, Math.min(this.edits.length - 1, at + by))];
    if (next && next.id !== this.edit?.id) void this.open(next.id);
  }

  keys() {
    return { n: ["next refused edit", () => this.step(1)], p: ["previous refused edit", () => this.step(-1)] };
  }
}

function problem(one, applyHere) {
  const nearest = one.places.length === 1;
  const [first, ...rest] = one.message.split("\n");
  const lines = (place) => (place.first === place.last ? `line ${place.first}` : `lines ${place.first} to ${place.last}`);
  return element("section", { class: "file", "aria-label": one.title },
    element("header", { class: "file-head problem-head" }, element("span", { class: "badge delete" }, one.title), element("h3", {}, pathName(one.path))),
    element("p", { class: "plain-text" }, serverText(first)),
    one.places.map((place, at) => element("div", { class: "place" },
      element("h4", {}, `${nearest ? "Nearest place" : "It fits here"}: ${lines(place)}`,
        one.can_apply && button("Apply here…", "", () => applyHere(at), { class: "quiet-button apply-here", "aria-label": `Apply at ${lines(place)}` })),
      element("div", { class: "three" },
        element("div", {}, element("div", { class: "heads", "aria-hidden": "true" }, element("span", {}, "The edit"), element("span", {}, "The file")),
          table(place.rows, "The edit beside the file", { compare: true })),
        one.replacement.length > 0 && element("div", {}, element("div", { class: "head-only", "aria-hidden": "true" }, "The replacement"), replacement(one.replacement))))),
    !one.places.length && rest.length > 0 && element("p", { class: "prose" }, serverText(rest.join("\n"))),
    one.hint && element("p", { class: "plain-text next" }, element("strong", {}, "Next: "), serverText(one.hint)));
}

/** The lines that an edit would have written. */
function replacement(lines) {
  return element("table", { class: "diff", "aria-label": "The replacement" }, element("tbody", {}, lines.map((text) =>
    element("tr", {}, element("td", { class: "code same" }, text)))));
}
