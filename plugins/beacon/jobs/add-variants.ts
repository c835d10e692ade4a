/** The job that loads the alleles of a VCF file into a dataset. */

import { z } from 'zod';
import { type Source, sourceOfStored, type Uploads } from '../../../core/files.js';
import { type Erasures, Fault, type JobHandler, type Json } from '../../../core/plugin.js';
import { assemblies, type BeaconRepository, type Dataset, type GeneRepository, geneIdTypes } from '../contract.js';
import { type FactWords, factWords, readFacts, type StatedFacts } from '../domain/facts.js';
import type { Thresholds } from '../domain/relatedness.js';
import { genePanel } from '../genes/panel.js';
import { comparisonJson, type Discretion, refuseFindings } from '../loading/comparison-text.js';
import { merged, ofAll } from '../loading/facts.js';
import { type LoadSummary, loadVariants } from '../loading/load.js';
import { permitting } from '../loading/permit.js';
import { type Generations, waitingJson } from '../protection/generations.js';
import type { Filter } from '../vcf/filter.js';
import type { NamedFiles } from '../vcf/open-named.js';
import type { RunInOrder } from './run-in-order.js';

export const addVariants = 'beacon.add-variants';

const words = z.strictObject(factWords).partial();

const payload = z.strictObject({
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
  facts: z.strictObject({ all: words, each: z.array(words.extend({ sample: z.string() })) }).optional(),
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
  /** When the request was accepted. */
  requested: z.iso.datetime().optional(),
});

export type AddVariants = z.output<typeof payload>;

export interface AddTools {
  repository: BeaconRepository;
  erasures: Pick<Erasures, 'barred'>;
  genes: GeneRepository;
  filter: Filter | undefined;
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
    payload,
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
        requested,
      },
      { id: job, signal, progress, log },
    ) =>
      runInOrder(id, signal, async () => {
        try {
          const dataset = await datasetOf(repository, id, assembly);
          const panel = genes ? await genePanel(tools.genes, assembly, genes) : undefined;
          const source = await ('upload' in vcf ? openUpload(uploads, job) : named.open(vcf.path, id, holding));
          const summary = await loadVariants({
            repository,
            generations,
            dataset,
            sources: [source],
            samples: samples ?? [],
            mostSamples,
            permit: permitting(tools.erasures, requested === undefined ? undefined : new Date(requested), job),
            panel,
            filter,
            smallQualityOnly,
            missing,
            ...(searchedStructural && {
              searched: (files) => ({ small: files.some(({ searched }) => searched.small), structural: true }),
            }),
            facts: facts && ((names) => factsOf(facts, names)),
            compare: {
              thresholds,
              judge: comparison?.strict ? (found) => refuseFindings(found, comparison) : undefined,
            },
            now: now(),
            signal,
            onProgress: progress,
          });
          log.info({ dataset: id, ...summary.added }, 'variants added');
          return resultOf(summary, { withNames: comparison?.withNames === true });
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
export function factsOf(
  { all, each }: NonNullable<AddVariants['facts']>,
  samples: readonly string[],
): Map<string, StatedFacts> {
  const loaded = new Set(samples);
  const named = new Map(each.map(({ sample, ...stated }) => [sample.trim(), read(stated)]));
  if (named.size < each.length) throw new Fault('unprocessable', 'samples_info has a sample more than once');
  if ([...named.keys()].some((sample) => !loaded.has(sample))) {
    throw new Fault('unprocessable', 'samples_info has a sample that is not to be loaded');
  }
  return merged(Object.keys(all).length > 0 ? ofAll(read(all), samples) : new Map(), named);
}

function read(stated: FactWords): StatedFacts {
  const result = readFacts(stated);
  if ('facts' in result) return result.facts;
  throw new Fault('unprocessable', result.wrong.map(({ reason }) => reason).join('. '));
}

/** The dataset may have been deleted or replaced since the job was accepted. */
async function datasetOf(repository: BeaconRepository, id: string, assembly: Dataset['assembly']): Promise<Dataset> {
  const dataset = await repository.dataset(id);
  if (dataset?.assembly === assembly) return dataset;
  throw new Fault('unprocessable', `There is no dataset '${id}' of the assembly ${assembly} any more`);
}

/** The upload that has the id of a job. Throws `unavailable` if another server may have it, so that the job is tried again. */
export async function openUpload(uploads: Uploads, id: string): Promise<Source> {
  return sourceOfStored(await uploads.stored(id), 'the uploaded file');
}

/** The result of the job for its owner: counts, and the samples that do not fit. */
function resultOf({ dataset, added, files, comparison, barred, waiting }: LoadSummary, discretion: Discretion): Json {
  const read = files.map(({ summary: { records, alleles, calls, skipped, warnings } }) => ({
    records,
    alleles,
    calls,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    skipped: { ...skipped, contigs: { ...skipped.contigs } },
  }));
  return {
    dataset,
    added: { ...added },
    ...read[0],
    // Not their names: the owner of the job need not know who objects.
    ...(barred && { barred: barred.size }),
    ...(comparison && { comparison: comparisonJson(comparison, discretion) }),
    ...(waiting && { waiting: waitingJson(waiting) }),
  };
}
