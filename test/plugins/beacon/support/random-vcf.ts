/** Random records of every form of VCF, dense enough that alleles overlap; and queries for them. */
import { isPlain } from './naive.js';

/** 0 ≤ x < 1. */
export type Next = () => number;

export const modelSamples = ['a', 'b', 'c'];

/** Records on few chromosomes within this many bases: many overlap, and many are the same in another spelling. */
const reach = 120;

/** Draws an element of a list. */
export function pick<Value>(next: Next, values: readonly Value[]): Value {
  return values[Math.floor(next() * values.length)] as Value;
}

function int(next: Next, from: number, to: number): number {
  return from + Math.floor(next() * (to - from + 1));
}

/** A made-up reference with many repeats: two bases, mostly in runs. */
function baseAt(contig: string, position: number): string {
  const mixed = Math.imul(position + contig.length * 7919, 0x9e3779b1) >>> 13;
  return 'AACCCAGT'[mixed % 8] ?? 'A';
}

function reading(contig: string, from: number, length: number): string {
  return Array.from({ length }, (_, i) => baseAt(contig, from + i)).join('');
}

function bases(next: Next, length: number): string {
  return Array.from({ length }, () => pick(next, ['A', 'C', 'C', 'G', 'T'])).join('');
}

/** The reference with a change in the middle, and as much context as the record has. */
function changed(next: Next, reference: string): string {
  const at = int(next, 0, reference.length - 1);
  const [before, after] = [reference.slice(0, at), reference.slice(at + 1)];
  const dice = next();
  if (dice < 0.35) return before + bases(next, 1) + after;
  if (dice < 0.6) return before + reference[at] + bases(next, int(next, 1, 3)) + after;
  if (dice < 0.85 && reference.length > 1) return before + after;
  return bases(next, int(next, 1, 5));
}

const symbols = ['<DEL>', '<DUP>', '<DUP:TANDEM>', '<INS>', '<INS:ME>', '<INV>', '<CN0>', '<CNV>'];
const nothings = ['*', '<NON_REF>', '<*>'];

function alternateOf(next: Next, reference: string): string {
  const dice = next();
  if (dice < 0.68) return changed(next, reference);
  if (dice < 0.78) return pick(next, nothings);
  if (dice < 0.9) return pick(next, symbols);
  if (dice < 0.92) return changed(next, reference).replace(/[GT]/, 'N');
  const mate = `${pick(next, ['1', 'chr2', 'X'])}:${int(next, 1, reach)}`;
  return pick(next, [`G]${mate}]`, `G[${mate}[`, `]${mate}]G`, `[${mate}[G`, 'G.', '.G']);
}

function infoOf(next: Next, position: number, reference: string, alternates: readonly string[]): string {
  const fields = [`DP=${int(next, 1, 90)}`];
  if (next() < 0.35) {
    fields.push(`SVTYPE=${pick(next, ['DEL', 'INS', 'DUP', 'INV', 'CNV', 'BND'])}`);
  }
  if (next() < 0.5) {
    const near = position + pick(next, [-3, 0, reference.length - 1, int(next, 1, 60), int(next, 1000, 90_000)]);
    fields.push(`END=${next() < 0.03 ? 99_999_999_999 : Math.max(near, 1)}`);
  }
  if (next() < 0.5) {
    const lengths = alternates.map(() => pick(next, ['-', '']) + int(next, 1, 80));
    fields.push(`SVLEN=${(next() < 0.5 ? lengths : lengths.slice(0, 1)).join(',')}`);
  }
  return fields.sort(() => next() - 0.5).join(';');
}

function genotype(next: Next, alternates: number): string {
  const call = () => (next() < 0.12 ? '.' : String(Math.min(int(next, 0, alternates + 1), alternates)));
  const ploidy = pick(next, [1, 2, 2, 2, 2, 3]);
  const text = Array.from({ length: ploidy }, call).join(pick(next, ['/', '|']));
  return next() < 0.004 ? text.replace(/^./, String(alternates + 3)) : text;
}

