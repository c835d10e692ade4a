/** `trefoil job …`: background jobs, for operators. */
import { type Columns, printTable } from '../command-text.js';
import { command } from '../commands.js';
import { Fault } from '../fault.js';
import { type Job, type JobRepository, jobStates, jobs } from '../jobs/contract.js';
import { type CoreCommand, type CoreContext, configureCore } from './core-command.js';
import { withSession } from './session.js';

const listJobs: CoreCommand = command({
  name: 'job list',
  summary: 'list jobs, newest first, with the reason of each failure',
  description:
    'Lists jobs of all owners that are queued, running, or ended within jobs.keepDays. The reason is the full ' +
    'message of the last failed attempt; the log has it without file names and quoted values.',
  examples: ['job list --state failed', 'job list --owner lab --limit 10 --json'],
  options: [
    { flags: '--owner <name>', description: 'only jobs of this owner: the owner of an API token, or `cli`' },
    { flags: '--state <state>', description: 'only jobs in this state', choices: jobStates },
    { flags: '--limit <count>', description: 'maximum number of jobs', default: 50 },
  ],
  async run(context, { options: { owner, state, limit } }) {
    if (!Number.isInteger(limit) || limit < 1) throw new Fault('invalid', '--limit must be a whole number above 0');
    const found = await withJobs(context, (repository) => repository.list({ owner, state, limit }));
    context.terminal.data(found.map(publicJob));
    printTable(context.terminal, found, columns, 'There are no matching jobs.');
    return 0;
  },
});

const columns: Columns<Job> = {
  ID: 'id',
  KIND: 'kind',
  OWNER: 'owner',
  STATE: 'state',
  DONE: percent,
  CREATED: ({ created }) => created.toISOString(),
  // That of the last attempt, even if the job will be retried.
  REASON: ({ state, error = '' }) => (state === 'done' ? '' : error),
};

const show: CoreCommand = {
  name: 'job show',
  summary: 'show one job',
  arguments: [{ name: 'id', description: "the job's id", required: true }],
  async run(context, { arguments: [id = ''] }) {
    const job = await withJobs(context, (repository) => repository.find(id));
    if (!job) throw new Fault('not-found', `There is no job "${id}"`);
    context.terminal.data(publicJob(job));
    const crashes = job.crashes === 0 ? '' : `, of which ${job.crashes} ended with their process`;
    context.terminal.print(
      `${job.kind} for ${job.owner}: ${job.state}, ${percent(job)}, attempt ${job.attempts}${crashes}`,
    );
    if (job.error !== undefined) context.terminal.print(job.error);
    return 0;
  },
};

const cancel: CoreCommand = {
  name: 'job cancel',
  summary: 'cancel a job that is queued or running',
  arguments: [{ name: 'id', description: "the job's id", required: true }],
  async run(context, { arguments: [id = ''] }) {
    const done = await withJobs(context, (repository) => repository.cancel(id, context.now()));
    if (!done) throw new Fault('not-found', `There is no job "${id}" that is queued or running`);
    context.terminal.data({ id, cancelRequested: true });
    context.terminal.print(`Job ${id} is cancelled; if it is running, its worker stops within moments.`);
    return 0;
  },
};

export const jobCommands: readonly CoreCommand[] = [listJobs, show, cancel];

/** Omits payloads and results: they may contain private data. */
function publicJob({ payload: _, result: __, ...job }: Job): Omit<Job, 'payload' | 'result'> {
  return job;
}

function percent(job: Job): string {
  return `${Math.round(job.progress * 100)} %`;
}

async function withJobs<Result>(
  context: CoreContext,
  work: (repository: JobRepository) => Promise<Result>,
): Promise<Result> {
  const configuration = await configureCore(context.configuration);
  return withSession(context, configuration, async (session) => work((await session.storage()).repository(jobs)));
}
