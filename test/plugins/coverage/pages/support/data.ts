/** Whether chanjo2's demo files are beside the repository. */
import { existsSync } from 'node:fs';
import { demoD4 } from '../../support/serve.js';

export const hasDemoData = existsSync(demoD4);
