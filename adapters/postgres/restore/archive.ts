/** Whether the archived write-ahead log goes on from a base backup without a hole, and is intact. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../core/storage.js';
import { complaintOf, run, type User } from './tools.js';

/** Where the write-ahead log of a base backup begins. */
export interface Begin {
  timeline: number;
  lsn: string;
}

/** Throws an `unprocessable` fault that says what is wrong; returns when the newest segment was archived. */
export async function checkArchive(archive: string, begin: Begin, tools: string, user: User): Promise<Date> {
  const names = await readdir(archive).catch((cause) => {
    throw new Fault('unprocessable', `its archive ${archive} cannot be read`, { cause });
  });
  const sizes = new Map<string, number>();
  let newest = new Date(0);
  for (const name of names.filter((one) => /^[0-9A-F]{24}$/.test(one)).sort()) {
    const { size, mtime } = await stat(join(archive, name));
    sizes.set(name, size);
    if (mtime > newest) newest = mtime;
  }
  // All segments of a cluster have the same size, a power of two from 1 MB to 1 GB.
  const bytes = [...sizes.values()].reduce((most, size) => Math.max(most, size), 0);
  if (bytes < 2 ** 20) throw new Fault('unprocessable', `its archive ${archive} has no complete segment`);
  for (const [name, size] of sizes) {
    if (size !== bytes)
      throw new Fault('unprocessable', `the segment ${name} of its archive has ${size} of ${bytes} bytes`);
  }
  const first = numberOf(begin.lsn, bytes);
  // An archive may have hundreds of thousands of segments.
  const own = new Set<number>();
  let [latest, last] = [0, first - 1];
  for (const name of sizes.keys()) {
    latest = Math.max(latest, Number.parseInt(name.slice(0, 8), 16));
    const index = indexOf(name, bytes);
    if (index < first) continue;
    own.add(index);
    last = Math.max(last, index);
  }
  if (own.size === 0) {
    throw new Fault(
      'unprocessable',
      `its archive lacks the segment ${nameOf(begin.timeline, first, bytes)}, where it begins`,
    );
  }
  for (let index = first; index <= last; index++) {
    if (own.has(index)) continue;
    throw new Fault(
      'unprocessable',
      `its archive lacks the segment ${nameOf(begin.timeline, index, bytes)} (or its successor)`,
    );
  }
  if (latest > begin.timeline && !names.includes(`${hex(latest)}.history`)) {
    throw new Fault('unprocessable', `its archive lacks ${hex(latest)}.history`);
  }
  // Reads every record with its checksum, up to the end of the last segment.
  const end = lsnOf(last + 1, bytes);
  const args = ['--quiet', `--path=${archive}`, `--timeline=${latest}`, `--start=${begin.lsn}`, `--end=${end}`];
  const read = await run(join(tools, 'pg_waldump'), args, user, archive);
  const stopped = /(?:error in WAL record at|at) ([0-9A-F]+\/[0-9A-F]+)/.exec(read.stderr)?.[1];
  const isAtEnd = stopped !== undefined && numberOf(stopped, bytes) > last;
  if (read.code !== 0 && !isAtEnd && !read.stderr.includes(nameOf(latest, last + 1, bytes))) {
    throw new Fault('unprocessable', `its archive is damaged: ${complaintOf(read)}`);
  }
  return newest;
}

function positionOf(lsn: string): number {
  const [high = '', low = ''] = lsn.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

function numberOf(lsn: string, bytes: number): number {
  return Math.floor(positionOf(lsn) / bytes);
}

function lsnOf(index: number, bytes: number): string {
  const position = index * bytes;
  return `${Math.floor(position / 2 ** 32).toString(16)}/${(position % 2 ** 32).toString(16)}`.toUpperCase();
}

/** The position of a segment in the log, counted in segments (PostgreSQL documentation, "WAL Internals"). */
function indexOf(name: string, bytes: number): number {
  return Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / bytes) + Number.parseInt(name.slice(16), 16);
}

function nameOf(timeline: number, index: number, bytes: number): string {
  const each = 2 ** 32 / bytes;
  return `${hex(timeline)}${hex(Math.floor(index / each))}${hex(index % each)}`;
}

function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, '0');
}
