// The history of a workspace: commits, undo and redo, and which commit wrote each line of a file.

import { ApiError, get, post } from "./api.js";
import { display, fileDiff } from "./diff.js";
import { announce, button, counts, element, pathName, plural, replace, serverText, since } from "./dom.js";

/** Lines in one table of a blame, so that a browser only lays out those in view. */
const ROWS_IN_TABLE = 500;

export class HistoryView {
  constructor(list, detail) {
    this.list = list;
    this.detail = detail;
    this.filter = { workspace: "", path: "", session: "", since: "", until: "" };
    this.commits = [];
  }

  async show(address) {
    const { workspaces } = await get("workspaces");
    this.workspaces = workspaces;
    const given = new URLSearchParams(address.startsWith("?") ? address.slice(1) : "");
    for (const name of Object.keys(this.filter)) this.filter[name] = given.get(name) ?? this.filter[name];
    if (!workspaces.includes(this.filter.workspace)) this.filter.workspace = workspaces[0] ?? "";
    this.group = element("ul", { class: "items" });
    this.empty = element("p", { class: "empty" }, "");
    this.rest = element("p", { class: "empty" });
    replace(this.list, element("h2", { class: "quiet" }, "Commits"), this.filters(), this.empty, this.group, this.rest);
    if (!workspaces.length) {
      this.empty.textContent = "No workspace is known yet. Start suture review inside one.";
      return this.showNothing();
    }
    this.commit = null;
    await this.refresh();
    if (!this.group.isConnected) return;
    if (given.get("blame")) await this.showBlame(given.get("blame"));
    else if (given.get("commit")) await this.open(given.get("commit"));
    else if (this.commits.length) await this.open(this.commits[0].id);
    else this.showNothing();
  }

  filters() {
    const change = (name) => (event) => { this.filter[name] = event.target.value; void this.apply(); };
    const field = (name, label, type, wide) => element("label", { class: wide && "wide" }, label,
      element("input", { type, id: `filter-${name}`, value: this.filter[name], spellcheck: "false", onchange: change(name) }));
    return element("div", { class: "filters", role: "search", "aria-label": "Filter commits" },
      this.workspaces.length > 1 && element("label", { class: "wide" }, "Workspace",
        element("select", { id: "filter-workspace", onchange: change("workspace") },
          this.workspaces.map((root) => element("option", { value: root, selected: root === this.filter.workspace }, root)))),
      field("path", "File", "text", true), field("session", "Session", "text", true),
      field("since", "From", "date"), field("until", "To", "date"));
  }

  async apply() {
    this.commit = null;
    await this.refresh();
    if (this.commits.length) await this.open(this.commits[0].id);
    else this.showNothing();
  }

  query(more = {}) {
    const seconds = (day, end) => (day ? Date.parse(`${day}T${end ? "23:59:59" : "00:00:00"}`) / 1000 : "");
    const { workspace, path, session, since: from, until } = this.filter;
    return { workspace, path, session, since: seconds(from), until: seconds(until, true), ...more };
  }

  /** Fetch the commits again; the one that is open is fetched again too, since it may have been undone. */
  refresh() {
    return (this.latest = this.load());
  }

  async load() {
    const asked = (this.asked = {});
    const { commits, more, problem } = await get("commits", this.query()).catch((error) => {
      if (!(error instanceof ApiError) || error.status === 401) throw error;
      return { commits: [], more: false, problem: error.message };
    });
    // A later question has its own answer, which is awaited here too.
    if (asked !== this.asked) return this.latest;
    if (!this.group?.isConnected) return;
    this.commits = commits;
    this.showList(more);
    if (problem) this.empty.replaceChildren(serverText(problem));
    const shown = this.commit;
    if (!shown) return;
    const now = await get(`commits/${shown.id}`, { workspace: this.filter.workspace });
    const same = now.undone_by === shown.undone_by && JSON.stringify(now.reversal) === JSON.stringify(shown.reversal);
    if (same || this.commit !== shown || this.blame) return;
    this.commit = { ...now, notice: shown.notice };
    this.showCommit();
  }

