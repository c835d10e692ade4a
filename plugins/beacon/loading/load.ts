/**
 * Loads the alleles of one or several VCF files into a dataset, in one import: all of it becomes visible at once, or
 * nothing.
 */
import type { Source } from '../../../core/files.js';
import { type Barred, Fault, type SweepRules, sweepIdle } from '../../../core/plugin.js';
import type { CallsFit } from '../../services/coverage.js';
import {
  type BeaconRepository,
  type CalledAllele,
  type Change,
  contigs,
  type Dataset,
  type ImportChange,
  type SampleChange,
  type Search,
  type Searched,
} from '../contract.js';
import { changeOfFacts, type StatedFacts } from '../domain/facts.js';
import type { WaitingChanges } from '../protection/changes.js';
import type { Generations } from '../protection/generations.js';
import { type ConsequenceTools, interruptedStaging, StagedConsequences } from '../vcf/consequences/staging.js';
import { type DepthTools, keepDepths } from '../vcf/depths/called.js';
import { DepthChoice } from '../vcf/depths/choice.js';
import type { Panel } from '../vcf/panel.js';
import { type OpenVcf, openVcf } from '../vcf/reader.js';
import type { LoadedReferences } from '../vcf/reference/packed.js';
import { type LoadRules, type MissingRule, readingRules } from '../vcf/rules.js';
import { SiteGenotypes } from '../vcf/site-genotypes.js';
import type { VcfSummary } from '../vcf/summary.js';
import { type ComparisonSummary, compareSamples, wantedSites } from './comparison.js';
import type { Permit } from './permit.js';
import type { Pedigree, Thresholds } from './relatedness.js';
import { refuseOtherPeople, refuseReplacing, replaceRules } from './replacement.js';

/** A running import shows signs of life every ten seconds; two minutes of silence mean that its process is gone. */
export const interruptedImports: SweepRules = { unit: 'imports', what: 'interrupted imports', idleMs: 2 * 60 * 1000 };

/** The rules are narrower than those of the dataset, which always apply. */
export interface VariantLoadRequest extends LoadRules {
  repository: BeaconRepository;
  dataset: Dataset;
  /** Files that all hold the samples. */
  sources: readonly [Source, ...Source[]];
  /** If empty, all samples of the first file. */
  samples: readonly string[];
  /** The largest number of samples that a file may have (`openVcf`). */
  mostSamples?: number | undefined;
  panel?: Panel | undefined;
  /** What is known of the samples, given their names; it may throw. Samples and facts that it leaves out stay as they are. */
  facts?: ((samples: readonly string[]) => ReadonlyMap<string, StatedFacts>) | undefined;
  /** Leaves people out who may not be stored. */
  permit: Permit;
  /**
   * Which kinds of alleles the files could show, once they are read; by their records (`VcfSummary.searched`) if omitted. If it
   * says structural variants, a file without records means that none was found.
   */
  searched?: ((files: readonly VcfSummary[]) => Searched) | undefined;
  /** What becomes of missing genotypes and GQ. */
  missing?: MissingRule | undefined;
  /** Whether, and how, to compare the samples with each other and with those of the dataset. */
  compare?: CompareOptions | undefined;
  /** Given if the calls of samples that are there already are replaced (`ReplaceRules`), instead of being added to. */
  replace?: ReplaceOptions | undefined;
  /** Keeps depths of the samples, and compares them with coverage files. */
  depths?: DepthTools | undefined;
  /** Those with which REF is compared; those of `repository` align the alleles. */
  references?: LoadedReferences | undefined;
  /** Keeps what VEP or SnpEff wrote of the alleles. */
  consequences?: ConsequenceTools | undefined;
  /** Publishes what is loaded into a protected dataset; it waits for a later publication if omitted. */
  generations?: Pick<Generations, 'beforeLoad' | 'leaving' | 'postpone' | 'postponed' | 'settle'>;
  now: Date;
  /** Aborting throws the signal's reason; nothing is added then. */
  signal?: AbortSignal | undefined;
  /** 0 to 1 by bytes read, and the number of called alleles so far. */
  onProgress?: ((fraction: number, alleles: number) => void) | undefined;
}

export interface ReplaceOptions {
  /** Whether to replace also what may be a mistake (`replacement.ts`). */
  force: boolean;
  /** Called with the samples before any of their calls is replaced. */
  record?: ((samples: readonly string[]) => Promise<void>) | undefined;
}

