/**
 * Random VCF records of every form, loaded and queried, against a naive reading of the same text: counts different
 * answers, of which there must be none. Options: `--records=290000`, `--seed=1`, `--engines=sqlite,postgres`.
 */
import { beacon } from '../../plugins/beacon/contract.js';
import { compare, directly } from '../plugins/beacon/support/model.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped, seconds } from './support/machine.js';
import { random } from './support/vcf.js';

/** Differences to print; all are counted. */
const shown = 20;

export default async function model(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const records = Number(options.records ?? 20_000);
  const seed = Number(options.seed ?? 1);
  await onEachEngine(options, [beacon], async (storage, name) => {
    let found = { records: 0, questions: 0, hits: 0, differences: [] as string[] };
    const taken = await seconds(async () => {
      found = await compare(directly(storage.repository(beacon)), random(seed), records);
    });
    const { questions, hits, differences } = found;
    for (const difference of differences.slice(0, shown)) print(difference);
    print(
      `${name}: ${grouped(records)} records (seed ${seed}), ${grouped(questions)} questions, ` +
        `${grouped(hits)} of them found something: ${differences.length} differences, ${grouped(taken)} s`,
    );
    if (differences.length > 0) process.exitCode = 1;
  });
}
