/** Compares the beacon with the naive reading: loads random files, runs queries, compares results. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sourceOf } from '../../../../core/files.js';
import type { BeaconRepository, Contig } from '../../../../plugins/beacon/contract.js';
import { loadVariants } from '../../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../../plugins/beacon/loading/permit.js';
import { NaiveDataset, type NaiveQuery, naiveQuestion } from './naive.js';
import { modelSamples, type Next, type Parameters, questionsOf, randomRecord } from './random-vcf.js';
import { type Beacon, dataset, type Json, post } from './serve.js';
import { vcf } from './vcf.js';

export interface Comparison {
  records: number;
  questions: number;
  /** Queries with matches. */
  hits: number;
  /** In one sentence each. */
  differences: string[];
  /** Queries for alleles at which samples were not called. */
  uncalled: number;
}

/** Where alleles are loaded and queried. */
export interface Asked {
  repository: BeaconRepository;
  /** Resolves once a new dataset can be queried. */
  ready(): Promise<void>;
  /** The result in a dataset: counts, or a sentence. */
  ask(dataset: string, parameters: Parameters): Promise<unknown>;
  /** How many samples were not called, and how many are left; undefined if no face that says so can be asked. */
  uncalled?(dataset: string, parameters: Parameters): Promise<{ notCalled: number; samples: number } | undefined>;
}

/** A server, over HTTP. */
export function overHttp(beacon: Beacon): Asked {
  return {
    repository: beacon.repository,
    // The server rereads the list of datasets ten times a second.
    ready: () => sleep(110),
    ask: (id, parameters) => counts(beacon, id, parameters),
  };
}

/** Records in one dataset. */
const batchSize = 500;
/** Concurrent queries. */
const atOnce = 8;

export async function compare(asked: Asked, next: Next, records: number): Promise<Comparison> {
  const total: Comparison = { records, questions: 0, hits: 0, differences: [], uncalled: 0 };
  for (let done = 0; done < records; done += batchSize) {
    await compareBatch(asked, next, `model-${done}`, Math.min(batchSize, records - done), total);
  }
  return total;
}

async function compareBatch(asked: Asked, next: Next, id: string, count: number, total: Comparison): Promise<void> {
  const { repository } = asked;
  const lines = Array.from({ length: count }, () => randomRecord(next));
  // A readable one: a file without any is refused.
  lines.push(['22', '1', '.', 'A', 'C', '.', '.', '.', 'GT', ...modelSamples.map(() => '0/1')].join('\t'));
  const text = vcf({ samples: modelSamples, records: lines });
  await repository.addDataset(dataset(id), new Date());
  const stored = await repository.dataset(id);
  if (!stored) throw new Error('the dataset was just added');
  const bytes = Buffer.from(text);
  const source = sourceOf('model.vcf', bytes.length, () => Readable.from([bytes], { objectMode: false }));
  await loadVariants({
    permit: permitAll,
    repository,
    dataset: stored,
    sources: [source],
    samples: [],
    now: new Date(),
  });

  const naive = new NaiveDataset([{ text, samples: modelSamples }]);
  const { alleleCount: alleles, callCount: calls, sampleCount: samples } = (await repository.dataset(id)) ?? stored;
  differ(total, `totals of ${id}`, { alleles, calls, samples }, naive.totals());
  differ(total, `recount of ${id}`, await repository.recount(id), naive.totals());

  await asked.ready();
  const questions = lines.flatMap((line) => questionsOf(next, line).map((question) => ({ ...question, line })));
  total.questions += questions.length;
  const asking = questions.values();
  const ask = async () => {
    for (const { parameters, certain, line } of asking) {
      const expected = naive.answer(naiveQuery(parameters));
      const what = `${JSON.stringify(parameters)}, from ${line.replaceAll('\t', ' ')}`;
      const answer = await asked.ask(id, parameters);
      differ(total, what, answer, expected ?? 'nothing');
      const left = await asked.uncalled?.(id, parameters);
      if (left) {
        const notCalled = naive.uncalled(naiveQuery(parameters));
        differ(total, what, left, { notCalled, samples: modelSamples.length - notCalled });
        if (notCalled > 0) total.uncalled++;
      }
      if (answer !== 'nothing') total.hits++;
      else if (certain && !isUnreadable(line)) total.differences.push(`${what}: a called alternate was not found`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  await repository.removeDataset(id);
}

/** A sequence whose record states an end beyond the storable range is not loaded. */
function isUnreadable(line: string): boolean {
  return line.includes('99999999999') && line.includes('SVTYPE=');
}

async function counts(beacon: Beacon, id: string, parameters: Parameters): Promise<unknown> {
  const { status, body } = await post(beacon.url, { ...parameters, datasetIds: [id], includeDatasetResponses: 'ALL' });
  if (status !== 200) return `${status} ${JSON.stringify(body.error)}`;
  const [found] = body.datasetAlleleResponses as Json[];
  if (body.exists !== found?.exists) return 'an answer that contradicts itself';
  if (!found?.exists) return 'nothing';
  return { alleles: found.variantCount, calls: found.callCount, samples: found.sampleCount };
}

function differ(total: Comparison, what: string, answered: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(answered), JSON.stringify(expected)];
  if (left !== right) total.differences.push(`${what}: answered ${left}, expected ${right}`);
}

/** The query expressed by the parameters, according to the contract. */
function naiveQuery(parameters: Parameters): NaiveQuery {
  const { referenceName, start, end, startMin, startMax, endMin, endMax, variantType, mateName } = parameters;
  const text = (name: string) => {
    const value = parameters[name];
    return value === undefined ? undefined : String(value).toUpperCase();
  };
  const between = (min: unknown, max: unknown) =>
    min === undefined && max === undefined ? undefined : { min: Number(min ?? 0), max: Number(max ?? 2 ** 31) };
  const query: NaiveQuery = { contig: String(referenceName).replace(/^chr/, '') as Contig };
  const exact = startMin === undefined && startMax === undefined && endMin === undefined && endMax === undefined;
  const startBounds = exact ? between(start, start) : between(startMin, startMax);
  const endBounds = exact ? between(end, end) : between(endMin, endMax);
  const [reference, alternate] = [text('referenceBases'), text('alternateBases')];
  if (startBounds) query.start = startBounds;
  if (endBounds) query.end = endBounds;
  if (reference) query.reference = reference;
  if (alternate) query.alternate = alternate;
  if (mateName !== undefined) query.mate = String(mateName) as Contig;
  if (variantType === 'SNV') query.kinds = [{ kind: 'SNP' }];
  else if (variantType === 'INDEL') query.kinds = ['INS', 'DEL'].map((kind) => ({ kind, structural: false }));
  else if (variantType === 'CNV') {
    query.kinds = [{ kind: 'CNV' }, { kind: 'DUP' }, { kind: 'DEL', structural: true }];
  } else if (variantType !== undefined) query.kinds = [{ kind: String(variantType) }];
  return exact ? naiveQuestion(query) : query;
}