export interface CompareOptions {
  thresholds: Thresholds;
  /** The pedigree of the samples of the load. */
  pedigree?: ((samples: readonly string[]) => Pedigree) | undefined;
  /** Called before anything becomes visible; what it throws refuses the load. */
  judge?: ((comparison: ComparisonSummary) => void) | undefined;
}

export interface LoadSummary {
  dataset: string;
  samples: readonly string[];
  /** What changed in the dataset's totals: less than was read if the dataset already had some of the alleles. */
  added: Change;
  /** What was taken out, if samples that were there were replaced. */
  replaced?: Change;
  /** Samples that were there already, if calls were added to theirs. */
  addedTo?: readonly string[];
  /** Whether its calls wait to take the place of those of published samples, with the next publication of a protected dataset. */
  postponed?: true;
  /** Counts of what was read and skipped, by file. */
  files: { name: string; summary: VcfSummary }[];
  comparison?: ComparisonSummary;
  /** What waits to be published, if the dataset is protected. */
  waiting?: WaitingChanges;
  /** Whether calls fit the coverage files of registered samples, by their ids. */
  calls?: readonly CallsFit[];
  /** Samples that were not loaded. */
  barred?: ReadonlyMap<string, Barred>;
}

/**
 * Throws an `unprocessable` fault if a file cannot be read, is of another assembly, lacks a sample or has no readable
 * record, or if no genotype has the GQ that is required.
 */
export async function loadVariants(request: VariantLoadRequest): Promise<LoadSummary> {
  const { repository, sources, permit, searched, compare, replace, generations, now, signal, onProgress } = request;
  const files: OpenVcf[] = [];
  const stopReading = () => {
    for (const source of sources) source.close();
  };
  signal?.addEventListener('abort', stopReading);
  const annotated = request.consequences && new StagedConsequences(request.dataset, request.consequences, now);
  try {
    signal?.throwIfAborted();
    await sweepIdle(repository, interruptedImports, now);
    if (request.consequences) await sweepIdle(request.consequences.consequences, interruptedStaging, now);
    const dataset = (await generations?.beforeLoad(request.dataset)) ?? request.dataset;
    let { samples } = request;
    const rules = readingRules(dataset, request);
    const wanted = compare && (await repository.commonSites(dataset.id, wantedSites));
    let sites: SiteGenotypes | undefined;
    // All files of a load have the same samples.
    const genotypes = wanted && ((count: number) => (sites ??= new SiteGenotypes(count, wanted)));
    let facts: ReadonlyMap<string, SampleChange> | undefined;
    let choice: DepthChoice | undefined;
    const depths = request.depths && ((count: number) => (choice ??= new DepthChoice(count)));
    for (const source of sources) {
      const { panel, mostSamples } = request;
      const file = await openVcf({
        source,
        assembly: dataset.assembly,
        samples,
        mostSamples,
        panel,
        genotypes,
        depths,
        reference: request.references?.of(dataset.assembly),
        annotations: annotated !== undefined,
        missing: request.missing,
        sexOf: (sample) => facts?.get(sample)?.sex ?? 'unknown',
        ...rules,
      });
      files.push(file);
      samples = file.samples;
    }
    refuseLeaving(dataset, samples, (await generations?.leaving(dataset)) ?? []);
    const { published = [], replacing = [] } = (await generations?.postponed(dataset)) ?? {};
    if (replace) await replace.record?.(samples);
    else refuseReplacing(dataset, samples, replacing);
    const shown = new Set([...published, ...replacing]);
    const postponing = replace && samples.some((name) => shown.has(name)) ? generations : undefined;
    facts = request.facts && (await changesOf(repository, dataset.id, request.facts(samples)));
    const mayBeEmpty = () => sources.length > 1 || searchedIn(files, searched).structural;
    const alleles = batchesOfFiles(sources, files, mayBeEmpty, (file) => {
      const read = files.reduce((sum, { summary }) => sum + summary.alleles, 0);
      onProgress?.((file + (sources[file]?.progress() ?? 1)) / sources.length, read);
    });
    let comparison: ComparisonSummary | undefined;
    const compared = async () => {
      if (!compare || !sites) return;
      const { thresholds, judge } = compare;
      const pedigree = compare.pedigree?.(samples) ?? new Map();
      const about = { dataset: dataset.id, samples, genotypes: sites, facts: facts ?? new Map(), pedigree, thresholds };
      comparison = await compareSamples({ repository, ...about, signal });
      if (replace?.force === false) refuseOtherPeople(comparison);
      judge?.(comparison);
    };
    const permitted = await permit(
      {
        dataset: dataset.id,
        samples,
        alleles: ahead(followed(alleles, compared)),
        searched: () => searchIn(files, searched),
        ...(facts && { facts }),
        ...(replace && { replaces: replaceRules(replace, request.panel) }),
        ...(signal && { signal }),
      },
      now,
    );
    const phases = () => choice?.phases(samples) ?? new Map();
    await postponing?.postpone(dataset, { ...permitted.request, phases });
    if (postponing && facts) await repository.describeSamples(dataset.id, facts, now);
    const { alleles: permittedAlleles, samples: permittedSamples } = permitted.request;
    const imported = {
      ...permitted.request,
      alleles: annotated?.of(permittedAlleles, permittedSamples) ?? permittedAlleles,
    };
    if (replace && !postponing) await annotated?.mark();
    const { replaced, ...added } = postponing ? nothing : await repository.importAlleles(imported, now);
    await annotated?.complete();
    const known = permitted.request.samples.length - added.samples;
    const isAddedTo = !replace && known > 0 && added.calls > 0;
    const addedTo = isAddedTo ? await earlierSamples(repository, dataset.id, permitted.request.samples, now) : [];
    const waiting = await generations?.settle(dataset);
    // Depths and phases are those of small variants.
    const isReplacing = replace !== undefined && searchedIn(files, searched).small;
    const replaces = isReplacing ? (postponing ? 'later' : 'now') : undefined;
    const read = { found: choice?.depths(samples), phases: phases(), permitted, replaces } as const;
    const calls = request.depths && (await keepDepths(dataset, read, request.depths, signal));
    return {
      dataset: dataset.id,
      samples: permitted.request.samples,
      added,
      ...(replaced && replaced.samples > 0 && { replaced }),
      ...(addedTo.length > 0 && { addedTo }),
      ...(postponing && { postponed: true as const }),
      files: files.map(({ summary }, i) => ({ name: sources[i]?.name ?? '', summary })),
      ...(comparison && { comparison }),
      ...(waiting && { waiting }),
      ...(calls?.length && { calls }),
      ...(permitted.barred.size > 0 && { barred: permitted.barred }),
    };
  } catch (error) {
    // If that fails, it is swept.
    await annotated?.abandon().catch(() => undefined);
    // A reader that was stopped fails with an error of its own.
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', stopReading);
    for (const file of files) await file.close();
    for (const source of sources) source.close();
  }
}

