// The head of a request: who wants to do what, and why, as a sentence. The rest is behind "Details".

import { counts, element, factList, pathName, serverText, since } from "./dom.js";

export function requestHead(request, banner) {
  return element("header", { class: "request-head" },
    element("h2", {}, sentence(request), " ", counts(request.additions, request.deletions)),
    request.reason && element("blockquote", { class: "reason", "aria-label": "The reason that the model gave" }, request.reason),
    element("p", { class: "muted asked" }, "Asked ", since(request.time), request.workspace && [" in ", element("span", { dir: "ltr" }, request.workspace)]),
    details(request),
    banner,
    request.notice && element("p", { class: "notice", role: "alert" }, serverText(request.notice)),
    request.stale.length > 0 && element("div", { class: "notice bad" },
      element("p", {}, "This can no longer be approved:"), element("ul", {}, request.stale.map((text) => element("li", {}, serverText(text))))),
    request.whole_only && request.files.length > 0 && element("p", { class: "notice" }, "Its changes depend on one another, so it is approved or rejected as a whole."),
    diagnostics(request));
}

/** Who wants what, with the path of the first file so that its name stands out. */
function sentence({ sentence: text, path }) {
  const at = path ? text.lastIndexOf(path) : -1;
  return at < 0 ? text : [text.slice(0, at), pathName(path), text.slice(at + path.length)];
}

function details(request) {
  const rows = [["Tool", request.tool], ["Actor", request.actor], ["Session", request.session], ["Workspace", request.workspace],
    ["Permission", request.permission], ["Rule", request.rule || "none matches, so it asks"]];
  return element("details", { class: "facts-box" }, element("summary", {}, "Details"),
    factList(rows));
}

function diagnostics(request) {
  if (!request.diagnostics?.length) return null;
  return element("div", { class: "notice" }, element("p", {}, "Errors that it would introduce:"),
    element("ul", {}, request.diagnostics.map((text) => element("li", {}, text))));
}
