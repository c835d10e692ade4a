/** All alleles of a dataset as a file, for callers with a grant to it; answers hand over to it. */
import { PassThrough, Readable } from 'node:stream';
import { z } from 'zod';
import { BgzfWriter } from '../../../../../core/files.js';
import { type AnswerDeclaration, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import type { BeaconRepository, Dataset } from '../../../contract.js';
import { type DisclosedDataset, disclosedDatasets } from '../../../disclosure.js';
import { exportSites } from '../../../vcf/sites.js';
import { entryAbsent, type Face, type Handover, root } from '../framework/entry-type.js';
import { failures } from '../framework/envelope.js';

/** A grant is the right to read by a scope: not even a public dataset is handed over without one. */
function isGranted({ granularity, frequencies }: DisclosedDataset): boolean {
  return granularity === 'record' && frequencies;
}

export function sitesHandovers(dataset: DisclosedDataset, base: string): readonly Handover[] {
  if (!isGranted(dataset)) return [];
  return [
    {
      handoverType: { id: 'EDAM:3016', label: 'VCF' },
      url: `${base}/datasets/${encodeURIComponent(dataset.dataset.id)}/sites.vcf.gz`,
      note: 'All alleles of the dataset with AC and AN, without samples (bgzip); needs the same token',
    },
  ];
}

const fileType = 'application/gzip';

export function sitesRoute({ services }: Face): RouteDeclaration {
  const { readAccess, repository, recording } = services;
  return route({
    method: 'GET',
    path: `${root}/datasets/:id/sites.vcf.gz`,
    operation: 'beaconV2DatasetSites',
    class: 'report',
    summary: 'All alleles of a dataset as a sites-only VCF',
    description:
      'For holders of beacon:read for the dataset; for anyone else it is as if absent. AC counts the alternate alleles called; ' +
      'AN is a convention, two for each sample on chromosomes 1 to 22 and X, one on Y and MT, and never less than AC.',
    params: z.object({ id: z.string() }),
    optionalAccess: readAccess,
    anyOrigin: true,
    answers: {
      200: { description: 'The VCF, in bgzip.', content: { [fileType]: z.unknown() } },
      404: failures[404] as AnswerDeclaration,
      401: failures[401] as AnswerDeclaration,
    },
    async handle(request) {
      const caller = await readAccess.callerOf(request);
      const all = await disclosedDatasets(services, caller, await services.datasets.current());
      const found = all.find((one) => one.dataset.id === request.params.id && isGranted(one));
      if (!found) throw entryAbsent('dataset');
      const { dataset } = found;
      const headers = {
        'Content-Disposition': `attachment; filename="${dataset.id.replace(/[^\w.-]/g, '_')}.sites.vcf.gz"`,
        'Cache-Control': 'no-store',
      };
      await recording.exported({ principal: caller, id: request.id }, dataset);
      const body = Readable.from(compressed(repository, dataset, request.signal), { objectMode: false });
      return { type: fileType, headers, body };
    },
  });
}

/** Begins once it is read, so that a HEAD request exports nothing. A failure ends it without the closing block. */
async function* compressed(
  repository: BeaconRepository,
  dataset: Dataset,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const out = new PassThrough();
  const writer = new BgzfWriter(out, { signal });
  exportSites(repository, dataset, (text) => writer.write(Buffer.from(text)), signal)
    .then(() => writer.end())
    .then(
      () => out.end(),
      (error: Error) => out.destroy(error),
    );
  yield* out;
}
