/** A server's folder with data of all plugins, and what its clients ask of each service. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { completeFiles, shared } from '../../plugins/matchmaker/resources/support/shared.js';
import { annotatedDiseases, patients } from './patients.js';
import { run } from './processes.js';
import type { Target } from './shots.js';
import { type Site, sampleNames, writeVcf } from './vcf.js';

const bin = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
export const trefoilBin = bin('core/bin/trefoil.mjs');
const beacon = bin('plugins/beacon/bin/beacon.mjs');
const token = 'a-token-of-the-bench';

export interface Laboratory {
  alleles: number;
  patients: number;
}

/** Writes the configuration `bench.yaml` and fills its storage. Returns a hundred sites of the beacon's dataset. */
export async function fillLaboratory(
  folder: string,
  sections: object,
  { alleles, patients: count }: Laboratory,
): Promise<Site[]> {
  const plugins = { beacon: {}, coverage: {}, matchmaker: { retentionDays: 0 }, panels: {} };
  const text = JSON.stringify({ demo: true, migrate: 'auto', ...sections, plugins });
  await writeFile(join(folder, 'bench.yaml'), text);
  const command = (script: string, ...words: string[]) => run([script, ...words, '--config', 'bench.yaml'], folder);
  const sites = await writeVcf(join(folder, 'bench.vcf.gz'), { alleles, samples: 1 });
  await command(beacon, 'add', 'dataset', '--did', 'bench', '--name', 'Bench', '--authlevel', 'public');
  await command(beacon, 'add', 'variants', '--ds', 'bench', '--vcf', 'bench.vcf.gz', '--sample', ...sampleNames(1));
  const resources = completeFiles.flatMap((path) => ['--file', path]);
  await command(trefoilBin, 'matchmaker', 'update', 'resources', ...resources);
  await writeFile(join(folder, 'patients.json'), JSON.stringify(await drawn(1, count)));
  await command(trefoilBin, 'matchmaker', 'import', '--file', 'patients.json', '--owner', 'bench');
  await command(trefoilBin, 'matchmaker', 'add', 'client', '--id', 'bench', '--token', token);
  return sites;
}

async function drawn(seed: number, count: number): Promise<object[]> {
  const found: object[] = [];
  for (const { patient } of patients(await annotatedDiseases(shared('phenotype.hpoa.gz')), seed, {
    noise: seed === 1 ? 0 : 0.2,
  })) {
    found.push({ ...patient, id: `${seed}-${found.length}` });
    if (found.length === count) break;
  }
  return found;
}

/** By name, in the order of their class. */
export async function servicesOf(
  port: number,
  folder: string,
  sites: readonly Site[],
): Promise<Record<string, Target>> {
  const json = { 'content-type': 'application/json' };
  const get = (headers: Record<string, string>, ...paths: string[]): Target => ({
    port,
    requests: paths.map((path) => ({ method: 'GET', path, headers })),
  });
  const post = (path: string, headers: Record<string, string>, bodies: readonly object[]): Target => ({
    port,
    requests: bodies.map((body) => ({ method: 'POST', path, headers, body: JSON.stringify(body) })),
  });
  const queries = await drawn(2, 500);
  const words = [trefoilBin, 'token', 'add', '--owner', 'bench', '--scope', 'panels:read', '--config', 'bench.yaml'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
  const reader = stdout.trim();
  const summary = {
    build: 'GRCh38',
    samples: [{ name: 'child', coverage_file_path: 'child.d4' }],
    hgnc_gene_ids: ['MTHFR', 'DHFR'],
    coverage_threshold: 20,
    interval_type: 'transcripts',
  };
  return {
    health: get({}, '/-/live'),
    'point query': get({}, ...sites.map(pathOf)),
    match: post(
      '/match',
      { ...json, 'x-auth-token': token },
      queries.map((patient) => ({ patient })),
    ),
    panel: get({ 'x-auth-token': reader }, '/panels/demo-folate/1.10'),
    'coverage JSON': post('/coverage/d4/genes/summary', json, [summary]),
    report: get({}, '/report/demo'),
  };
}

function pathOf({ contig, start, reference, alternate }: Site): string {
  const query = new URLSearchParams({
    assemblyId: 'GRCh37',
    referenceName: contig,
    start: `${start}`,
    referenceBases: reference,
    alternateBases: alternate,
  });
  return `/apiv1.0/query?${query}`;
}
