/** Histories of coverage@1. */
import {
  type Batch,
  type Build,
  builds,
  type Chromosome,
  coverage,
  type Exon,
  type Gene,
  type GeneNames,
  type IntervalFilter,
  type IntervalKind,
  type IntervalRepository,
  intervalKinds,
  type Load,
  type SetKind,
  type SetRecord,
  type Transcript,
} from '../../../../../plugins/coverage/contract.js';
import type { Random } from '../../../../conformance/core.js';
import { at, exon, id, record, references, transcript } from '../../../../conformance/coverage/build.js';
import { anyText, type History, nasty, onPurpose } from '../history.js';

interface LoadStep {
  verb: 'load';
  sets: { kind: SetKind; build?: Build }[];
  batches: Batch[];
  second: number;
  /** What the caller does wrong: in the rows, after them, or in its answer. */
  ends: 'well' | 'rows throw' | 'aborted' | 'accept throws' | 'accept aborts' | 'too few records' | 'swept';
}

type Step =
  | LoadStep
  | { verb: 'sweep'; isLate: boolean }
  | { verb: 'find'; build: Build; asked: string[] }
  | { verb: 'transcripts'; build: Build; genes: string[] }
  | { verb: 'select'; kind: IntervalKind; build: Build; filter: IntervalFilter }
  | { verb: 'each'; kind: IntervalKind; build: Build; limit: number; throws: boolean };

const onFew: readonly Chromosome[] = ['1', '10', '2', 'X', 'Y', 'MT'];
const geneIds = [...[1, 2, 3, 4].map((number) => id('ENSG', number)), 'GeneID:4524'];

function anyGene(random: Random): Gene {
  const start = random.int(0, 2) * 1000;
  return {
    ...{ ensembl: random.pick(geneIds), chromosome: random.pick(onFew), start, end: start + random.int(1, 2) },
    ...(random.chance(0.6) && { hgnc: random.int(1, 4) }),
    ...(random.chance(0.7) && { symbol: anyText(random) }),
    ...(random.chance(0.3) && { biotype: anyText(random) }),
    ...(random.chance(0.3) && { strand: random.pick([1, -1] as const) }),
  };
}

/** Few, which often repeat each other, and seldom contradict each other. */
function anyTranscript(random: Random): Transcript {
  const number = random.int(1, 4);
  const gene = {
    ensembl: geneIds[number % 3] as string,
    chromosome: random.pick(onFew.slice(2, 4)),
    start: 500,
    end: 900,
  };
  const names = () => [...new Set(random.list(0, 2, () => anyText(random)))];
  const wrong =
    random.chance(0.02) && random.pick([{ start: 499 }, { end: 901 }, { strand: 1 as const }, { gene: 'other' }]);
  return transcript(number, gene, {
    references: references({ refseqMrna: names(), maneSelect: names(), refseqNcrna: names() }),
    ...{ isManeSelect: random.chance(0.3), isManePlusClinical: random.chance(0.3) },
    ...(random.chance(0.3) && { biotype: anyText(random) }),
    ...wrong,
  });
}

function anyExon(random: Random): Exon {
  const { ensembl, gene, chromosome, start, end } = anyTranscript(random);
  const rank = random.int(1, 3);
  const of = { ...{ ensembl, gene, chromosome, start, end }, references: references() };
  const place = start + rank * 20;
  const wrong =
    random.chance(0.02) &&
    random.pick([
      { strand: -1 as const },
      { utr5: { start: place, end: place + 1 } },
      { cdsOpen: 'end' as const },
      { start: 1 },
    ]);
  return exon(rank, { ...of, isManeSelect: false, isManePlusClinical: false }, rank, {
    ...(rank > 1 && { cds: { start: place, end: place + 3 }, strand: -1 as const }),
    ...(rank === 3 && { cdsOpen: 'both' as const, utr3: { start: place + 3, end: place + 9 } }),
    ...wrong,
  });
}

function anyNames(random: Random): GeneNames {
  const some = () => random.list(0, 2, () => anyText(random));
  const ensembl = random.chance(0.6) && { ensembl: random.pick(geneIds) };
  return { hgnc: random.int(1, 4), symbol: anyText(random), previous: some(), aliases: some(), ...ensembl };
}

/** Genes are not compared by more than their place and id: no two of one load have both. */
function batchesOf(random: Random, wanted: readonly SetKind[]): Batch[] {
  const known = new Set<string>();
  const isNew = ({ chromosome, start, end, ensembl }: Gene) =>
    known.size < known.add([chromosome, start, end, ensembl].join()).size;
  return random.list(0, 3, () => {
    const has = (kind: SetKind) => (wanted.includes(kind) ? random.chance(0.7) : random.chance(0.01));
    return {
      ...(has('genes') && { genes: random.list(0, 5, () => anyGene(random)).filter(isNew) }),
      ...(has('transcripts') && { transcripts: random.list(0, 4, () => anyTranscript(random)) }),
      ...(has('exons') && { exons: random.list(0, 6, () => anyExon(random)) }),
      ...(has('names') && { names: random.list(0, 3, () => anyNames(random)) }),
    };
  });
}

