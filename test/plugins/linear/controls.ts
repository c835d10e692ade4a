/** Typical kinds of quadratic work, each of which the meter must detect; and some linear work. */

import * as quadratic from '../../support/quadratic.js';
import type { Scenario } from './scenario.js';

const names = (size: number) => Array.from({ length: size }, (_, i) => `name${i}`);

const control = (run: (list: string[]) => unknown): Scenario => ({
  size: 2000,
  prepare: (size) => {
    const list = names(size);
    return () => run(list);
  },
});

export const controls: Record<string, Scenario> = Object.fromEntries(
  Object.entries(quadratic).map(([name, run]) => [`control: ${name}`, control(run)]),
);
