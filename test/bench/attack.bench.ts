/**
 * How many members of a dataset an attacker finds who knows their genomes and the frequencies of all alleles: on answers without
 * protection, on each profile, and on profiles with one of their rules left out. Options: `--seed=1` and `--seeds=1` for the
 * number of worlds from there on, `--members=1000` people in the dataset, `--loci=100000`, `--attacked=500` members,
 * `--outsiders=1000` who set the threshold, and as many others; `--only=profile` for one kind of rows.
 */
import { type Outcome, stops } from '../plugins/beacon/attack/support/attack.js';
import { type Power, standing } from '../plugins/beacon/attack/support/power.js';
import { attackRow, bar, keptBy, type Row, rows, worlds } from '../plugins/beacon/attack/support/rows.js';
import type { BenchOptions, Print } from './run.js';
import { grouped } from './support/machine.js';

export default async function attackBench(print: Print, options: BenchOptions): Promise<void> {
  const number = (name: string, usual: number) => Number(options[name] ?? usual);
  const [first, count] = [number('seed', 1), number('seeds', 1)];
  const size = { members: number('members', 1000), loci: number('loci', 100_000) };
  const groups = { members: number('attacked', 500), outsiders: number('outsiders', 1000) };
  print(
    `${grouped(size.members)} members, ${grouped(size.loci)} places, ${count} world(s) from seed ${first}; of each ` +
      `${groups.members} members are attacked, ${groups.outsiders} outsiders set the threshold, as many others are the check`,
  );
  print('power in % at 5 % false positives (5 is that of a useless attack), after so many questions');
  print(
    `${'answers'.padEnd(34)}${'attack'.padEnd(33)}${stops.map((n) => `${n}`.padStart(6)).join('')}  95 % of the best  false+`,
  );
  let failed = 0;
  for (const row of rows.filter(({ kind }) => options.only === undefined || kind === options.only)) {
    const made: Outcome[][] = [];
    for (let seed = first; seed < first + count; seed++) {
      made.push(attackRow(row, worlds(seed, size)(row.world), groups));
    }
    row.attackers.forEach((attacker, index) => {
      const mean = average(made.map((outcomes) => outcomes[index] as Outcome));
      const best = mean.reduce((one, other) => (other.power > one.power ? other : one));
      const verdict = verdictOf(row, best);
      if (verdict.startsWith('above')) failed++;
      const [low, high] = [-1, 1].map((side) => Math.max(0, 100 * (best.power + side * 1.96 * best.error)).toFixed(1));
      print(
        `${row.defence.name.padEnd(34)}${attacker.name.padEnd(33)}` +
          `${mean.map(({ power }) => (100 * power).toFixed(0).padStart(6)).join('')}` +
          `${`${low}–${high}`.padStart(18)}${(100 * best.falsePositives).toFixed(0).padStart(8)}  ${verdict}`,
      );
    });
    if (row.kind === 'profile' || row.kind === 'baseline') {
      const kept = keptBy(row.defence, worlds(first, size)(row.world));
      const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
      print(
        `${''.padEnd(34)}yes kept: ${percent(kept.all)} by a new account, ${percent(kept.rare)} of those with at most two ` +
          `carriers; ${percent(kept.later)} over its first 1,000`,
      );
    }
  }
  print(
    failed === 0
      ? `no profile is above the bar of ${100 * bar} % by more than twice the error`
      : `${failed} attacks are above the bar`,
  );
}

function verdictOf({ kind, world }: Row, best: Power): string {
  const where = world?.linked ? ', alleles in pairs' : world?.regions ? `, ${world.regions} regions` : '';
  if (kind === 'reported') return `reported${where}`;
  if (kind !== 'profile') return `${best.power > bar ? 'found, as it must be' : 'not found'}${where}`;
  const said = { within: 'within the bar', unclear: 'within the error of the bar', above: 'above the bar' };
  return said[standing(best, bar)] + where;
}

/** At each stop, over several worlds. */
function average(outcomes: readonly Outcome[]): Power[] {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  return stops.map((_, stop) => {
    const all = outcomes.flatMap(({ powers }) => powers[stop] ?? []);
    return {
      power: mean(all.map(({ power }) => power)),
      error: Math.hypot(...all.map(({ error }) => error)) / all.length,
      falsePositives: mean(all.map(({ falsePositives }) => falsePositives)),
    };
  });
}
