/**
 * Terms of standards in queries: descriptions of a change in HGVS (`NC_000017.11:g.43045703A>G`), and variant types by VCF, the
 * Sequence Ontology and the EFO.
 */
import { type Accession, accessionNamed } from '../../../../core/genome.js';
import { Fault } from '../../../../core/plugin.js';
import { type KindFilter, kindsOf, type SequenceChange, variantKinds } from '../../domain/allele-query.js';
import { quoted } from '../../domain/written-question.js';

/** A description that was read. */
interface GenomicChange {
  place: Accession;
  /** Undefined if the description says that nothing changes (`=`). */
  change: SequenceChange | undefined;
  /** What the records alone do not show. */
  warnings: readonly string[];
}

const descriptionPattern = /^([^:\s]+):([a-z])\.(\S+)$/i;
const placePattern = /^(\d{1,10})(?:_(\d{1,10}))?(\S+)$/;

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
  const [, name = '', system, rest = ''] = descriptionPattern.exec(text.trim()) ?? [];
  if (system === undefined) throw invalidDescription(text);
  if (/^[cnpr]$/i.test(system)) {
    throw invalidDescription(
      text,
      `descriptions of transcripts and proteins (${system.toLowerCase()}.) are not supported`,
    );
  }
  const accession = accessionNamed(name);
  if (!accession?.assembly && accession?.contig !== 'MT') {
    throw invalidDescription(text, `${quoted(name)} is not an accession of a chromosome of GRCh37 or GRCh38`);
  }
  if (system.toLowerCase() !== 'g' && !(system.toLowerCase() === 'm' && accession.contig === 'MT'))
    throw invalidDescription(text);
  const [, first, last, words = ''] = placePattern.exec(rest) ?? [];
  if (first === undefined) throw invalidDescription(text);
  const [from, to] = [Number(first), Number(last ?? first)];
  if (from < 1 || to < from) throw invalidDescription(text, 'positions count from 1, the lower one first');
  return { place: accession, ...parsedChange(text, from - 1, to, last !== undefined, words) };
}

type ParsedChange = Pick<GenomicChange, 'change' | 'warnings'>;

