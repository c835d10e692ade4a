/**
 * A reading of VCF text, and a counting of what it says, written from the VCF specification and the rules of the query
 * alone: it shares no code with the plugin, keeps nothing but the files, and reads them anew for every answer.
 */
import type { AlleleQuery } from '../../../plugins/beacon/contract.js';

interface NaiveAllele {
  /** Chromosome, start and end as they look from here, and from the far end of a breakend. */
  places: { contig: string; start: number; end: number; mate?: string }[];
  reference: string;
  alternate: string;
  kind: string;
  structural: boolean;
  /** What makes it the same allele. */
  key: string;
  /** What makes it the same event: the joined ends of a breakend. */
  event: string;
  copies: Map<string, number>;
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

/** What a query finds in a dataset of these files; undefined where nothing. */
export function naiveAnswer(
  loads: readonly NaiveLoad[],
  query: Omit<AlleleQuery, 'assembly'>,
): NaiveCounts | undefined {
  const found = carried(loads).filter(({ allele }) => asksFor(query, allele));
  if (found.length === 0) return undefined;
  // Of the two records of one event a sample's larger count is taken.
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

/** The totals of a dataset of these files. */
export function naiveTotals(loads: readonly NaiveLoad[]): NaiveCounts {
  const all = carried(loads);
  return {
    alleles: new Set(all.map(({ allele }) => allele.key)).size,
    calls: sum(all.map(({ copies }) => copies)),
    samples: new Set(loads.flatMap(({ samples }) => samples)).size,
  };
}

/** One entry for each sample and allele, as the first file (and line) that has it says. */
function carried(loads: readonly NaiveLoad[]): { sample: string; allele: NaiveAllele; copies: number }[] {
  const first = new Map<string, { sample: string; allele: NaiveAllele; copies: number }>();
  for (const { text, samples } of loads) {
    for (const allele of naiveAlleles(text)) {
      for (const sample of samples) {
        const copies = allele.copies.get(sample) ?? 0;
        const entry = `${sample} ${allele.key}`;
        if (copies > 0 && !first.has(entry)) first.set(entry, { sample, allele, copies });
      }
    }
  }
  return [...first.values()];
}

function naiveAlleles(text: string): NaiveAllele[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('##'));
  const names = (lines.shift() ?? '').split('\t').slice(9);
  return lines.flatMap((line) => {
    const [chrom = '', pos = '', , ref = '', alts = '', , , info = '', format = '', ...columns] = line.split('\t');
    const contig = contigOf(chrom);
    if (!contig) return [];
    const field = format.split(':').indexOf('GT');
    const genotypes = columns.map((column) => (column.split(':')[field] ?? '').split(/[/|]/));
    const alternates = alts.split(',');
    return alternates.flatMap((alt, i) => {
      if (alt === '*') return [];
      const copies = new Map(names.map((name, n) => [name, genotypes[n]?.filter((x) => x === `${i + 1}`).length ?? 0]));
      const place = { contig, start: Number(pos) - 1, ref, alt, info, index: i, several: alternates.length > 1 };
      return [{ ...described(place), copies }];
    });
  });
}

interface Written {
  contig: string;
  start: number;
  ref: string;
  alt: string;
  info: string;
  index: number;
  several: boolean;
}

function described({ contig, start, ref, alt, info, index, several }: Written): Omit<NaiveAllele, 'copies'> {
  const infos = new Map(info.split(';').map((entry) => entry.split('=', 2) as [string, string]));
  if (alt.startsWith('<')) {
    const length = Math.abs(Number(infos.get('SVLEN')?.split(',')[index] ?? 0));
    const end = several || !infos.has('END') ? start + 1 + length : Number(infos.get('END'));
    return allele({ contig, start, end }, ref, alt, alt.slice(1, -1), true);
  }
  const joined = /^(\w*)([[\]])(.+):(\d+)[[\]](\w*)$/.exec(alt);
  if (joined) {
    const [, before = '', bracket, there = '', position = ''] = joined;
    const mate = contigOf(there) ?? there;
    const far = Number(position) - 1;
    const ends = [
      `${contig}:${start} ${before ? 'left' : 'right'}`,
      `${mate}:${far} ${bracket === ']' ? 'left' : 'right'}`,
    ];
    const written = alt.replace(`${there}:`, `${mate}:`);
    const breakend = allele({ contig, start, end: far, mate }, ref, written, 'BND', true);
    breakend.places.push({ contig: mate, start: far, end: start, mate: contig });
    return { ...breakend, event: ends.sort().join(' joins ') };
  }
  if (alt.includes('.')) return allele({ contig, start, end: start + 1 }, ref, alt, 'BND', true);
  let [from, left, right] = [start, ref, alt];
  while (several && left.length > 1 && right.length > 1 && left.at(-1) === right.at(-1)) {
    [left, right] = [left.slice(0, -1), right.slice(0, -1)];
  }
  while (several && left.length > 1 && right.length > 1 && left[0] === right[0]) {
    [from, left, right] = [from + 1, left.slice(1), right.slice(1)];
  }
  const longer = right.length - left.length;
  const kind = longer > 0 ? 'INS' : longer < 0 ? 'DEL' : left.length > 1 ? 'MNP' : 'SNP';
  return allele({ contig, start: from, end: from + left.length }, left, right, kind, false);
}

function allele(
  place: NaiveAllele['places'][number],
  reference: string,
  alternate: string,
  kind: string,
  structural: boolean,
): Omit<NaiveAllele, 'copies'> {
  const key = JSON.stringify([place.contig, place.start, place.end, place.mate, reference, alternate]);
  return { places: [place], reference, alternate, kind, structural, key, event: key };
}

function contigOf(name: string): string | undefined {
  const plain = name.replace(/^chr/, '').replace(/^M$/, 'MT');
  return /^([1-9]|1\d|2[0-2]|X|Y|MT)$/.test(plain) ? plain : undefined;
}

function asksFor(query: Omit<AlleleQuery, 'assembly'>, allele: NaiveAllele): boolean {
  const fits = (wanted: string | undefined, bases: string) =>
    wanted === undefined || wanted === 'N' || new RegExp(`^${wanted.replaceAll('N', '[A-Z]')}$`).test(bases);
  const within = (bounds: { min: number; max: number } | undefined, position: number) =>
    bounds === undefined || (position >= bounds.min && position <= bounds.max);
  const isKind = query.kinds?.some(
    ({ kind, structural }) =>
      (structural === undefined || structural === allele.structural) &&
      (allele.kind === kind || allele.kind.startsWith(`${kind}:`)),
  );
  if (isKind === false || !fits(query.alternate, allele.alternate)) return false;
  return allele.places.some(({ contig, start, end, mate }, i) => {
    // The reference base stands at the first place; at a far end nobody wrote one down.
    const reference = i === 0 ? fits(query.reference, allele.reference) : fits(query.reference, '');
    const there = query.mate === undefined || query.mate === mate;
    return reference && there && contig === query.contig && within(query.start, start) && within(query.end, end);
  });
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