/** One data line, columns separated by tabs. */
export function randomRecord(next: Next): string {
  const contig = pick(next, ['1', '1', 'chr1', '2', 'X', 'MT', 'GL000207.1']);
  const position = int(next, 1, reach);
  const long = next() < 0.1 ? 9 : 4;
  let reference = reading(contig.replace('chr', ''), position, int(next, 1, next() < 0.4 ? 1 : long));
  if (next() < 0.02) reference = reference.replace(/[CG]/, pick(next, ['N', 'R']));
  const alternates = Array.from({ length: pick(next, [1, 1, 1, 2, 2, 3, 4]) }, () => alternateOf(next, reference));
  if (next() < 0.03) alternates.push(alternates[0] ?? 'A');
  const written = next() < 0.05 ? reference.toLowerCase() : reference;
  const info = infoOf(next, position, reference, alternates);
  const format = pick(next, ['GT', 'GT', 'GT:DP', 'DP:GT']);
  const calls = modelSamples.map(() => format.replace('GT', genotype(next, alternates.length)).replace('DP', '7'));
  return [contig, position, '.', written, alternates.join(','), '.', 'PASS', info, format, ...calls].join('\t');
}

/** As a client sends them. */
export type Parameters = Record<string, string | number>;

export interface RandomQuestion {
  parameters: Parameters;
  /** Whether it names a called allele in plain bases: there can be only one result. */
  certain: boolean;
}

/** Queries for a record: each called alternate as written and trimmed, by position, and at random. */
export function questionsOf(next: Next, record: string): RandomQuestion[] {
  const [chrom = '', pos = '', , ref = '', alts = '', , , info = '', format = '', ...columns] = record.split('\t');
  if (chrom.startsWith('GL')) return [];
  const field = format.split(':').indexOf('GT');
  const calls = columns.map((column) => (column.split(':')[field] ?? '').split(/[/|]/));
  const alternates = alts.split(',');
  const readable = calls.flat().every((call) => call === '.' || Number(call) <= alternates.length);
  const place = { assemblyId: 'GRCh37', referenceName: chrom };
  const start = Number(pos) - 1;
  const questions: RandomQuestion[] = [];
  for (const [i, alt] of alternates.entries()) {
    if (!readable || !calls.flat().includes(`${i + 1}`) || !/^[ACGTN]+$/i.test(alt) || /[^ACGTN]/i.test(ref)) continue;
    if (alt.toUpperCase() === ref.toUpperCase()) continue;
    const written = { ...place, start, referenceBases: ref, alternateBases: alt };
    // An insertion without the base before it is stored with that base, if its length says so.
    const certain = !(/SVTYPE=INS.*SVLEN|SVLEN.*SVTYPE=INS/.test(info) && ref.length === 1 && alt[0] !== ref);
    questions.push({ parameters: written, certain });
    if (!isPlain(ref.toUpperCase()) || !isPlain(alt)) continue;
    // Some of the shared bases removed, suffix first.
    let [left, right] = [ref, alt];
    const most = int(next, 1, 9);
    for (let taken = 0; taken < most && left.length > 1 && right.length > 1; taken++) {
      if (left.at(-1)?.toUpperCase() !== right.at(-1)?.toUpperCase()) break;
      [left, right] = [left.slice(0, -1), right.slice(0, -1)];
    }
    questions.push({ parameters: { ...written, referenceBases: left, alternateBases: right }, certain });
    const end = start + ref.length + (next() < 0.2 ? 1 : 0);
    questions.push({ parameters: { ...written, end }, certain: false });
  }
  const type = pick(next, ['SNV', 'INDEL', 'MNP', 'DEL', 'INS', 'DUP', 'DUP:TANDEM', 'INV', 'CNV', 'BND']);
  const change = pick<Parameters>(next, [
    { variantType: type },
    { alternateBases: 'N' },
    { alternateBases: pick(next, [alternates[0] ?? '', 'C', 'CN', 'NN']).replace(/[^ACGTN]/g, '') || 'N' },
    { variantType: type, alternateBases: 'N' },
  ]);
  const referenceBases = pick(next, ['N', ref, 'C', 'CN', 'AC']).replace(/[^ACGTN]/gi, 'N');
  const coordinates = pick<Parameters>(next, [
    { start },
    { start, end: start + int(next, 1, 60) },
    { startMin: start - Math.min(start, 5), startMax: start + 5 },
    { startMin: 0, startMax: start, endMin: start, endMax: start + 70_000 },
    { endMin: start, endMax: start + 3 },
    { start, ...(next() < 0.5 && { mateName: pick(next, ['1', '2', 'X']) }) },
  ]);
  questions.push({ parameters: { ...place, ...coordinates, referenceBases, ...change }, certain: false });
  return questions;
}
