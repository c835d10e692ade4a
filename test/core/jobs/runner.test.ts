import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import memory from '../../../adapters/memory/adapter.js';
import { type JobSettings, jobSettings } from '../../../core/config/settings.js';
import { createWork, type RunningWork } from '../../../core/http/exchange.js';
import { type Job, type JobRepository, type JobState, jobs } from '../../../core/jobs/contract.js';
import { type JobRunner, jobRunner, loggedReason, retryTime } from '../../../core/jobs/runner.js';
import { type Handlers, jobService } from '../../../core/jobs/service.js';
import { logTo } from '../../../core/log.js';
import { Fault, type JobControl, type Json } from '../../../core/plugin.js';
import type { Storage } from '../../../core/storage.js';

describe('jobs: the runner', () => {
  let storage: Storage;
  let repository: JobRepository;
  let handlers: Handlers;
  let runner: JobRunner | undefined;
  let written: string[];
  let requests: RunningWork;
  const log = logTo({ write: (line) => void written.push(line) }, { level: 'debug' });
  const now = () => new Date();
  const wake = () => runner?.wake();

  beforeEach(async () => {
    written = [];
    requests = createWork();
    const request = { settings: {}, contracts: [jobs], bindings: new Map<string, never>(), log };
    storage = await memory.open(request);
    repository = storage.repository(jobs);
    handlers = new Map();
    runner = undefined;
  });
  afterEach(async () => {
    await runner?.stop();
    await storage.close();
  });

  const service = () => jobService({ repository: () => repository, storage, handlers, now, wake });

  /** Registers a handler for `test.work` and starts a runner that looks for jobs only when woken. */
  function work(run: (payload: { n: number }, control: JobControl) => Promise<Json>, attempts = 3): void {
    const payload = z.strictObject({ n: z.number() });
    service().for('test', log).handle('test.work', { payload, attempts, run });
  }
  function startRunner(settings: Partial<JobSettings> = {}, on: JobRepository = repository): void {
    const fast = { pollSeconds: 3600, retrySeconds: 0.001, renewSeconds: 0.02, leaseSeconds: 60, stopSeconds: 5 };
    const all = { ...jobSettings.parse({}), ...fast, ...settings };
    runner = jobRunner({ repository: on, handlers, settings: all, now, quiet: requests.idle, log });
    runner.start();
  }
  const enqueue = (n = 1): Promise<Job> => service().for('test', log).enqueue('test.work', { n }, { owner: 'lab' });

  /** Polls until the job is as wanted; mocha's own limit ends the wait. */
  async function until(id: string, wanted: (job: Job) => boolean): Promise<Job> {
    for (;;) {
      const job = await repository.find(id);
      if (job && wanted(job)) return job;
      runner?.wake();
      await sleep(5);
    }
  }
  const inState = (id: string, state: JobState) => until(id, (job) => job.state === state);

  it('runs a job queued in its own process at once, and keeps its result', async () => {
    work(async ({ n }, { owner }) => ({ twice: n * 2, owner }));
    startRunner();
    const { id } = await enqueue(21);
    // There is no explicit wake from here on: queueing must wake the runner.
    let job = await repository.find(id);
    while (job?.state !== 'done') {
      await sleep(5);
      job = await repository.find(id);
    }
    expect(job).to.deep.include({ state: 'done', result: { twice: 42, owner: 'lab' }, progress: 1, attempts: 1 });
  });

  it('lets requests go first while a handler yields, and continues once they are served', async () => {
    const steps: string[] = [];
    let answer = () => {};
    requests.add(
      new Promise<void>((resolve) => {
        answer = resolve;
      }).then(() => steps.push('answered')),
    );
    work(async (_, { giveWay }) => {
      steps.push('begun');
      await giveWay();
      steps.push('worked');
      return null;
    });
    startRunner();
    const { id } = await enqueue();
    while (steps.length === 0) await sleep(5);
    await sleep(50);
    expect(steps).to.eql(['begun']);
    answer();
    await until(id, ({ state }) => state === 'done');
    expect(steps).to.eql(['begun', 'answered', 'worked']);
  });

  it('yields for a limited time: jobs proceed even under constant requests', async () => {
    requests.add(new Promise(() => {}));
    await requests.idle(10);
    expect(requests.busy()).to.equal(true);
  });

  it('refuses invalid payloads, kinds without a handler and foreign kinds', async () => {
    work(async () => null);
    const queue = service().for('test', log);
    const thrown = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await thrown(queue.enqueue('test.work', { n: 'x' }, { owner: 'lab' }))).to.deep.include({ code: 'invalid' });
    expect(await thrown(queue.enqueue('test.other', {}, { owner: 'lab' }))).to.deep.include({ code: 'internal' });
    const foreign = { payload: z.any(), run: async () => null };
    expect(() => queue.handle('other.work', foreign)).to.throw(/test\.verb/);
    expect(() => queue.handle('test.work', foreign)).to.throw(/already/);
    expect(await repository.list({ owner: 'lab', limit: 10 })).to.deep.equal([]);
  });

  it('retries after a failure, and hides the text of an unexpected error', async () => {
    let calls = 0;
    work(async () => {
      calls++;
      if (calls === 1) throw new Error('password=s3cret');
      if (calls === 2) throw new Fault('unavailable', 'The peer is away');
      return calls;
    });
    startRunner();
    const { id } = await enqueue();
    const job = await inState(id, 'done');
    expect(job).to.deep.include({ result: 3, attempts: 3 });
  });

  it('gives up after the attempts that the handler allows, with one sentence', async () => {
    work(async () => {
      throw new Error('password=s3cret\n  at stack');
    }, 2);
    startRunner();
    const job = await inState((await enqueue()).id, 'failed');
    expect(job).to.deep.include({
      attempts: 2,
      error: "An unexpected error ended the attempt; the server's log says more",
    });
    await runner?.stop();
    const logged = written.map((line) => JSON.parse(line));
    const levels = logged.filter(({ msg }) => msg.startsWith('job ')).map(({ level, msg }) => `${level} ${msg}`);
    expect(levels).to.include('warn job attempt failed and will be retried');
    expect(levels.at(-1)).to.equal('error job failed');
  });

  it('keeps a job while the storage or another server does not respond', async () => {
    let calls = 0;
    work(async () => {
      calls++;
      if (calls < 20) throw new Fault('unavailable', 'The database has no space left on its disk');
      return calls;
    }, 2);
    startRunner({ retryMaxSeconds: 0.001 });
    expect(await inState((await enqueue()).id, 'done')).to.deep.include({ result: 20, attempts: 20 });
  });

  it('gives up in the end if the other server never responds', async () => {
    work(async () => {
      throw new Fault('unavailable', 'The peer is away');
    }, 2);
    startRunner({ retryMaxSeconds: 0.001 });
    expect(await inState((await enqueue()).id, 'failed')).to.deep.include({ attempts: 100, error: 'The peer is away' });
  });

  it('logs why a job failed, without anything that may identify a patient', async () => {
    work(async () => {
      throw new Fault('unprocessable', `/srv/vcf/Anna Berg.vcf.gz, line 12: POS "12a" is no position`);
    });
    startRunner();
    const job = await inState((await enqueue()).id, 'failed');
    expect(job.error).to.equal('/srv/vcf/Anna Berg.vcf.gz, line 12: POS "12a" is no position');
    await runner?.stop();
    const lines = written.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job failed');
    expect(lines.map(({ level, job: id, kind, reason }) => ({ level, id, kind, reason }))).to.deep.equal([
      { level: 'error', id: job.id, kind: 'test.work', reason: '…, line 12: POS … is no position' },
    ]);
    expect(written.join('')).to.not.include('Anna');
  });

  for (const [reason, logged] of [
    ['The peer is away', 'The peer is away'],
    ["There is no dataset 'anna_berg' any more", 'There is no dataset … any more'],
    ["/data/anna.vcf: the VCF file doesn't contain any variant", "…: the VCF file doesn't contain any variant"],
    ['/data/a.bed, /data/b.bed: no region on chromosomes 1-22', '…: no region on chromosomes 1-22'],
    ['anna.vcf.gz: it cannot be read', '…: it cannot be read'],
    ['/data/a folder is a directory, not a file', '…'],
    [
      'The mail server did not take a mail (550 no such user anna@example.org)',
      'The mail server did not take a mail (550 no such user …',
    ],
    [
      'Given up after 5 attempts; the last one came to no end',
      'Given up after 5 attempts; the last one came to no end',
    ],
    ['not "closed', 'not …'],
  ] as const) {
    it(`logs as the reason of a job: ${logged}`, () => {
      expect(loggedReason(reason)).to.equal(logged);
    });
  }

  for (const code of ['invalid', 'unprocessable'] as const) {
    it(`does not retry what is ${code}`, async () => {
      work(async () => {
        throw new Fault(code, 'The file\nholds no VCF');
      });
      startRunner();
      const job = await inState((await enqueue()).id, 'failed');
      expect(job).to.deep.include({ attempts: 1, error: 'The file holds no VCF' });
    });
  }

  it('fails a job whose result is not JSON instead of losing it', async () => {
    work(async () => 1n as unknown as Json, 1);
    startRunner();
    expect((await inState((await enqueue()).id, 'failed')).error).to.match(/unexpected/);
  });

  it('stores progress while the handler runs, and never decreases it', async () => {
    let finish = () => {};
    work(async (_payload, { progress }) => {
      progress(0.5);
      progress(0.25);
      progress(Number.NaN);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return null;
    });
    startRunner();
    const { id } = await enqueue();
    const job = await until(id, ({ progress }) => progress > 0);
    expect(job).to.deep.include({ state: 'running', progress: 0.5 });
    finish();
    expect((await inState(id, 'done')).progress).to.equal(1);
  });

  it('signals a running handler that its job was cancelled', async () => {
    let reason: unknown;
    work(
      (_payload, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    );
    startRunner();
    const { id } = await enqueue();
    await inState(id, 'running');
    expect(await repository.cancel(id, now())).to.equal(true);
    await inState(id, 'cancelled');
    expect(reason).to.be.instanceOf(Fault).with.property('message', 'The job was cancelled');
  });

  it('cancels a job whose worker died before it saw the cancellation', async () => {
    let calls = 0;
    work(async () => calls++);
    const { id } = await enqueue();
    const past = new Date(Date.now() - 60_000);
    const later = new Date(Date.now() + 1000);
    const claim = { kinds: ['test.work'], worker: 'dead', now: later, leaseUntil: past };
    expect((await repository.claim(claim))?.id).to.equal(id);
    await repository.cancel(id, now());
    startRunner();
    await inState(id, 'cancelled');
    expect(calls).to.equal(0);
  });

  /** Claims the job for workers that are killed at once; the next claim takes it over from the last of them. */
  async function crash(id: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const claim = { kinds: ['test.work'], worker: `dead ${i}`, now: new Date(Date.now() + 1000) };
      expect((await repository.claim({ ...claim, leaseUntil: new Date(0) }))?.id).to.equal(id);
    }
  }

  it('does not count a killed process as a failure of the handler', async () => {
    let calls = 0;
    work(async () => {
      calls++;
      if (calls === 1) throw new Fault('unavailable', 'The peer is away');
      return 'done';
    }, 2);
    const { id } = await enqueue();
    await crash(id, 11);
    startRunner();
    // Eleven claims by processes that were killed, one failed attempt, one success.
    expect(await inState(id, 'done')).to.deep.include({ result: 'done', attempts: 13, crashes: 11 });
  });

  it('extends the lease of a job with the number of its killed processes', async () => {
    const minutes: number[] = [];
    for (const crashes of [2, 3, 4, 9]) {
      let lease: Date | undefined;
      work(async (_payload, { id }) => {
        lease = (await repository.find(id))?.leaseUntil;
        return null;
      });
      const { id } = await enqueue();
      await crash(id, crashes);
      const begun = Date.now();
      startRunner({ retrySeconds: 1800, retryMaxSeconds: 86_400 });
      await inState(id, 'done');
      await runner?.stop();
      handlers.clear();
      minutes.push(Math.round((Number(lease) - begun) / 60_000));
    }
    // A minute, which is the lease; from the third crash on half an hour, doubled by each further one.
    expect(minutes).to.deep.equal([1, 1 + 30, 1 + 60, 1 + 1440]);
  });

  it('gives up a job that kills every process, after many attempts', async () => {
    let calls = 0;
    work(async () => calls++, 2);
    const { id } = await enqueue();
    await crash(id, 26);
    startRunner();
    const job = await inState(id, 'failed');
    expect(job.error).to.equal('Given up: the process that ran it came to an end before the job did, 26 times');
    expect(calls).to.equal(0);
  });

  it('fails a job that cannot be read, and continues with the others', async () => {
    work(async ({ n }) => n);
    const [damaged, whole] = [await enqueue(1), await enqueue(2)];
    const broken: JobRepository = Object.create(repository, {
      claim: {
        value: async (...asked: Parameters<JobRepository['claim']>) => {
          const job = await repository.claim(...asked);
          return job?.id === damaged.id ? { ...job, payload: null, damaged: true } : job;
        },
      },
    });
    startRunner({}, broken);
    expect((await inState(damaged.id, 'failed')).error).to.equal('What is stored of this job cannot be read any more');
    expect((await inState(whole.id, 'done')).result).to.equal(2);
  });

  it('stops a handler whose lease went to another worker, and leaves the job to that one', async () => {
    let stopped = false;
    work(
      (_payload, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(signal.reason);
          });
        }),
    );
    // The other claims in a future in which our lease has expired; our own clock does not show that yet.
    startRunner({ renewSeconds: 0.05, leaseSeconds: 60 });
    const { id } = await enqueue();
    await inState(id, 'running');
    const future = new Date(Date.now() + 3_600_000);
    const claim = { kinds: ['test.work'], worker: 'other', now: future, leaseUntil: new Date(+future + 60_000) };
    expect((await repository.claim(claim))?.id).to.equal(id);
    while (!stopped) await sleep(5);
    await runner?.stop();
    expect(await repository.find(id)).to.deep.include({ state: 'running', worker: 'other', attempts: 2 });
  });

  it('releases leases when it stops, without counting the attempt', async () => {
    work(
      (_payload, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    startRunner();
    const { id } = await enqueue();
    await inState(id, 'running');
    await runner?.stop();
    expect(await repository.find(id)).to.deep.include({ state: 'queued', attempts: 0 });
  });

  it('releases the lease of a handler that does not stop', async () => {
    let finish = () => {};
    work(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(null);
        }),
    );
    startRunner({ stopSeconds: 0.05 });
    const { id } = await enqueue();
    await inState(id, 'running');
    await runner?.stop();
    expect(await repository.find(id)).to.deep.include({ state: 'queued' });
    finish();
    await sleep(5);
    expect(await repository.find(id)).to.deep.include({ state: 'queued' });
  });

  it('runs no more jobs at once than allowed', async () => {
    let active = 0;
    let most = 0;
    work(async () => {
      most = Math.max(most, ++active);
      do await sleep(5);
      while (most < 2); // the first waits for the second, whose claim may take longer
      active--;
      return null;
    });
    startRunner({ concurrency: 2 });
    const queued = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => enqueue(n)));
    for (const { id } of queued) await inState(id, 'done');
    expect(most).to.equal(2);
  });

  it('records the outcome once the storage is available again', async () => {
    let refusals = 2;
    const flaky: JobRepository = Object.create(repository, {
      finish: {
        value: (...given: Parameters<JobRepository['finish']>) => {
          if (refusals-- > 0) throw new Fault('unavailable', 'The storage does not answer');
          return repository.finish(...given);
        },
      },
    });
    work(async () => 'kept');
    startRunner({}, flaky);
    expect((await inState((await enqueue()).id, 'done')).result).to.equal('kept');
    expect(refusals).to.equal(-1);
  });

  it('queues inside a transaction only if the transaction commits', async () => {
    work(async () => 'ran');
    startRunner();
    const all = service();
    const queue = all.for('test', log);
    const kept = await all.transaction((scope) => queue.enqueue('test.work', { n: 1 }, { owner: 'kept', scope }));
    await inState(kept.id, 'done');
    const failed = all.transaction(async (scope) => {
      await queue.enqueue('test.work', { n: 1 }, { owner: 'dropped', scope });
      throw new Error('no');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('no');
    expect(await repository.list({ owner: 'dropped', limit: 10 })).to.deep.equal([]);
  });

  it('looks for jobs after a transaction that queued one, and after no other', async () => {
    work(async () => null);
    let looks = 0;
    const all = jobService({ repository: () => repository, storage, handlers, now, wake: () => void looks++ });
    const queue = all.for('test', log);
    const queued = (seen: () => void) =>
      all.transaction(async (scope) => {
        await queue.enqueue('test.work', { n: 1 }, { owner: 'lab', scope });
        seen();
      });
    await queued(() => expect(looks, 'before the commit').to.equal(0));
    expect(looks).to.equal(1);
    await all.transaction(async () => undefined);
    expect(looks).to.equal(1);
    await queued(() => {});
    expect(looks).to.equal(2);
  });

  it('deletes finished jobs after a while, and no others', async () => {
    work(async () => null);
    const old = new Date(Date.now() - 3 * 86_400_000);
    const job = (id: string) => ({ id, kind: 'test.gone', payload: null, owner: 'lab', created: old, runAfter: old });
    for (const id of ['finished', 'waiting']) await repository.enqueue(job(id));
    await repository.cancel('finished', old);
    startRunner({ keepDays: 2 });
    while (await repository.find('finished')) await sleep(5);
    expect(await repository.find('waiting')).to.deep.include({ state: 'queued' });
  });

  it('keeps payloads, results and errors out of the log', async () => {
    work(async ({ n }) => ({ patient: `P${n}` }));
    startRunner();
    await inState((await enqueue(777_777_777)).id, 'done');
    await runner?.stop();
    expect(written.join('')).to.include('job done').and.not.include('777777777');
  });
});

describe('jobs: waiting between attempts', () => {
  const settings = { ...jobSettings.parse({}), retrySeconds: 4, retryMaxSeconds: 60 };
  const start = new Date(0);
  const seconds = (attempts: number, random: number) =>
    retryTime(start, attempts, settings, () => random).getTime() / 1000;

  it('doubles up to a limit, half of it random', () => {
    // 4·2^(n−1) seconds, at most 60; between half of that and all of it.
    expect([1, 2, 3, 4, 5, 50].map((n) => seconds(n, 1))).to.deep.equal([4, 8, 16, 32, 60, 60]);
    expect([1, 2, 3, 4, 5, 50].map((n) => seconds(n, 0))).to.deep.equal([2, 4, 8, 16, 30, 30]);
  });
});
