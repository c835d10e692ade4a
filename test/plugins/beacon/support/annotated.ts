/** Reads annotated VCF files from memory, with what they say of alleles. */
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { sourceOf } from '../../../../core/files.js';
import type { AnnotatedAllele, AnnotationSource, CalledAllele } from '../../../../plugins/beacon/contract.js';
import { openVcf } from '../../../../plugins/beacon/vcf/reader.js';
import type { AnnotationSummary } from '../../../../plugins/beacon/vcf/summary.js';
import { vcf } from './vcf.js';

export interface ReadAnnotations {
  /** Those with an annotation, in the order of the file. */
  alleles: Omit<AnnotatedAllele, 'source'>[];
  /** Of the first of them. */
  source: AnnotationSource | undefined;
  summary: AnnotationSummary | undefined;
}

/** Lines of a header with records of one sample, or a whole file, compressed. */
export async function readAnnotated(
  header: string[] | undefined,
  content: readonly string[] | Buffer,
): Promise<ReadAnnotations> {
  const text = Buffer.isBuffer(content)
    ? gunzipSync(content)
    : Buffer.from(vcf({ header: header ?? [], records: [...content] }));
  const source = sourceOf('x.vcf', text.length, () => Readable.from([text], { objectMode: false }));
  const file = await openVcf({ source, assembly: 'GRCh37', samples: [], annotations: true });
  const read: AnnotatedAllele[] = [];
  for await (const batch of file.batches()) {
    for (const call of batch as (CalledAllele & { annotation?: Omit<AnnotatedAllele, 'allele'> })[]) {
      const { annotation, carriers: _, ...allele } = call;
      if (annotation) read.push({ ...annotation, allele });
    }
  }
  return {
    alleles: read.map(({ source: _, ...rest }) => rest),
    source: read[0]?.source,
    summary: file.summary.annotations,
  };
}
