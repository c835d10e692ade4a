/** Commands, the files that they read and write, and reports: what grows with files and with what is stored. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAudit } from '../../../core/audit/verify.js';
import { aboutText } from '../../../core/cli/audit/list.js';
import { listed } from '../../../core/cli/erasing.js';
import { jobsEraser } from '../../../core/jobs/eraser.js';
import { documentOfCase } from '../../../plugins/beacon/loqusdb/cases.js';
import { Comparison } from '../../../plugins/coverage/comparison/compare.js';
import { simpleRange, verifyD4 } from '../../../plugins/coverage/d4/index.js';
import { mergeD4 } from '../../../plugins/coverage/d4/write/merge.js';
import { D4Writer } from '../../../plugins/coverage/d4/write/writer.js';
import { qualityOf } from '../../../plugins/coverage/domain/quality.js';
import { createFindCopyExons } from '../../../plugins/coverage/intervals/copy-exons.js';
import { runMosdepth } from '../../../plugins/coverage/mosdepth/run.js';
import { reportsOf } from '../../../plugins/coverage/stored/erase.js';
import { newerNotice } from '../../../plugins/coverage/stored/opened.js';
import { textsOf } from '../../../plugins/coverage/texts/texts.js';
import { sighted } from '../../../plugins/matchmaker/triage/contract.js';
import type { Scenario } from './scenario.js';

const folder = mkdtempSync(join(tmpdir(), 'trefoil-linear-commands-'));
export const endCommands = (): void => rmSync(folder, { recursive: true });
let files = 0;
const newPath = (ending: string) => join(folder, `${files++}${ending}`);

const many = <Value>(size: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: size }, (_, i) => make(i));

const of = (size: number, prepare: Scenario['prepare']): Scenario => ({ size, prepare });

/** What a stub must answer here is far less than its type has. */
const part = <Whole>(value: unknown): Whole => value as Whole;

const { signal } = new AbortController();

/** A file of as many chromosomes, of 8 bases each. */
function written(chromosomes: number): string {
  const path = newPath('.d4');
  const list = many(chromosomes, (i) => ({ name: `c${i}`, size: 8 }));
  const writer = new D4Writer(path, { chromosomes: list, dictionary: simpleRange(0, 4, 'x'), denominator: 1 });
  for (const { name } of list) writer.add({ chromosome: name, begins: [0], ends: [8], depths: [2] });
  writer.finish();
  return path;
}

const people = (size: number) =>
  many(size, (i) => ({ id: `PAT-${1_000_000 + i}`, holder: 'own', scope: 'all' }) as const);

/** Samples of one assay, with values at as many targets, each in a group of its own or all in one. */
function compared(members: number, places: number, groups: number): () => Promise<unknown> {
  const depths = { length: 1, measured: 1, sum: 10, mean: 10, reached: [1] };
  const ids = many(members, (i) => `s${i}`);
  const values = { length: 1, means: new Float64Array(members), reached: [new Float64Array(members)] };
  const found = {
    ...{ samples: ids, thresholds: [10], medians: new Float64Array(members).fill(1) },
    targets: many(places, () => values),
  };
  const cohorts = {
    values: async ({ targets }: { targets: unknown[] }) => ({
      ...found,
      targets: found.targets.slice(0, targets.length),
    }),
  };
  const member = (id: string) => ({ id, revision: id, assay: 'a', day: '2026-01-01', sex: 'female' });
  const perGroup = places / groups;
  const question = {
    ...{ build: 'GRCh38', threshold: 10, level: 0, isPooled: false },
    samples: [{ name: 's', id: 's0', isSameFile: true, depths: many(places, () => depths) }],
    members: ids.map(member),
    targets: many(places, (i) => ({ regions: [{ chromosome: '1', start: i, end: i + 1 }] })),
    places: many(places, (i) => i),
    groups: many(groups, (g) => ({ name: `g${g}`, places: many(perGroup, (i) => g * perGroup + i), length: perGroup })),
  };
  return () => Comparison.of(part(cohorts), part(question), signal);
}

const d4Scenarios: Record<string, Scenario> = {
  'D4 written: chromosomes': of(5000, (size) => () => written(size)),
  'D4 verified: chromosomes, and those of a summary': of(1000, (size) => {
    const [path, summary] = [written(size), newPath('.txt')];
    const rows = many(size, (i) => `c${i}\t8\t16\t2.00\t2\t2`);
    writeFileSync(summary, `chrom\tlength\tbases\tmean\tmin\tmax\n${rows.join('\n')}\n`);
    return () => verifyD4(path, { summary });
  }),
  // Refused for its last name, before any file is opened.
  'D4 merged: names of tracks': of(2000, (size) => {
    const inputs = many(size, (i) => ({ path: '/there/is/none.d4', name: `t${Math.min(i, size - 2)}` }));
    return () => mergeD4(newPath('.d4'), inputs).catch(() => undefined);
  }),
  'mosdepth: chromosomes, and regions of each': of(200, (size) => {
    const [path, bed] = [written(size), newPath('.bed')];
    writeFileSync(bed, many(size, (i) => `c${size - 1 - i}\t1\t5\n`).join(''));
    const input = { arguments: [newPath(''), path], options: { by: bed, threads: '1' }, signal };
    return () => runMosdepth(part(input), part({ err: { write: () => true } }));
  }),
};

