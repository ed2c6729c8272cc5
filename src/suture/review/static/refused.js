// Edits that were refused, each beside the place of the file that is nearest, or the places that all fit.

import { ApiError, get } from "./api.js";
import { table } from "./diff.js";
import { element, pathName, plural, replace, serverText, since } from "./dom.js";

export class RefusedView {
  constructor(list, detail) {
    this.list = list;
    this.detail = detail;
    this.edits = [];
  }

  async show() {
    const { workspaces } = await get("workspaces");
    if (!workspaces.includes(this.workspace)) this.workspace = workspaces[0] ?? "";
    this.group = element("ul", { class: "items" });
    this.empty = element("p", { class: "empty" }, "No edit was refused lately.");
    replace(this.list, element("h2", { class: "quiet" }, "Refused edits"),
      workspaces.length > 1 && element("div", { class: "filters" }, element("label", { class: "wide" }, "Workspace",
        element("select", { id: "refused-workspace", onchange: (event) => { this.workspace = event.target.value; this.edit = null; void this.load(); } },
          workspaces.map((root) => element("option", { value: root, selected: root === this.workspace }, root))))),
      this.empty, this.group);
    this.edit = null;
    await this.load();
  }

  async load() {
    await this.refresh();
    if (this.edits.length) await this.open(this.edits[0].id);
    else this.showNothing();
  }

  async refresh() {
    const edits = this.workspace ? (await get("refused", { workspace: this.workspace })).refused : [];
    if (!this.group?.isConnected) return;
    this.edits = edits;
    this.empty.hidden = this.edits.length > 0;
    replace(this.group, this.edits.map((edit) => element("li", { class: "item" },
      element("a", { href: "#/refused", id: `refused-${edit.id}`, "aria-current": edit.id === this.edit?.id && "true",
        onclick: (event) => { event.preventDefault(); void this.open(edit.id); } },
        element("span", { class: "row" }, pathName(edit.problems[0]?.path || "the patch", "subject"),
          element("span", { class: "outcome reject" }, edit.problems[0]?.code)),
        element("span", { class: "row muted" }, element("span", {}, [edit.tool, edit.actor || edit.session, edit.problem_count > 1 && plural(edit.problem_count, "problem")].filter(Boolean).join(" · ")), since(edit.time))))));
    if (!this.edit && this.edits.length && !this.detail.querySelector(".file")) await this.open(this.edits[0].id);
  }

  showNothing() {
    replace(this.detail, element("div", { class: "blank" }, element("h2", {}, "Nothing was refused"),
      element("p", {}, "Edits that have no place in a file, or several, show up here beside the lines that come closest.")));
  }

  async open(id) {
    try {
      this.edit = await get(`refused/${encodeURIComponent(id)}`, { workspace: this.workspace });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      replace(this.detail, element("div", { class: "blank" }, element("p", { class: "gone" }, error.message)));
      return;
    }
    for (const edit of this.edits) document.getElementById(`refused-${edit.id}`)?.removeAttribute("aria-current");
    document.getElementById(`refused-${id}`)?.setAttribute("aria-current", "true");
    this.showAgain();
    this.detail.scrollTop = 0;
  }

  showAgain() {
    const edit = this.edit;
    if (!edit) return;
    replace(this.detail,
      element("header", { class: "request-head" },
        element("h2", {}, element("span", { class: "verb" }, "Refused: "), pathName(edit.problems[0]?.path || "the patch")),
        element("dl", { class: "facts" }, [["Tool", edit.tool], ["Actor", edit.actor], ["Session", edit.session], ["When", since(edit.time)]]
          .filter(([, value]) => value).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))))),
      element("div", { class: "files" }, edit.explanations.map(problem)));
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

function problem(one) {
  const nearest = one.places.length === 1;
  const [first, ...rest] = one.message.split("\n");
  return element("section", { class: "file", "aria-label": one.code },
    element("header", { class: "file-head problem-head" }, element("span", { class: "badge delete" }, one.code), element("h3", {}, pathName(one.path))),
    element("p", { class: "plain-text" }, serverText(first)),
    one.places.map((place) => element("div", { class: "place" },
      element("h4", {}, `${nearest ? "Nearest place" : "It fits here"}: ${place.first === place.last ? `line ${place.first}` : `lines ${place.first} to ${place.last}`}`),
      element("div", { class: "heads", "aria-hidden": "true" }, element("span", {}, "The edit"), element("span", {}, "The file")),
      table(place.rows, "The edit beside the file", { compare: true }))),
    !one.places.length && rest.length > 0 && element("p", { class: "prose" }, serverText(rest.join("\n"))),
    one.hint && element("p", { class: "plain-text next" }, element("strong", {}, "Next: "), serverText(one.hint)));
}