  showList(more) {
    const focused = document.activeElement?.closest?.("[data-commit]")?.dataset.commit;
    replace(this.group, this.commits.map((commit) => element("li", { class: `item ${commit.undone_by ? "undone" : ""}` },
      element("a", { href: `#/history/${this.address({ commit: commit.id })}`, "data-commit": commit.id, "aria-current": commit.id === this.commit?.id && "true",
        onclick: (event) => { if (!event.ctrlKey && !event.metaKey) { event.preventDefault(); void this.open(commit.id); } } },
        element("span", { class: "row" }, pathName(commit.paths[0] ?? "nothing", "subject"), counts(commit.additions, commit.deletions)),
        element("span", { class: "row muted" },
          element("span", {}, commit.file_count > 1 && `${plural(commit.file_count, "file")} · `, [commit.tool, commit.actor].filter(Boolean).join(" · "),
            commit.undone_by && " · undone"), since(commit.time))))));
    this.empty.hidden = this.commits.length > 0;
    this.empty.textContent = "No commit matches.";
    replace(this.rest, more && button("Show older commits", "", async () => {
      const next = await get("commits", this.query({ before: this.commits.at(-1).id }));
      this.commits.push(...next.commits);
      this.showList(next.more);
    }));
    this.rest.hidden = !more;
    if (focused) this.group.querySelector(`[data-commit="${CSS.escape(focused)}"]`)?.focus();
  }

  address(more) {
    const chosen = Object.entries({ ...this.filter, ...more }).filter(([, value]) => value);
    return encodeURIComponent(`?${new URLSearchParams(chosen)}`);
  }

  showNothing() {
    replace(this.detail, element("div", { class: "blank" }, element("h2", {}, "Nothing here"),
      element("p", {}, "Every edit that Suture writes becomes a commit, and shows up here.")));
  }

