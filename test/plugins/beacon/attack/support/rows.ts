/** The attacks of the table: what is answered, who attacks, and which power is allowed. */
import { carrierShare, lowerShare } from '../../../../../plugins/beacon/protection/spend.js';
import {
  aloneInRegion,
  betweenPrices,
  colluding,
  draining,
  linkedPairs,
  referenceCount,
  repeating,
  twoDays,
} from './adaptive.js';
import { type Attacker, attacked, type Groups, type Outcome, randomOrder, rarestFirst } from './attack.js';
import { type Budgeted, budgeted, byCount, type Defence, flipped, fromFrequency, open, yesFrom } from './defences.js';
import { makeWorld, type World, type WorldOptions } from './world.js';

/** The bar: no attack on a profile finds more members, at 5 % false positives. */
export const bar = 0.12;

export type Kind = 'baseline' | 'profile' | 'ablation' | 'reported';

export interface Row {
  kind: Kind;
  defence: Defence;
  attackers: readonly Attacker[];
  /** Another world than the usual one, with independent alleles in 3,000 regions. */
  world?: OtherWorld;
}

export type OtherWorld = Pick<WorldOptions, 'linked' | 'regions'>;

/** Every allele has a partner that always occurs with it. */
export const inPairs: OtherWorld = { linked: 2 };

/** So many alleles in each region that an attacker can consult everyone there. */
export const fewRegions: OtherWorld = { regions: 25 };

/** Alleles of the reference population: half of the people of gnomAD's genomes. */
const referenceAlleles = 75_000;

/** What a server with a reference knows of an allele. */
export const measured = (world: World, place: number): number =>
  carrierShare(lowerShare({ seen: referenceCount(world, place, referenceAlleles), of: referenceAlleles }));

const careful = { budget: 0.5, least: 1, share: measured };
const anonymous = { budget: 0.5, least: 3, share: measured };
const strict = { budget: 0.7, least: 3, share: measured };

export const profiles = {
  named: budgeted({ name: 'careful, named caller', ...careful }),
  anonymous: budgeted({ name: 'careful, anonymous callers', ...anonymous }),
  strict: budgeted({ name: 'strict, named caller', ...strict }),
};

const both = [randomOrder, rarestFirst];
const ablation = (name: string, change: Partial<Budgeted>) => budgeted({ ...careful, ...change, name });

