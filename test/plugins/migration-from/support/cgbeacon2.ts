/** Documents as cgbeacon2 stores them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Json } from './site.js';

/** An allele with the id that cgbeacon2 gives it. */
export function variant(fields: {
  place: string;
  end: number;
  alleles: string;
  type?: string;
  mateName?: string;
  assembly?: string;
  datasetIds: Json;
  calls?: number;
}): Json {
  const [referenceName = '', start = ''] = fields.place.split(':');
  const [referenceBases = '', alternateBases = ''] = fields.alleles
    .split('>', 1)
    .concat(fields.alleles.replace(/^[^>]*>/, ''));
  const assemblyId = fields.assembly ?? 'GRCh37';
  const key = [referenceName, start, fields.end, referenceBases, alternateBases, assemblyId].join(' ');
  return {
    referenceName,
    ...(fields.mateName && { mateName: fields.mateName }),
    start: Number(start),
    end: fields.end,
    referenceBases,
    alternateBases,
    ...(fields.type && { variantType: fields.type }),
    assemblyId,
    datasetIds: fields.datasetIds,
    _id: createHash('md5').update(key).digest('hex'),
    call_count: fields.calls ?? total(fields.datasetIds),
  };
}

function total(datasetIds: Json): number {
  const counts = JSON.stringify(datasetIds).matchAll(/"allele_count":(\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** `{ ds: 'a1 b2' }`: sample a with one copy, sample b with two. */
export function samples(text: string): Json {
  return {
    samples: Object.fromEntries(
      text.split(' ').map((call) => [call.slice(0, -1), { allele_count: Number(call.slice(-1)) }]),
    ),
  };
}

export function dataset(id: string, more: Json = {}): Json {
  return {
    _id: id,
    name: `Dataset ${id}`,
    assembly_id: 'GRCh37',
    authlevel: 'public',
    description: null,
    version: 'v1.0',
    external_url: null,
    created: { $date: '2021-03-04T05:06:07.008Z' },
    ...more,
  };
}

/** The alleles of a table such as demo_variants.tsv, with one sample as carrier. */
export async function demoVariants(file: string, name: string, sample: string): Promise<Json[]> {
  const [header = '', ...rows] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const columns = header.split('\t');
  return rows.map((row) => {
    const cells = Object.fromEntries(row.split('\t').map((cell, i) => [columns[i], cell]));
    const made = variant({
      place: `${cells.chrom}:${cells.start0}`,
      end: Number(cells.end_stored),
      alleles: `${cells.ref}>${cells.alt}`,
      type: cells.variantType ?? '',
      mateName: cells.mateName ?? '',
      datasetIds: { [name]: samples(`${sample}${cells.call_count}`) },
    });
    // The table has the ids of cgbeacon2.
    return { ...made, _id: cells.md5_id };
  });
}
