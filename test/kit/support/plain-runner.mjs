/**
 * Stands in for `node:test` in a process started with `--import` of this file, and prints the same counts: node:test
 * follows every promise, which takes a fifth of the processor time of a whole kit. `runners.test.ts` and the guide to
 * adapters run kits on node:test itself.
 *
 * In a run of the whole suite (see `sampled`), each eighth case of a contract above tables, of which the adapter has no code.
 */
import { register } from 'node:module';

const cases = [];
const titles = [];
const counts = { pass: 0, skipped: 0, fail: 0, 'left out': 0 };

globalThis.plainRunner = {
  describe(title, body) {
    titles.push(title);
    body();
    titles.pop();
  },
  it: Object.assign((title, run) => cases.push({ suite: titles.join(' '), title, run }), {
    skip: () => counts.skipped++,
  }),
};

register(
  `data:text/javascript,${encodeURIComponent(`
const runner = 'data:text/javascript,export const { describe, it } = globalThis.plainRunner;';
export const resolve = (name, context, next) =>
  name === 'node:test' ? { url: runner, shortCircuit: true } : next(name, context);
`)}`,
);

/** Once the modules are loaded. */
process.once('beforeExit', async () => {
  const { TEST_DAY: day } = process.env;
  const seen = new Map();
  for (const { suite, title, run } of cases) {
    const number = seen.get(suite) ?? 0;
    seen.set(suite, number + 1);
    const isOfAdapter = /^(Storage|probe@1) on /.test(suite);
    if (!isOfAdapter && day !== undefined && (number + Number(day)) % 8 !== 0) {
      counts['left out']++;
      continue;
    }
    try {
      await run();
      counts.pass++;
    } catch (error) {
      counts.fail++;
      console.log(`not ok ${suite} ${title}\n${error?.stack ?? error}`);
    }
  }
  for (const [name, count] of Object.entries(counts)) console.log(`# ${name} ${count}`);
});