/** `start` and `end` are zero-based half-open; `several` if the text gives two positions. */
function parsedChange(text: string, start: number, end: number, several: boolean, words: string): ParsedChange {
  const [, from, to] = /^([ACGT])>([ACGT])$/i.exec(words) ?? [];
  if (from && to && !several) {
    if (from.toUpperCase() === to.toUpperCase()) return { change: undefined, warnings: [unchanged] };
    return { change: { start, end, reference: from.toUpperCase(), alternate: to.toUpperCase() }, warnings: [] };
  }
  if (/^[ACGTN]*=$/i.test(words)) return { change: undefined, warnings: [unchanged] };
  const [, verb = '', given = '', put] = /^(delins|del|ins|dup|inv)([A-Z]*?)(?:ins([A-Z]+))?$/i.exec(words) ?? [];
  const bases = basesInDescription(text, given);
  const kind = put === undefined ? verb.toLowerCase() : `${verb.toLowerCase()}+`;
  const replaced = () => ({ start, end, ...statedBases(text, bases, end - start) });
  switch (kind) {
    case 'del':
      return { change: { ...replaced(), alternate: '', symbols: ['DEL'] }, warnings: [shifted] };
    case 'delins':
      if (bases === '') throw invalidDescription(text, 'delins needs the bases that are put in the place of others');
      return { change: { start, end, alternate: bases }, warnings: [] };
    case 'del+':
      return { change: { ...replaced(), alternate: basesInDescription(text, put ?? '') }, warnings: [] };
    case 'ins':
      if (!several || end - start !== 2 || bases === '') {
        throw invalidDescription(
          text,
          'an insertion stands between two neighbouring positions, with its bases: g.100_101insT',
        );
      }
      return { change: { start: start + 1, end: start + 1, alternate: bases }, warnings: [shifted] };
    case 'dup': {
      const place = replaced();
      const { reference } = place;
      const symbols = ['DUP', 'TDUP'];
      if (reference !== undefined) {
        return { change: { ...place, alternate: reference + reference, symbols }, warnings: [shifted] };
      }
      return {
        change: { ...place, alternate: { is: 'duplicated' }, symbols },
        warnings: [unknownBases('dup'), shifted],
      };
    }
    case 'inv':
      return {
        change: { ...replaced(), alternate: { is: 'inverted' }, symbols: ['INV'] },
        warnings: [unknownBases('inv')],
      };
    default:
      throw invalidDescription(text);
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
function statedBases(text: string, bases: string, length: number): { reference?: string } {
  if (bases === '') return {};
  if (bases.length === length) return { reference: bases };
  throw invalidDescription(text, `it gives ${bases.length} bases for ${length} positions`);
}

function basesInDescription(text: string, bases: string): string {
  const upper = bases.toUpperCase();
  if (/^[ACGTN]*$/.test(upper)) return upper;
  throw invalidDescription(text, 'bases are A, C, G, T and N');
}

function invalidDescription(text: string, why?: string): Fault {
  const reason = why === undefined ? '' : ` (${why})`;
  return new Fault('invalid', `genomicAlleleShortForm must be ${accepted}; got ${quoted(text)}${reason}`);
}

// The values of variantType in Beacon v2: words of VCF files, and terms of the Sequence Ontology and the EFO.

/** What a value asks for. */
interface VariantTerm {
  /** Undefined if it does not narrow the query. */
  kinds?: readonly KindFilter[];
  warning?: string;
}

const [gain, loss]: [KindFilter[], KindFilter[]] = [kindsOf('DUP'), [{ kind: 'DEL', structural: true }]];
const [insertion, copyNumber, junction] = [kindsOf('INS'), kindsOf('CNV'), kindsOf('BND')];

const variantTerms: Readonly<Record<string, readonly KindFilter[]>> = {
  'SO:0001483': kindsOf('SNP'),
  'SO:0000694': kindsOf('SNP'),
  'SO:0002007': kindsOf('MNP'),
  'SO:0000667': insertion,
  'SO:0001837': kindsOf('INS:ME'),
  'SO:0000159': kindsOf('DEL'),
  'SO:0001743': kindsOf('DEL'),
  'SO:1000035': gain,
  'SO:0001742': gain,
  'SO:1000173': kindsOf('DUP:TANDEM'),
  'SO:1000036': kindsOf('INV'),
  'SO:0001019': copyNumber,
  'SO:0000806': junction,
  'SO:0000199': junction,
  'EFO:0030063': copyNumber,
  'EFO:0030067': loss,
  'EFO:0030070': gain,
};

/** Any change of the sequence. */
const anything = 'SO:0001059';

/** Levels of gains and losses, which VCF files do not state: a gain of unknown level is no answer to a question for a level. */
const levels: Readonly<Record<string, string>> = {
  'EFO:0030068': 'low-level loss',
  'EFO:0020073': 'high-level loss',
  'EFO:0030069': 'complete genomic deletion',
  'EFO:0030071': 'low-level gain',
  'EFO:0030072': 'high-level gain',
  'EFO:0030073': 'focal genome amplification',
};

/** Throws an `invalid` fault for an unknown value: it would find nothing, which is not true. */
export function variantTerm(text: string): VariantTerm {
  const upper = text.toUpperCase();
  if (upper === anything) return {};
  const kinds = upper === 'MNV' ? kindsOf('MNP') : variantTerms[upper];
  if (kinds) return { kinds };
  const level = levels[upper];
  if (level !== undefined) {
    const broader =
      level.includes('gain') || level.includes('amplification') ? 'EFO:0030070 (gain)' : 'EFO:0030067 (loss)';
    return { kinds: [], warning: `variantType: no record states a ${level}; ask for ${broader}` };
  }
  if (!/^(SO|EFO):/.test(upper)) {
    try {
      return { kinds: variantKinds(text) };
    } catch {
      // The words that this interface accepts are more.
    }
  }
  throw new Fault(
    'invalid',
    `variantType must be a type of VCF files, such as SNV, MNP, INS, DEL, INDEL, DUP, DUP:TANDEM, INV, CNV or BND, or a term: ${[
      anything,
      ...Object.keys(variantTerms),
      ...Object.keys(levels),
    ].join(', ')}; got ${quoted(text)}`,
  );
}
