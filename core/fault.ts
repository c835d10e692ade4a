/**
 * Failures, named by cause. A code says what happened, never which HTTP status is sent: core/http/answer.ts alone
 * chooses statuses.
 */
export type FaultCode =
  | 'invalid' // the request is malformed or breaks a rule that the caller could have known
  | 'unprocessable' // well-formed, but names things that do not exist or do not fit together
  | 'unauthenticated' // no credential, or one that is not valid
  | 'forbidden' // a valid credential without the right
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict' // another client changed the thing first, or it exists already
  | 'too-large'
  | 'unsupported-media-type'
  | 'too-many-requests'
  | 'timeout'
  | 'unavailable' // a dependency (the storage, a peer) does not respond
  | 'overloaded' // more requests than can be handled; the caller may try again later
  | 'internal';

/** One field that is wrong: its path in the input (`samples.0.name`) and a sentence for a person. */
export interface FieldFault {
  path: string;
  message: string;
}

/** Where in a request the fault is. */
export type FaultPart = 'body' | 'path' | 'query';

export interface FaultOptions {
  /** For faults of input that was read without its rules, such as a body that is not JSON. */
  part?: FaultPart;
  /** Every wrong field, if the fault is about input. */
  fields?: FieldFault[];
  /** Response headers that belong to the fault, such as `WWW-Authenticate` or `Retry-After`. */
  headers?: Record<string, string>;
  /** The message for clients, if the main message is for operators because it names a file or a host. */
  public?: string;
  /** The private cause; it may be logged without bound values, and is never sent. */
  cause?: unknown;
}

const brand = Symbol.for('trefoil.fault');

/** An expected failure. Its message is one readable sentence without secrets or patient data; clients see `public`. */
export class Fault extends Error {
  readonly [brand] = true;
  readonly code: FaultCode;
  /** The message as clients may see it; the same as `message` unless that is for operators. */
  readonly public: string;
  /** Undefined unless one part of a request is known to be at fault. */
  readonly part: FaultPart | undefined;
  readonly fields: readonly FieldFault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.public = options.public ?? message;
    this.part = options.part;
    this.fields = options.fields ?? [];
    this.headers = options.headers ?? {};
  }
}

/** Recognises a fault by its brand, so that a second copy of this module in a plugin's node_modules does no harm. */
export function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
