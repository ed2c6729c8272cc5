// Calls of the HTTP API. The token is exchanged for the code in the fragment of the address, which browsers never send, or
// pasted by the user. It stays in this tab.

const KEY = "suture-token";

export class ApiError extends Error {
  constructor(status, data) {
    super(data.message || `The server answered ${status}.`);
    this.status = status;
    this.data = data;
  }
}

/** Get the token with the code of a one-time link, if the address has one; whether this tab has a token. */
export async function takeToken() {
  const given = /^#code=([\w-]+)(?:&request=([\w-]+))?$/.exec(location.hash);
  if (given) {
    history.replaceState(null, "", given[2] ? `#/requests/${given[2]}` : "#/requests");
    const { token } = await send("exchange", { code: given[1] });
    keepToken(token);
  }
  return sessionStorage.getItem(KEY) !== null;
}

/** Use a token that the user has pasted. */
export const keepToken = (token) => sessionStorage.setItem(KEY, token);

const headers = (more = {}) => ({ Authorization: `Bearer ${sessionStorage.getItem(KEY)}`, ...more });

async function call(path, options = {}) {
  const response = await fetch(path, { cache: "no-store", ...options, headers: headers(options.headers) });
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(response.status, data);
  return data;
}

const query = (values) => {
  const chosen = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return chosen.length ? `?${new URLSearchParams(chosen)}` : "";
};

export const get = (path, values = {}) => call(`api/${path}${query(values)}`);

const send = (path, body) =>
  call(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

export const post = (path, body = {}) => send(`api/${path}`, body);

/** The same act, never twice at a time. Those who want it meanwhile wait for one more, which they share. */
export function oneAtATime(act) {
  let now, next;
  return () => (next ??= Promise.allSettled([now]).then(() => { next = null; return (now = act()); }));
}

/** What the server sends, as it is. */
export async function fetchBlob(path) {
  const response = await fetch(`api/${path}`, { headers: headers() });
  if (!response.ok) throw new ApiError(response.status, {});
  return response.blob();
}

/** Save what the server sends as a file. */
export async function download(path, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await fetchBlob(path));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Read server-sent events until the connection ends. `EventSource` can't send a header. */
export async function events(receive, opened) {
  const response = await fetch("api/events", { headers: headers(), cache: "no-store" });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
  opened();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (\w+)$/m.exec(block);
      const data = /^data: (.*)$/m.exec(block);
      if (name && data) receive(name[1], JSON.parse(data[1]));
    }
  }
}
