/** Adds the observations of a dataset to the records of a VCF, block by block; everything else stays as it is. */
import { Fault } from '../../../core/plugin.js';
import type { Assembly, Observation, ObservedQuestion } from '../contract.js';
import { questionOf } from '../domain/question.js';
import { alternatesOf, isPlaceholder, readAlternate } from './alternate.js';
import { annotationOf, isReplaced } from './annotation.js';
import { blocks } from './blocks.js';
import { Header } from './header.js';
import { bases } from './sequence.js';
import type { Source } from './source.js';
import { noStructuralInfo, type StructuralInfo, structuralInfo } from './structural.js';

export interface AnnotateRequest {
  source: Source;
  assembly: Assembly;
  /** Names of the entries in INFO. */
  names: readonly string[];
  /** Header lines to add; asked for once it is known whether the first record is structural. */
  header(structural: boolean): string;
  /** The observation of each question. */
  ask(questions: readonly ObservedQuestion[]): Promise<readonly Observation[]>;
}

/** Where a record lies. */
export interface Line {
  /** As the file names it. */
  contig: string;
  /** Zero-based half-open. */
  start: number;
  end: number;
  /** Length of the line in bytes, its end included. */
  bytes: number;
}

/** A piece of the annotated file. */
export interface Piece {
  /** Latin-1, of whole lines. */
  text: string;
  /** Its records; of the header none. */
  lines: readonly Line[];
}

export interface AnnotateCounts {
  records: number;
  /** Alternates that were asked for, and those that were seen in a case. */
  alleles: number;
  seen: number;
}

/** The record's alternates as places among the questions; -1 for one that cannot be asked for. */
interface Asked {
  line: string;
  /** Where INFO begins and ends. */
  info: [from: number, to: number];
  places: number[];
  contig: string;
  start: number;
  end: number;
}

/**
 * The annotated file in pieces. Throws an `unprocessable` fault if it is not a VCF, of another assembly, or damaged; `counts`
 * grows meanwhile. A record that cannot be read as alleles stays without annotation.
 */
export async function* annotated(request: AnnotateRequest, counts: AnnotateCounts): AsyncGenerator<Piece> {
  const { source, assembly, names } = request;
  const header = new Header(assembly, source.name, { sites: true });
  const kept: string[] = [];
  let number = 0;
  for await (const block of blocks(source.chunks(), source.name)) {
    const questions: ObservedQuestion[] = [];
    const records: Asked[] = [];
    for (let at = 0; at < block.length; ) {
      const next = block.indexOf('\n', at);
      const line = block.slice(at, block.charCodeAt(next - 1) === 13 ? next - 1 : next);
      at = next + 1;
      number++;
      if (!header.complete) {
        header.take(line, number);
        if (!isReplaced(line, names)) kept.push(line);
      } else if (line !== '') records.push(readRecord(line, number, header, source.name, questions));
    }
    if (records.length === 0) continue;
    if (kept.length > 0) yield headerPiece(kept.splice(0), request.header(questions[0]?.type === 'structural'));
    yield annotatedRecords(records, await request.ask(questions), names, counts);
  }
  if (!header.complete) {
    throw new Fault(
      'unprocessable',
      `${source.name}: ${number === 0 ? 'the file is empty' : 'there is no #CHROM line'}`,
    );
  }
  if (kept.length > 0) yield headerPiece(kept, request.header(false));
}

function headerPiece(lines: readonly string[], added: string): Piece {
  const before = lines.slice(0, -1).map((line) => `${line}\n`);
  return { text: `${before.join('')}${added}${lines.at(-1)}\n`, lines: [] };
}

function annotatedRecords(
  records: readonly Asked[],
  observations: readonly Observation[],
  names: readonly string[],
  counts: AnnotateCounts,
): Piece {
  const text: string[] = [];
  const lines: Line[] = [];
  for (const { line, info, places, contig, start, end } of records) {
    const found = places.map((place) => observations[place]);
    for (const one of found) {
      if (!one) continue;
      counts.alleles++;
      if (one.cases > 0) counts.seen++;
    }
    const written = withInfo(line, info, annotationOf(found, names), names);
    text.push(written, '\n');
    lines.push({ contig, start, end, bytes: written.length + 1 });
  }
  counts.records += records.length;
  return { text: text.join(''), lines };
}

/** The line with new entries at the end of INFO, in the place of earlier ones of these names. */
function withInfo(line: string, [from, to]: Asked['info'], added: string, names: readonly string[]): string {
  let info = line.slice(from, to);
  if (names.some((name) => info.includes(name))) {
    const others = info.split(';').filter((entry) => !names.includes(entry.split('=', 1)[0] as string));
    info = others.join(';');
  }
  const both = info === '.' || info === '' ? added : added === '' ? info : `${info};${added}`;
  return `${line.slice(0, from)}${both === '' ? '.' : both}${line.slice(to)}`;
}

function readRecord(line: string, number: number, header: Header, name: string, questions: ObservedQuestion[]): Asked {
  const begins = [0];
  for (let i = 1; i < 8; i++) {
    const tab = line.indexOf('\t', begins[i - 1]);
    if (tab < 0) throw new Fault('unprocessable', `${name}, line ${number}: ${i} columns, but a VCF has at least 8`);
    begins.push(tab + 1);
  }
  const column = (i: number) => line.slice(begins[i], (begins[i + 1] as number) - 1);
  const from = begins[7] as number;
  const tab = line.indexOf('\t', from);
  const info: [number, number] = [from, tab < 0 ? line.length : tab];
  const contig = column(0);
  const position = column(1);
  if (!/^\d{1,10}$/.test(position) || Number(position) >= 2 ** 31) {
    throw new Fault('unprocessable', `${name}, line ${number}: POS must be a whole number up to 2147483647`);
  }
  const start = Math.max(Number(position) - 1, 0);
  const written = column(3);
  const alternates = column(4).split(',');
  const stated = statedInfo(line, info, alternates);
  const places = alternates.map(() => -1);
  const chromosome = header.contig(contig);
  const reference = bases(written);
  if (chromosome && reference !== undefined && header.oddPlace(chromosome, Number(position)) === undefined) {
    const site = { contig: chromosome, start, reference, info: stated, alternates: alternatesOf(alternates) };
    for (const [i, alternate] of alternates.entries()) {
      if (isPlaceholder(alternate)) continue;
      const allele = readAlternate(site, alternate, i, (other) => header.contig(other));
      const question = typeof allele === 'string' ? undefined : questionOf(allele);
      if (question) places[i] = questions.push(question) - 1;
    }
  }
  const end = Math.max(start + written.length, stated.end ?? 0);
  return { line, info, places, contig, start, end };
}

function statedInfo(line: string, [from, to]: Asked['info'], alternates: readonly string[]): StructuralInfo {
  const symbolic = alternates.some((alternate) => alternate.charCodeAt(0) === 60);
  const at = line.indexOf('SVTYPE=', from);
  return symbolic || (at >= 0 && at < to) ? structuralInfo(line.slice(from, to)) : noStructuralInfo;
}
