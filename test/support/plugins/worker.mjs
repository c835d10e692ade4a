/** A plugin with one kind of job. WORKER controls it in this process: `hang` never ends, otherwise it ends at once. */
import probe from './probe.mjs';

const start = { scope: 'worker:start', summary: 'Start jobs' };

export default {
  ...probe,
  name: 'worker',
  rights: [start],
  commands: [],
  environment: {},
  register(context) {
    context.jobs.handle('worker.work', {
      payload: { '~standard': { version: 1, vendor: 'worker', validate: (value) => ({ value }) } },
      async run(payload, { signal, progress, log }) {
        progress(0.5);
        log.info({}, 'job under way');
        if (process.env.WORKER !== 'hang') return { by: process.pid, payload };
        const alive = setInterval(() => {}, 1000);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        clearInterval(alive);
        throw signal.reason;
      },
    });
    context.route({
      method: 'POST',
      path: '/work',
      operation: 'work',
      summary: 'Starts a job',
      access: context.tokenAccess(start),
      answers: { 202: { description: 'Started' } },
      async handle({ principal }) {
        const job = await context.jobs.enqueue('worker.work', { n: 1 }, { owner: principal.owner, key: 'one' });
        return { status: 202, body: { id: job.id, href: context.jobs.href(job) } };
      },
    });
  },
};
