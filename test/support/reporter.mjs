/**
 * Mocha's reporter for the whole suite: a line for each file as it ends, and each failure in full. The results of files
 * are appended to TREFOIL_TEST_RESULTS (see results.ts). JavaScript, since mocha loads reporters by `require`.
 */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';

const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Mocha.Runner.constants;

export default class FileReporter extends Mocha.reporters.Base {
  /** @type {Mocha.Test[]} */
  #failures = [];
  /**
   * The file whose tests are being reported. Files are reported one after the other, in parallel runs too.
   * @type {import('./results.js').FileResult | undefined}
   */
  #current;

  constructor(runner, options) {
    super(runner, options);
    runner.on(EVENT_TEST_PASS, (test) => {
      this.#of(test).passed++;
    });
    runner.on(EVENT_TEST_PENDING, (test) => this.#of(test).skipped.push(test.fullTitle()));
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      this.#of(test).failed.push(test.fullTitle());
      this.#failures.push(Object.assign(test, { err: error }));
    });
    for (const event of [EVENT_TEST_END, EVENT_HOOK_END]) {
      runner.on(event, (ended) => {
        if (ended.file) this.#of(ended).seconds += (ended.duration ?? 0) / 1000;
      });
    }
    runner.once(EVENT_RUN_END, () => {
      this.#finish();
      if (this.#failures.length > 0) Mocha.reporters.Base.list(this.#failures);
    });
  }

  #of({ file = '' }) {
    const name = relative(process.cwd(), file);
    if (this.#current?.file !== name) {
      this.#finish();
      this.#current = { file: name, seconds: 0, passed: 0, failed: [], skipped: [] };
    }
    return this.#current;
  }

  #finish() {
    const result = this.#current;
    if (result === undefined) return;
    const { file, seconds, passed, failed, skipped } = result;
    const counts = [`${passed} passed`];
    if (failed.length > 0) counts.push(`${failed.length} failed`);
    if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
    process.stdout.write(`${failed.length > 0 ? '✖' : '✔'} ${file}  ${counts.join(', ')}, ${seconds.toFixed(1)} s\n`);
    for (const title of failed) process.stdout.write(`    ✖ ${title}\n`);
    const results = process.env.TREFOIL_TEST_RESULTS;
    if (results) appendFileSync(results, `${JSON.stringify(result)}\n`);
  }
}
