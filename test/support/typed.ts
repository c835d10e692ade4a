/** Commands as a test types them, with what it expects of each. */
import { expect } from 'chai';
import { command } from './command.js';
import type { Outcome, RunOptions } from './trefoil.js';

// biome-ignore lint/suspicious/noExplicitAny: reports of many shapes
type Json = any;

export interface TypedCommands {
  run(...words: string[]): Promise<Outcome>;
  /** The command must succeed. */
  done(...words: string[]): Promise<Outcome>;
  /** Its JSON; the command must succeed. */
  json(...words: string[]): Promise<Json>;
  /** Its message; it must exit with this code, print nothing else and show no trace of calls. */
  failure(code: number, ...words: string[]): Promise<string>;
}

/** Commands that begin and end with the same words, with options that are read before each. */
export function typedCommands(
  options: () => RunOptions,
  { first = [], last = [] }: { first?: readonly string[]; last?: readonly string[] } = {},
): TypedCommands {
  const run = (...words: string[]) => command([...first, ...words, ...last], options());
  async function done(...words: string[]) {
    const outcome = await run(...words);
    expect(outcome.code, `${words.join(' ')}: ${outcome.stderr}${outcome.stdout}`).to.equal(0);
    return outcome;
  }
  return {
    run,
    done,
    json: async (...words) => JSON.parse((await done(...words, '--json')).stdout),
    async failure(code, ...words) {
      const outcome = await run(...words);
      expect(outcome.code, `${words.join(' ')}: ${outcome.stdout}`).to.equal(code);
      expect(outcome.stdout, words.join(' ')).to.equal('');
      expect(outcome.stderr, words.join(' ')).to.not.match(/\n {4}at /);
      return outcome.stderr.trim();
    },
  };
}
