/** Changes of a chromosome in the words of HGVS: `NC_000017.11:g.43045703A>G`. */
import { type Accession, accessionNamed } from '../../../core/genome.js';
import { Fault } from '../../../core/plugin.js';
import type { SequenceChange } from './allele-query.js';
import { quoted } from './quoted.js';

/** A description that was read. */
export interface GenomicChange {
  place: Accession;
  /** Undefined if the description says that nothing changes (`=`). */
  change: SequenceChange | undefined;
  /** What the records alone cannot tell. */
  warnings: readonly string[];
}

const whole = /^([^:\s]+):([a-z])\.(\S+)$/i;
const place = /^(\d{1,10})(?:_(\d{1,10}))?(\S+)$/;

const accepted =
  'a substitution, del, ins, dup, delins, inv or = on a RefSeq chromosome, such as NC_000017.11:g.43045703A>G, ' +
  'NC_000017.11:g.43045703_43045705del or NC_000017.11:g.43045703_43045704insT';

const shifted =
  'genomicAlleleShortForm: records of repeats are found at the position that their file writes, which is mostly the ' +
  'leftmost; HGVS names the rightmost';

/**
 * Reads a description; its positions count from 1 and include both ends, those of the change are inter-residue. Throws an
 * `invalid` fault for any other text, transcripts and proteins included.
 */
export function genomicChange(text: string): GenomicChange {
  const [, name = '', system, rest = ''] = whole.exec(text.trim()) ?? [];
  if (system === undefined) throw invalid(text);
  if (/^[cnpr]$/i.test(system)) {
    throw invalid(text, `descriptions of transcripts and proteins (${system.toLowerCase()}.) are not supported`);
  }
  const accession = accessionNamed(name);
  if (!accession?.assembly && accession?.contig !== 'MT') {
    throw invalid(text, `${quoted(name)} is not the RefSeq accession of a chromosome of GRCh37 or GRCh38`);
  }
  if (system.toLowerCase() !== 'g' && !(system.toLowerCase() === 'm' && accession.contig === 'MT')) throw invalid(text);
  const [, first, last, words = ''] = place.exec(rest) ?? [];
  if (first === undefined) throw invalid(text);
  const [from, to] = [Number(first), Number(last ?? first)];
  if (from < 1 || to < from) throw invalid(text, 'positions count from 1, the lower one first');
  return { place: accession, ...read(text, from - 1, to, last !== undefined, words) };
}

type Read = Pick<GenomicChange, 'change' | 'warnings'>;

/** `start` and `end` are zero-based half-open; `several` if the text gives two positions. */
function read(text: string, start: number, end: number, several: boolean, words: string): Read {
  const [, from, to] = /^([ACGT])>([ACGT])$/i.exec(words) ?? [];
  if (from && to && !several) {
    if (from.toUpperCase() === to.toUpperCase()) return { change: undefined, warnings: [unchanged] };
    return { change: { start, end, reference: from.toUpperCase(), alternate: to.toUpperCase() }, warnings: [] };
  }
  if (/^[ACGTN]*=$/i.test(words)) return { change: undefined, warnings: [unchanged] };
  const [, verb = '', given = '', put] = /^(delins|del|ins|dup|inv)([A-Z]*?)(?:ins([A-Z]+))?$/i.exec(words) ?? [];
  const bases = basesOf(text, given);
  const stretch = { start, end };
  const kind = put === undefined ? verb.toLowerCase() : `${verb.toLowerCase()}+`;
  switch (kind) {
    case 'del':
      return {
        change: { ...stretch, ...stated(text, bases, end - start), alternate: '', symbols: ['DEL'] },
        warnings: [shifted],
      };
    case 'delins':
      if (bases === '') throw invalid(text, 'delins needs the bases that are put in the place of others');
      return { change: { ...stretch, alternate: bases }, warnings: [] };
    case 'del+':
      return {
        change: { ...stretch, ...stated(text, bases, end - start), alternate: basesOf(text, put ?? '') },
        warnings: [],
      };
    case 'ins':
      if (!several || end - start !== 2 || bases === '') {
        throw invalid(text, 'an insertion stands between two neighbouring positions, with its bases: g.100_101insT');
      }
      return { change: { start: start + 1, end: start + 1, alternate: bases }, warnings: [shifted] };
    case 'dup': {
      const { reference } = stated(text, bases, end - start);
      const symbols = ['DUP', 'TDUP'];
      if (reference !== undefined) {
        return { change: { ...stretch, reference, alternate: reference + reference, symbols }, warnings: [shifted] };
      }
      return {
        change: { ...stretch, alternate: { is: 'duplicated' }, symbols },
        warnings: [unknownBases('dup'), shifted],
      };
    }
    case 'inv':
      return {
        change: { ...stretch, ...stated(text, bases, end - start), alternate: { is: 'inverted' }, symbols: ['INV'] },
        warnings: [unknownBases('inv')],
      };
    default:
      throw invalid(text);
  }
}

const unchanged =
  'genomicAlleleShortForm: = describes the reference allele, of which nothing is stored; only alleles that differ from it are';

function unknownBases(verb: 'dup' | 'inv'): string {
  const found =
    verb === 'dup'
      ? 'duplications are found that records state as DUP, or write with all of their bases; with the bases, as in dupACG, ' +
        'those written as insertions too'
      : 'inversions are found that records state as INV, or write with all of their bases';
  return `genomicAlleleShortForm: without the reference sequence ${found}`;
}

/** The bases that a description gives for those that are replaced. */
function stated(text: string, bases: string, length: number): { reference?: string } {
  if (bases === '') return {};
  if (bases.length === length) return { reference: bases };
  throw invalid(text, `it gives ${bases.length} bases for ${length} positions`);
}

function basesOf(text: string, bases: string): string {
  const upper = bases.toUpperCase();
  if (/^[ACGTN]*$/.test(upper)) return upper;
  throw invalid(text, 'bases are A, C, G, T and N');
}

function invalid(text: string, why?: string): Fault {
  const reason = why === undefined ? '' : ` (${why})`;
  return new Fault('invalid', `genomicAlleleShortForm must be ${accepted}; got ${quoted(text)}${reason}`);
}
