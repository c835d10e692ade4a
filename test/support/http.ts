/** Requests of tests over real HTTP, and their answers as text and as JSON. */

export interface Sent {
  /** POST with a body, otherwise GET, if omitted. */
  method?: string;
  /** Values of lists are repeated. */
  query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** An API token. */
  token?: string | undefined;
  /** Sent as JSON; texts as they are, with the type of JSON. */
  json?: unknown;
  /** Fields of an encoded form, or a form of several parts. */
  form?: Readonly<Record<string, string | number | readonly string[]>> | FormData;
  headers?: Readonly<Record<string, string>>;
}

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the answer; {} if it is of another type. */
  body: Body;
}

/** Names and values as in an encoded form, lists as repeated names. */
export function encoded(fields: Readonly<Record<string, string | number | readonly string[]>>): URLSearchParams {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) values.append(name, String(one));
  }
  return values;
}

/** The raw answer, for tests that read its body in another way; redirects are not followed. */
export function sendTo(url: string, { method, query, token, json, form, headers = {} }: Sent = {}): Promise<Response> {
  const isForm = form !== undefined;
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  const body = form instanceof FormData ? form : isForm ? encoded(form) : text;
  return fetch(query === undefined ? url : `${url}?${encoded(query)}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { 'x-auth-token': token }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
}

export async function request<Body = Record<string, unknown>>(url: string, sent: Sent = {}): Promise<Answer<Body>> {
  const response = await sendTo(url, sent);
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as Body };
}

/** Status and JSON alone, to be compared with those of other answers. */
export async function outcome<Body = Record<string, unknown>>(
  url: string,
  sent: Sent = {},
): Promise<Pick<Answer<Body>, 'status' | 'body'>> {
  const { status, body } = await request<Body>(url, sent);
  return { status, body };
}
