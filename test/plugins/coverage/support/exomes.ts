/**
 * Simulated exomes of 12 small genes, to compare samples with: made in milliseconds each, the same every time. Depths vary as those
 * of an assay do: each exon has its own capture efficiency, each sample its own depth, and each exon of each sample a few percent.
 */
import type { IntervalRepository, Strand } from '../../../../plugins/coverage/contract.js';
import { chromosomesOf, type Run, writeD4 } from './d4.js';

export interface Exome {
  id: string;
  sex: 'female' | 'male';
  assay: string;
  run: string;
  day: string;
  /** The directory of its file, below that of all; its name is the id. */
  folder?: string;
  /** The exon that the sample has lost, such as `SIM3:2`, and how many copies of it are left. */
  lost?: { exon: string; left: 0 | 1 };
  /** Depth of a run relative to the others at every third exon: a run whose capture drifted. */
  drift?: number;
}

export interface SimulatedExon {
  gene: string;
  rank: number;
  chromosome: '21' | 'X' | 'Y';
  start: number;
  end: number;
}

/** Nine genes on 21, one on X, one on X in the first pseudoautosomal region, one on Y: five exons of 150 bases each. */
const places: readonly [string, SimulatedExon['chromosome'], number][] = [
  ...Array.from({ length: 9 }, (_, i): [string, '21', number] => [`SIM${i + 1}`, '21', 10_000_000 + i * 2_000_000]),
  ['SIMX', 'X', 50_000_000],
  ['SIMPAR', 'X', 1_000_000],
  ['SIMY', 'Y', 10_000_000],
];

const exonsOfGene = 5;
export const exonBases = 150;

export const simulatedExons: readonly SimulatedExon[] = places.flatMap(([gene, chromosome, start]) =>
  Array.from({ length: exonsOfGene }, (_, i) => {
    const at = start + i * 5000;
    return { gene, rank: i + 1, chromosome, start: at, end: at + exonBases };
  }),
);

/** Bases at each end of an exon, which have 60 % of its depth. */
const edge = 15;

/** The exon whose capture is poor in every sample of the assay. */
export const poorExon = 'SIM5:4';

/** A number from 0 to 1 for a text: FNV-1a, mixed once more. */
function chance(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** About normal, with mean 0 and standard deviation 1. */
function deviation(text: string): number {
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += chance(`${text}/${i}`);
  return sum - 6;
}

/** Mean depth of the middle of an exon. */
export function depthOf({ gene, rank, chromosome, start }: SimulatedExon, exome: Exome): number {
  const name = `${gene}:${rank}`;
  const isPar = gene === 'SIMPAR';
  const copies =
    chromosome === 'Y' ? (exome.sex === 'male' ? 1 : 0) : chromosome === 'X' && !isPar && exome.sex === 'male' ? 1 : 2;
  const kept = exome.lost?.exon === name ? exome.lost.left : copies;
  const efficiency = name === poorExon ? 0.2 : 0.7 + 0.6 * chance(`${exome.assay} ${name}`);
  const own = 90 + 30 * chance(exome.id);
  const drift = rank % 3 === 0 ? (exome.drift ?? 1) : 1;
  const noise = 1 + 0.06 * deviation(`${exome.id} ${name} ${start}`);
  return Math.max(0, Math.round((own * efficiency * drift * noise * kept) / 2));
}

/** The D4 file of an exome, on GRCh38. X and Y have enough depth beside the genes to predict the sex. */
export function writeExome(path: string, exome: Exome): string {
  const runs: Run[] = simulatedExons.flatMap((exon) => {
    const { chromosome, start, end } = exon;
    const depth = depthOf(exon, exome);
    const low = Math.round(depth * 0.6);
    return [
      { chromosome, begin: start, end: start + edge, depth: low },
      { chromosome, begin: start + edge, end: end - edge, depth },
      { chromosome, begin: end - edge, end, depth: low },
    ];
  });
  const isMale = exome.sex === 'male';
  runs.push({ chromosome: 'X', begin: 100_000_000, end: 102_000_000, depth: isMale ? 30 : 60 });
  if (isMale) runs.push({ chromosome: 'Y', begin: 15_000_000, end: 17_000_000, depth: 30 });
  const present = runs.filter(({ depth }) => depth > 0);
  return writeD4(path, { chromosomes: chromosomesOf('GRCh38', { names: ['21', 'X', 'Y'] }), runs: present });
}

/** As many women of one assay in runs of eight, of which the first has lost an exon; then a man, and a woman of another assay. */
export function exomesOf(women: number): Exome[] {
  const female = { sex: 'female', assay: 'WES-A' } as const;
  return [
    ...Array.from({ length: women }, (_, i): Exome => {
      const run = Math.floor(i / 8);
      return {
        ...female,
        id: `S${String(i + 1).padStart(3, '0')}`,
        run: `R${String(run + 1).padStart(2, '0')}`,
        day: new Date(Date.UTC(2026, 0, 5 + 7 * run)).toISOString().slice(0, 10),
        ...(i === 0 && { lost: { exon: 'SIM3:2', left: 0 } }),
      };
    }),
    { ...female, id: 'man', sex: 'male', run: 'R01', day: '2026-01-05' },
    { ...female, id: 'other', assay: 'WES-B', run: 'B01', day: '2026-01-05' },
  ];
}

const strand: Strand = 1;
const references = {
  refseqMrna: [],
  refseqMrnaPredicted: [],
  refseqNcrna: [],
  maneSelect: ['NM_000001.1'],
  manePlusClinical: [],
};

/** Loads the genes: one transcript each, which is MANE Select; with `isCoding` of all but the first 60 bases of its first exon. */
export async function loadSimulatedGenes(repository: IntervalRepository, now: Date, isCoding = false): Promise<void> {
  const genes = places.map(([symbol, chromosome], i) => {
    const own = simulatedExons.filter(({ gene }) => gene === symbol);
    const number = String(i + 1).padStart(11, '0');
    const [gene, transcript] = [`ENSG${number}`, `ENST${number}`];
    const [start, end] = [own[0]?.start ?? 0, own.at(-1)?.end ?? 0];
    return {
      gene: { ensembl: gene, hgnc: i + 1, symbol, chromosome, start, end, strand },
      transcript: {
        ensembl: transcript,
        gene,
        chromosome,
        start,
        end,
        strand,
        references,
        isManeSelect: true,
        isManePlusClinical: false,
      },
      exons: own.map((exon) => ({
        ensembl: `ENSE${String((i + 1) * 100 + exon.rank).padStart(11, '0')}`,
        gene,
        transcript,
        chromosome,
        start: exon.start,
        end: exon.end,
        rank: exon.rank,
        strand,
        ...(isCoding && { cds: { start: exon.rank === 1 ? exon.start + 60 : exon.start, end: exon.end } }),
      })),
    };
  });
  const rows = async function* () {
    yield {
      genes: genes.map(({ gene }) => gene),
      transcripts: genes.map(({ transcript }) => transcript),
      exons: genes.flatMap(({ exons }) => exons),
    };
  };
  const build = 'GRCh38' as const;
  const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build }));
  const record = { source: 'simulated', checksum: `sha256:${'0'.repeat(64)}`, read: genes.length, skipped: {} };
  await repository.load({ sets, rows: rows(), accept: () => record }, now);
}
