/**
 * A checkpoint: where all chains stood, in a file outside the storage. Seals in the storage show changes to those who lack the
 * key; only a checkpoint shows that the storage was put back to an earlier state, seals and all. Checkpoints leave the machine
 * by themselves: into folders, under prefixes in S3, or to commands.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { CheckpointDestination } from '../config/settings.js';
import { Fault, isFault } from '../fault.js';
import { writeWhole } from '../files/write.js';
import type { S3 } from '../outgoing/s3/s3.js';
import { isS3 } from '../outgoing/s3/settings.js';
import type { Metrics } from '../plugin.js';
import type { StorageLog } from '../storage.js';
import type { AuditKeys } from './chain.js';
import type { AuditRepository, ChainLink } from './contract.js';

export interface Checkpoint {
  written: string;
  heads: readonly (ChainLink & { chain: string })[];
  /** Over both; only the server's key makes it. */
  seal: string;
}

/** Returns the checkpoint in the file; undefined if there is no file. Throws an `unprocessable` fault if it is not ours. */
export async function readCheckpoint(file: string, keys: AuditKeys): Promise<Checkpoint | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Fault('unprocessable', `The checkpoint ${file} cannot be read (${code})`, { cause: error });
  }
  const read = checkpointIn(text);
  if (read === undefined || read.seal !== sealOf(read, keys)) {
    throw new Fault('unprocessable', `${file} is not a checkpoint that was written with this key, or it was changed`);
  }
  return read;
}

/**
 * Returns the heads of all checkpoints in a folder, each once. Throws an `unprocessable` fault if it has none, or one of them is not
 * ours: a damaged one may have known what the others do not.
 */
export async function readCheckpoints(folder: string, keys: AuditKeys): Promise<Pick<Checkpoint, 'heads'>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.checkpoint')).sort();
  if (files.length === 0) throw new Fault('unprocessable', `The folder ${folder} has no file that ends in .checkpoint`);
  const heads = new Map<string, Checkpoint['heads'][number]>();
  for (const file of files) {
    const read = await readCheckpoint(join(folder, file), keys);
    for (const head of read?.heads ?? []) heads.set(`${head.chain} ${head.sequence} ${head.hash}`, head);
  }
  return { heads: [...heads.values()] };
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** The text of a checkpoint, sealed. */
function checkpointText(content: Pick<Checkpoint, 'written' | 'heads'>, keys: AuditKeys): string {
  return `${JSON.stringify({ ...content, seal: sealOf(content, keys) }, null, 2)}\n`;
}

export async function writeCheckpoint(
  file: string,
  content: Pick<Checkpoint, 'written' | 'heads'>,
  { keys, signal }: { keys: AuditKeys; signal: AbortSignal },
): Promise<void> {
  const text = checkpointText(content, keys);
  await writeWhole(file, (target) => finished(target.end(text)), signal);
}

function sealOf({ written, heads }: Pick<Checkpoint, 'written' | 'heads'>, keys: AuditKeys): string {
  return keys.sealOf(JSON.stringify([written, heads.map(({ chain, sequence, hash }) => [chain, sequence, hash])]));
}

function checkpointIn(text: string): Checkpoint | undefined {
  try {
    const { written, heads, seal } = JSON.parse(text);
    const isSound = typeof written === 'string' && typeof seal === 'string' && Array.isArray(heads);
    return isSound && heads.every((one) => typeof one === 'object' && one !== null)
      ? { written, heads, seal }
      : undefined;
  } catch {
    return undefined;
  }
}

// Checkpoints that leave the machine by themselves.

/** A folder or prefix as it is written in the configuration, or a program without its arguments, which may be secret. */
function destinationName(to: CheckpointDestination): string {
  return typeof to === 'string' ? to : (to.command[0] ?? '');
}

/** Stores one text under a name, or throws a fault that says why not. */
export async function deliver(
  to: CheckpointDestination,
  { name, text }: { name: string; text: string },
  { s3, signal }: { s3: S3 | undefined; signal: AbortSignal },
): Promise<void> {
  if (typeof to !== 'string') return run(to, text, signal);
  if (!isS3(to)) return writeWhole(join(to, name), (target) => finished(target.end(text)), signal);
  if (s3 === undefined)
    throw new Fault('invalid', `The configuration has no section s3, which says how ${to} is reached`);
  await s3.objects(to).put(name, Buffer.from(text));
}

