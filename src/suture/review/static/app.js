// The page: which view is shown, the keys, what the server reports, and notifications of the browser.

import { ApiError, events, keepToken, takeToken } from "./api.js";
import { releaseAll } from "./answer_bar.js";
import { display } from "./rows.js";
import { element, FIELDS, printable, refreshTimes, replace, showBlank } from "./dom.js";
import { HistoryView } from "./history.js";
import { RefusedView } from "./refused.js";
import { RequestsView } from "./requests.js";

const byId = (id) => document.getElementById(id);
const views = {
  requests: new RequestsView(byId("list"), byId("detail")),
  history: new HistoryView(byId("list"), byId("detail")),
  refused: new RefusedView(byId("list"), byId("detail")),
};
let current = null;
/** Whether the server has said that it ends. */
let ended = false;

async function route() {
  const [, name, ...rest] = location.hash.slice(1).split("/");
  const next = Object.hasOwn(views, name ?? "") ? name : "requests";
  const id = rest.map(decodeURIComponent).join("/");
  for (const tab of Object.keys(views)) {
    if (tab === next) byId(`tab-${tab}`).setAttribute("aria-current", "page");
    else byId(`tab-${tab}`).removeAttribute("aria-current");
  }
  const changed = current !== views[next];
  if (changed) {
    current?.leave?.();
    releaseAll();
  }
  current = views[next];
  document.body.dataset.view = next;
  showScreen(id ? "detail" : "list");
  // Keys act only inside of a pane.
  if (changed && document.activeElement === document.body) byId("detail").focus({ preventScroll: true });
  if (changed || !current.select) await attempt(() => current.show(id));
  else if (id) await attempt(() => current.select(id));
}

/** On a phone, the list and what it leads to are two screens. */
function showScreen(name) {
  const isOther = document.body.dataset.screen !== name;
  document.body.dataset.screen = name;
  if (!isOther || byId("detail").offsetParent && byId("list").offsetParent) return;
  const place = name === "list" ? byId("list").querySelector("a[aria-current]") ?? byId("list") : byId("detail");
  place.focus({ preventScroll: true });
}
byId("back").addEventListener("click", () => showScreen("list"));
byId("list").addEventListener("click", (event) => { if (event.target.closest("a")) showScreen("detail"); });

/** Do something that may fail; a failure is shown, and the page goes on. */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    if (!showFailure(error)) throw error;
  }
}

function showFailure(error) {
  if (error instanceof ApiError && error.status === 401) showLocked(error.message);
  else if (error instanceof ApiError) showConnection(error.message);
  else if (error instanceof TypeError && /fetch/i.test(error.message)) showConnection(UNREACHABLE);
  else return false;
  return true;
}

addEventListener("unhandledrejection", (event) => { if (showFailure(event.reason)) event.preventDefault(); });

const UNREACHABLE = "The server can't be reached. Trying again …", LOST = "The connection to suture review was lost. Trying again …";

/** What else went wrong stays to be read. */
function showConnected() {
  if ([UNREACHABLE, LOST].includes(byId("connection").textContent)) showConnection("");
}

function showConnection(given) {
  const text = ended ? "This review has ended. You can close the page." : given;
  byId("connection").hidden = !text;
  if (byId("connection").textContent !== text) byId("connection").textContent = text;
}

function showLocked(reason = "") {
  // Several calls are refused at once; what is typed already stays.
  if (byId("token")) return;
  const field = element("input", { id: "token", type: "password", autocomplete: "off", size: "40" });
  const open = (event) => {
    event.preventDefault();
    keepToken(field.value.trim());
    location.reload();
  };
  showBlank(byId("detail"), "This page needs its token", reason,
    element("p", {}, "Paste the token that ", element("code", {}, "suture review"), " printed. It is good until that program ends."),
    element("form", { onsubmit: open }, element("label", { for: "token" }, "Token "), field, " ", element("button", { type: "submit" }, "Open")));
  replace(byId("list"));
  field.focus();
}

function showCount() {
  const count = views.requests.total ?? 0;
  byId("count").hidden = count === 0;
  byId("count").textContent = String(count);
  document.title = count ? `(${count}) Suture review` : "Suture review";
}

// What the server reports.

