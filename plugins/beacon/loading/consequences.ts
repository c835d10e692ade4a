/** Keeps the consequences that loads read: staged while a load runs, published after it. */
import type { CommandContext } from '../../../core/commands.js';
import type { SweepRules } from '../../../core/plugin.js';
import {
  type AnnotatedAllele,
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconGenes,
  type CallAnnotation,
  type CalledAllele,
  type ConsequenceRepository,
  type Dataset,
  type GeneRepository,
  symbolKey,
} from '../contract.js';
import { leftAligned } from '../domain/left-aligned.js';
import { protectionOfDataset } from '../protection/profiles.js';
import type { BeaconSettings } from '../settings.js';
import { pruneMarked } from '../vcf/consequences/kept.js';
import type { LoadedReferences } from '../vcf/reference/packed.js';

/** Loads that are not complete show signs of life whenever they have read some thousand alleles. */
export const interruptedStaging: SweepRules = {
  unit: 'loads',
  what: 'interrupted loads of consequences',
  idleMs: 3_600_000,
};

export interface ConsequenceTools {
  repository: Pick<BeaconRepository, 'eachAllele' | 'dataset'>;
  consequences: ConsequenceRepository;
  genes: Pick<GeneRepository, 'genes'>;
  /** Whether what is loaded into a dataset waits to be published, as it is protected. */
  waits(dataset: string): boolean;
}

/** For commands. */
export async function consequenceToolsFor(
  context: Pick<CommandContext<BeaconSettings>, 'repository' | 'settings'>,
): Promise<ConsequenceTools> {
  return {
    repository: await context.repository(beacon),
    consequences: await context.repository(beaconConsequences),
    genes: await context.repository(beaconGenes),
    waits: (dataset) => protectionOfDataset(context.settings.protection, dataset) !== undefined,
  };
}

/** Datasets of which an interruption left something to do. */
export async function interruptedDatasets({ consequences, waits }: ConsequenceTools): Promise<string[]> {
  const found = await consequences.unsettled();
  return found.flatMap(({ dataset, isMarked }) => (isMarked || !waits(dataset) ? [dataset] : []));
}

/** Publishes what need not wait, and removes what nobody carries. */
export async function settleConsequences(tools: ConsequenceTools, dataset: string, now: Date): Promise<void> {
  const { consequences, waits } = tools;
  if (!waits(dataset)) await consequences.publish(dataset, await consequences.waiting(dataset), now);
  await pruneMarked(tools, dataset);
}

/** Alleles that are kept in memory before they are staged. */
const stagedAtOnce = 8192;

/** The consequences of one load. */
export class StagedConsequences {
  readonly #tools: ConsequenceTools;
  readonly #dataset: Pick<Dataset, 'id' | 'assembly'>;
  readonly #now: Date;
  readonly #numbers = new Map<string, number | undefined>();
  #load: number | undefined;
  #read: AnnotatedAllele[] = [];

  constructor(dataset: Pick<Dataset, 'id' | 'assembly'>, tools: ConsequenceTools, now: Date) {
    this.#tools = tools;
    this.#dataset = dataset;
    this.#now = now;
  }

  /** The same alleles, without annotations, which are staged in the form of the dataset. Only what is imported comes here. */
  async *of(
    batches: AsyncIterable<readonly CalledAllele[]>,
    references: LoadedReferences | undefined,
  ): AsyncGenerator<readonly CalledAllele[]> {
    const { id, assembly } = this.#dataset;
    const { alignedTo } = (await this.#tools.repository.dataset(id)) ?? {};
    const genome = alignedTo === undefined ? undefined : references?.of(assembly);
    for await (const batch of batches) {
      yield batch.map((call: CalledAllele & { annotation?: CallAnnotation }) => {
        const { annotation, ...rest } = call;
        if (annotation === undefined) return call;
        const allele = genome ? leftAligned(rest, genome) : rest;
        if (rest.carriers.length > 0) this.#read.push({ ...annotation, allele });
        return rest;
      });
      if (this.#read.length >= stagedAtOnce) await this.#stage();
    }
    await this.#stage();
  }

  async #stage(): Promise<void> {
    if (this.#read.length === 0) return;
    const { consequences } = this.#tools;
    this.#load ??= await consequences.begin(this.#dataset.id, this.#now);
    const read = this.#read;
    this.#read = [];
    await this.#findNumbers(read);
    await consequences.stage(
      this.#load,
      read.map((one) => this.#numbered(one)),
      new Date(),
    );
  }

  /** Looks up symbols of genes without a number. */
  async #findNumbers(read: readonly AnnotatedAllele[]): Promise<void> {
    const all = read.flatMap(({ genes }) =>
      genes.flatMap(({ hgnc, symbol }) => (symbol && !hgnc ? [symbolKey(symbol)] : [])),
    );
    const ids = [...new Set(all)].filter((key) => !this.#numbers.has(key));
    if (ids.length === 0) return;
    const found = await this.#tools.genes.genes(this.#dataset.assembly, { type: 'symbol', ids });
    for (const id of ids) {
      const own = found.filter(({ symbol = '' }) => symbolKey(symbol) === id).flatMap(({ hgnc }) => hgnc ?? []);
      this.#numbers.set(id, new Set(own).size === 1 ? own[0] : undefined);
    }
  }

  #numbered(one: AnnotatedAllele): AnnotatedAllele {
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
    if (this.#load !== undefined) await this.#tools.consequences.complete(this.#load);
    await settleConsequences(this.#tools, this.#dataset.id, this.#now);
  }

  /** If nothing was imported. */
  async abandon(): Promise<void> {
    if (this.#load !== undefined) await this.#tools.consequences.abandon(this.#load);
  }
}
