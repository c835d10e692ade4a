/**
 * Media types and versions (mme-apis, search-api.md, "API versioning"). The version travels in the media type; minor
 * versions are compatible with each other. Parameters such as `charset` are ignored.
 */
import { Fault, preferred, type RequestHead } from '../../../core/plugin.js';

/** Oldest first. */
export const supportedVersions = ['1.0', '1.1'] as const;
type Version = (typeof supportedVersions)[number];

export const vendorType = (version: Version) => `application/vnd.ga4gh.matchmaker.v${version}+json` as const;
export const vendorTypes = supportedVersions.map(vendorType);
export const json = 'application/json';
const unversioned = 'application/vnd.ga4gh.matchmaker+json';
const pattern = /^application\/vnd\.ga4gh\.matchmaker(?:\.v(\d+)\.(\d+))?\+json$/;

/** Types of bodies. The wildcard stands for later minor versions: `refuseBodyType` has refused all others before. */
export const bodyTypes = [json, ...vendorTypes, 'application/*+json'] as const;

function bare(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The version in a media type of the exchange, `1.0` if it has none; undefined for any other media type. */
function versionOf(type: string): { major: string; answer: Version } | undefined {
  const found = pattern.exec(type);
  if (!found) return undefined;
  const [, major = '1', minor = '0'] = found;
  return { major, answer: Number(minor) === 0 ? '1.0' : '1.1' };
}

/** Throws `unsupported-media-type` unless the body is declared as JSON, `not-acceptable` for another major version. */
export function refuseBodyType({ headers }: Pick<RequestHead, 'headers'>): void {
  const type = bare(headers['content-type'] ?? '');
  if (type === json) return;
  const version = versionOf(type);
  if (version?.major === '1') return;
  if (version) throw otherVersion();
  throw new Fault(
    'unsupported-media-type',
    `The media type of the body must be ${[...vendorTypes, json].join(' or ')}`,
  );
}

function otherVersion(): Fault {
  return new Fault(
    'not-acceptable',
    `This version of the API is not supported; supported are ${supportedVersions.join(' and ')}`,
  );
}

/** Answers by the two headers: clients send few different ones, and each request is asked about twice. */
const known = new Map<string, string>();
const knownAtMost = 100;
const longestKnown = 500;

/**
 * The media type of the response: the exchange's in the requested version, or plain JSON if the client prefers it. A
 * client that accepts anything gets the version of its own body. Throws `not-acceptable` if it accepts neither.
 */
export function answerType({ headers }: Pick<RequestHead, 'headers'>): string {
  const key = `${headers['content-type'] ?? ''}\n${headers.accept ?? ''}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const type = negotiated(headers);
  if (known.size < knownAtMost && key.length <= longestKnown) known.set(key, type);
  return type;
}

function negotiated(headers: RequestHead['headers']): string {
  const own = versionOf(bare(headers['content-type'] ?? ''))?.answer ?? '1.0';
  const accept = accepted(headers.accept);
  const minors = accept.map(({ type }) => type).filter((type) => versionOf(type)?.major === '1');
  const asked = accept.map(({ type, quality }) => type + quality).join(', ');
  const offered = [vendorType(own), ...vendorTypes, unversioned, ...minors, json] as const;
  const type = preferred(asked === '' ? {} : { accept: asked }, offered as readonly [string, ...string[]]);
  if (type === undefined) {
    if (accept.some(({ type }) => versionOf(type) !== undefined)) throw otherVersion();
    throw new Fault('not-acceptable', `Accept must include ${[...vendorTypes, json].join(' or ')}`);
  }
  const version = type === unversioned ? own : versionOf(type)?.answer;
  return version === undefined ? json : vendorType(version);
}

/** The accepted types, without parameters other than the quality. */
function accepted(header: string | undefined): { type: string; quality: string }[] {
  return (header ?? '')
    .split(',')
    .map((range) => ({ type: bare(range), quality: /;\s*q=[\d.]+/i.exec(range)?.[0] ?? '' }))
    .filter(({ type }) => type !== '');
}