/** Without a shell, and with no variables but those that programs need to be found and to find their user's files. */
async function run(
  { command, seconds }: Exclude<CheckpointDestination, string>,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const [program = '', ...args] = command;
  const { PATH, HOME, USER, LANG, TZ } = process.env;
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH, HOME, USER, LANG, TZ },
    signal,
    killSignal: 'SIGKILL',
  });
  // A command that ends without reading all of it says so by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, seconds * 1000);
  let code: number | null;
  let killed: NodeJS.Signals | null;
  try {
    [code, killed] = await once(child, 'close');
  } catch (error) {
    const why = signal.aborted ? 'the server stopped' : (error as NodeJS.ErrnoException).code;
    throw new Fault('unavailable', `${program} could not be run (${why})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw new Fault('unavailable', `${program} ran for more than ${seconds} s`);
  if (code !== 0) throw new Fault('unavailable', `${program} failed (${killed ?? `exit code ${code}`})`);
}

interface CheckpointOptions {
  repository: Pick<AuditRepository, 'chains'>;
  keys: AuditKeys;
  destinations: readonly CheckpointDestination[];
  s3: S3 | undefined;
  log: Pick<StorageLog, 'error'>;
  metrics: Pick<Metrics, 'counter' | 'gauge'>;
  now(): Date;
}

export interface Checkpoints {
  /** Writes a checkpoint to every destination. Failures are logged and counted, and stop nothing. */
  write(signal: AbortSignal): Promise<void>;
}

export function createCheckpoints({
  repository,
  keys,
  destinations,
  s3,
  log,
  metrics,
  now,
}: CheckpointOptions): Checkpoints {
  const started = now();
  /** When each destination got its last one. */
  const newest = new Map<CheckpointDestination, Date>();
  /** Where the chains stood at the last of this process. */
  let known = new Map<string, ChainLink>();
  // Of several servers that write at the same time, each has its own.
  const writer = randomBytes(4).toString('hex');
  const failed = metrics.counter('checkpoint_failures_total', 'Checkpoints of the audit that could not be stored', [
    'destination',
  ]);
  metrics.gauge(
    'checkpoint_age_seconds',
    'Time since a destination got its newest checkpoint of the audit, or since the start if it got none',
    () =>
      destinations.map((to) => ({
        labels: { destination: destinationName(to) },
        value: (now().getTime() - (newest.get(to) ?? started).getTime()) / 1000,
      })),
    ['destination'],
  );

  /** What an earlier checkpoint of this process knows better. */
  function tellRollback(heads: ReadonlyMap<string, ChainLink>): void {
    const lost = [...known].filter(([chain, { sequence }]) => (heads.get(chain)?.sequence ?? -1) < sequence);
    if (lost.length > 0) {
      log.error(
        { chains: lost.length },
        'entries of the audit are gone since the last checkpoint: run trefoil audit verify',
      );
    }
  }

  return {
    async write(signal) {
      const chains = await repository.chains();
      const heads = chains.map(({ id, head: { sequence, hash } }) => ({ chain: id, sequence, hash }));
      const stand = new Map(heads.map(({ chain, ...link }) => [chain, link]));
      tellRollback(stand);
      known = stand;
      const written = now().toISOString();
      // No file replaces an earlier one, which may know what is gone since.
      const name = `audit-${written.replace(/[:.]/g, '-')}-${writer}.checkpoint`;
      const text = checkpointText({ written, heads }, keys);
      await Promise.all(
        destinations.map(async (to) => {
          try {
            await deliver(to, { name, text }, { s3, signal });
            newest.set(to, now());
          } catch (error) {
            failed({ destination: destinationName(to) });
            const reason = isFault(error) ? error.message : 'an unexpected error';
            log.error({ destination: destinationName(to), reason }, 'a checkpoint of the audit was not stored');
          }
        }),
      );
    },
  };
}

/** Tries whether each destination takes a file, with one that is empty and removed again; commands must be there. */
export async function destinationAdvice(
  destinations: readonly CheckpointDestination[],
  s3: S3 | undefined,
): Promise<string[]> {
  const { access, constants, rm } = await import('node:fs/promises');
  const signal = new AbortController().signal;
  const name = `audit-trial-${randomBytes(4).toString('hex')}`;
  const tried = destinations.map(async (to): Promise<string[]> => {
    const setting = `audit.checkpoints: ${destinationName(to)}`;
    try {
      if (typeof to === 'string') {
        await deliver(to, { name, text: '' }, { s3, signal });
        await (isS3(to) ? s3?.objects(to).remove(name) : rm(join(to, name), { force: true }));
        return [];
      }
      const [program = ''] = to.command;
      const folders = program.includes('/') ? [''] : (process.env.PATH ?? '').split(':');
      const found = await Promise.all(
        folders.map((folder) =>
          access(join(folder, program), constants.X_OK).then(
            () => true,
            () => false,
          ),
        ),
      );
      return found.includes(true) ? [] : [`${setting} is not a program that can be run`];
    } catch (error) {
      if (!isFault(error)) throw error;
      return [`${setting} takes no checkpoints: ${error.message}`];
    }
  });
  return (await Promise.all(tried)).flat();
}