const reportScenarios: Record<string, Scenario> = {
  'comparison: samples of the cohort': of(1000, (size) => compared(size, 4, 2)),
  'comparison: targets of one group': of(500, (size) => compared(10, size, 1)),
  'comparison: groups of one target': of(500, (size) => compared(10, size, size)),
  'quality: samples with one file': of(1000, (size) => {
    const sample = (i: number) => ({
      asked: { name: `s${i}`, sex: 'female' },
      depths: { file: { fingerprint: 'x' }, warnings: [], targets: [] },
      sharedReads: [],
    });
    const samples = many(size, sample);
    const sameFiles = [{ samples: samples.map(({ asked }) => asked.name), compared: 'whole' }];
    const question = { samples, notIncluded: [], sameFiles, targets: [], nameOf: String, level: 0 };
    return () => qualityOf(part(question));
  }),
  'kept report: genes that differ in a newer version of its panel': of(2000, (size) => {
    const differences = many(size, (i) => ({ what: ['added'], symbol: `G${i}` }));
    const opening = {
      report: { facts: { panel: { panel: 'p', version: '1.0' } } },
      newer: { version: '2.0', differences },
    };
    return () => newerNotice(part(opening), textsOf('en'));
  }),
  'kept reports: erasures, and reports of as many people': of(400, (size) => {
    const report = (i: number) => ({
      report: { id: `r${i}`, made: new Date(0) },
      words: [`person:${people(i + 1)[i]?.id}`],
    });
    const page = many(size, report);
    const list = async ({ after }: { after?: unknown }) => (after === undefined ? page : []);
    const erasures = people(size);
    return () => reportsOf(part({ list }), erasures);
  }),
  'exons that copies are counted by: genes': of(5000, (size) => {
    const gene = (i: number) => ({ ensembl: `E${i}`, chromosome: '1', start: i * 10, end: i * 10 + 5 });
    const genes = many(size, gene);
    const intervals = {
      sets: async () => [{ build: 'GRCh38', kind: 'exons', checksum: 'x', loaded: new Date(0) }],
      each: async (_kind: unknown, _build: unknown, _after: unknown, take: (rows: unknown) => unknown) => take(genes),
      transcriptsOf: async () => ({ transcripts: [] }),
    };
    return () => createFindCopyExons(part(intervals))('GRCh38', signal);
  }),
};

const storedScenarios: Record<string, Scenario> = {
  'audit verify: chains with an entry after their end': of(500, (size) => {
    const link = { sequence: 0, hash: 'x', seal: 'x' };
    const chains = many(size, (i) => ({
      id: `chain${i}`,
      started: new Date(0),
      number: i + 1,
      base: link,
      head: link,
    }));
    const repository = {
      chains: async () => chains,
      latest: async () => ({ register: 'x' }),
      links: async () => [{ sequence: 1 }],
      named: async () => [],
    };
    const keys = { isSealed: () => true, registered: () => size, questionDigest: (text: string) => text };
    return () => verifyAudit({ repository: part(repository), keys: part(keys) });
  }),
  'audit list: names of one entry, and names asked for': of(2000, (size) => {
    const about = many(size, (i) => `sample:${i}`);
    return () => aboutText({ about }, new Set(about));
  }),
  'erase, consent: people, and lines of the list': of(500, (size) => {
    const erasures = people(size);
    const records = erasures.toReversed().map((erasure) => ({ receipt: 'x', at: new Date(0), does: 'erase', erasure }));
    return () => listed({ erasing: { list: { records: async () => part(records) } } }, erasures);
  }),
  'erasure from background jobs: people, and jobs': of(200, (size) => {
    const jobs = people(size).map(({ id }) => ({ id, created: new Date(0), payload: null, result: `/data/${id}.vcf` }));
    const list = async ({ state }: { state: string }) => (state === 'done' ? jobs : []);
    const erasures = people(size);
    return () => jobsEraser(part({ list })).find(erasures);
  }),
  'loqusdb cases: samples of one case': of(2000, (size) => {
    const samples = many(size, (i) => ({
      name: `s${i}`,
      case: 'c',
      sex: 'male',
      searched: { small: true, structural: true },
    }));
    return () => documentOfCase('c', part(samples));
  }),
  'triage: rows of as many nodes, and sightings': of(300, (size) => {
    const row = (i: number) => ({
      ...{ id: `r${i}`, submission: 1, node: `n${i}`, label: 'n', patient: `p${i}`, content: `x${i}`, formerIds: [] },
      ...{ first: new Date(0), last: new Date(0), scores: [], own: [], score: 0.5, at: new Date(0) },
    });
    const rows = many(size, row);
    const sightings = rows.map((one) => ({ ...one, node: { id: one.node, label: 'n' }, direction: 'found' }));
    return () => sighted(part(rows), part(sightings));
  }),
};

export const commandScenarios: Record<string, Scenario> = { ...d4Scenarios, ...reportScenarios, ...storedScenarios };
