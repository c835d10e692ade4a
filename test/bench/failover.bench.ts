/**
 * Failures of a cluster of three machines (Patroni, etcd, HAProxy; `config/deploy/cluster`) under a load of additions,
 * VCF files, searches, queries and jobs. One row for each failure as it is over, and a table by kind at the end or at
 * Ctrl-C. `--times=100` failures in turns of all kinds; `--kinds=postgres,freeze` for some; `--logs=FOLDER` keeps the
 * logs of a failure after which something was wrong.
 *
 * RTO: the longest time without an acknowledged addition, and without an answered query, from the failure on.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kind, kinds } from '../cluster/support/faults.js';
import { lacking } from '../cluster/support/programs.js';
import { Rehearsal, type Round } from '../cluster/support/rehearsal.js';
import type { Bench } from './run.js';
import { grouped } from './support/machine.js';

const bench: Bench = async (print, options) => {
  if (lacking.length > 0) throw new Error(`This machine lacks ${lacking.join(', ')}`);
  const times = Number(options.times ?? 12);
  const chosen = chosenKinds(options.kinds);
  let stopped = false;
  const onStop = () => {
    stopped = true;
    print('stops after this failure');
  };
  process.on('SIGINT', onStop);
  const rounds: Round[] = [];
  const rehearsal = await Rehearsal.start({ smallDisks: chosen.some(({ name }) => name === 'disk') });
  try {
    print(
      row(['', 'kind', 'from', 'to', 'writes s', 'reads s', 'slowest s', 'requests', '503', 'acknowledged', 'wrong']),
    );
    for (let i = 0; i < times && !stopped; i++) {
      const round = await rehearsal.run(chosen[i % chosen.length] as Kind).catch(async (error: unknown) => {
        if (options.logs) await keepLogs(rehearsal, join(options.logs, String(i + 1)));
        throw error;
      });
      rounds.push(round);
      const { kind, from, to, writes, reads, slowest, requests, unavailable, acknowledged } = round;
      const trouble = troubleOf(round);
      print(
        row([
          String(i + 1),
          kind.name,
          from,
          to,
          ...[writes, reads, slowest].map(seconds),
          ...[requests, unavailable, acknowledged].map(grouped),
          String(trouble.length),
        ]),
      );
      for (const sentence of trouble) print(`    ${sentence}`);
      if (trouble.length > 0 && options.logs) await keepLogs(rehearsal, join(options.logs, String(i + 1)));
    }
  } finally {
    process.off('SIGINT', onStop);
    if (rounds.length > 0) summarise(rounds, print);
    await rehearsal.stop();
  }
  const failed = rounds.filter((round) => troubleOf(round).length > 0).length;
  if (failed > 0) throw new Error(`${failed} of ${rounds.length} failures broke a promise`);
};
export default bench;

function chosenKinds(names: string | undefined): readonly Kind[] {
  if (names === undefined) return kinds;
  return names.split(',').map((name) => {
    const kind = kinds.find((one) => one.name === name);
    if (!kind) throw new Error(`No kind is called ${name}; there are: ${kinds.map((one) => one.name).join(', ')}`);
    return kind;
  });
}

/** Everything that must not happen, in sentences. */
function troubleOf({ kind, writes, lost, doubled, errors, wrong, unfenced }: Round): string[] {
  return [
    ...(writes > kind.limit * 1000 ? [`no write was acknowledged for more than ${kind.limit} s`] : []),
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `doubled: ${what}`),
    ...errors.map((what) => `error: ${what}`),
    ...wrong.map((what) => `wrong: ${what}`),
    ...unfenced.map((what) => `not fenced: ${what}`),
  ];
}

function summarise(rounds: readonly Round[], print: (line: string) => void): void {
  const header = [
    'kind',
    'n',
    'writes median',
    'max s',
    'reads median',
    'max s',
    'slowest s',
    '503',
    'lost',
    'doubled',
  ];
  print('');
  print(table([...header, '500s', 'wrong', 'unfenced']));
  for (const kind of kinds) {
    const own = rounds.filter((round) => round.kind === kind);
    if (own.length === 0) continue;
    const of = (read: (round: Round) => number) => own.map(read).sort((a, b) => a - b);
    const [writes, reads, slowest] = [of((one) => one.writes), of((one) => one.reads), of((one) => one.slowest)];
    const sum = (read: (round: Round) => number) => grouped(own.reduce((total, one) => total + read(one), 0));
    print(
      table([
        kind.name,
        String(own.length),
        ...[median(writes), writes.at(-1) ?? 0, median(reads), reads.at(-1) ?? 0, slowest.at(-1) ?? 0].map(seconds),
        sum((one) => one.unavailable),
        sum((one) => one.lost.length),
        sum((one) => one.doubled.length),
        sum((one) => one.errors.length),
        sum((one) => one.wrong.length),
        sum((one) => one.unfenced.length),
      ]),
    );
  }
  print(`${grouped(rounds.at(-1)?.acknowledged ?? 0)} writes were acknowledged in ${rounds.length} failures`);
  for (const { name, what } of kinds) print(`  ${name}: ${what}`);
}

async function keepLogs(rehearsal: Rehearsal, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'trefoil.log'), rehearsal.log());
  for (const [name, file] of rehearsal.cluster.logs()) await copyFile(file, join(folder, name));
}

const widths = [4, 9, 6, 6, 9, 8, 10, 9, 7, 13, 6];
const row = (cells: readonly string[]) => cells.map((cell, i) => cell.padStart(widths[i] ?? 8)).join(' ');
const table = (cells: readonly string[]) => cells.map((cell, i) => cell.padStart(i === 0 ? 9 : 13)).join(' ');
const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);

function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
