/** What a backup of an embedded database says of itself, in a file beside it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { Fault } from '../fault.js';

const shape = z.strictObject({
  format: z.literal(1),
  /** The version of Trefoil that made it. */
  trefoil: z.string(),
  made: z.iso.datetime(),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Rows of each table. */
  tables: z.record(z.string(), z.int().min(0)),
});

export type Manifest = z.output<typeof shape>;

export function manifestFile(backup: string): string {
  return `${backup}.manifest.json`;
}

/** Fails if the file exists. */
export async function writeManifest(file: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest, null, 2);
  await writeFile(file, `${JSON.stringify({ manifest: text, digest: digestOf(text) }, null, 2)}\n`, {
    flag: 'wx',
    flush: true,
  });
}

/** Reads the manifest of a backup, and compares the backup with it: an `unprocessable` fault says what is wrong. */
export async function confirmedManifest(backup: string): Promise<Manifest> {
  const manifest = await readManifest(manifestFile(backup));
  const { size } = await stat(backup);
  if (size !== manifest.bytes) {
    throw damaged(`it has ${size} bytes, and its manifest says ${manifest.bytes}`);
  }
  if ((await sha256Of(backup)) !== manifest.sha256) throw damaged('its content is not what its manifest says');
  return manifest;
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

async function readManifest(file: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw damaged(`its manifest ${file} is missing or cannot be read`, cause);
  }
  const { manifest = '', digest } = parsed(text) as { manifest?: string; digest?: string };
  if (typeof manifest !== 'string' || digest !== digestOf(manifest)) throw damaged(`its manifest ${file} is damaged`);
  const found = shape.safeParse(parsed(manifest));
  if (!found.success) throw damaged(`its manifest ${file} is of another version of Trefoil`);
  return found.data;
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function damaged(message: string, cause?: unknown): Fault {
  return new Fault('unprocessable', message, cause === undefined ? {} : { cause });
}
