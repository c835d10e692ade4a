/** The job that loads the alleles of a VCF file into a dataset. */
import { z } from 'zod';
import type { UploadFolder } from '../../../core/files.js';
import { Fault, type JobHandler, type Json } from '../../../core/plugin.js';
import { assemblies, type BeaconRepository, type Dataset, type GeneRepository, geneIdTypes } from '../contract.js';
import { genePanel } from '../genes/panel.js';
import { type LoadSummary, loadVariants } from '../loading/load.js';
import type { Filter } from '../vcf/filter.js';
import { openNamed, openOwn, type Source } from '../vcf/source.js';
import type { RunInOrder } from './run-in-order.js';

export const addVariants = 'beacon.add-variants';

const payload = z.strictObject({
  dataset: z.string(),
  assembly: z.enum(assemblies),
  /** A file on the server, by the requested path, or the upload with the id of the job. */
  vcf: z.union([z.strictObject({ path: z.string() }), z.strictObject({ upload: z.literal(true) })]),
  /** If null, all samples of the file. */
  samples: z.array(z.string()).min(1).nullable(),
  /** Only alleles in these genes; if null, anywhere. */
  genes: z.strictObject({ ids: z.array(z.union([z.string(), z.number()])), id_type: z.enum(geneIdTypes) }).nullable(),
});

export type AddVariants = z.output<typeof payload>;

export interface AddTools {
  repository: BeaconRepository;
  genes: GeneRepository;
  filter: Filter | undefined;
  roots: readonly string[];
  uploads: UploadFolder;
  /** Called when an attempt on an upload has ended. */
  onUsed(): void;
  runInOrder: RunInOrder;
  now(): Date;
}

/** Loading the same file again changes nothing, so an attempt that was interrupted at any moment can be repeated. */
export function addVariantsJob(tools: AddTools): JobHandler<AddVariants> {
  const { repository, filter, roots, uploads, onUsed, runInOrder, now } = tools;
  return {
    payload,
    run: ({ dataset: id, assembly, vcf, samples, genes }, { id: job, signal, progress, log }) =>
      runInOrder(id, signal, async () => {
        try {
          const dataset = await datasetOf(repository, id, assembly);
          const panel = genes ? await genePanel(tools.genes, assembly, genes) : undefined;
          const source = await ('upload' in vcf ? openUpload(uploads, job) : openNamed(roots, vcf.path));
          const summary = await loadVariants({
            repository,
            dataset,
            sources: [source],
            samples: samples ?? [],
            panel,
            filter,
            now: now(),
            signal,
            onProgress: progress,
          });
          log.info({ dataset: id, ...summary.added }, 'variants added');
          return resultOf(summary);
        } finally {
          if ('upload' in vcf) onUsed();
        }
      }),
  };
}

/** The dataset may have been deleted or replaced since the job was accepted. */
async function datasetOf(repository: BeaconRepository, id: string, assembly: Dataset['assembly']): Promise<Dataset> {
  const dataset = await repository.dataset(id);
  if (dataset?.assembly === assembly) return dataset;
  throw new Fault('unprocessable', `There is no dataset '${id}' of the assembly ${assembly} any more`);
}

export const uploadName = 'the uploaded file';

async function openUpload(uploads: UploadFolder, id: string): Promise<Source> {
  try {
    return await openOwn(uploads.path(id), uploadName);
  } catch (cause) {
    // Another server on this database may have it, so the job is tried again.
    throw new Fault('unavailable', 'The uploaded file is not on this server', { cause });
  }
}

/** The result of the job for its owner: counts only. */
function resultOf({ dataset, added, files }: LoadSummary): Json {
  const read = files.map(({ summary: { records, alleles, calls, skipped } }) => ({
    records,
    alleles,
    calls,
    skipped: { ...skipped, contigs: { ...skipped.contigs } },
  }));
  return { dataset, added: { ...added }, ...read[0] };
}
