/**
 * `/match` over HTTP by a server in a separate process, against a naive scan of the same patients in the same run. The
 * answers must match. Options: `--stored=10000`, `--queries=50`, `--seconds=5`, `--connections=10`. Needs
 * ../shared/data/matchmaker.
 */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Patient } from '../../plugins/matchmaker/contract.js';
import { byRank } from '../../plugins/matchmaker/matching/best.js';
import { type Profile, Profiler } from '../../plugins/matchmaker/matching/profile.js';
import { compare } from '../../plugins/matchmaker/matching/score.js';
import { completeFiles, completeResources, shared } from '../plugins/matchmaker/resources/support/shared.js';
import type { Print } from './run.js';
import { grouped, withFolder } from './support/machine.js';
import { annotatedDiseases, patients } from './support/patients.js';
import { answered, run, stop } from './support/processes.js';

const trefoil = join(fileURLToPath(new URL('../..', import.meta.url)), 'core/bin/trefoil.mjs');
const weights = { genotype: 0.75, phenotype: 0.25 };
const port = 5913;
/** Patients per import command. */
const portion = 10_000;

export default async function matchHttp(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const stored = Number(options.stored ?? 10_000);
  const count = Number(options.queries ?? 50);
  const seconds = Number(options.seconds ?? 5);
  const connections = Number(options.connections ?? 10);
  const diseases = await annotatedDiseases(shared('phenotype.hpoa.gz'));
  const profiler = new Profiler(await completeResources());
  const drawn = (seed: number, many: number, noise: number) => {
    const found: Patient[] = [];
    for (const { patient } of patients(diseases, seed, { noise })) {
      found.push(patient);
      if (found.length === many) return found;
    }
    return found;
  };
  const all = drawn(1, stored, 0);
  const queries = drawn(2, count, 0.2).map((patient, i) => ({ ...patient, id: `query-${i}` }));

  await withFolder(async (folder) => {
    const config = join(folder, 'bench.yaml');
    const file = join(folder, 'bench.sqlite');
    await writeFile(
      config,
      `demo: false\nstorage: { adapter: sqlite, file: ${file} }\nplugins: { matchmaker: { retentionDays: 0 } }\n`,
    );
    const command = (...words: string[]) => run([trefoil, 'matchmaker', ...words, '--config', config]);
    await command('update', 'resources', ...completeFiles.flatMap((path) => ['--file', path]));
    const list = join(folder, 'patients.json');
    for (let at = 0; at < stored; at += portion) {
      await writeFile(list, JSON.stringify(all.slice(at, at + portion)));
      await command('import', '--file', list, '--owner', 'bench');
    }
    const token = 'a-token-of-the-bench';
    await command('add', 'client', '--id', 'bench', '--token', token);

    const server = spawn(process.execPath, [trefoil, 'serve', '--config', config, '--port', `${port}`], {
      stdio: 'ignore',
    });
    try {
      const begin = performance.now();
      await answered(`http://127.0.0.1:${port}/-/ready`);
      print(`${grouped(stored)} patients on SQLite, ready after ${grouped(performance.now() - begin)} ms`);

      const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-auth-token': token };
      const bodies = queries.map((patient) => JSON.stringify({ patient }));
      const profiles = all.map((patient) => profiler.profile(patient));
      const scans: number[] = [];
      for (const [i, body] of bodies.entries()) {
        const response = await fetch(`http://127.0.0.1:${port}/match`, { method: 'POST', headers, body });
        const { results } = (await response.json()) as { results: { patient: Patient; score: { patient: number } }[] };
        const before = performance.now();
        const expected = scan(profiler, profiler.profile(queries[i] as Patient), profiles);
        scans.push(performance.now() - before);
        const got = results.map(({ patient, score }) => ({ id: patient.id, score: score.patient }));
        if (JSON.stringify(got) !== JSON.stringify(expected)) throw new Error('The scan finds other patients');
      }
      const shoot = async (lines: number) => {
        const result = await autocannon({
          url: `http://127.0.0.1:${port}`,
          connections: lines,
          duration: seconds,
          requests: bodies.map((body) => ({ method: 'POST', path: '/match', headers, body })),
        });
        if (result.non2xx > 0) throw new Error(`${result.non2xx} requests were refused`);
        return result;
      };
      const [one, many] = [await shoot(1), await shoot(connections)];
      const perScan = scans.reduce((sum, time) => sum + time, 0) / scans.length;
      print(`one at a time: p50 ${one.latency.p50} ms, p97.5 ${one.latency.p97_5} ms`);
      print(
        `${connections} connections: ${grouped(many.requests.average)} queries/s; a naive scan in process ` +
          `${(1000 / perScan).toFixed(1)}/s, ratio ${((many.requests.average * perScan) / 1000).toFixed(1)}`,
      );
    } finally {
      await stop(server);
    }
  });
}

/** The best five of all, comparing each. */
function scan(profiler: Profiler, query: Profile, profiles: readonly Profile[]): { id: string; score: number }[] {
  return profiles
    .map((profile) => ({ id: profile.id, score: compare(query, profile, profiler.information, weights) }))
    .filter(({ score }) => score.total > 0)
    .sort(byRank)
    .slice(0, 5)
    .map(({ id, score }) => ({ id, score: score.total }));
}
