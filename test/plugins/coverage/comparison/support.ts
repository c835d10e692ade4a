/** A server with simulated exomes, registered as a client registers them. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../../support/http.js';
import { depthOf, type Exome, exonBases, loadSimulatedGenes, simulatedExons, writeExome } from '../support/exomes.js';
import { type Coverage, type CoverageOptions, serveCoverage } from '../support/serve.js';

export interface Compared {
  server: Coverage;
  folder: string;
  /** Registers samples and waits until their files are checked. */
  register(exomes: readonly Exome[]): Promise<void>;
  /** A page as its JSON export. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON, compared by its fields
  json(page: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<any>;
  text(page: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** `auth`: the section of the configuration, of the directory with the files. */
export async function serveExomes(
  exomes: readonly Exome[],
  { auth, ...options }: Omit<CoverageOptions, 'auth'> & { auth?: (folder: string) => Record<string, unknown> } = {},
): Promise<Compared> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-exomes-'));
  const server = await serveCoverage({
    ...options,
    settings: { roots: [folder], ...options.settings },
    ...(auth && { auth: auth(folder) }),
  });
  await loadSimulatedGenes(server.intervals, new Date(0));
  server.startJobs();
  const token = await server.token('coverage:register');
  const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };

  async function register(all: readonly Exome[]): Promise<void> {
    const jobs: string[] = [];
    for (const exome of all) {
      const { id, sex, assay, run, day } = exome;
      await mkdir(join(folder, exome.folder ?? ''), { recursive: true });
      const path = join(folder, exome.folder ?? '', `${id}.d4`);
      if (!existsSync(path)) writeExome(path, exome);
      const stated = {
        build: 'GRCh38',
        coverage_file_path: join(exome.folder ?? '', `${id}.d4`),
        sex,
        analysis_date: day,
        labels: { ...(assay !== '' && { assay }), run },
      };
      const url = `${server.url}/coverage/registry/samples/${id}`;
      const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(stated) });
      if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
      jobs.push(((await response.json()) as { job: { href: string } }).job.href);
    }
    for (const href of jobs) {
      for (;;) {
        const { state } = (await (await fetch(server.url + href, { headers })).json()) as { state: string };
        if (state === 'failed') throw new Error(`The check ${href} failed`);
        if (state === 'done') break;
        // Each answer costs as much as a part of the check, more so if it is audited.
        await sleep(100);
      }
    }
  }

  const text: Compared['text'] = async (page, fields, more = {}) => {
    const form = { build: 'GRCh38', default_level: '20', ...fields };
    const headers = { accept: 'text/html', ...more };
    const { status, text } = await request(`${server.url}/${page}`, { form, headers });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return text;
  };
  await register(exomes);
  return {
    server,
    folder,
    register,
    text,
    json: async (page, fields, more) => JSON.parse(await text(page, { ...fields, format: 'json' }, more)),
    close: () => server.close().finally(() => rm(folder, { recursive: true })),
  };
}

/** The same from the model of the simulation: a sort and a line between two order statistics. */
export function quantileOf(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * fraction;
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place % 1);
}

/** 30 of the 150 bases of an exon have 60 % of its depth, rounded. */
function meanOf(exon: (typeof simulatedExons)[number], exome: Exome): number {
  const depth = depthOf(exon, exome);
  return (30 * Math.round(depth * 0.6) + (exonBases - 30) * depth) / exonBases;
}

/** The mean depth of an exon divided by the sample's median over the autosomal exons. */
export function normalised(exon: (typeof simulatedExons)[number], exome: Exome): number {
  const autosomal = simulatedExons.filter(({ chromosome }) => chromosome === '21').map((one) => meanOf(one, exome));
  return (
    meanOf(exon, exome) /
    quantileOf(
      autosomal.filter((mean) => mean > 0),
      0.5,
    )
  );
}
