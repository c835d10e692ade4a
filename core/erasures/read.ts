/** Reads the lines of the list of erasures, and finds what is wrong with their order. */
import { digestOf, type ErasureRecord, type ListEnd, type ListKey, readLine } from './record.js';

/** The list as it is at a moment. */
export interface Look {
  /** Of all lines that can be read. */
  records: readonly ErasureRecord[];
  end: ListEnd;
  /** The code of each line by its number. */
  codes: ReadonlyMap<number, string>;
  /** The number of the last line that accepted what was before it; 0 if there is none. */
  accepted: number;
  /** Whether it is a list of 0.2: its lines are not chained yet. */
  isPlain: boolean;
  /** Lines that cannot be read. */
  unreadable: number;
  /** Up to the end of the last whole line, with what ends a line that was not written to its end. */
  bytes: Buffer;
  /** Why it cannot be relied on. */
  problem?: string;
}

/** Ends a line that was not written to its end, because the process was killed: nothing was erased then. */
export const unfinished = ' #unfinished';

/** An undefined key reads nothing. */
export function readList(file: Buffer, key: ListKey | undefined): Look {
  const records: ErasureRecord[] = [];
  const codes = new Map<number, string>();
  let end: ListEnd = { number: 0, code: '' };
  let [accepted, plain, unreadable, problem] = [0, 0, 0, undefined as string | undefined];
  let number = 0;
  for (const { text, offset } of linesOf(file)) {
    number += 1;
    if (text.endsWith(unfinished)) continue;
    const line = key === undefined ? 'of another key' : readLine(text, key);
    if (line === 'damaged' || line === 'of another key') {
      unreadable += 1;
      problem ??= `line ${number} ${line === 'damaged' ? 'is damaged' : 'was encrypted with another key'}`;
      continue;
    }
    if (line.form === 'plain') {
      // A server of 0.2 would write such a line.
      if (codes.size > 0) problem ??= `line ${number} has no number, unlike the one before it`;
      records.push(line.record);
      plain += 1;
      end = { number: end.number + 1, code: '' };
      continue;
    }
    // Two processes completed the same addition.
    if (codes.get(line.end.number) === line.end.code) continue;
    if (line.form === 'accepted') {
      if (digestOf(file.subarray(0, offset)) === line.covers) {
        [accepted, problem] = [line.end.number, undefined];
      } else problem ??= `line ${number} accepted other lines than those before it`;
    } else {
      const follows = line.end.number === end.number + 1 && line.previous === end.code;
      if (!follows || (plain > 0 && codes.size === 0)) problem ??= `line ${number} does not follow the one before it`;
      records.push(line.record);
    }
    end = line.end;
    codes.set(end.number, end.code);
  }
  return {
    records,
    end,
    codes,
    accepted,
    isPlain: plain > 0 && codes.size === 0,
    unreadable,
    bytes: ended(file),
    ...(problem !== undefined && { problem }),
  };
}

/** Why the list is not all that is known of it; undefined if it is. */
export function lostFrom({ end, codes, accepted }: Look, known: ListEnd, knower: string): string | undefined {
  if (end.number < known.number) {
    return `${endOf(end)}, but ${knower} of ${known.number}`;
  }
  if (known.number < accepted || known.code === '' || codes.get(known.number) === known.code) return undefined;
  return `its line ${known.number} is not the one that ${knower} of`;
}

export function endOf({ number }: ListEnd): string {
  return number === 0 ? 'it is missing or empty' : `it ends after line ${number}`;
}

/** The file with the end that the next addition gives a line that was not written to its end. */
function ended(file: Buffer): Buffer {
  if (file.length === 0 || file.at(-1) === 0x0a) return file;
  return Buffer.concat([file, Buffer.from(`${unfinished}\n`)]);
}

/** The whole lines, without their ends. */
function* linesOf(file: Buffer): Generator<{ text: string; offset: number }> {
  for (let offset = 0; ; ) {
    const next = file.indexOf(0x0a, offset);
    if (next < 0) return;
    yield { text: file.toString('utf8', offset, next), offset };
    offset = next + 1;
  }
}
