/** The jobs that add the alleles of a VCF file to a dataset and that delete samples from it, one at a time for each dataset. */
import { z } from 'zod';
import { type Source, sourceOfStored, type Uploads } from '../../../core/files.js';
import { type Erasures, Fault, type JobHandler, type Json } from '../../../core/plugin.js';
import { assemblies, type BeaconRepository, type Dataset, type GeneRepository, geneIdTypes } from '../contract.js';
import { type FactWords, factWords, mergedFacts, readFacts, type StatedFacts, statedOfAll } from '../domain/facts.js';
import { waitingJson } from '../protection/changes.js';
import type { Generations } from '../protection/generations.js';
import type { ConsequenceTools } from '../vcf/consequences/staging.js';
import type { DepthTools } from '../vcf/depths/called.js';
import type { NamedFiles } from '../vcf/open-named.js';
import { genePanel } from '../vcf/panel.js';
import type { LoadedReferences } from '../vcf/reference/packed.js';
import type { RecordFilter } from '../vcf/rules.js';
import type { VcfSummary } from '../vcf/summary.js';
import { comparisonJson, type Discretion, refuseFindings } from './comparison-text.js';
import { type LoadSummary, loadVariants } from './load.js';
import { permitting } from './permit.js';
import type { Thresholds } from './relatedness.js';

// Runs the jobs on a dataset one at a time, in the order in which they begin: a deletion does not overtake the load
// before it.

