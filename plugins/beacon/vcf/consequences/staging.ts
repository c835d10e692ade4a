/** Keeps the consequences that loads read: staged while a load runs, published after it. */
import type { SweepRules } from '../../../../core/plugin.js';
import {
  type AnnotatedAllele,
  type AnnotatedCall,
  type CalledAllele,
  type ConsequenceRepository,
  type Dataset,
  type GeneRepository,
  symbolKey,
} from '../../contract.js';
import { type Pruning, pruneMarked } from './kept.js';

/** Like imports, loads that are not complete show signs of life every ten seconds. */
export const interruptedStaging: SweepRules = {
  unit: 'loads',
  what: 'interrupted loads of consequences',
  idleMs: 2 * 60 * 1000,
};

/** Milliseconds between signs of life. */
const beatMs = 10_000;

export interface ConsequenceTools extends Pruning {
  consequences: ConsequenceRepository;
  genes: Pick<GeneRepository, 'genes'>;
  /** The published samples of a protected dataset: what is loaded of others waits. Undefined if it is not protected. */
  published(dataset: string): Promise<readonly string[] | undefined>;
}

/** Datasets of which an interruption left something to do. */
export async function interruptedDatasets({ consequences, published }: ConsequenceTools): Promise<string[]> {
  const found: string[] = [];
  for (const { dataset, isMarked } of await consequences.unsettled()) {
    const isDue = async () => (await consequences.waiting(dataset, await published(dataset))).length > 0;
    if (isMarked || (await isDue())) found.push(dataset);
  }
  return found;
}

/** Publishes what need not wait, and removes what nobody carries. */
export async function settleConsequences(tools: ConsequenceTools, dataset: string, now: Date): Promise<void> {
  const { consequences, published } = tools;
  const due = await consequences.waiting(dataset, await published(dataset));
  await consequences.publish(dataset, due, now);
  await pruneMarked(tools, dataset);
}

/** Alleles that are kept in memory before they are staged. */
const stagedAtOnce = 16_384;

/** The consequences of one load. */
export class StagedConsequences {
  readonly #tools: ConsequenceTools;
  readonly #dataset: Pick<Dataset, 'id' | 'assembly'>;
  readonly #now: Date;
  readonly #numbers = new Map<string, number | undefined>();
  #load: number | undefined;
  #beat: NodeJS.Timeout | undefined;
  #alignedTo: string | undefined;
  #read: AnnotatedAllele[] = [];

  constructor(dataset: Pick<Dataset, 'id' | 'assembly'>, tools: ConsequenceTools, now: Date) {
    this.#tools = tools;
    this.#dataset = dataset;
    this.#now = now;
  }

  /** The same alleles, without annotations, which are staged in the form of the dataset. Only what is imported comes here. */
  async *of(
    batches: AsyncIterable<readonly AnnotatedCall[]>,
    samples: readonly string[],
  ): AsyncGenerator<readonly CalledAllele[]> {
    const { formOf } = this.#tools;
    this.#alignedTo = await this.#form();
    const form = this.#alignedTo === undefined ? undefined : formOf?.(this.#dataset.assembly);
    for await (const batch of batches) {
      yield batch.map((call) => {
        const { annotation, ...rest } = call;
        if (annotation === undefined) return call;
        const allele = form ? form.aligned(rest) : rest;
        if (rest.carriers.length > 0) this.#read.push({ ...annotation, allele });
        return rest;
      });
      if (this.#read.length >= stagedAtOnce) await this.#stage(samples);
    }
    await this.#stage(samples);
  }

  async #form(): Promise<string | undefined> {
    return (await this.#tools.repository.dataset(this.#dataset.id))?.alignedTo;
  }

  async #stage(samples: readonly string[]): Promise<void> {
    if (this.#read.length === 0) return;
    const { consequences } = this.#tools;
    this.#load ??= await consequences.begin(this.#dataset.id, samples, new Date());
    const load = this.#load;
    // If the load is gone, the next piece, or its end, fails.
    const touch = () => consequences.stage(load, [], new Date()).catch(() => undefined);
    this.#beat ??= setInterval(touch, beatMs).unref();
    const read = this.#read;
    this.#read = [];
    await this.#findNumbers(read);
    await consequences.stage(
      load,
      read.map((one) => this.#numbered(one)),
      new Date(),
    );
  }

  /** Looks up symbols of genes without a number. */
  async #findNumbers(read: readonly AnnotatedAllele[]): Promise<void> {
    const wanted = new Set<string>();
    for (const { genes } of read) {
      for (const { hgnc, symbol } of genes) if (symbol && !hgnc) wanted.add(symbolKey(symbol));
    }
    const ids = [...wanted].filter((key) => !this.#numbers.has(key));
    if (ids.length === 0) return;
    const found = await this.#tools.genes.genes(this.#dataset.assembly, { type: 'symbol', ids });
    for (const id of ids) {
      const own = found.filter(({ symbol = '' }) => symbolKey(symbol) === id).flatMap(({ hgnc }) => hgnc ?? []);
      this.#numbers.set(id, new Set(own).size === 1 ? own[0] : undefined);
    }
  }

  #numbered(one: AnnotatedAllele): AnnotatedAllele {
    if (one.genes.every(({ hgnc }) => hgnc !== undefined)) return one;
    const genes = one.genes.map((gene) => {
      const hgnc = gene.hgnc ?? (gene.symbol ? this.#numbers.get(symbolKey(gene.symbol)) : undefined);
      return hgnc === undefined ? gene : { ...gene, hgnc };
    });
    return { ...one, genes };
  }

  /** Before alleles of samples may be replaced. */
  async mark(): Promise<void> {
    await this.#tools.consequences.mark(this.#dataset.id);
  }

  /** Once the alleles are imported; publishes unless a publication is to. */
  async complete(): Promise<void> {
    await this.end();
    const { id } = this.#dataset;
    await settleConsequences(this.#tools, id, this.#now);
    // Another process has rewritten the dataset between the import and now.
    if (this.#load === undefined || (await this.#form()) === this.#alignedTo) return;
    await this.#tools.consequences.mark(id);
    await pruneMarked(this.#tools, id);
  }

  /** Once the alleles are imported; leaves the rest to a publication. Returns the number of the load, undefined without consequences. */
  async end(): Promise<number | undefined> {
    clearInterval(this.#beat);
    if (this.#load !== undefined) await this.#tools.consequences.complete(this.#load);
    return this.#load;
  }

  /** If nothing was imported. */
  async abandon(): Promise<void> {
    clearInterval(this.#beat);
    if (this.#load !== undefined) await this.#tools.consequences.abandon(this.#load);
  }
}