  async open(id) {
    this.chosen = id;
    const commit = await get(`commits/${encodeURIComponent(id)}`, { workspace: this.filter.workspace });
    // Somebody went on while it was fetched.
    if (this.chosen !== id) return;
    this.blame = null;
    this.commit = commit;
    history.replaceState(null, "", `#/history/${this.address({ commit: id })}`);
    for (const link of this.group.querySelectorAll("[data-commit]")) {
      if (link.dataset.commit === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    this.showCommit();
    this.detail.scrollTop = 0;
  }

  showAgain() {
    if (this.blame) this.showBlamed();
    else if (this.commit) this.showCommit();
  }

  showCommit() {
    const commit = this.commit;
    const { action, is_possible: possible, reason, may_merge: mayMerge } = commit.reversal;
    const load = { hunk: (file, number, part) =>
      get(`commits/${commit.id}/files/${file.index}/hunks/${number}`, { ...part, workspace: this.filter.workspace }) };
    const facts = [["Commit", element("code", {}, commit.id)], ["Tool", commit.tool], ["Actor", commit.actor], ["Session", commit.session],
      ["Written", since(commit.time)], ["Undoes", commit.undoes && this.link(commit.undoes)], ["Undone by", commit.undone_by && this.link(commit.undone_by)]];
    const verb = action === "undo" ? "Undo" : "Redo";
    replace(this.detail,
      element("header", { class: "request-head" },
        element("h2", {}, pathName(commit.paths[0] ?? "nothing"), commit.file_count > 1 && ` and ${plural(commit.file_count - 1, "more file")}`, " ", counts(commit.additions, commit.deletions)),
        element("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
        commit.notice && element("p", { class: "notice", role: "alert" }, serverText(commit.notice))),
      element("div", { class: "actions", role: "group", "aria-label": "Change history" },
        button(`${verb} this commit`, "u", () => this.reverse(action, false), { id: "reverse", disabled: !possible }),
        mayMerge && button(`${verb} and keep later changes`, "", () => this.reverse(action, true), { id: "merge" }),
        reason && element("p", { class: "gone", id: "reason" }, serverText(reason))),
      element("div", { class: "files" }, commit.files.map((file, at) => fileDiff(file, { load, folded: at >= 15, links: this.links(file) }))));
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

  async reverse(action, merge) {
    const { commit } = this;
    let made;
    try {
      made = await post(`commits/${commit.id}/${action}`, { workspace: this.filter.workspace, merge });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      commit.notice = error.message;
      if (this.commit === commit) this.showCommit();
      announce(error.message);
      return;
    }
    announce(action === "undo" ? "Undone." : "Redone.");
    this.commit = null;
    await this.refresh();
    await this.open(made.id);
  }

  // Blame.

  async showBlame(path) {
    try {
      this.blame = await get("blame", { workspace: this.filter.workspace, path });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.commit) { this.commit.notice = error.message; this.showCommit(); }
      else replace(this.detail, element("div", { class: "blank" }, element("p", { class: "gone" }, serverText(error.message))));
      return;
    }
    history.replaceState(null, "", `#/history/${this.address({ blame: path })}`);
    this.showBlamed();
    this.detail.scrollTop = 0;
  }

  showBlamed() {
    const { path, gap, commits, lines } = this.blame;
    const byId = new Map(commits.map((commit) => [commit.id, commit]));
    const tables = [];
    for (let at = 0; at < lines.length; at += ROWS_IN_TABLE) {
      const rows = lines.slice(at, at + ROWS_IN_TABLE).map((line, offset) => {
        const first = at + offset === 0 || lines[at + offset - 1].commit !== line.commit;
        const commit = byId.get(line.commit);
        return element("tr", { class: first && "start" },
          element("td", { class: "writer" }, first && (commit ? element("a", { href: `#/history/${this.address({ commit: commit.id })}`,
            onclick: (event) => { event.preventDefault(); void this.open(commit.id); } },
            [commit.tool, commit.actor].filter(Boolean).join(" · "), " · ", since(commit.time)) : "before the history")),
          element("td", { class: "number" }, String(line.number)),
          element("td", { class: "code same" }, display.whitespace ? line.text.replace(/\t/g, "→\t").replace(/\r$/, "\\r") : line.text.replace(/\r$/, "")));
      });
      tables.push(element("table", { class: "diff blame", "aria-label": `Blame of ${path}` },
        element("colgroup", {}, ["writer", "number", "code"].map((name) => element("col", { class: name }))), element("tbody", {}, rows)));
    }
    replace(this.detail,
      element("header", { class: "request-head" }, element("h2", {}, element("span", { class: "verb" }, "Blame of "), pathName(path)),
        element("p", { class: "muted" }, `${plural(lines.length, "line")}, written by ${plural(commits.length, "commit")} of this history.`),
        gap && element("p", { class: "notice" }, gap),
        element("p", {}, button("Back to the commit", "", () => (this.commit ? void this.open(this.commit.id) : this.commits.length && void this.open(this.commits[0].id)), { class: "quiet-button" }))),
      element("section", { class: "file" }, tables));
  }

  step(by) {
    const at = this.commits.findIndex((commit) => commit.id === this.chosen);
    const next = this.commits[at < 0 ? 0 : Math.max(0, Math.min(this.commits.length - 1, at + by))];
    if (next && next.id !== this.chosen) return this.open(next.id);
  }

  keys() {
    return {
      n: ["next commit", () => this.step(1)],
      p: ["previous commit", () => this.step(-1)],
      u: ["undo or redo the commit", () => { const act = document.getElementById("reverse"); if (act && !act.disabled) act.click(); }],
      "/": ["filter by file", () => document.getElementById("filter-path")?.focus()],
    };
  }
}