function anyLoad(random: Random): LoadStep {
  const build = random.pick(builds);
  const wanted = random.chance(0.3) ? (['names'] as const) : random.some(intervalKinds);
  const sets: LoadStep['sets'] = wanted.map((kind: SetKind) => (kind === 'names' ? { kind } : { kind, build }));
  const wrong = random.pick<LoadStep['sets'][number]>([{ kind: 'genes' }, { kind: 'names' }, { kind: 'exons', build }]);
  if (random.chance(0.05)) sets.push(wrong);
  const failures = ['rows throw', 'aborted', 'accept throws', 'accept aborts', 'too few records', 'swept'] as const;
  const ends = random.chance(0.85) ? 'well' : random.pick(failures);
  return { verb: 'load', sets, batches: batchesOf(random, wanted), second: random.int(0, 2), ends };
}

function anyRead(random: Random): Step {
  const build = random.pick(builds);
  const genes = () => random.list(0, 4, () => random.pick([...geneIds, 'other', '']));
  const kind = random.pick(intervalKinds);
  const verb = random.pick(['find', 'find', 'transcripts', 'select', 'select', 'select', 'each'] as const);
  switch (verb) {
    case 'find': {
      const names = ['1', 'hgnc:2', 'HGNC:003', `${id('ENSG', 1)}.14`, 'GENEID:4524', 'zz', '', ...geneIds, ...nasty];
      return { verb, build, asked: random.list(0, 12, () => random.pick(names)) };
    }
    case 'transcripts':
      return { verb, build, genes: genes() };
    case 'select': {
      const numbers = () => random.list(0, 3, () => id(random.pick(['ENST', 'ENSE']), random.int(1, 4)));
      return {
        verb,
        kind,
        build,
        filter: random.chance(0.5) ? { genes: genes() } : { ids: [...numbers(), ...genes()] },
      };
    }
    case 'each':
      return { verb, kind, build, limit: random.pick([0, 1, 2, 100]), throws: random.chance(0.1) };
  }
}

function load(repository: IntervalRepository, { sets, batches, second, ends }: LoadStep): Promise<unknown> {
  const stop = new AbortController();
  const seen: unknown[] = [];
  async function* rows() {
    for (const batch of batches) yield batch;
    if (ends === 'rows throw') throw new Error('the file ends');
    if (ends === 'aborted') stop.abort(new Error('aborted'));
    // The fault comes with the next batch, or at the end.
    if (ends === 'swept') seen.push(await repository.sweep(later()));
  }
  const accept: Load['accept'] = (staged) => {
    seen.push(structuredClone(staged));
    if (ends === 'accept throws') throw new Error('too small');
    if (ends === 'accept aborts') stop.abort(new Error('aborted late'));
    const { release: _, ...plain } = record;
    const each = (i: number): SetRecord => (i === 0 ? record : { ...plain, skipped: { __proto__x: i } });
    if (ends === 'too few records') return sets.slice(1).map((_, i) => each(i));
    return second === 0 ? plain : sets.map((_, i) => each(i));
  };
  return repository.load({ sets, rows: rows(), accept, signal: stop.signal }, at(second)).then(
    (loaded) => ({ loaded, seen }),
    (error) => {
      // Of two reasons either is given.
      if (['rows throw', 'aborted', 'swept'].includes(ends)) return 'failed';
      throw error;
    },
  );
}

const later = () => new Date(Date.now() + 3_600_000);

function step(random: Random): Step {
  if (random.chance(0.5)) return anyLoad(random);
  return random.chance(0.1) ? { verb: 'sweep', isLate: random.chance(0.7) } : anyRead(random);
}

export const intervalHistories: History<IntervalRepository, Step> = {
  contract: coverage,
  steps: (random) => random.list(8, 24, () => step(random)),
  transactions: true,
  thrown: onPurpose,
  async perform(repository, step) {
    switch (step.verb) {
      case 'load':
        return load(repository, step);
      case 'sweep':
        return repository.sweep(step.isLate ? later() : new Date(0));
      case 'find':
        return repository.findGenes(step.build, step.asked);
      case 'transcripts':
        return repository.transcriptsOf(step.build, step.genes);
      case 'select':
        return repository.select(step.kind, step.build, step.filter);
      case 'each': {
        const rows: unknown[] = [];
        await repository.each(step.kind, step.build, step.limit, async (some) => {
          if (step.throws) throw new Error('enough');
          rows.push(...some);
        });
        return rows;
      }
    }
  },
  async all(repository) {
    const rows: unknown[] = [];
    for (const build of builds) {
      for (const kind of intervalKinds) {
        await repository.each(kind, build, undefined, async (some) => void rows.push(...some));
      }
      rows.push(await repository.findGenes(build, ['A', 'b', '1', '2', ...geneIds]));
    }
    return { sets: await repository.sets(), rows };
  },
};
