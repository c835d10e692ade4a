/** The real files of ../shared/data/matchmaker: not part of the project, so tests are skipped if they are missing. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readTextFile } from '../../../../../core/files.js';
import type { StoredResource } from '../../../../../plugins/matchmaker/resources/contract.js';
import { assemble, type Resources } from '../../../../../plugins/matchmaker/resources/resources.js';
import { readResource, storedResource } from '../../../../../plugins/matchmaker/resources/update.js';

const folder = fileURLToPath(new URL('../../../../../../shared/data/matchmaker/', import.meta.url));

export function shared(name: string): string {
  return `${folder}${name}`;
}

/** `describe`, or a visible skip if the folder is missing. */
export function describeWithShared(title: string, body: () => void): void {
  if (existsSync(folder)) describe(title, body);
  else describe.skip(`${title} (../shared/data is absent)`, body);
}

export const completeFiles = [
  'hp.v2024-08-13.json.gz',
  'phenotype.hpoa.gz',
  'gene_table_merged.tsv.gz',
  'ensembl.GRCh37_to_GRCh38.chain.gz',
  'ensembl.GRCh38_to_GRCh37.chain.gz',
].map(shared);

let packed: Promise<StoredResource[]> | undefined;
let complete: Promise<Resources> | undefined;

/** The complete files as stored; read once for all tests of a run. */
export function completeStored(): Promise<StoredResource[]> {
  packed ??= Promise.all(completeFiles.map((path) => storedOf(path)));
  return packed;
}

/** Resources of the complete files: HPO 2024-08-13, annotations of 2023-01-27, all genes, chains both ways. */
export function completeResources(): Promise<Resources> {
  complete ??= completeStored().then((resources) => assemble(1, resources));
  return complete;
}

export async function storedOf(path: string): Promise<StoredResource> {
  const file = await readTextFile(path);
  return storedResource(await readResource(file), file.name, new Date(0));
}