/** Runs the work once all earlier work on the key has ended. Aborting while it waits throws the signal's reason. */
export type RunInOrder = <Result>(key: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/**
 * Keeps the order among the jobs of this process. Other processes may work on the same dataset: its totals stay right then, too.
 */
export function createRunInOrder(): RunInOrder {
  const last = new Map<string, Promise<void>>();
  return async (key, signal, work) => {
    const before = last.get(key);
    let end: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    // The next job waits for both, even if this one stops waiting.
    const both = Promise.all([before, mine]).then(() => undefined);
    last.set(key, both);
    void both.then(() => {
      if (last.get(key) === both) last.delete(key);
    });
    try {
      if (before) await Promise.race([before, abortion(signal)]);
      signal.throwIfAborted();
      return await work();
    } finally {
      end();
    }
  };
}

function abortion(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// The job that loads the alleles of a VCF file into a dataset.

export const addVariants = 'beacon.add-variants';

const factsSchema = z.strictObject(factWords).partial();

const addPayload = z.strictObject({
  dataset: z.string(),
  assembly: z.enum(assemblies),
  /** A file on the server, by the requested path, or the upload with the id of the job. */
  vcf: z.union([z.strictObject({ path: z.string() }), z.strictObject({ upload: z.literal(true) })]),
  /** How the caller may change the dataset. A job of a version that kept nothing reaches what the dataset alone opens. */
  holding: z.union([z.enum(['everything', 'thing']), z.array(z.string())]).default('thing'),
  /** If null, all samples of the file. */
  samples: z.array(z.string()).min(1).nullable(),
  /** Only alleles in these genes; if null, anywhere. */
  genes: z.strictObject({ ids: z.array(z.union([z.string(), z.number()])), id_type: z.enum(geneIdTypes) }).nullable(),
  /** What is known of all samples, and of single ones. */
  facts: z.strictObject({ all: factsSchema, each: z.array(factsSchema.extend({ sample: z.string() })) }).optional(),
  /** Whether samples that do not fit refuse the load, and whether its owner may see the names of stored ones. */
  comparison: z.strictObject({ strict: z.boolean(), withNames: z.boolean() }).optional(),
  /** Whether structural variants need no GQ. */
  smallQualityOnly: z.boolean().optional(),
  /** What becomes of missing genotypes and GQ. */
  missing: z
    .strictObject({ genotype: z.literal('carrier').optional(), quality: z.literal('carrier').optional() })
    .optional(),
  /** Whether the file was searched for structural variants, also if it has none. */
  searchedStructural: z.boolean().optional(),
  /** Whether the calls of samples that are there are replaced, and what may be a mistake as well. */
  replace: z.strictObject({ force: z.boolean() }).optional(),
  /** When the request was accepted. */
  requested: z.iso.datetime().optional(),
});

export type AddVariants = z.output<typeof addPayload>;

interface AddTools {
  repository: BeaconRepository;
  erasures: Pick<Erasures, 'barred'>;
  genes: GeneRepository;
  depths: DepthTools;
  references: LoadedReferences;
  consequences: ConsequenceTools;
  filter: RecordFilter | undefined;
  /** The largest number of samples that a file may have. */
  mostSamples: number;
  thresholds: Thresholds;
  named: NamedFiles;
  uploads: Uploads;
  /** Called when an attempt on an upload has ended. */
  onUsed(): void;
  runInOrder: RunInOrder;
  generations: Generations;
  now(): Date;
}

/** Loading the same file again changes nothing, so an attempt that was interrupted at any moment can be repeated. */
export function addVariantsJob(tools: AddTools): JobHandler<AddVariants> {
  const { repository, generations, filter, mostSamples, thresholds, named, uploads, onUsed, runInOrder, now } = tools;
  return {
    payload: addPayload,
    run: (
      {
        dataset: id,
        assembly,
        vcf,
        holding,
        samples,
        genes,
        facts,
        comparison,
        smallQualityOnly,
        missing,
        searchedStructural,
        replace,
        requested,
      },
      { id: job, signal, progress, log },
    ) =>
      runInOrder(id, signal, async () => {
        try {
          const dataset = await datasetOfJob(repository, id, assembly);
          const panel = genes ? await genePanel(tools.genes, assembly, genes) : undefined;
          const source = await ('upload' in vcf ? openUpload(uploads, job) : named.open(vcf.path, id, holding));
          const summary = await loadVariants({
            repository,
            generations,
            depths: tools.depths,
            references: tools.references,
            consequences: tools.consequences,
            dataset,
            sources: [source],
            samples: samples ?? [],
            mostSamples,
            permit: permitting(tools.erasures, requested === undefined ? undefined : new Date(requested), job),
            panel,
            replace,
            filter,
            smallQualityOnly,
            missing,
            ...(searchedStructural && {
              searched: (files) => ({ small: files.some(({ searched }) => searched.small), structural: true }),
            }),
            facts: facts && ((names) => factsOfJob(facts, names)),
            compare: {
              thresholds,
              judge: comparison?.strict ? (found) => refuseFindings(found, comparison) : undefined,
            },
            now: now(),
            signal,
            onProgress: progress,
          });
          log.info({ dataset: id, ...summary.added, replaced: summary.replaced }, 'variants added');
          return addResult(summary, { withNames: comparison?.withNames === true });
        } finally {
          if ('upload' in vcf) onUsed();
        }
      }),
  };
}

/**
 * The facts of a request, by sample. Throws an `unprocessable` fault that names no sample if they are invalid, or are those
 * of a sample that is not loaded.
 */
export function factsOfJob(
  { all, each }: NonNullable<AddVariants['facts']>,
  samples: readonly string[],
): Map<string, StatedFacts> {
  const loaded = new Set(samples);
  const named = new Map(each.map(({ sample, ...stated }) => [sample.trim(), readStatedFacts(stated)]));
  if (named.size < each.length) throw new Fault('unprocessable', 'samples_info has a sample more than once');
  if ([...named.keys()].some((sample) => !loaded.has(sample))) {
    throw new Fault('unprocessable', 'samples_info has a sample that is not to be loaded');
  }
  return mergedFacts(Object.keys(all).length > 0 ? statedOfAll(readStatedFacts(all), samples) : new Map(), named);
}

function readStatedFacts(stated: FactWords): StatedFacts {
  const result = readFacts(stated);
  if ('facts' in result) return result.facts;
  throw new Fault('unprocessable', result.wrong.map(({ reason }) => reason).join('. '));
}

/** The dataset may have been deleted or replaced since the job was accepted. */
async function datasetOfJob(repository: BeaconRepository, id: string, assembly: Dataset['assembly']): Promise<Dataset> {
  const dataset = await repository.dataset(id);
  if (dataset?.assembly === assembly) return dataset;
  throw new Fault('unprocessable', `There is no dataset '${id}' of the assembly ${assembly} any more`);
}

/** The upload that has the id of a job. Throws `unavailable` if another server may have it, so that the job is tried again. */
export async function openUpload(uploads: Uploads, id: string): Promise<Source> {
  return sourceOfStored(await uploads.stored(id), 'the uploaded file');
}

/** The result of the job for its owner: counts, and the samples that do not fit. */
function addResult(
  { dataset, added, replaced, addedTo, files, comparison, calls, barred, waiting }: LoadSummary,
  discretion: Discretion,
): Json {
  const read = files.map(({ summary: { records, alleles, calls, skipped, warnings, annotations } }) => ({
    records,
    alleles,
    calls,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    skipped: { ...skipped, contigs: { ...skipped.contigs } },
    ...(annotations && { annotations: annotationsJson(annotations) }),
  }));
  return {
    dataset,
    added: { ...added },
    ...(replaced && { replaced: { ...replaced } }),
    ...(addedTo && { added_to: [...addedTo] }),
    ...read[0],
    // Not their names: the owner of the job need not know who objects.
    ...(barred && { barred: barred.size }),
    ...(comparison && { comparison: comparisonJson(comparison, discretion) }),
    ...(calls && { coverageFiles: calls.map((one) => ({ ...one })) }),
    ...(waiting && { waiting: waitingJson(waiting) }),
  };
}

function annotationsJson({ alleles, unreadable, first }: NonNullable<VcfSummary['annotations']>): Json {
  return { alleles, unreadable, ...(first && { first: { ...first } }) };
}

// The job that removes samples from a dataset.

export const deleteVariants = 'beacon.delete-variants';

const deletePayload = z.strictObject({ dataset: z.string(), samples: z.array(z.string()).min(1) });

export type DeleteVariants = z.output<typeof deletePayload>;

interface DeleteTools {
  repository: BeaconRepository;
  runInOrder: RunInOrder;
  generations: Pick<Generations, 'remove'>;
}

/** Samples that are already removed are skipped, so an attempt that was interrupted at any moment can be repeated. */
export function deleteVariantsJob({ repository, runInOrder, generations }: DeleteTools): JobHandler<DeleteVariants> {
  return {
    payload: deletePayload,
    run: ({ dataset: id, samples }, { signal, log }) =>
      runInOrder(id, signal, async () => {
        const dataset = await repository.dataset(id);
        if (!dataset) throw new Fault('unprocessable', `There is no dataset '${id}' any more`);
        const { removed, postponed, waiting } = await generations.remove(dataset, samples);
        log.info({ dataset: id, ...removed, postponed }, 'variants deleted');
        return { dataset: id, removed: { ...removed }, ...(waiting && { waiting: waitingJson(waiting) }) };
      }),
  };
}
