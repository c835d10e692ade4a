/** `trefoil work`: runs background jobs, and answers no client. */
import { configure } from '../config.js';
import { Fault } from '../fault.js';
import type { CoreCommand } from './core-command.js';
import { jobsAtOnce, serveUntilSignal } from './serve.js';

export const work: CoreCommand = {
  name: 'work',
  summary: 'run background jobs, without answering clients',
  description:
    'Takes jobs from the storage that servers share, and runs them until SIGINT or SIGTERM: for machines of their own ' +
    'beside servers started with `serve --jobs 0`. Uploaded files wait in a folder, which all of them must then share. ' +
    'Where http.metrics.port is set, it answers /-/metrics, /-/live and /-/ready there.',
  options: [{ flags: '--jobs <number>', description: 'jobs run at once, instead of jobs.concurrency' }],
  examples: ['work', 'work --jobs 4 --config config/production.yaml'],
  async run({ configuration, interruption }, { options }) {
    const chosen = { ...configuration, overrides: jobsAtOnce(options) };
    const { core } = await configure(chosen);
    if (core.jobs.concurrency === 0) {
      throw new Fault('invalid', 'A worker that runs 0 jobs at once does nothing: give --jobs 1 or more');
    }
    return serveUntilSignal({ ...chosen, role: 'work' }, interruption);
  },
};