async function listen() {
  for (let wait = 250; ; wait = Math.min(4000, wait * 2)) {
    try {
      await events((name) => { ended ||= name === "end"; void attempt(() => receive(name)); }, () => { wait = 250; showConnected(); void attempt(() => receive("requests")); });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return showLocked(error.message);
      if (!(error instanceof ApiError || error instanceof TypeError)) throw error; // A network error is a TypeError.
    }
    showConnection(LOST);
    if (ended) return;
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function receive(name) {
  if (name === "end") return;
  if (name === "requests") await views.requests.refresh();
  else if (current === views.history) await views.history.refresh();
  else if (current === views.refused) await views.refused.refresh();
  showCount();
}
views.requests.onchange = showCount;
views.requests.onopen = () => showScreen("detail");
views.requests.onnew = notify;
views.requests.ontell = (text) => {
  byId("told").textContent = printable(text);
  byId("told").hidden = false;
  setTimeout(() => { byId("told").hidden = true; }, 15000);
};

// Notifications of the browser, if somebody asks for them: about new requests, while the page is not looked at.

const NOTIFY = "suture-notify";

/** Let a button switch notifications on and off; it shows whether they are on. */
function offerNotifications(button) {
  if (!("Notification" in window)) return;
  const show = () => button.setAttribute("aria-pressed", String(isOn()));
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (isOn()) localStorage.removeItem(NOTIFY);
    else if (await Notification.requestPermission() === "granted") localStorage.setItem(NOTIFY, "on");
    else button.title = "The browser does not allow this page to notify you.";
    show();
  });
  show();
}

const isOn = () => localStorage.getItem(NOTIFY) === "on" && Notification.permission === "granted";

/** Tell about new requests, unless they can be seen on the page. */
function notify(requests) {
  if (!("Notification" in window) || !isOn() || !document.hidden) return;
  const [first, ...more] = requests;
  const text = printable(first.sentence) + (more.length ? ` and ${more.length} more` : "");
  try {
    const note = new Notification("Suture review", { body: text, tag: "suture-review" });
    note.onclick = () => { window.focus(); location.hash = `#/requests/${first.id}`; note.close(); };
  } catch (error) {
    // Some phones show notifications of service workers only, of which this page has none.
    if (!(error instanceof TypeError)) throw error;
  }
}

offerNotifications(byId("toggle-notify"));

// How diffs are shown.

function toggle(name) {
  display[name] = !display[name];
  localStorage.setItem(`suture-${name}`, display[name] ? "yes" : "");
  byId(`toggle-${name}`).setAttribute("aria-pressed", String(display[name]));
  current.showAgain();
}
for (const name of ["split", "whitespace"]) {
  display[name] = localStorage.getItem(`suture-${name}`) === "yes";
  byId(`toggle-${name}`).setAttribute("aria-pressed", String(display[name]));
  byId(`toggle-${name}`).addEventListener("click", () => toggle(name));
}

// Keys.

const common = {
  s: ["side by side or unified", () => toggle("split")],
  v: ["show whitespace", () => toggle("whitespace")],
  1: ["requests", () => { location.hash = "#/requests"; }],
  2: ["history", () => { location.hash = "#/history"; }],
  3: ["refused edits", () => { location.hash = "#/refused"; }],
  "?": ["this list", () => showKeys()],
};

function showKeys() {
  const rows = Object.entries({ ...current.keys(), ...common });
  replace(byId("keys"), element("h2", { id: "keys-title" }, "Keys"),
    element("dl", {}, rows.map(([key, [text]]) => element("div", {}, element("dt", {}, element("kbd", {}, key === " " ? "space" : key)), element("dd", {}, text)))),
    element("p", { class: "hint" }, "In the message: Ctrl+Enter rejects with it, Escape leaves it. In your own text: Ctrl+Enter uses it. Keys act while the focus is in the list or in what it shows."),
    element("p", {}, element("label", {}, element("input", { type: "checkbox", id: "use-keys", checked: usesKeys(),
      onchange: (event) => localStorage.setItem("suture-keys", event.target.checked ? "" : "off") }), " Use these keys")),
    element("button", { type: "button", onclick: () => byId("keys").close() }, "Close"));
  byId("keys").showModal();
}
byId("open-keys").addEventListener("click", showKeys);
byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("detail").focus(); });

const usesKeys = () => localStorage.getItem("suture-keys") !== "off";

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || byId("keys").open) return;
  const field = event.target.closest(FIELDS);
  if (field) {
    if (event.key === "Escape") {
      if (field.id === "search") current.clearSearch();
      current.closePanel?.() || byId("detail").focus({ preventScroll: true });
    }
    else if (event.key === "Enter" && field.id === "search") void attempt(() => current.openFound());
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && field.id === "message") void attempt(() => current.pressed("reject"));
    else return;
    event.preventDefault();
    return;
  }
  if (event.key === "Escape" && current.closePanel?.()) return event.preventDefault();
  // Whoever types where nothing has the focus any more, because it has gone, means none of this.
  if (!usesKeys() || !event.target.closest("#list, #detail")) return;
  if (event.ctrlKey || event.metaKey || event.repeat && !"jk".includes(event.key)) return;
  // Space and Enter belong to the button or box that has the focus.
  if (event.key === " " && event.target.closest("button, input, a, summary")) return;
  const keys = { ...current.keys(), ...common };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  void attempt(() => keys[event.key][1]());
});

setInterval(refreshTimes, 1000);
addEventListener("hashchange", route);

async function start() {
  try {
    if (!await takeToken()) return showLocked();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return showLocked(error.message);
  }
  await route();
  return listen();
}
void start();
