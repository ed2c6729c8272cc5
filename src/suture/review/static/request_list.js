// The list of requests that wait: by workspace and session, the oldest first, with a search and boxes to choose several. Below
// it, the files that sessions claim.

import { get } from "./api.js";
import { arrange, button, counts, element, plural, replace, since, until } from "./dom.js";

/** The last part of a path. */
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
/** Why a request needs a closer look. */
const CAUTIONS = { outside: "outside", delete: "deletes a file", mode: "mode", binary: "binary", loose: "loose match" };
const KINDS = { add: "new", delete: "delete", move: "rename", read: "read", list: "list" };
const groupOf = (request) => `${request.workspace}\n${request.session}`;

export class RequestList {
  /** `onread` is called with the ids of several requests that are to be read together. */
  constructor(onread) {
    this.requests = [];
    this.items = new Map();
    this.headings = new Map();
    this.picked = new Set();
    this.onread = onread;
    this.search = element("input", { type: "search", id: "search", placeholder: "Search", "aria-label": "Search the requests",
      "aria-keyshortcuts": "/", oninput: () => this.draw() });
    this.bar = element("div", { class: "picks", role: "group", "aria-label": "Several requests" });
    this.group = element("ul", { class: "items", id: "requests" });
    this.empty = element("p", { class: "empty" });
    this.nodes = [element("h2", { class: "quiet" }, "Requests that wait"), this.search, this.bar, this.empty, this.group];
  }

  show(requests) {
    this.requests = [...requests].sort((one, other) => one.time - other.time || (one.id < other.id ? -1 : 1));
    const waiting = new Set(requests.map((request) => request.id));
    for (const id of this.picked) if (!waiting.has(id)) this.picked.delete(id);
    for (const id of this.items.keys()) if (!waiting.has(id)) this.items.delete(id);
    const groups = new Set(requests.map(groupOf));
    for (const key of this.headings.keys()) if (!groups.has(key)) this.headings.delete(key);
    this.draw();
  }

