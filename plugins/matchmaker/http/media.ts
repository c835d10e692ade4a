/**
 * Media types and versions (mme-apis, search-api.md, "API versioning"). The version travels in the media type; minor
 * versions understand each other. Parameters such as `charset` say nothing here and are ignored.
 */
import { Fault, preferred, type RequestHead } from '../../../core/plugin.js';

/** What is spoken here, oldest first. */
export const supportedVersions = ['1.0', '1.1'] as const;
type Version = (typeof supportedVersions)[number];

export const vendorType = (version: Version) => `application/vnd.ga4gh.matchmaker.v${version}+json` as const;
export const vendorTypes = supportedVersions.map(vendorType);
export const json = 'application/json';
const unversioned = 'application/vnd.ga4gh.matchmaker+json';
const pattern = /^application\/vnd\.ga4gh\.matchmaker(?:\.v(\d+)\.(\d+))?\+json$/;

/** Bodies of these are read; the wildcard is for further minor versions, others were refused before. */
export const bodyTypes = [json, ...vendorTypes, 'application/*+json'] as const;

function bare(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The version that a media type names: `1.0` where it names none; undefined where it is none of the exchange's. */
function versionOf(type: string): { major: string; answer: Version } | undefined {
  const found = pattern.exec(type);
  if (!found) return undefined;
  const [, major = '1', minor = '0'] = found;
  return { major, answer: Number(minor) === 0 ? '1.0' : '1.1' };
}

/** Throws `unsupported-media-type` unless the body is announced as JSON, `not-acceptable` for another major version. */
export function refuseBodyType({ headers }: Pick<RequestHead, 'headers'>): void {
  const type = bare(headers['content-type'] ?? '');
  if (type === json) return;
  const version = versionOf(type);
  if (version?.major === '1') return;
  if (version) throw otherVersion();
  throw new Fault('unsupported-media-type', `The body must be ${[...vendorTypes, json].join(' or ')}`);
}

function otherVersion(): Fault {
  return new Fault(
    'not-acceptable',
    `This version of the API is not supported, but ${supportedVersions.join(' and ')}`,
  );
}

/**
 * The type of the answer: the exchange's in the version that is asked for, or plain JSON where that is preferred. A
 * client that takes anything gets the version of its own body. A `not-acceptable` fault where it takes neither.
 */
export function answerType({ headers }: Pick<RequestHead, 'headers'>): string {
  const own = versionOf(bare(headers['content-type'] ?? ''))?.answer ?? '1.0';
  const accept = accepted(headers.accept);
  const minors = accept.map(({ type }) => type).filter((type) => versionOf(type)?.major === '1');
  const asked = accept.map(({ type, quality }) => type + quality).join(', ');
  const offered = [vendorType(own), ...vendorTypes, unversioned, ...minors, json] as const;
  const type = preferred(asked === '' ? {} : { accept: asked }, offered as readonly [string, ...string[]]);
  if (type === undefined) {
    if (accept.some(({ type }) => versionOf(type) !== undefined)) throw otherVersion();
    throw new Fault('not-acceptable', `The answer comes as ${[...vendorTypes, json].join(' or ')}`);
  }
  const version = type === unversioned ? own : versionOf(type)?.answer;
  return version === undefined ? json : vendorType(version);
}

/** What is accepted, less all parameters but the quality. */
function accepted(header: string | undefined): { type: string; quality: string }[] {
  return (header ?? '')
    .split(',')
    .map((range) => ({ type: bare(range), quality: /;\s*q=[\d.]+/i.exec(range)?.[0] ?? '' }))
    .filter(({ type }) => type !== '');
}