const nothing: ImportChange = { alleles: 0, calls: 0, samples: 0 };

/** Until they are gone, what is loaded of them would be mixed with what is to be deleted. */
function refuseLeaving({ id }: Dataset, samples: readonly string[], leaving: readonly string[]): void {
  const gone = new Set(leaving);
  const some = samples.filter((name) => gone.has(name)).length;
  if (some === 0) return;
  const which = some === 1 ? 'A sample that is to be loaded waits' : `${some} samples that are to be loaded wait`;
  throw new Fault(
    'unprocessable',
    `${which} for deletion from the protected dataset '${id}': load after its next publication (beacon publish dataset)`,
  );
}

/** Those of the samples that were added before. */
async function earlierSamples(
  repository: BeaconRepository,
  dataset: string,
  samples: readonly string[],
  now: Date,
): Promise<string[]> {
  const loaded = new Set(samples);
  const there = await repository.sampleFacts(dataset);
  return there.flatMap(({ name, added }) => (loaded.has(name) && added?.getTime() !== now.getTime() ? [name] : []));
}

/** The same values; the end comes after `last`. */
async function* followed<Value>(values: AsyncIterable<Value>, last: () => Promise<void>): AsyncGenerator<Value> {
  yield* values;
  await last();
}

/** The changes of the samples' facts; reads their present labels if some of them are to change. */
async function changesOf(
  repository: BeaconRepository,
  dataset: string,
  stated: ReadonlyMap<string, StatedFacts>,
): Promise<ReadonlyMap<string, SampleChange>> {
  const present = [...stated.values()].some(({ labels }) => labels) ? await repository.sampleFacts(dataset) : [];
  const labels = new Map(present.map((sample) => [sample.name, sample.labels]));
  return new Map([...stated].map(([name, facts]) => [name, changeOfFacts(facts, labels.get(name))]));
}

