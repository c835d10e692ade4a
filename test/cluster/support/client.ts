/** Requests to a server under test, each with what must never happen noted. */

/** Milliseconds after which a request counts as hung. */
const patience = 45_000;

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are any response of the server
  body: any;
}

/** What clients saw since the last reading. */
export interface Seen {
  requests: number;
  /** 503 with Retry-After. */
  unavailable: number;
  /** Any other status than expected, and connections that the server closed. */
  errors: Map<string, number>;
  /** Answers that contradict what was acknowledged before. */
  wrong: string[];
  /** Milliseconds of the longest request. */
  slowest: number;
}

export class Client {
  readonly #url: string;
  seen: Seen = nothing();

  constructor(url: string) {
    this.#url = url;
  }

  /** The reply if the status is an expected one; undefined for a 503, and for anything else, which is noted. */
  async send(
    method: string,
    path: string,
    { token, body, expect = [200] }: { token?: string; body?: object; expect?: readonly number[] } = {},
  ): Promise<Reply | undefined> {
    const began = performance.now();
    const what = `${method} ${path.replace(/\?.*|[\d-][\w-]*$/, '')}`;
    const { seen } = this;
    seen.requests++;
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { 'X-Auth-Token': token }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patience),
      });
      const text = await response.text();
      if (expect.includes(response.status)) return { status: response.status, body: parsed(text) };
      if (response.status === 503 && response.headers.has('Retry-After')) seen.unavailable++;
      else this.#note(`${what}: ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      this.#note(`${what}: ${error instanceof Error ? error.name : 'error'}`);
    } finally {
      seen.slowest = Math.max(seen.slowest, performance.now() - began);
    }
    return undefined;
  }

  wrong(sentence: string): void {
    this.seen.wrong.push(sentence);
  }

  /** Returns what was seen, and begins anew. */
  read(): Seen {
    const { seen } = this;
    this.seen = nothing();
    return seen;
  }

  #note(what: string): void {
    this.seen.errors.set(what, (this.seen.errors.get(what) ?? 0) + 1);
  }
}

function nothing(): Seen {
  return { requests: 0, unavailable: 0, errors: new Map(), wrong: [], slowest: 0 };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