  /** The requests that the search leaves, group by group; the group with the oldest request comes first. */
  visible() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = new Map();
    for (const request of this.requests) {
      const text = [request.subject, ...request.paths, request.tool, request.actor, request.workspace, request.reason, ...request.cautions].join(" ").toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
      if (!groups.has(groupOf(request))) groups.set(groupOf(request), []);
      groups.get(groupOf(request)).push(request);
    }
    return [...groups.values()];
  }

  draw() {
    const groups = this.visible();
    const hasHeadings = new Set(this.requests.map(groupOf)).size > 1;
    const nodes = groups.flatMap((requests) => [
      ...(hasHeadings ? [this.heading(requests[0])] : []), ...requests.map((request) => this.item(request))]);
    arrange(this.group, nodes);
    this.search.hidden = this.requests.length < 2;
    this.empty.textContent = this.requests.length ? "No request matches." : "Nothing is waiting for you.";
    this.empty.hidden = nodes.length > 0;
    this.drawPicks();
  }

  heading(request) {
    const key = groupOf(request);
    if (!this.headings.has(key)) {
      this.headings.set(key, element("li", { class: "group" },
        element("span", { class: "subject" }, baseName(request.workspace) || "No workspace"),
        element("span", { class: "muted" }, request.actor || request.session, request.workspace && ` · ${request.workspace}`)));
    }
    return this.headings.get(key);
  }

  item(request) {
    let item = this.items.get(request.id);
    if (!item) this.items.set(request.id, item = listItem(request, (event) => this.pick(request.id, event)));
    item.classList.toggle("stale", request.is_stale);
    item.classList.toggle("late", Boolean(request.late_note));
    item.querySelector("input").checked = this.picked.has(request.id);
    return item;
  }

  mark(current) {
    for (const [id, item] of this.items) {
      const link = item.querySelector("a");
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** Choose a request or drop it; with Shift, all from the one that was chosen last. */
  pick(id, event) {
    const order = this.visible().flat().map((request) => request.id);
    const [from, to] = [order.indexOf(event.shiftKey ? this.last : id), order.indexOf(id)].sort((one, other) => one - other);
    for (const one of order.slice(Math.max(0, from), to + 1)) this.picked[event.target.checked ? "add" : "delete"](one);
    this.last = id;
    this.draw();
  }

  /** Choose all that are listed; if they are chosen already, none. */
  pickAll() {
    const ids = this.visible().flat().map((request) => request.id);
    const act = ids.every((id) => this.picked.has(id)) ? "delete" : "add";
    for (const id of ids) this.picked[act](id);
    this.draw();
  }

  toggle(id) {
    this.picked[this.picked.has(id) ? "delete" : "add"](id);
    this.last = id;
    this.draw();
  }

  read() {
    if (this.picked.size) return this.onread(this.inOrder());
  }

  drop(ids) {
    for (const id of ids) this.picked.delete(id);
    this.draw();
  }

  drawPicks() {
    const many = this.requests.length > 1;
    // A button that somebody is about to press is not exchanged for an equal one.
    const drawn = `${this.picked.size} ${many}`;
    if (drawn === this.drawnPicks) return;
    this.drawnPicks = drawn;
    replace(this.bar,
      this.picked.size > 0 && button(`Read ${plural(this.picked.size, "request")} together`, "o", () => this.read(), { id: "read-picked", class: "good" }),
      this.picked.size > 0 && button("Choose none", "", () => this.drop([...this.picked]), { id: "pick-none", class: "quiet-button" }),
      many && this.picked.size === 0 && button("Choose all", "*", () => this.pickAll(), { id: "pick-all", class: "quiet-button" }));
  }

  inOrder() {
    return this.requests.map((request) => request.id).filter((id) => this.picked.has(id));
  }
}

function listItem(request, onpick) {
  const name = request.path ? baseName(request.path) : request.subject;
  const folder = request.path ? request.path.slice(0, -baseName(request.path).length) : "";
  const who = [request.tool, request.actor || request.session].filter(Boolean).join(" · ");
  return element("li", { class: "item" },
    element("input", { type: "checkbox", class: "pick", "aria-label": `Choose ${request.subject}`, onclick: onpick }),
    element("a", { href: `#/requests/${request.id}` },
      element("span", { class: "row" }, element("span", { class: "subject", dir: "ltr" }, name),
        KINDS[request.kind] && element("span", { class: `badge ${request.kind}` }, KINDS[request.kind]),
        request.cautions.filter((caution) => caution !== request.kind).map((caution) => element("span", { class: `badge warn ${caution}` }, CAUTIONS[caution])),
        counts(request.additions, request.deletions)),
      folder && element("span", { class: "row muted folder", dir: "ltr", title: request.path }, folder),
      element("span", { class: "row muted" },
        element("span", { class: "who" }, request.file_count > 1 && `${plural(request.file_count, "file")} · `, who),
        since(request.time)),
      element("span", { class: "flag is-stale" }, "changed since"), element("span", { class: "flag is-late" }, "the agent no longer waits")));
}

/** The files that sessions have read and not finished with: others that keep out of them wait, or are refused. */
export class Claims {
  constructor() {
    this.items = element("ul", { class: "items closed", id: "claims" });
    this.node = element("details", { class: "answers", ontoggle: () => this.node.open && this.load() },
      element("summary", {}, "Files that sessions claim"), this.items);
  }

  async load() {
    const { workspaces } = await get("workspaces");
    const lists = await Promise.all(workspaces.map(async (workspace) => {
      const { claims } = await get("claims", { workspace });
      return claims.map((claim) => ({ ...claim, workspace }));
    }));
    const claims = lists.flat();
    replace(this.items, claims.map((claim) => element("li", { class: "item" },
      element("span", { class: "row" }, element("span", { class: "subject", dir: "ltr" }, claim.path), until(claim.until)),
      element("span", { class: "row muted" }, element("span", {}, claim.actor || claim.session), workspaces.length > 1 && element("span", {}, claim.workspace)))),
    !claims.length && element("li", { class: "empty" }, "None. Sessions claim files only if they are started with claims."));
  }
}
