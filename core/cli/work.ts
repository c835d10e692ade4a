/** `trefoil work`: runs background jobs and serves no clients. */
import { Fault } from '../fault.js';
import { configure } from './configured.js';
import type { CoreCommand } from './core-command.js';
import { jobsAtOnce, serveUntilSignal } from './serve.js';

export const work: CoreCommand = {
  name: 'work',
  summary: 'run background jobs without serving clients',
  description:
    'Runs jobs from the shared storage until SIGINT or SIGTERM, on machines beside servers started with ' +
    '`serve --jobs 0`. All of them must share the folders of uploaded files. With http.metrics.port it serves ' +
    '/-/metrics, /-/live and /-/ready on that port.',
  options: [{ flags: '--jobs <number>', description: 'jobs that run at once; default: jobs.concurrency' }],
  examples: ['work', 'work --jobs 4 --config config/production.yaml'],
  async run({ configuration, interruption }, { options }) {
    const chosen = { ...configuration, overrides: jobsAtOnce(options) };
    const { core } = await configure(chosen);
    if (core.jobs.concurrency === 0) {
      throw new Fault('invalid', 'A worker needs at least 1 job at once: use --jobs 1 or more');
    }
    return serveUntilSignal({ ...chosen, role: 'work' }, interruption);
  },
};
