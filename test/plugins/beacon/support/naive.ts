/**
 * The simplest reading of a VCF, and counting of its alleles, written from the VCF specification and the query rules
 * alone: it shares no code with the plugin.
 */
import type { AlleleQuery } from '../../../../plugins/beacon/contract.js';

/** Spelling of an allele, and the resulting positions: `places` as seen from here, and from a breakend's far end. */
interface Spelling {
  places: { contig: string; start: number; end: number; mate?: string }[];
  reference: string;
  alternate: string;
}

interface NaiveAllele extends Spelling {
  kind: string;
  structural: boolean;
  /** A structural allele of plain bases without those that reference and alternate share. */
  short?: Spelling;
  /** The length of an insertion without its bases, 0 if unknown. */
  inserted?: number | undefined;
  /** The identity of the allele. */
  key: string;
  /** The identity of the event: the joined ends of a breakend. */
  event: string;
  copies: Map<string, number>;
  /** Samples without any called allele. */
  missing: Set<string>;
}

/** Files in the order of loading, each for some of its samples. */
export interface NaiveLoad {
  text: string;
  samples: readonly string[];
}

export interface NaiveCounts {
  alleles: number;
  calls: number;
  samples: number;
}

export type NaiveQuery = Omit<AlleleQuery, 'assembly'>;

interface Carried {
  sample: string;
  allele: NaiveAllele;
  copies: number;
}

/** Datasets of these files, read once. */
export class NaiveDataset {
  readonly #carried: readonly Carried[];
  readonly #stated: readonly NaiveAllele[];
  readonly #samples: number;

  constructor(loads: readonly NaiveLoad[]) {
    this.#carried = carried(loads);
    this.#stated = loads.flatMap(({ text }) => naiveAlleles(text));
    this.#samples = new Set(loads.flatMap(({ samples }) => samples)).size;
  }

  /** The matches of a query; undefined if there are none. */
  answer(query: NaiveQuery): NaiveCounts | undefined {
    const found = this.#carried.filter(({ allele }) => asksFor(query, allele));
    if (found.length === 0) return undefined;
    // Of the two records of one event, a sample's larger count is used.
    const calls = new Map<string, number>();
    for (const { allele, sample, copies } of found) {
      const call = `${sample} ${allele.event}`;
      calls.set(call, Math.max(calls.get(call) ?? 0, copies));
    }
    return {
      alleles: new Set(found.map(({ allele }) => allele.event)).size,
      calls: sum(calls.values()),
      samples: new Set(found.map(({ sample }) => sample)).size,
    };
  }

  /** Samples without a called genotype at an allele that is asked for, which do not carry another such. */
  uncalled(query: NaiveQuery): number {
    const asked = this.#stated.filter((allele) => asksFor(query, allele));
    const carriers = new Set(
      asked.flatMap(({ copies }) => [...copies].flatMap(([name, count]) => (count > 0 ? [name] : []))),
    );
    return new Set(asked.flatMap(({ missing }) => [...missing]).filter((name) => !carriers.has(name))).size;
  }

