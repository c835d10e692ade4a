/** Things of another tenant, and what a client asks for by ids that they have, and that nothing has. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { issueToken } from '../../../core/auth/access.js';
import { tokens } from '../../../core/auth/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Storage } from '../../../core/storage.js';
import { coverageReports, coverageSamples, type KeptFacts } from '../../../plugins/coverage/contract.js';
import { fileWord } from '../../../plugins/coverage/report/kept/search.js';
import { matchmaker } from '../../../plugins/matchmaker/contract.js';
import { panels } from '../../../plugins/panels/contract.js';
import { draftVersion } from '../../../plugins/panels/versions/lifecycle.js';

export const unseenContracts = [tokens, jobs, coverageSamples, coverageReports, matchmaker, panels];

/** Things of each kind. */
const count = 200;
const padded = (letter: string, i: number) => `${letter}${String(i).padStart(23, '0')}`;

/** Settings of a server at which `cardio` and `neuro` are tenants. */
export function unseenSettings(folder: string) {
  const tenant = (name: string) => ({ roots: [`${folder}/${name}`], clients: [`${name}-scout`], panels: [name] });
  return {
    plugins: { coverage: { roots: [folder], reports: { keep: 'all', days: 30 } }, panels: {}, matchmaker: {} },
    auth: { tenants: { cardio: tenant('cardio'), neuro: tenant('neuro') } },
  };
}

/** What is asked for: the path of something, by its number, of another tenant or of nobody. */
export interface Unseen {
  name: string;
  path(i: number, isTheirs: boolean): string;
}

/** Fills a storage with things of `neuro`; returns the token of a member of `cardio`. */
export async function addUnseen(storage: Storage, folder: string): Promise<{ token: string; faces: Unseen[] }> {
  const now = new Date();
  const file = (i: number) => `${folder}/neuro/n${i}.d4`;
  const numbers = Array.from({ length: count }, (_, i) => i);
  const stated = { build: 'GRCh38', sex: 'female', labels: { assay: 'WGS', run: '7' } } as const;
  const samples = numbers.map((i) => ({ id: padded('n', i), ...stated, file: { path: file(i) } }));
  await storage.repository(coverageSamples).register(samples, now);
  const ids = numbers.map(() => [randomUUID(), randomUUID()] as const);
  const people = numbers.map((i) => {
    const patient = { id: padded('n', i), contact: { name: 'N', href: 'mailto:n@example.org' } };
    const facts = { submitter: 's', diagnosed: false, genes: [], variants: [], features: [] };
    return { patient, facts, writer: { owner: 'neuro-scout', all: false }, at: now };
  });
  await storage.repository(matchmaker).savePatients(people);
  for (const i of numbers) {
    const facts: KeptFacts = {
      ...{ software: '0.2.0', language: 'en', page: 'report', build: 'GRCh38', level: 10, thresholds: [10, 20, 30] },
      ...{ sets: [], genes: 20, missing: 0, shared: [], parts: {} },
      samples: [{ name: padded('n', i), registration: padded('n', i), file: file(i) }],
    };
    await storage.repository(coverageReports).keep({ id: padded('n', i), made: now, facts }, [fileWord(file(i))], {});
    const job = { id: ids[i]?.[0] ?? '', kind: 'a.b', payload: ['a'], owner: 'neuro', created: now, runAfter: now };
    await storage.repository(jobs).enqueue(job);
    const genes = Array.from({ length: 50 }, (_, n) => ({
      hgnc: n + 1,
      symbol: `G${n}`,
      confidence: 'green' as const,
    }));
    const content = { name: 'P', genes, source: { kind: 'person' as const, name: 'n', read: now.toISOString() } };
    await storage.repository(panels).add(draftVersion(padded('n', i), '1.0', content, { by: 'n', at: now }));
  }
  const scopes = [
    'coverage:read:cardio',
    'coverage:report:cardio',
    'panels:read:cardio',
    'matchmaker:read:cardio-scout',
  ];
  const { token } = await issueToken(storage.repository(tokens), { owner: 'cardio', scopes }, now);
  const named = (i: number, isTheirs: boolean) => padded(isTheirs ? 'n' : 'm', i % count);
  return {
    token,
    faces: [
      { name: 'registered sample', path: (i, isTheirs) => `/coverage/registry/samples/${named(i, isTheirs)}` },
      { name: 'kept report', path: (i, isTheirs) => `/coverage/reports/${named(i, isTheirs)}` },
      { name: 'version of a panel', path: (i, isTheirs) => `/panels/${named(i, isTheirs)}/1.0` },
      { name: 'job', path: (i, isTheirs) => `/-/jobs/${ids[i % count]?.[isTheirs ? 0 : 1]}` },
      { name: 'patient', path: (i, isTheirs) => `/patient/${named(i, isTheirs)}` },
    ],
  };
}

/** Milliseconds that the threads of a process had a processor, by Linux. */
export function processorTime(process: number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${process}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${process}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1e6;
}
