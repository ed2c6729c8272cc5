// Which commit wrote each line of a file.

import { button, element, pathName, plural, since } from "./dom.js";
import { display } from "./rows.js";

/** Lines in one table, so that a browser only lays out those in view. */
const ROWS_IN_TABLE = 500;

/** The blame of a file. `address` is that of a commit; `open` and `back` lead on. */
export function blameOf({ path, gap, commits, lines }, { address, open, back }) {
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
