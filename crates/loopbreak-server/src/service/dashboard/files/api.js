// Requests to the API of the server that served this page.

/** An error of the API, with its hint. */
export class ApiError extends Error {
  constructor(status, { message, hint }) {
    super(message + (hint ? `. ${hint}.` : ""));
    this.status = status;
  }
}

async function request(method, path, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, { message: "The server does not answer", hint: "Is it still running?" });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(response.status, answer.error ?? { message: `Status ${response.status}` });
  return answer;
}

/** Reads something. Parameters without a value are left out. */
export function read(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
  return request("GET", query.size > 0 ? `${path}?${query}` : path);
}

export const send = (path, body) => request("POST", path, body);
export const remove = (path) => request("DELETE", path);

/** Reads all pages of a list, up to a number of pages. */
export async function readAll(path, key, parameters, pages) {
  const rows = [];
  let cursor;
  for (let page = 0; page < pages; page += 1) {
    const answer = await read(path, { ...parameters, limit: 500, cursor });
    rows.push(...answer[key]);
    cursor = answer.next ?? undefined;
    if (cursor === undefined) break;
  }
  return rows;
}

/** Follows what happens. Calls `entry` for each event and `state` with true or false as the connection comes and goes. */
export function follow(entry, state) {
  const source = new EventSource("/v1/events");
  source.onopen = () => state(true);
  source.onerror = () => state(false);
  for (const kind of ["step", "attempt", "plan", "recovery", "rules", "loop", "stop_request"]) {
    source.addEventListener(kind, (event) => entry(JSON.parse(event.data)));
  }
  return source;
}

export const runPath = (run) => `/v1/runs/${encodeURIComponent(run)}`;
export const runLink = (run) => `#/runs/${encodeURIComponent(run)}`;
export const loopLink = (id) => `#/loops/${encodeURIComponent(id)}`;
