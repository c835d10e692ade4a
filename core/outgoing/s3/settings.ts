/**
 * The section `s3` of the configuration: buckets, how each is reached, and the names of objects in them, `s3://bucket/key`. A
 * key is taken as it is written, without any decoding.
 */
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { mayReach } from '../reach.js';

export interface S3Object {
  bucket: string;
  key: string;
}

/** As AWS allows for new buckets; the name is part of a host, or of a path. */
const bucketName = /^[a-z0-9](?:[a-z0-9.-]{1,61}[a-z0-9])$/;

export function isS3(text: string): boolean {
  return text.startsWith('s3://');
}

/**
 * Parses the name of an object; returns undefined if it is not valid. Keys with empty, `.` or `..` parts are refused: a server
 * may resolve them, and so leave the prefix that the text begins with.
 */
export function s3Object(text: string): S3Object | undefined {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(text) ?? [];
  if (!bucketName.test(bucket) || bucket.includes('..') || !isKey(key)) return undefined;
  return key.split('/').some((part) => part === '' || part === '.' || part === '..') ? undefined : { bucket, key };
}

/** UTF-8 of up to 1024 bytes, as AWS allows; a backslash is a slash to some servers. */
function isKey(key: string): boolean {
  return !/[\p{Cc}\p{Cs}\\]/u.test(key) && Buffer.byteLength(key) <= 1024;
}

/** Whether a prefix has this form: a bucket, or the beginning of its keys up to a slash. */
function isPrefix(text: string): boolean {
  return text.endsWith('/') && s3Object(`${text}x`) !== undefined;
}

/** `s3://bucket/` or `s3://bucket/beginning/`, so that `/lab` does not cover `/laboratory`. */
export const s3Prefix = z
  .string()
  .max(1100)
  .refine(
    isPrefix,
    'is written as a bucket, or as the beginning of its keys, and ends with a slash: s3://bucket/cases/',
  );

/** The setting of a plugin that says which objects requests may name; none if omitted. */
export const bucketsSetting = z.array(s3Prefix).default([]);

/** Whether the text names an object under one of the prefixes. */
export function withinBuckets(prefixes: readonly string[], text: string): boolean {
  return s3Object(text) !== undefined && prefixes.some((begin) => text.startsWith(begin));
}

/** Whether there are names that begin with both prefixes. */
export function prefixesMeet(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** A setting that names a folder, or a prefix in S3. */
export const uploadPlace = z
  .string()
  .min(1)
  .superRefine((text, { addIssue }) => {
    const { error } = isS3(text) ? s3Prefix.safeParse(text) : {};
    for (const { message } of error?.issues ?? []) addIssue({ code: 'custom', message });
  });

// The section `s3` of the configuration.

const credentials = z.union([
  z.enum(['environment', 'none']),
  z.strictObject({
    accessKeyId: z.string().min(1).max(256),
    secretAccessKey: z.string().min(1).max(1024).describe('Best from a file of its own, as the guide shows.'),
    sessionToken: z.string().min(1).max(8192).optional(),
  }),
  z.strictObject({
    file: z
      .string()
      .refine(isAbsolute, 'is written from the root on, such as /run/secrets/s3')
      .describe(
        'A credentials file of AWS, or JSON with AccessKeyId, SecretAccessKey, Token and Expiration, as the metadata of an ' +
          'instance have it. It is read again when it changes.',
      ),
    profile: z.string().min(1).max(100).default('default').describe('The section of a credentials file of AWS.'),
  }),
]);

const endpoint = z
  .url({ protocol: /^https?$/ })
  .refine((text) => {
    const url = new URL(text);
    return url.pathname === '/' && `${url.username}${url.password}${url.search}${url.hash}` === '';
  }, 'has only scheme, host and port, such as https://s3.example.org')
  .refine((text) => mayConnect(hostOfUrl(new URL(text))), 'is an address that no object storage has');

export const s3Store = z
  .strictObject({
    prefix: s3Prefix.describe('The bucket, or the beginning of its keys: `s3://bucket/`, `s3://bucket/cases/`.'),
    endpoint: endpoint
      .optional()
      .describe('Address of the server, such as https://s3.example.org:9000; that of AWS in the region if omitted.'),
    region: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a region is written as eu-north-1')
      .default('us-east-1')
      .describe('Region that requests are signed for.'),
    style: z
      .enum(['path', 'virtual'])
      .optional()
      .describe(
        'Whether the bucket is in the path of URLs or in their host (https://bucket.s3.…). If omitted: `path` with an `endpoint`, ' +
          '`virtual` without.',
      ),
    credentials: credentials
      .default('environment')
      .describe(
        '`environment`: the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or else the profile ' +
          'AWS_PROFILE of AWS_SHARED_CREDENTIALS_FILE; `none`: requests are not signed; or a key, or a file.',
      ),
  })
  .superRefine(({ prefix, endpoint, style }, { addIssue }) => {
    const virtual = (style ?? (endpoint === undefined ? 'virtual' : 'path')) === 'virtual';
    const refuse = (message: string) => addIssue({ code: 'custom', path: ['style'], message });
    if (!virtual) return;
    if (endpoint !== undefined && isIP(hostOfUrl(new URL(endpoint))) !== 0) {
      refuse('must be `path` if the endpoint is an IP address');
    }
    if (/^s3:\/\/[^/]*\./.test(prefix) && !endpoint?.startsWith('http:')) {
      refuse('must be `path` for a bucket with a dot in its name: no certificate covers its host');
    }
  });

export const s3Settings = z
  .array(s3Store)
  .max(1000)
  .default([])
  .superRefine((stores, { addIssue }) => {
    stores.forEach(({ prefix }, i) => {
      if (stores.findIndex((one) => one.prefix === prefix) === i) return;
      addIssue({ code: 'custom', path: [i, 'prefix'], message: 'is in the list twice' });
    });
  });

export type S3Store = z.output<typeof s3Store>;
export type S3Credentials = S3Store['credentials'];

export function hostOfUrl({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whether an operator may name this host: loopback for tests and gateways, but no metadata service. */
function mayConnect(host: string): boolean {
  return isIP(host) === 0 || isLoopback(host) || mayReach(host, 'private');
}

function isLoopback(host: string): boolean {
  return host === '::1' || /^127\./.test(host);
}
