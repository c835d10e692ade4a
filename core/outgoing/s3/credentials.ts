/** The source of the keys with which requests are signed. No message has them. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../fault.js';
import type { S3Credentials } from './settings.js';

export interface SigningKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** Returns the keys of now; undefined if requests are not signed. Throws `unavailable` if there are none. */
export type FindKeys = () => Promise<SigningKeys | undefined>;

export type KeyVariables = Readonly<Record<string, string | undefined>>;

export function keysOfCredentials(credentials: S3Credentials, environment: KeyVariables = process.env): FindKeys {
  if (credentials === 'none') return async () => undefined;
  if (credentials === 'environment') return fromEnvironment(environment);
  return 'file' in credentials ? fromFile(credentials.file, credentials.profile) : async () => credentials;
}

function fromEnvironment(environment: KeyVariables): FindKeys {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN || undefined;
  if (accessKeyId && secretAccessKey) return async () => ({ accessKeyId, secretAccessKey, sessionToken });
  const { AWS_SHARED_CREDENTIALS_FILE: named, AWS_PROFILE: profile } = environment;
  return fromFile(named || join(homedir(), '.aws', 'credentials'), profile || 'default', named === undefined);
}

/** A file that is replaced, as rotating credentials are, is read again. */
function fromFile(path: string, profile: string, isGuess = false): FindKeys {
  let last: { version: string; found: ParsedKeys } | undefined;
  return async () => {
    const found = await stat(path)
      .then(async ({ mtimeMs, size, ino }) => {
        const version = `${mtimeMs} ${size} ${ino}`;
        if (last?.version !== version) last = { version, found: keysIn(await readFile(path, 'utf8'), profile) };
        return last.found;
      })
      .catch((error: NodeJS.ErrnoException): ParsedKeys => {
        if (error.syscall === undefined) throw error;
        return isGuess
          ? 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set'
          : `the file ${path} cannot be read (${error.code})`;
      });
    if (typeof found === 'string') throw missing(found);
    if (found.expires !== undefined && found.expires <= Date.now()) throw missing(`those in ${path} have expired`);
    return found.keys;
  };
}

type ParsedKeys = { keys: SigningKeys; expires?: number } | string;

function keysIn(text: string, profile: string): ParsedKeys {
  return text.trimStart().startsWith('{') ? fromJson(text) : fromProfile(text, profile);
}

/** As the metadata service of an instance has it, and as `aws sts` prints it (below `Credentials`). */
function fromJson(text: string): ParsedKeys {
  let all: Record<string, unknown>;
  try {
    all = JSON.parse(text);
  } catch {
    // The parser quotes the text, which is secret.
    return 'their file is not valid JSON';
  }
  const own = (typeof all.Credentials === 'object' && all.Credentials !== null ? all.Credentials : all) as typeof all;
  const { AccessKeyId, SecretAccessKey, Token, SessionToken, Expiration } = own;
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') {
    return 'their file has no AccessKeyId and SecretAccessKey';
  }
  const token = Token ?? SessionToken;
  const expires = typeof Expiration === 'string' ? Date.parse(Expiration) : Number.NaN;
  return {
    keys: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(typeof token === 'string' && token !== '' && { sessionToken: token }),
    },
    ...(Number.isFinite(expires) && { expires }),
  };
}

/** A section of a credentials file of AWS: `[default]`, then lines such as `aws_access_key_id = …`. */
function fromProfile(text: string, profile: string): ParsedKeys {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1] ?? section;
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && name !== undefined && value !== undefined) values.set(name, value);
  }
  const accessKeyId = values.get('aws_access_key_id');
  const secretAccessKey = values.get('aws_secret_access_key');
  if (!accessKeyId || !secretAccessKey) return `their file has none for the profile ${profile}`;
  const sessionToken = values.get('aws_session_token');
  return { keys: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } };
}

function missing(why: string): Fault {
  return new Fault('unprocessable', `There are no credentials for the object storage: ${why}`, {
    public: 'There are no credentials for the object storage',
  });
}