export const rows: readonly Row[] = [
  { kind: 'baseline', defence: open, attackers: both },
  { kind: 'ablation', defence: yesFrom('yes from 2 carriers', 2), attackers: both },
  { kind: 'ablation', defence: yesFrom('yes from 3 carriers', 3), attackers: both },
  { kind: 'ablation', defence: yesFrom('yes from 10 carriers', 10), attackers: both },
  { kind: 'ablation', defence: flipped('15 % of unique alleles hidden', 0.15), attackers: both },
  { kind: 'ablation', defence: fromFrequency('frequency ≥ 0.1 %', 0.001), attackers: both },
  { kind: 'ablation', defence: byCount('exact counts', (carriers) => carriers), attackers: both },
  {
    kind: 'ablation',
    defence: byCount('counts rounded up to 10', (carriers) => Math.ceil(carriers / 10) * 10),
    attackers: both,
  },
  { kind: 'ablation', defence: ablation('budget 0.05', { budget: 0.05 }), attackers: [rarestFirst] },
  { kind: 'ablation', defence: ablation('budget 0.2', { budget: 0.2 }), attackers: [rarestFirst] },
  {
    kind: 'ablation',
    defence: ablation('3 carriers at the price of 1', { least: 3, priced: 1 }),
    attackers: [rarestFirst],
  },
  {
    kind: 'ablation',
    defence: ablation('frequencies from the dataset', {
      share: ({ carriers, options }, place) =>
        lowerShare({ seen: (carriers[place] as Uint16Array).length - 1, of: options.members - 1 }),
    }),
    attackers: [rarestFirst],
  },
  {
    kind: 'ablation',
    defence: ablation('repeats charged again', { forgets: true, ignoresRegions: true }),
    attackers: [repeating],
  },
  { kind: 'ablation', defence: ablation('crowd not counted', { ignoresCrowd: true }), attackers: [draining(3000)] },
  { kind: 'ablation', defence: ablation('newcomers not counted', { ignoresDays: true }), attackers: [twoDays(20)] },
  {
    kind: 'ablation',
    defence: ablation('a person counts again in a region', { ignoresRegions: true }),
    attackers: [linkedPairs, betweenPrices],
    world: inPairs,
  },
  {
    kind: 'ablation',
    defence: ablation('only a yes consults people', { consultsForYes: true }),
    attackers: [betweenPrices],
    world: inPairs,
  },
  {
    kind: 'ablation',
    defence: ablation('consulted stay in the crowd', { keepsConsulted: true }),
    attackers: [aloneInRegion],
    world: fewRegions,
  },
  {
    kind: 'profile',
    defence: profiles.named,
    attackers: [...both, repeating, draining(3000), twoDays(20)],
  },
  {
    kind: 'profile',
    defence: profiles.anonymous,
    attackers: [...both, repeating, draining(3000), twoDays(20)],
  },
  { kind: 'profile', defence: profiles.strict, attackers: [...both, repeating, draining(3000), twoDays(50)] },
  ...[profiles.named, profiles.anonymous, profiles.strict].flatMap((defence): Row[] => [
    { kind: 'profile', defence, attackers: [rarestFirst, linkedPairs, betweenPrices], world: inPairs },
    { kind: 'profile', defence, attackers: [aloneInRegion], world: fewRegions },
  ]),
  {
    kind: 'reported',
    defence: profiles.named,
    attackers: [
      colluding(10, (world) => ({
        account: profiles.named.account(world),
        suspicion: profiles.named.suspicion(world),
      })),
    ],
  },
];

export interface Size {
  members: number;
  loci: number;
  groups: Groups;
}

/** The attacks of a row in the world of a seed. */
export function attackRow(row: Row, world: World, groups: Groups): Outcome[] {
  return row.attackers.map((attacker) => attacked(world, row.defence, attacker, groups));
}

/** The worlds of a seed, made when they are needed. */
export function worlds(seed: number, { members, loci }: Pick<Size, 'members' | 'loci'>): (other?: OtherWorld) => World {
  const made = new Map<string, World>();
  return (other = {}) => {
    const name = JSON.stringify(other);
    let world = made.get(name);
    if (!world) {
      world = makeWorld({ seed, members, loci, ...other });
      made.set(name, world);
    }
    return world;
  };
}

export interface Kept {
  /** Share of the true yes answers over places at random that a new account gets. */
  all: number;
  /** Of alleles with one or two carriers. */
  rare: number;
  /** Share that one account gets over its first thousand places. */
  later: number;
}

/** What a defence costs in answers. */
export function keptBy(defence: Defence, world: World, places = 5000): Kept {
  const total = { all: 0, rare: 0, later: 0 };
  const kept = { all: 0, rare: 0, later: 0 };
  const one = defence.account(world);
  for (let i = 0; i < places; i++) {
    const place = (i * 7919) % world.shares.length;
    const carriers = (world.carriers[place] as Uint16Array).length;
    if (carriers === 0) continue;
    const yes = defence.account(world).ask(place) > 0 ? 1 : 0;
    total.all++;
    kept.all += yes;
    if (carriers <= 2) {
      total.rare++;
      kept.rare += yes;
    }
    if (total.later < 1000) {
      total.later++;
      kept.later += one.ask(place) > 0 ? 1 : 0;
    }
  }
  return {
    all: kept.all / total.all,
    rare: kept.rare / Math.max(1, total.rare),
    later: kept.later / Math.max(1, total.later),
  };
}
