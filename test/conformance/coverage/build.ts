/** Makes and loads intervals for the cases. */
import type {
  Batch,
  Build,
  Exon,
  Gene,
  GeneAnswer,
  GeneNames,
  IntervalRepository,
  IntervalSet,
  Load,
  References,
  SetKind,
  SetRecord,
  Transcript,
} from '../../../plugins/coverage/contract.js';
import { at, oddText, same } from '../core.js';

export { at };

export const record: SetRecord = {
  release: oddText,
  source: 'file.tsv',
  checksum: `sha256:${'0a'.repeat(32)}`,
  read: 7,
  skipped: { 'other sequence': 2 },
};

export function id(prefix: 'ENSG' | 'ENST' | 'ENSE', number: number): string {
  return `${prefix}${String(number).padStart(11, '0')}`;
}

export function gene(number: number, fields: Partial<Gene> = {}): Gene {
  const start = number * 1000;
  return { ensembl: id('ENSG', number), chromosome: '1', start, end: start + 500, ...fields };
}

export function references(fields: Partial<References> = {}): References {
  return { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [], ...fields };
}

export function transcript(number: number, of: Gene, fields: Partial<Transcript> = {}): Transcript {
  const { ensembl, chromosome, start, end } = of;
  return {
    ensembl: id('ENST', number),
    gene: ensembl,
    chromosome,
    start,
    end,
    references: references(),
    isManeSelect: false,
    isManePlusClinical: false,
    ...fields,
  };
}

export function exon(number: number, of: Transcript, rank: number, fields: Partial<Exon> = {}): Exon {
  const start = of.start + (rank - 1) * 20;
  return {
    ensembl: id('ENSE', number),
    gene: of.gene,
    transcript: of.ensembl,
    chromosome: of.chromosome,
    rank,
    start,
    end: start + 10,
    ...fields,
  };
}

export function names(hgnc: number, symbol: string, fields: Partial<GeneNames> = {}): GeneNames {
  return { hgnc, symbol, previous: [], aliases: [], ...fields };
}

export async function* batches(...list: Batch[]): AsyncGenerator<Batch> {
  yield* list;
}

/** Loads a batch: each kind in it becomes a set. */
export function load(
  repository: IntervalRepository,
  build: Build,
  batch: Batch,
  now = at(0),
  options: Partial<Load> = {},
): Promise<IntervalSet[]> {
  const kinds = (['genes', 'transcripts', 'exons', 'names'] as const).filter((kind) => batch[kind]);
  const sets = kinds.map((kind: SetKind) => (kind === 'names' ? { kind } : { kind, build }));
  return repository.load({ sets, rows: batches(batch), accept: () => record, ...options }, now);
}

/** The Ensembl ids of an answer, or its reason. */
export function outcome(answer: GeneAnswer | undefined): unknown {
  if (!answer) return undefined;
  if ('reason' in answer) return answer.candidates ? [answer.reason, ...answer.candidates] : answer.reason;
  return [answer.by, ...answer.genes.map(({ ensembl }) => ensembl)];
}

export async function finds(
  repository: IntervalRepository,
  build: Build,
  expected: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { answers } = await repository.findGenes(build, Object.keys(expected));
  same(Object.fromEntries(answers.map((answer) => [answer.asked, outcome(answer)])), expected);
}

/** Everything that a caller can see of a build. */
export async function stateOf(repository: IntervalRepository, build: Build): Promise<unknown> {
  const rows: unknown[] = [];
  for (const kind of ['genes', 'transcripts', 'exons'] as const) {
    await repository.each(kind, build, undefined, async (part) => void rows.push(...part));
  }
  return { sets: await repository.sets(), rows };
}
