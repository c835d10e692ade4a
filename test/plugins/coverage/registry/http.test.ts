/** Registered samples over HTTP: what is stated, what the check of the file finds, and what is stored. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { jobs } from '../../../../core/jobs/contract.js';
import { mergeD4 } from '../../../../plugins/coverage/d4/index.js';
import { blockFolder } from '../../../support/folder.js';
import { outcome } from '../../../support/http.js';
import { type Coverage, serveCoverage } from '../support/serve.js';
import { coveredAt10, coveredAt20, person, runsOfBlock } from './support.js';

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes, compared by their fields
  body: any;
}

const registry = '/coverage/registry/samples';

describe('registered samples over HTTP', () => {
  const folder = blockFolder();
  const path = (name: string) => join(folder, name);
  let server: Coverage;
  let write: string;
  let read: string;

  before(async () => {
    person(path('female.d4'), 'female');
    person(path('male.d4'), 'male');
    person(path('other-build.d4'), 'female', { build: 'GRCh37' });
    const settings = { roots: [folder], samples: { thresholds: [20, 10] } };
    server = await serveCoverage({ settings, withBeacon: true });
    server.startJobs();
    write = await server.token('coverage:register');
    read = await server.token('coverage:read');
  });
  after(async () => {
    await server?.close();
  });

  const send = (method: string, place: string, token?: string, json?: unknown) =>
    outcome<Reply['body']>(server.url + place, { method, token: token || undefined, json });

  const placeOf = (id: string) => `${registry}/${encodeURIComponent(id)}`;
  const get = (id: string) => send('GET', placeOf(id), read);

  /** Waits for the job. */
  async function ended({ body }: Reply): Promise<Record<string, unknown>> {
    for (;;) {
      const { body: job } = await send('GET', body.job.href, write);
      if (['done', 'failed'].includes(job.state)) return job;
      await sleep(20);
    }
  }

  async function register(id: string, stated: Record<string, unknown>): Promise<Reply> {
    const reply = await send('PUT', placeOf(id), write, { build: 'GRCh38', ...stated });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(202);
    await ended(reply);
    return reply;
  }

  it('need a token with the right scope', async () => {
    const load = await server.token('coverage:load');
    for (const [method, place, wrong] of [
      ['GET', registry, write],
      ['GET', placeOf('a'), write],
      ['PUT', placeOf('a'), read],
      ['DELETE', placeOf('a'), read],
    ] as const) {
      const body = method === 'PUT' ? { coverage_file_path: 'female.d4', build: 'GRCh38' } : undefined;
      expect((await send(method, place, undefined, body)).status, `${method} without a token`).to.equal(401);
      for (const token of [wrong, load]) {
        expect((await send(method, place, token, body)).status, `${method} with another scope`).to.equal(403);
      }
    }
    expect((await send('GET', registry, read)).body).to.deep.equal({ samples: [], next: null });
  });

  it('are checked, and keep the bases that they cover', async () => {
    const id = 'NA 12878/1 å';
    const labels = { assay: 'WES', kit: 'Twist 2', mapq: '20' };
    const stated = {
      coverage_file_path: 'female.d4',
      case_id: 'F1',
      sex: 'female',
      analysis_date: '2026-04-23',
      labels,
    };
    const put = await register(id, stated);
    expect(put.body.outcome).to.equal('added');
    const { body, status } = await get(id);
    expect(status).to.equal(200);
    const { registered, updated, check, ...rest } = body;
    expect(registered).to.equal(updated);
    expect(rest).to.deep.equal({
      id,
      state: 'ready',
      build: 'GRCh38',
      ...stated,
      facts: { case_id: 'F1', sex: 'female', labels, datasets: [] },
      warnings: [],
    });
    expect(check.covered).to.deep.equal({ 10: coveredAt10, 20: coveredAt20 });
    expect(check.predicted_sex).to.equal('female');
    expect(check.fingerprint).to.match(/^[0-9a-f]{16}$/);

    const blocks = await server.samples.runs(id);
    expect(check.stored_bytes).to.equal(blocks.reduce((sum, { content }) => sum + content.length, 0));
    const runs = blocks.flatMap((block) =>
      [...runsOfBlock(block, 2)].map(
        ({ start, end, depthClass }) => [block.chromosome, start, end, depthClass] as const,
      ),
    );
    // Runs are cut where windows of 2 Mi bases end; joined, they are those of the file.
    const joined: [string, number, number, number][] = [];
    for (const [chromosome, start, end, depthClass] of runs) {
      const last = joined.at(-1);
      if (last?.[0] === chromosome && last[2] === start && last[3] === depthClass) last[2] = end;
      else joined.push([chromosome, start, end, depthClass]);
    }
    expect(joined.filter(([, , , depthClass]) => depthClass > 0)).to.deep.equal([
      ['1', 1_000_000, 2_000_000, 1],
      ['1', 3_000_000, 3_005_000, 2],
      ['X', 20_000_000, 70_000_000, 1],
    ]);
    // Every chromosome of the build from its first to its last base, those that the file lacks included.
    const bases = runs.reduce((sum, [, start, end]) => sum + end - start, 0);
    expect(bases).to.equal(3_088_269_832 + 16_569);
    expect((await register(id, stated)).body.outcome).to.equal('unchanged');
    expect((await get(id)).body).to.deep.equal(body);
  });

  it('whose predicted sex contradicts the declared one are of unknown sex, with a warning', async () => {
    await register('swapped', { coverage_file_path: 'male.d4', sex: 'female' });
    const { body } = await get('swapped');
    expect(body.check.predicted_sex).to.equal('male');
    expect(body.facts.sex).to.equal('unknown');
    expect(body.warnings).to.deep.equal([
      { code: 'sex-mismatch', message: 'Declared female, predicted male. The sex counts as unknown.' },
    ]);
    await register('undeclared', { coverage_file_path: 'male.d4' });
    expect((await get('undeclared')).body.facts.sex).to.equal('male');
  });

  it('whose file is of another build or no D4 file are failing, with the reason', async () => {
    await register('build', { coverage_file_path: 'other-build.d4' });
    const { body } = await get('build');
    expect(body.state).to.equal('failing');
    expect(body.reason).to.match(/^The coverage file belongs to GRCh37, not to GRCh38: /);
    expect(body).not.to.have.property('check');
    expect(await server.samples.runs('build')).to.deep.equal([]);
    await writeFile(path('text.d4'), 'chr1\t0\t100\t30\n');
    await register('text', { coverage_file_path: 'text.d4' });
    expect((await get('text')).body.reason).to.match(/^The coverage file is not a valid D4 file: /);
    await register('build', { coverage_file_path: 'other-build.d4', build: 'GRCh37' });
    expect((await get('build')).body)
      .to.include({ state: 'ready', build: 'GRCh37' })
      .and.not.have.property('reason');
  });

  it('may name a track of their file', async () => {
    await mergeD4(path('tracks.d4'), [
      { path: path('female.d4'), name: 'first' },
      { path: path('male.d4'), name: 'second' },
    ]);
    await register('first', { coverage_file_path: 'tracks.d4' });
    await register('second', { coverage_file_path: 'tracks.d4', track: 'second' });
    await register('third', { coverage_file_path: 'tracks.d4', track: 'third' });
    const [first, second, third] = [await get('first'), await get('second'), await get('third')];
    expect(first.body.check.predicted_sex).to.equal('female');
    expect(first.body.warnings.map(({ code }: { code: string }) => code)).to.deep.equal(['several-tracks']);
    expect(second.body.check.predicted_sex).to.equal('male');
    expect(second.body.warnings).to.deep.equal([]);
    expect(third.body.reason).to.equal('The coverage file has no track "third"; it has: "first", "second"');
  });

  it('whose file is replaced are checked again, and keep the last check while it is gone', async () => {
    person(path('moving.d4'), 'female');
    const stated = { coverage_file_path: 'moving.d4' };
    await register('moving', stated);
    const before = (await get('moving')).body.check;
    person(path('new.d4'), 'female', { depth: 9 });
    await rename(path('new.d4'), path('moving.d4'));
    await register('moving', stated);
    const { body } = await get('moving');
    expect(body.state).to.equal('ready');
    expect(body.check.covered['10']).to.equal(coveredAt10 - 1_000_000);
    expect(body.check.fingerprint).not.to.equal(before.fingerprint);
    await rm(path('moving.d4'));
    expect((await send('PUT', placeOf('moving'), write, { build: 'GRCh38', ...stated })).status).to.equal(404);
    const blocks = await server.samples.runs('moving');
    const [sample] = await server.samples.find(['moving']);
    await server.samples.record('moving', sample?.revision ?? '', { state: 'changed' });
    expect(await server.samples.runs('moving')).to.deep.equal(blocks);
    const deleted = await send('DELETE', placeOf('moving'), write);
    expect(deleted).to.deep.equal({ status: 200, body: { detail: 'The sample was removed' } });
    expect(await server.samples.runs('moving')).to.deep.equal([]);
    expect((await send('DELETE', placeOf('moving'), write)).status).to.equal(404);
    expect((await get('moving')).status).to.equal(404);
  });

  it('are refused with every invalid field, and then nothing is registered', async () => {
    const stated = {
      coverage_file_path: '',
      build: 'hg19',
      case_id: 'F\uFFFD',
      sex: 'm',
      analysis_date: '2026-02-30',
      labels: { assay: 1, x: 'y' },
      y: 1,
    };
    const { status, body } = await send('PUT', placeOf('bad'), write, stated);
    expect(status).to.equal(422);
    const fields = body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'));
    for (const field of ['coverage_file_path', 'build', 'case_id', 'sex', 'analysis_date', 'labels.assay']) {
      expect(fields).to.include(`body.${field}`);
    }
    const outside = { coverage_file_path: '/etc/passwd', build: 'GRCh38' };
    expect((await send('PUT', placeOf('bad'), write, outside)).status).to.equal(404);
    const long = await send('PUT', placeOf('x'.repeat(201)), write, {
      coverage_file_path: 'female.d4',
      build: 'GRCh38',
    });
    expect(long.status).to.equal(422);
    expect(long.body.detail[0].loc).to.deep.equal(['path', 'id']);
    expect((await get('bad')).status).to.equal(404);
  });

  it('are listed page by page and by state', async () => {
    const all: string[] = [];
    let after = '';
    for (let pages = 0; pages < 20; pages++) {
      const query = new URLSearchParams({ limit: '2', ...(after && { after }) });
      const { body } = await send('GET', `${registry}?${query}`, read);
      expect(body.samples.length).to.be.within(1, 2);
      all.push(...body.samples.map(({ id }: { id: string }) => id));
      if (body.next === null) break;
      after = body.next;
    }
    const expected = (await server.samples.list({ limit: 100 })).map(({ id }) => id);
    expect(all).to.deep.equal(expected);
    const failing = await send('GET', `${registry}?state=failing`, read);
    expect(failing.body.samples.map(({ id }: { id: string }) => id)).to.deep.equal(['text', 'third']);
    expect((await send('GET', `${registry}?state=lost`, read)).status).to.equal(422);
    expect((await send('GET', `${registry}?limit=0`, read)).status).to.equal(422);
  });

  it('that an interrupted command left unchecked are checked later, and the others once their file changed', async () => {
    const queue = server.storage.repository(jobs);
    const recheck = async (all: boolean) => {
      const id = randomUUID();
      const [created, runAfter] = [new Date(0), new Date(0)];
      await queue.enqueue({ id, kind: 'coverage.check-samples', payload: { all }, owner: 'server', created, runAfter });
      for (;;) {
        const job = await queue.find(id);
        if (job?.state === 'done') return job.result;
        expect(job?.state).to.be.oneOf(['queued', 'running']);
        await sleep(20);
      }
    };
    const others = (await server.samples.list({ limit: 100 })).map(({ id }) => id);
    await server.samples.remove(others);
    person(path('late.d4'), 'female');
    const stated = { build: 'GRCh38', sex: 'unknown', labels: {} } as const;
    await server.samples.register(
      [
        { ...stated, id: 'late', file: { path: 'late.d4' } },
        { ...stated, id: 'lost', file: { path: 'lost.d4' } },
      ],
      new Date(),
    );
    expect(await recheck(false)).to.deep.equal({ ready: 1, failing: 1 });
    expect(await recheck(false)).to.deep.equal({});
    person(path('late.d4'), 'female', { depth: 9 });
    person(path('lost.d4'), 'male');
    expect(await recheck(true)).to.deep.equal({ ready: 2 });
    expect((await get('late')).body.check.covered['10']).to.equal(coveredAt10 - 1_000_000);
  });

  it('leave no id, path or case in the log', () => {
    for (const word of ['NA 12878', 'NA%2012878', 'F1"', 'moving.d4', 'swapped'])
      expect(server.log()).not.to.include(word);
  });
});
