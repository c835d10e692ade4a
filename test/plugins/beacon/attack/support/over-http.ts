/** The attack on a real server: places of a world as alleles of files, and questions about them through every face. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from '../../../../support/http.js';
import type { Json } from '../../support/serve.js';
import { vcf } from '../../support/vcf.js';
import { byRarity, inRandomOrder, type Order, stops, type Target } from './attack.js';
import type { Defence } from './defences.js';
import { type Power, powerOf } from './power.js';
import { mixed, type World } from './world.js';

/** Whether a dataset has the allele of a place, as one caller is told. */
export type Ask = (place: number) => Promise<boolean>;

type Headers = Readonly<Record<string, string>>;

/** Regions of a world that fit on chromosome 1, every third stretch of a million bases: those between keep them apart. */
export const regionsOnChromosome1 = 80;

/** One-based: each place is an A>C of chromosome 1. */
const positionOf = (world: World, place: number) => 3_000_000 * world.region(place) + 1000 + 10 * place;

export const sampleOf = (member: number) => `m${member}`;

/** The members' genotypes. */
export async function writeMembers(world: World, path: string): Promise<void> {
  const members = Array.from({ length: world.options.members }, (_, member) => member);
  const records = world.carriers.flatMap((carriers, place) => {
    if (carriers.length === 0) return [];
    const genotypes = members.map((member) => (carriers.includes(member) ? '0/1' : '0/0'));
    return [`1 ${positionOf(world, place)} . A C . PASS . GT ${genotypes.join(' ')}`];
  });
  await writeFile(path, vcf({ samples: members.map(sampleOf), records }));
}

const referenceAlleles = 150_000;

/** How often a reference of so many alleles shows the allele of a place: exactly as often as it is in the population. */
export function trueCount(world: World, place: number): { seen: number; of: number } {
  const frequency = 1 - Math.sqrt(1 - (world.shares[place] as number));
  return { seen: Math.round(referenceAlleles * frequency), of: referenceAlleles };
}

/** Writes the true frequencies of all places, compressed and indexed; returns the path. */
export async function writeFrequencies(world: World, folder: string): Promise<string> {
  const position = (place: number) => positionOf(world, place);
  const places = [...world.shares.keys()].sort((one, other) => position(one) - position(other));
  const records = places.map((place) => {
    const { seen, of } = trueCount(world, place);
    return `1\t${position(place)}\t.\tA\tC\t.\tPASS\tAC=${seen};AN=${of}`;
  });
  const header = ['##fileformat=VCFv4.2', '##contig=<ID=1>', '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'];
  await writeFile(join(folder, 'sites.vcf'), `${[...header, ...records].join('\n')}\n`);
  for (const [command, ...args] of [
    ['bgzip', 'sites.vcf'],
    ['tabix', '-p', 'vcf', 'sites.vcf.gz'],
  ] as const) {
    const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  }
  return join(folder, 'sites.vcf.gz');
}

interface Face {
  name: string;
  ask(url: string, dataset: string, headers: Headers, position: number): Promise<boolean>;
}

async function textOf(url: string, fields: Record<string, string | number>, headers: Headers): Promise<string> {
  const { status, text } = await request(url, { query: fields, headers });
  expect(status, text).to.equal(200);
  return text;
}

const jsonOf = async (...args: Parameters<typeof textOf>) => JSON.parse(await textOf(...args)) as Json;

const alleleAt = (position: number) => ({
  ...{ referenceName: '1', start: position - 1, assemblyId: 'GRCh37' },
  ...{ referenceBases: 'A', alternateBases: 'C' },
});

