/** A server with simulated exomes, registered as a client registers them. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exome, loadSimulatedGenes, writeExome } from '../support/exomes.js';
import { type Coverage, type CoverageOptions, serveCoverage } from '../support/serve.js';

export interface Compared {
  server: Coverage;
  folder: string;
  /** Registers samples and waits until their files are checked. */
  register(exomes: readonly Exome[]): Promise<void>;
  /** A page as its JSON export. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON, compared by its fields
  json(page: string, fields: Record<string, string>): Promise<any>;
  text(page: string, fields: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

export async function serveExomes(exomes: readonly Exome[], options: CoverageOptions = {}): Promise<Compared> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-exomes-'));
  const server = await serveCoverage({ ...options, settings: { roots: [folder], ...options.settings } });
  await loadSimulatedGenes(server.intervals, new Date(0));
  server.startJobs();
  const token = await server.token('coverage:register');
  const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };

  async function register(all: readonly Exome[]): Promise<void> {
    const jobs: string[] = [];
    for (const exome of all) {
      const path = join(folder, `${exome.id}.d4`);
      if (!existsSync(path)) writeExome(path, exome);
      const { id, sex, assay, run, day } = exome;
      const stated = {
        build: 'GRCh38',
        coverage_file_path: `${id}.d4`,
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
        await sleep(20);
      }
    }
  }

  const text = async (page: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ build: 'GRCh38', default_level: '20', ...fields });
    const response = await fetch(`${server.url}/${page}`, { method: 'POST', body, headers: { Accept: 'text/html' } });
    const found = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${found}`);
    return found;
  };
  await register(exomes);
  return {
    server,
    folder,
    register,
    text,
    json: async (page, fields) => JSON.parse(await text(page, { ...fields, format: 'json' })),
    close: () => server.close().finally(() => rm(folder, { recursive: true })),
  };
}
