/**
 * Stands in for `node:test` in a process started with `--import` of this file, and prints the same counts: node:test
 * follows every promise, which takes a fifth of the processor time of a whole kit. `runners.test.ts` and the guide to
 * adapters run kits on node:test itself.
 */
import { register } from 'node:module';

const cases = [];
const titles = [];
const counts = { pass: 0, skipped: 0, fail: 0 };

globalThis.plainRunner = {
  describe(title, body) {
    titles.push(title);
    body();
    titles.pop();
  },
  it: Object.assign((title, run) => cases.push({ title: [...titles, title].join(' '), run }), {
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
  for (const { title, run } of cases) {
    try {
      await run();
      counts.pass++;
    } catch (error) {
      counts.fail++;
      console.log(`not ok ${title}\n${error?.stack ?? error}`);
    }
  }
  for (const [name, count] of Object.entries(counts)) console.log(`# ${name} ${count}`);
});
