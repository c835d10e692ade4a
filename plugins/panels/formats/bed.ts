/**
 * Panels as BED: the genes that the names of lines (column 4) mean. Reports measure exons of genes, so that positions only show
 * whether a line lies on its gene. Lines without a name become regions.
 */
import { eachLine, fileFault, quoted, type TextFile } from '../../../core/files.js';
import { type Confidence, confidences, type OtherEntry } from '../domain/content.js';
import type { GivenEntry, GivenPanel, NamedLine } from './given-panel.js';

/** Regions that a panel may have. */
const mostRegions = 5000;

/** Ensembl and RefSeq ids of transcripts within a name. */
const transcriptForm = /(?<![A-Za-z0-9])(?:ENST\d{11}|[NX][MR]_\d{6,12})(?:\.\d{1,3})?(?![A-Za-z0-9])/g;

/** What the lines with # of an export say of genes that have no lines. */
const withoutLines = /^# (?:No lines|Left out as (?<level>\w+)): HGNC:(?<hgnc>[1-9]\d{0,8}) (?<symbol>[^\s:]+)/;

/** And what they say of entries for which there is no gene. */
const withoutGene = /^# No gene: (.+?): /;

/** Whether the first line of data has two whole numbers after its first column. */
export function isBed(text: string): boolean {
  for (const line of text.split('\n', 1000)) {
    if (isOther(line)) continue;
    return /^[^\t ]+[\t ]+\d+[\t ]+\d+(?:\s|$)/.test(line);
  }
  return false;
}

/** `isGene` says whether a word is the symbol of one gene. Throws an `unprocessable` fault with file and line. */
export function readBed(file: TextFile, isGene: (word: string) => boolean): GivenPanel {
  const entries = new Map<string, GivenEntry>();
  const others: OtherEntry[] = [];
  const notes: string[] = [];
  const lines: NamedLine[] = [];

  function add(
    given: { hgnc?: number; symbol?: string },
    at: string,
    transcripts: readonly string[],
    more = {},
  ): boolean {
    const key = given.hgnc === undefined ? `${given.symbol}` : `HGNC:${given.hgnc}`;
    const known = entries.get(key);
    const wanted = [...new Set([...(known?.transcripts ?? []), ...transcripts])];
    const entry: GivenEntry = known ?? { at, confidence: 'unrated', ...given, ...more };
    entries.set(key, wanted.length === 0 ? entry : { ...entry, transcripts: wanted });
    return known === undefined;
  }

  eachLine(file, (line, number) => {
    const at = `line ${number}`;
    const { level, hgnc, symbol } = withoutLines.exec(line)?.groups ?? {};
    if (hgnc !== undefined && symbol !== undefined) add({ hgnc: Number(hgnc), symbol }, at, [], leftOut(level));
    const [, open] = withoutGene.exec(line) ?? [];
    if (open !== undefined) add({ symbol: open }, at, []);
    if (isOther(line)) return;
    const [contig = '', start = '', end = '', name = ''] = cellsOf(line);
    if (!/^\d{1,10}$/.test(start) || !/^\d{1,10}$/.test(end) || Number(start) >= Number(end))
      throw new Error(`expected a start before an end, found ${quoted(start)} and ${quoted(end)}`);
    if (/\p{Cc}/u.test(name)) throw new Error('expected text without control characters');
    if (name === '' || name === '.') {
      if (others.length === mostRegions) throw new Error(`expected at most ${mostRegions} lines without a name`);
      const place = `${contig}:${Number(start) + 1}-${end}`;
      others.push({ kind: 'region', name: place, confidence: 'unrated', place });
      return;
    }
    for (const word of name.split(/[,;]/).filter((one) => one.trim() !== '')) {
      const given = geneIn(word.trim(), isGene);
      lines.push({ given, at, chromosome: contig, start: Number(start), end: Number(end) });
      const isNew = add(given, at, word.match(transcriptForm) ?? []);
      if (isNew && given.hgnc === undefined && given.symbol !== word.trim())
        notes.push(`${at}: ${word} is read as ${given.symbol}`);
    }
  });
  if (entries.size + others.length === 0) throw fileFault(file.name, 'there are no lines in it');
  if (others.length > 0)
    notes.push(`Lines without a name are regions, which reports on genes do not cover: ${others.length}`);
  return { entries: [...entries.values()], others, notes, lines, source: { kind: 'bed' } };
}

/**
 * `HGNC:950|BAP1|…`, an id, or a symbol; else the one part of the name that is the symbol of a gene, as in `BAP1_exon3`. A name
 * with none, or several, is left as it is: no gene will be found for it.
 */
function geneIn(word: string, isGene: (word: string) => boolean): { hgnc?: number; symbol?: string } {
  const [, hgnc, symbol] = /(?<![A-Za-z0-9])HGNC:([1-9]\d{0,8})(?:\|([^\s|]+))?(?!\d)/i.exec(word) ?? [];
  if (hgnc !== undefined) return { hgnc: Number(hgnc), ...(symbol !== undefined && { symbol }) };
  if (isGene(word)) return { symbol: word };
  const parts = word.replaceAll(transcriptForm, ' ').split(/[|:_()\s]+/);
  const [found, ...more] = new Set(parts.filter((part) => part !== '' && isGene(part)));
  return { symbol: found === undefined || more.length > 0 ? word : found };
}

function leftOut(level: string | undefined): { confidence?: Confidence } {
  const confidence = confidences.find((one) => one === level);
  return confidence === undefined ? {} : { confidence };
}

function isOther(line: string): boolean {
  return line.startsWith('#') || /^(?:track|browser)\b/.test(line) || line.trim() === '';
}

/** Separated by tabs; files by hand have blanks. */
function cellsOf(line: string): string[] {
  return line.includes('\t') ? line.split('\t').map((cell) => cell.trim()) : line.trim().split(/ +/);
}