  totals(): NaiveCounts {
    return {
      alleles: new Set(this.#carried.map(({ allele }) => allele.key)).size,
      calls: sum(this.#carried.map(({ copies }) => copies)),
      samples: this.#samples,
    };
  }
}

/** One entry for each sample and allele, from the first file (and line) that has it. */
function carried(loads: readonly NaiveLoad[]): Carried[] {
  const first = new Map<string, Carried>();
  const known = new Map<string, NaiveAllele>();
  for (const { text, samples } of loads) {
    for (const stated of toldApart(naiveAlleles(text), samples)) {
      for (const sample of samples) {
        const copies = stated.copies.get(sample) ?? 0;
        const entry = `${sample} ${stated.key}`;
        // An allele that a dataset already has never changes, including its kind.
        const allele = copies > 0 ? (known.get(stated.key) ?? stated) : stated;
        if (copies > 0) known.set(stated.key, allele);
        if (copies > 0 && !first.has(entry)) first.set(entry, { sample, allele, copies });
      }
    }
  }
  return [...first.values()];
}

/**
 * Of insertions without bases that a load has at one place, the one of unknown length, else the longest, is as if it were alone;
 * each other length is an allele of its own.
 */
function toldApart(alleles: readonly NaiveAllele[], samples: readonly string[]): NaiveAllele[] {
  const isLoaded = ({ copies, missing }: NaiveAllele) =>
    samples.some((sample) => (copies.get(sample) ?? 0) > 0 || missing.has(sample));
  return alleles.map((allele) => {
    const { key, inserted } = allele;
    if (!inserted || !isLoaded(allele)) return allele;
    const here = alleles.filter((other) => other.key === key && isLoaded(other)).map((other) => other.inserted ?? 0);
    const own = here.includes(0) || inserted < Math.max(...here) ? `${key} ${inserted}` : key;
    return { ...allele, key: own, event: own };
  });
}

/** One entry for each alternate that is a readable allele; duplicates in a record count as one. */
function naiveAlleles(text: string): NaiveAllele[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('##'));
  const names = (lines.shift() ?? '').split('\t').slice(9);
  return lines.flatMap((line) => {
    const [chrom = '', pos = '', , ref = '', alts = '', , , info = '', format = '', ...columns] = line.split('\t');
    const contig = contigOf(chrom);
    const reference = basesOf(ref.replace(/[RYSWKMBDHV]/gi, (code) => firstOf[code.toUpperCase()] ?? code));
    const alternates = alts.split(',');
    const field = format.split(':').indexOf('GT');
    const genotypes = columns.map((column) => (column.split(':')[field] ?? '').split(/[/|]/));
    const isGenotype = (index: string) => index === '' || index === '.' || Number(index) <= alternates.length;
    if (!contig || !reference || pos === '0' || !genotypes.flat().every(isGenotype)) return [];
    const alleles = new Map<string, NaiveAllele>();
    const isMissing = (n: number) => (genotypes[n] ?? []).every((call) => call === '' || call === '.');
    const missing = new Set(names.filter((_, n) => isMissing(n)));
    for (const [index, alt] of alternates.entries()) {
      const copies = new Map(
        names.map((name, n) => [name, genotypes[n]?.filter((call) => call === `${index + 1}`).length ?? 0]),
      );
      const read = described({ contig, start: Number(pos) - 1, reference, alt, info, index, alternates });
      if (!read || (sum(copies.values()) === 0 && missing.size === 0)) continue;
      const own = `${read.key} ${read.inserted}`;
      const twice = alleles.get(own);
      if (!twice) alleles.set(own, { ...read, copies, missing });
      else for (const [name, count] of copies) twice.copies.set(name, (twice.copies.get(name) ?? 0) + count);
    }
    return [...alleles.values()];
  });
}

interface Written {
  contig: string;
  start: number;
  reference: string;
  alt: string;
  info: string;
  index: number;
  alternates: string[];
}

const farthest = 2 ** 31 - 1;

function isAllele(alt: string): boolean {
  return !['.', '*', '<*>', '<NON_REF>'].includes(alt.toUpperCase());
}

/** Undefined if it is not an allele, or unreadable. */
function described(written: Written): Omit<NaiveAllele, 'copies' | 'missing'> | undefined {
  const { alt, alternates } = written;
  if (!isAllele(alt)) return undefined;
  const infos = new Map(written.info.split(';').map((entry) => entry.split('=', 2) as [string, string]));
  const several = alternates.filter(isAllele).length > 1;
  const read = /[[\].]/.test(alt)
    ? breakend(written, infos, several)
    : alt.startsWith('<')
      ? symbolic(written, infos, several)
      : sequence(written, infos, several);
  return (read?.places[0]?.end ?? Number.POSITIVE_INFINITY) <= farthest ? read : undefined;
}

function breakend(
  { contig, start, reference, alt }: Written,
  infos: Map<string, string>,
  several: boolean,
): Omit<NaiveAllele, 'copies' | 'missing'> {
  const type = infos.get('SVTYPE');
  const kind = type === undefined || (several && !['BND', 'TRA'].includes(type)) ? 'BND' : type;
  const joined = /^(\w*)([[\]])(.+):(\d+)[[\]](\w*)$/.exec(alt);
  if (!joined) return allele({ contig, start, end: start + 1 }, reference, alt, kind, true);
  const [, before = '', bracket, there = '', position = ''] = joined;
  const mate = contigOf(there) ?? there;
  const far = Number(position) - 1;
  const ends = [
    `${contig}:${start} ${before ? 'left' : 'right'}`,
    `${mate}:${far} ${bracket === ']' ? 'left' : 'right'}`,
  ];
  const renamed = alt.replace(`${there}:`, `${mate}:`);
  const read = allele({ contig, start, end: far, mate }, reference, renamed, kind, true);
  read.places.push({ contig: mate, start: far, end: start, mate: contig });
  // Only for breakends of kind BND are two records known to describe one event.
  return kind === 'BND' ? { ...read, event: ends.sort().join(' joins ') } : read;
}

function symbolic(
  { contig, start, reference, alt, index, alternates }: Written,
  infos: Map<string, string>,
  several: boolean,
): Omit<NaiveAllele, 'copies' | 'missing'> | undefined {
  const word = alt.slice(1, -1).toUpperCase();
  const type = infos.get('SVTYPE');
  // Of the random symbols and types CNV alone has others within it, and number of copies is a CNV.
  const own = word.startsWith('CN') ? 'CNV' : word;
  const isFiner = type?.startsWith(`${own}:`) || (own === 'CNV' && ['DEL', 'DUP'].includes(type ?? ''));
  const kind = type !== undefined && isFiner && (!several || /^CN\d/.test(word)) ? type : own;
  const end = endOf(infos, { start, reference, kind, index, count: alternates.length, several, symbolic: true });
  if (end === undefined) return undefined;
  const lengths = infos.get('SVLEN')?.split(',').map(Number) ?? [];
  const length = lengths.length === alternates.length ? lengths[index] : lengths.length === 1 ? lengths[0] : 0;
  const inserted = kind.startsWith('INS') ? Math.abs(length ?? 0) || 0 : undefined;
  return { ...allele({ contig, start, end }, reference, alt, kind, true), inserted };
}

function sequence(
  { contig, start, reference, alt, index, alternates }: Written,
  infos: Map<string, string>,
  several: boolean,
): Omit<NaiveAllele, 'copies' | 'missing'> | undefined {
  const alternate = basesOf(alt);
  if (!alternate || alternate === reference) return undefined;
  const type = infos.get('SVTYPE');
  const longer = Math.sign(alternate.length - reference.length);
  const expected = { DEL: -1, INS: 1, DUP: 1 }[type ?? ''] ?? longer;
  const symbols = alternates.some((other) => isAllele(other) && /[<[\].]/.test(other));
  const short = trimmed(contig, start, reference, alternate);
  if (type === undefined || symbols || (several && longer !== expected)) {
    const kind = { [-1]: 'DEL', 0: short.reference.length > 1 ? 'MNP' : 'SNP', 1: 'INS' }[longer] ?? '';
    return allele(short.places[0], short.reference, short.alternate, kind, false);
  }
  const stated = endOf(infos, {
    start,
    reference,
    kind: type,
    index,
    count: alternates.length,
    several,
    symbolic: false,
  });
  const end = stated ?? start + reference.length;
  const lengths = infos.get('SVLEN')?.split(',').map(Number) ?? [];
  const length = Math.abs((lengths.length === alternates.length ? lengths[index] : lengths[0]) ?? 0);
  // Written without the base before the insertion, as the length tells; a caller that writes N for it cannot have put it there.
  const isWhole = length === alternate.length || (reference === 'N' && length > 0 && length !== alternate.length - 1);
  const isBare = type === 'INS' && reference.length === 1 && !alternate.startsWith(reference) && isWhole;
  const read = allele({ contig, start, end }, reference, isBare ? reference + alternate : alternate, type, true);
  if (short.reference === reference) return read;
  const [place] = short.places;
  const taken = start + reference.length - place.end;
  return { ...read, short: { ...short, places: [{ ...place, end: end - taken }] } };
}

/** End of a structural allele according to INFO; undefined if INFO states none. */
function endOf(
  infos: Map<string, string>,
  of: {
    start: number;
    reference: string;
    kind: string;
    index: number;
    count: number;
    several: boolean;
    symbolic: boolean;
  },
): number | undefined {
  const lengths = infos.get('SVLEN')?.split(',').map(Number) ?? [];
  const forEach = lengths.length === of.count;
  const isPoint = of.kind.startsWith('INS') || of.kind === 'BND';
  const end = of.several && (forEach || of.kind.startsWith('INS')) ? 0 : Number(infos.get('END') ?? 0);
  const length = Math.abs((forEach ? lengths[of.index] : lengths.length === 1 ? lengths[0] : 0) ?? 0);
  // An END at POS leaves nothing of a longer allele.
  const isBlank = of.symbolic && !isPoint && end === of.start + 1 && length > 1;
  if (end > of.start && !isBlank) return end;
  if (isPoint) return of.start + of.reference.length;
  return length > 0 ? of.start + 1 + length : undefined;
}

/** By definition: while both end (then begin) with the same base, and keep one, remove it. Alleles with N stay. */
function trimmed(contig: string, start: number, reference: string, alternate: string) {
  let [from, left, right] = [start, reference, alternate];
  const isLong = () => left.length > 1 && right.length > 1 && isPlain(reference) && isPlain(alternate);
  while (isLong() && left.at(-1) === right.at(-1)) [left, right] = [left.slice(0, -1), right.slice(0, -1)];
  while (isLong() && left[0] === right[0]) [from, left, right] = [from + 1, left.slice(1), right.slice(1)];
  const place = { contig, start: from, end: from + left.length };
  return { places: [place] as [typeof place], reference: left, alternate: right };
}

/** A query for one allele, by exact start or end, as one for its shortest spelling. */
export function naiveQuestion(query: NaiveQuery): NaiveQuery {
  const { reference, alternate, start, end } = query;
  if (!isPlain(reference) || !isPlain(alternate)) return query;
  const short = trimmed('', 0, reference, alternate);
  const { start: leading, end: rest } = short.places[0];
  const by = (bounds: { min: number; max: number }, bases: number) => ({
    min: bounds.min + bases,
    max: bounds.max + bases,
  });
  return {
    ...query,
    reference: short.reference,
    alternate: short.alternate,
    ...(start && { start: by(start, leading) }),
    ...(end && { end: by(end, rest - reference.length) }),
  };
}

export function isPlain(bases: string | undefined): bases is string {
  return bases !== undefined && /^[ACGT]+$/.test(bases);
}

/** Upper case. */
/** Of the bases that a code stands for, the first by the alphabet, which VCF 4.3 puts in its place. */
const firstOf: Readonly<Record<string, string>> = {
  ...{ R: 'A', W: 'A', M: 'A', D: 'A', H: 'A', V: 'A' },
  ...{ Y: 'C', S: 'C', B: 'C', K: 'G' },
};

function basesOf(text: string): string | undefined {
  return /^[ACGTN]+$/i.test(text) ? text.toUpperCase() : undefined;
}

function allele(
  place: Spelling['places'][number],
  reference: string,
  alternate: string,
  kind: string,
  structural: boolean,
): Omit<NaiveAllele, 'copies' | 'missing'> {
  const key = JSON.stringify([place.contig, place.start, place.end, place.mate, reference, alternate]);
  return { places: [place], reference, alternate, kind, structural, key, event: key };
}

function contigOf(name: string): string | undefined {
  const plain = name.replace(/^chr/, '').replace(/^M$/, 'MT');
  return /^([1-9]|1\d|2[0-2]|X|Y|MT)$/.test(plain) ? plain : undefined;
}

function asksFor(query: NaiveQuery, allele: NaiveAllele): boolean {
  const isKind = query.kinds?.some(
    ({ kind, structural }) =>
      (structural === undefined || structural === allele.structural) &&
      (allele.kind === kind || allele.kind.startsWith(`${kind}:`)),
  );
  if (isKind === false) return false;
  if (isSpelled(query, allele)) return true;
  return allele.short !== undefined && isPlain(query.reference) && isPlain(query.alternate)
    ? isSpelled(query, allele.short)
    : false;
}

function isSpelled(query: NaiveQuery, { places, reference, alternate }: Spelling): boolean {
  return (
    places.some(
      ({ contig, start, end, mate }, i) =>
        contig === query.contig &&
        within(query.start, start) &&
        within(query.end, end) &&
        (query.mate === undefined || query.mate === mate) &&
        // The reference base is at the first position; none is known at a far end.
        fits(query.reference, i === 0 ? reference : ''),
    ) && fits(query.alternate, alternate)
  );
}

function within(bounds: { min: number; max: number } | undefined, position: number): boolean {
  return bounds === undefined || (position >= bounds.min && position <= bounds.max);
}

function fits(wanted: string | undefined, bases: string): boolean {
  if (wanted === undefined || wanted === 'N') return true;
  return new RegExp(`^${wanted.replaceAll('N', '[A-Z]')}$`).test(bases);
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
