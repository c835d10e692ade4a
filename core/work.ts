/**
 * The work that runs at the moment: its class, by which the storage knows what may wait, and the spans by which a trace shows
 * it. Spans cost nothing until a recorder is set, which only the section `tracing` does.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * `health`: checks and metrics; `query`: what answers soon; `report`: requests that take long; `background`: uploads and jobs.
 * The same as the classes of requests.
 */
export type WorkClass = 'health' | 'query' | 'report' | 'background';

/** One request or job, with all that it begins. */
export interface ClassedWork {
  readonly of: WorkClass;
  /** Connections to the database that it has at the moment; the adapter counts them. */
  connections: number;
}

const current = new AsyncLocalStorage<ClassedWork>();
/** Work that is known to the storage at the moment. */
let known = 0;

/**
 * Runs work, and all that it begins until it has ended and `over` has settled, in a class. A query runs as work without one does:
 * before Node 24 a single known work makes every promise of the process dearer, and nearly all requests are queries.
 */
export function inClass<Result>(of: WorkClass, work: () => Promise<Result>, over?: Promise<unknown>): Promise<Result> {
  return of === 'query' && current.getStore() === undefined ? work() : knownWork({ of, connections: 0 }, work, over);
}

/** Runs work that has a connection: it gets a second one without waiting in line for it. */
export function withConnection<Result>(work: () => Promise<Result>): Promise<Result> {
  return current.getStore() === undefined ? knownWork({ of: 'query', connections: 1 }, work) : work();
}

async function knownWork<Result>(
  classed: ClassedWork,
  work: () => Promise<Result>,
  over?: Promise<unknown>,
): Promise<Result> {
  known++;
  const end = () => {
    known--;
    if (known === 0) current.disable();
  };
  const running = current.run(classed, async () => work());
  void Promise.allSettled([running, over]).then(end);
  return running;
}

/** The running work; undefined for a command, for what a server does by itself, and for a query until it has a connection. */
export function classedWork(): ClassedWork | undefined {
  return current.getStore();
}

// Marks work that a trace shows, requests to other servers among it, and reads the trace of a request from the header
// `traceparent`. Costs nothing until a recorder is set, which only the section `tracing` does.

/** Few values, and none that a client sent: names of routes, kinds and verbs, numbers, hosts. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: Attributes;
  /** `traceparent` of the caller; the span that is open otherwise. */
  parent?: string | undefined;
  /** The job whose trace it begins: its id is that of the trace. */
  job?: string;
}

/** A span that is open. */
export interface OpenSpan {
  /** The id of its trace. */
  readonly traceId: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** `type` is a code or the name of a class, never a message. */
  fail(type: string): void;
  /** The span leads to the trace of a job. */
  link(job: string): void;
  end(): void;
}

export interface SpanRecorder {
  open(name: string, options: SpanOptions): OpenSpan;
  /** Runs work with the span as the one that is open. */
  within<Result>(span: OpenSpan, work: () => Result): Result;
  /** The span in which the caller runs. */
  current(): OpenSpan | undefined;
  /** Headers that carry the trace to another server. */
  headers(): Readonly<Record<string, string>>;
}

let recorder: SpanRecorder | undefined;

/** Sets the recorder of this process, or none. */
export function setRecorder(next: SpanRecorder | undefined): void {
  recorder = next;
}

export function currentRecorder(): SpanRecorder | undefined {
  return recorder;
}

/** Runs work in a span that ends with it. Calls of others (`client`) are only recorded inside another span. */
export async function traced<Result>(
  name: string,
  options: SpanOptions,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (recorder === undefined || (options.kind === 'client' && recorder.current() === undefined)) return work();
  const span = recorder.open(name, options);
  try {
    return await recorder.within(span, work);
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Headers for a request to another server; none while nothing is traced. */
export function traceHeaders(): Readonly<Record<string, string>> {
  return recorder?.headers() ?? {};
}

/** The code of a fault, or the name of an error's class: messages may quote input. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : typeof error;
}

// Reads the trace of a request from the header `traceparent` (W3C Trace Context, level 1).

/** `version-traceid-parentid-flags`; versions after 00 may add fields. */
const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

interface RemoteSpan {
  traceId: string;
  spanId: string;
  /** Whether the caller records it. */
  isSampled: boolean;
}

/** Returns the span of the caller; undefined if the header is missing or not valid. */
export function spanOfHeader(header: string | string[] | undefined): RemoteSpan | undefined {
  if (typeof header !== 'string' || header.length > 512) return undefined;
  const [, version, traceId, spanId, flags, more] = pattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '0', 16) & 1) === 1 };
}

/** Returns the id of the trace, 32 lower-case hexadecimal digits; undefined if the header is missing or not valid. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  return spanOfHeader(header)?.traceId;
}

// A span for a request to another server: its method and host, not its path, which may name a patient or a file.

export function tracedRequest<Result>(
  method: string,
  { hostname, port }: URL,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    ...(port === '' ? {} : { 'server.port': Number(port) }),
  };
  return traced(method, { kind: 'client', attributes }, work);
}