const faces: readonly Face[] = [
  {
    name: '/apiv1.0/query',
    ask: async (url, dataset, headers, position) =>
      (await jsonOf(`${url}/apiv1.0/query`, { ...alleleAt(position), datasetIds: dataset }, headers)).exists === true,
  },
  {
    name: '/beacon/v1/query',
    ask: async (url, dataset, headers, position) =>
      (await jsonOf(`${url}/beacon/v1/query`, { ...alleleAt(position), datasetIds: dataset }, headers)).exists === true,
  },
  {
    name: '/beacon/v2/g_variants',
    ask: async (url, dataset, headers, position) => {
      const { responseSummary } = await jsonOf(
        `${url}/beacon/v2/g_variants`,
        { ...alleleAt(position), datasets: dataset },
        headers,
      );
      return (responseSummary as Json).exists === true;
    },
  },
  {
    name: '/beacon/search',
    ask: async (url, dataset, headers, position) => {
      const fields = { q: `1-${position}-A-C`, assemblyId: 'GRCh37' };
      const page = await textOf(`${url}/beacon/search`, fields, headers);
      const row = page.match(new RegExp(`Dataset ${dataset} <[^]*?</tr>`))?.[0];
      expect(row, 'a row of the dataset').to.be.a('string');
      return /<span>found</.test(row ?? '');
    },
  },
];

/** The faces in turn. */
export function mixedFaces(world: World, url: string, dataset: string, headers: Headers, first = 0): Ask {
  let next = first;
  return (place) => (faces[next++ % faces.length] as Face).ask(url, dataset, headers, positionOf(world, place));
}

export const orders = { 'rarest first': byRarity, random: inRandomOrder } as const satisfies Record<string, Order>;

export interface Attack {
  world: World;
  /** What the attacker takes the server to do. */
  defence: Defence;
  order: Order;
  /** For each target. */
  questions: number;
  /** Members who are attacked, the first ones. */
  members: number;
  /** Of each of two groups. */
  outsiders: number;
  /** The answers that an attacker gets who has asked nothing yet. */
  begin(): Promise<Ask>;
  /** Called with each answer, what the defence would have said in its place, and the number of questions before. */
  onAnswer?(answer: { place: number; before: number; told: boolean; expected: boolean }): void;
}

/**
 * Attacks members and two groups of outsiders; returns the power at each stop. Both groups set the threshold in turn, and the mean
 * counts; false positives are always those of the other group.
 */
export async function attackServer(attack: Attack): Promise<Pick<Power, 'power' | 'falsePositives'>[]> {
  const { world, outsiders, questions } = attack;
  const ends = [...stops.filter((stop) => stop < questions), questions];
  const scored = async (count: number, genome: World['member'], group: number) => {
    const all = ends.map(() => new Float64Array(count));
    for (let index = 0; index < count; index++) {
      const target = { world, genome: genome(index), seed: mixed(group, index), index };
      const scores = await scoresOf(attack, target, ends);
      for (const [end, score] of scores.entries()) (all[end] as Float64Array)[index] = score;
    }
    return all;
  };
  const members = await scored(attack.members, world.member, 0);
  const first = await scored(outsiders, (index) => world.outsider(0, index), 1);
  const second = await scored(outsiders, (index) => world.outsider(1, index), 2);
  return ends.map((_, end) => {
    const [found, one, other] = [members[end], first[end], second[end]] as [Float64Array, Float64Array, Float64Array];
    const both = [powerOf(found, one, other), powerOf(found, other, one)] as const;
    return {
      power: (both[0].power + both[1].power) / 2,
      falsePositives: (both[0].falsePositives + both[1].falsePositives) / 2,
    };
  });
}

async function scoresOf(
  { world, defence, order, begin, onAnswer }: Attack,
  target: Target,
  ends: readonly number[],
): Promise<number[]> {
  const suspicion = defence.suspicion(world);
  const account = defence.account(world);
  const ask = await begin();
  const scores: number[] = [];
  let score = 0;
  let asked = 0;
  for (const place of order(target, suspicion)) {
    const told = await ask(place);
    onAnswer?.({ place, before: asked, told, expected: account.ask(place) > 0 });
    score += suspicion.weigh(place, told ? 1 : 0);
    asked++;
    if (asked === ends[scores.length]) scores.push(score);
    if (scores.length === ends.length) break;
  }
  while (scores.length < ends.length) scores.push(score);
  return scores;
}