/** What the files together were searched for, and on which chromosomes. */
function searchIn(files: readonly OpenVcf[], stated: VariantLoadRequest['searched']): Search {
  const { small, structural } = searchedIn(files, stated);
  const on = (kind: keyof Searched, which: 'read' | 'skipped') =>
    contigs.filter((contig) => files.some(({ chromosomes }) => chromosomes[kind][which].has(contig)));
  const read = { small: on('small', 'read'), structural: on('structural', 'read') };
  // Of a kind that the files were not searched for nothing is said.
  const skipped = (kind: keyof Searched) => on(kind, 'skipped').filter((contig) => !read[kind].includes(contig));
  return {
    ...{ small, structural, read },
    skipped: { ...(small && { small: skipped('small') }), ...(structural && { structural: skipped('structural') }) },
  };
}

function searchedIn(files: readonly OpenVcf[], stated: VariantLoadRequest['searched']): Searched {
  const summaries = files.map(({ summary }) => summary);
  if (stated) return stated(summaries);
  return {
    small: summaries.some(({ searched }) => searched.small),
    structural: summaries.some(({ searched }) => searched.structural),
  };
}

async function* batchesOfFiles(
  sources: readonly Source[],
  files: readonly OpenVcf[],
  mayBeEmpty: () => boolean,
  onBatch: (file: number) => void,
): AsyncGenerator<CalledAllele[]> {
  for (const [i, file] of files.entries()) {
    for await (const batch of file.batches()) {
      yield batch;
      onBatch(i);
    }
    // A caller of structural variants may find some on decoys alone.
    const placed = file.summary.records - (file.namesChromosomes ? onOtherContigs(file.summary) : 0);
    if (placed > 0 || !mayBeEmpty()) refuseUnread(sources[i]?.name ?? '', file.summary);
  }
}

/** Samples whose file could not be read must not count as carrying nothing. */
function refuseUnread(name: string, summary: VcfSummary): void {
  const { records, unreadableRecords, alleles, quality, searched, skipped } = summary;
  const [first] = summary.oddities;
  if (records === 0) throw new Fault('unprocessable', `${name}: the VCF file doesn't contain any variant`);
  if (alleles + skipped.lowQuality + skipped.outsidePanel === 0 && skipped.withoutQuality > 0) {
    throw new Fault(
      'unprocessable',
      `${name}: no genotype with an alternate allele has a GQ, and this load requires one of at least ${quality}`,
    );
  }
  if (unreadableRecords === records) {
    const which = records === 1 ? 'the only record' : `none of the ${records} records`;
    const what = records === 1 ? 'cannot be read' : 'can be read';
    throw new Fault('unprocessable', `${name}, line ${first?.line}: ${which} ${what}; ${first?.reason}`);
  }
  // Genotypes that were not called make their samples unknown at alleles, which is of use.
  if (searched.small || searched.structural || skipped.uncalled > 0) return;
  const [contig] = Object.keys(skipped.contigs);
  const reasons = [
    [onOtherContigs(summary), `on other contigs than 1 to 22, X, Y and MT, such as "${contig?.slice(0, 40)}"`],
    [unreadableRecords, `unreadable (line ${first?.line}: ${first?.reason})`],
    [skipped.filtered, 'excluded by FILTER and without a called genotype'],
    [skipped.withoutGenotypes, 'without genotypes'],
  ] as const;
  const counted = reasons.flatMap(([count, what]) =>
    count > 0 ? [`${count} ${count === 1 ? 'is' : 'are'} ${what}`] : [],
  );
  throw new Fault('unprocessable', `${name}: none of the records (${records}) can be used: ${counted.join(', ')}`);
}

function onOtherContigs({ skipped }: VcfSummary): number {
  return Object.values(skipped.contigs).reduce((sum, count) => sum + count, 0);
}

/** Yields the same values; each is requested before its predecessor is yielded. */
export async function* ahead<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value, void, undefined> {
  const iterator = values[Symbol.asyncIterator]();
  let next = pending(iterator);
  try {
    for (;;) {
      const result = await next;
      if (result.done) return;
      next = pending(iterator);
      yield result.value;
    }
  } finally {
    // If the consumer stops early, wait for the pending value, so that nothing is read after the end.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

function pending<Value>(iterator: AsyncIterator<Value>): Promise<IteratorResult<Value>> {
  const result = iterator.next();
  // A failure is thrown when the result is awaited, which may be later: until then it must not count as unhandled.
  result.catch(() => undefined);
  return result;
}
