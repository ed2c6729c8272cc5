// Elements from data. The only place that creates them: text becomes text nodes, never markup.

/** Characters without ink, except for those that stay as they are: the same as in `core/display.py`. */
const NO_INK = /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2D7F\uFFFC\u{1107F}\u{13440}-\u{13442}\u{16FE4}\u{1D159}]/gu;

/** The bracket of a text that looks like such a code: it is shown as its own, so that nothing can forge one. */
const FORGED = /⟨(?=U\+)/gu;

/** Marks on top of two others: some programs leave them out. */
const STACKED = /(?<=[\p{Mn}\p{Me}]{2})[\p{Mn}\p{Me}]/gu;

/** The code of a character, which is shown instead of it. */
export const code = (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** The text with each character that has no ink as its code; spaces, newlines and tabs stay. */
export function printable(text) {
  return text.replace(FORGED, code).replace(NO_INK, code).replace(STACKED, code);
}

/** A message of the server's, in which names and lines have their codes already. */
export const serverText = (text) => document.createTextNode(text.replace(NO_INK, code));

/** An element. `attributes` has attributes, `on…` functions, and properties that a browser reads: checked, disabled, value. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "checked" || name === "disabled" || name === "value" || name === "indeterminate") node[name] = value;
    else node.setAttribute(name, value === true ? "" : printable(String(value)));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : printable(String(child)));
  }
}

/** Where somebody writes. */
export const FIELDS = "textarea, input:not([type=checkbox]), select";

/** Whether somebody is writing: the next key is meant for that field. */
export const isWriting = () => document.activeElement.matches(FIELDS);

/** Give an element the focus when something has come at last, but not if somebody has begun to write meanwhile. */
export function focusLate(node) {
  if (!isWriting()) node?.focus({ preventScroll: true });
}

/** Replace what is inside an element. */
export const replace = (node, ...children) => redraw(node, () => { node.replaceChildren(); append(node, children); });

/**
 * Draw what is inside an element anew. The focus stays on the element with the same id. Without one, it goes to the pane that
 * it was in; but if it was in a field, to nothing, because what is typed then is not meant for the pane.
 */
export function redraw(node, draw) {
  const active = node.contains(document.activeElement) ? document.activeElement : null;
  draw();
  if (!active) return;
  const again = active.id ? document.getElementById(active.id) : null;
  again?.focus({ preventScroll: true });
  const isField = active.matches(FIELDS);
  // A button that is disabled meanwhile takes no focus.
  if (document.activeElement !== again && !isField) node.closest("[tabindex]")?.focus({ preventScroll: true });
  else if (again?.tagName === "TEXTAREA") again.setSelectionRange(active.selectionStart, active.selectionEnd);
}

/** Make these the children of an element. Those that are there already are moved only if they have to be: a focus stays, and a click on them is not lost. */
export function arrange(parent, nodes) {
  const kept = new Set(nodes);
  for (const node of [...parent.children]) if (!kept.has(node)) node.remove();
  let place = parent.firstElementChild;
  for (const node of nodes) {
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
  }
}

/** The items of a list, made anew only where what they show has changed. */
export class Items {
  constructor(make) {
    this.make = make;
    this.known = new Map();
  }

  nodes(values) {
    const known = new Map(values.map((value) => JSON.stringify(value)).map((key, at) => [key, this.known.get(key) ?? this.make(values[at])]));
    this.known = known;
    return [...known.values()];
  }
}

/** Do what takes a button away. If it has the focus, that goes at once to the hunk or the pane around it, where keys act. */
export async function useUp(used, act) {
  if (used.contains(document.activeElement)) used.closest("[tabindex]")?.focus({ preventScroll: true });
  await act();
}

/** Show only a few words in a pane: a title, texts as paragraphs, and elements. */
export function showBlank(pane, title, ...more) {
  replace(pane, element("div", { class: "blank" }, title && element("h2", {}, title), more.map((one) => (typeof one === "string" ? element("p", {}, one) : one))));
}

export function button(label, key, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...(key && { "aria-keyshortcuts": key }), ...attributes },
    label, key && [" ", element("kbd", { "aria-hidden": "true" }, key)]);
}

/** What an answer did, in a word. */
export const OUTCOMES = { once: "approved", some: "approved in part", always: "always allowed", reject: "rejected", unreachable: "not answered", withdrawn: "withdrawn" };

/** Names and values, without the values that are empty. */
export const factList = (facts) => element("dl", { class: "facts" },
  facts.filter(([, value]) => value).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));

export const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

/** `+3 −1`, each only where it is not zero. */
export function counts(additions, deletions) {
  return element("span", { class: "counts" },
    additions > 0 && element("span", { class: "plus" }, `+${additions.toLocaleString("en")}`),
    deletions > 0 && element("span", { class: "minus" }, `−${deletions.toLocaleString("en")}`));
}

/** A path whose directories step back; the whole of it is the text. */
export function pathName(path, className = "path") {
  const cut = path.lastIndexOf("/") + 1;
  return element("span", { class: className, dir: "ltr" },
    cut > 0 && element("span", { class: "folder" }, path.slice(0, cut)), element("span", { class: "base" }, path.slice(cut)));
}

/** How long ago, kept up to date by `refreshTimes`. */
export function since(seconds) {
  // Beyond these there are no dates.
  const date = new Date(Math.min(Math.max(0, seconds), 8.64e12) * 1000);
  return element("time", { datetime: date.toISOString(), title: date.toLocaleString().replace(/\s/gu, " ") }, ago(seconds));
}

/** How long something still lasts, kept up to date by `refreshTimes`; empty once it is over. */
export function until(seconds) {
  return element("time", { datetime: new Date(Math.min(Math.max(0, seconds), 8.64e12) * 1000).toISOString(), "data-until": "yes" }, left(seconds));
}

function left(seconds) {
  const rest = Math.ceil(seconds - Date.now() / 1000);
  if (rest <= 0) return "";
  return rest < 90 ? `${rest} s` : `${Math.ceil(rest / 60)} min`;
}

export function ago(seconds) {
  const age = Math.max(0, Date.now() / 1000 - seconds);
  if (age < 5) return "now";
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (age >= size) return `${Math.floor(age / size)} ${unit} ago`;
  }
  return "now";
}

export function refreshTimes() {
  for (const node of document.querySelectorAll("time")) {
    const moment = Date.parse(node.dateTime) / 1000;
    const text = node.dataset.until ? left(moment) : ago(moment);
    if (node.textContent !== text) node.textContent = text;
  }
}

/** Say something to a screen reader. */
export function announce(text) {
  document.getElementById("status").textContent = printable(text);
}
