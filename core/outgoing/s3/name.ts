/** Names of objects in S3: `s3://bucket/key`. The key is taken as it is written, without any decoding. */
import { z } from 'zod';

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
