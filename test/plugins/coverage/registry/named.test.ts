/** Endpoints that get the id of a registered sample instead of a path: the same numbers, and what the registration knows. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { mergeD4 } from '../../../../plugins/coverage/d4/index.js';
import { blockFolder } from '../../../support/folder.js';
import { type Coverage, get, post, postForm, serveCoverage } from '../support/serve.js';
import { person } from './support.js';

const day = new Date(0);

// biome-ignore lint/suspicious/noExplicitAny: responses of many shapes, compared by their fields
type Body = any;

describe('endpoints on registered samples', () => {
  const folder = blockFolder();
  let server: Coverage;

  before(async () => {
    const path = (name: string) => join(folder, name);
    person(path('f.d4'), 'female');
    person(path('m.d4'), 'male');
    await mergeD4(path('both.d4'), [
      { path: path('f.d4'), name: 'female' },
      { path: path('m.d4'), name: 'male' },
    ]);
    server = await serveCoverage({ settings: { roots: [folder] } });
    const common = { build: 'GRCh38', labels: {} } as const;
    await server.samples.register(
      [
        { ...common, id: 'F', sex: 'female', file: { path: 'f.d4' } },
        { ...common, id: 'M', sex: 'female', file: { path: 'both.d4', track: 'male' } },
      ],
      day,
    );
  });
  after(async () => {
    await server?.close();
  });

  const whole = { chromosome: '1', start: 999_990, end: 1_000_010, completeness_thresholds: [10] };

  it('return what a path returns', async () => {
    const url = `${server.url}/coverage/d4/interval/`;
    const byPath = await post<Body>(url, { coverage_file_path: 'f.d4', build: 'GRCh38', ...whole });
    // 10 of 20 bases have 12x.
    expect([byPath.body.mean_coverage, byPath.body.completeness]).to.deep.equal([6, { 10: 0.5 }]);
    const byId = await post<Body>(url, { sample_id: 'F', ...whole });
    expect([byId.status, byId.body]).to.deep.equal([200, byPath.body]);

    const bed = Buffer.from('chr1\t999990\t1000010\n');
    const file = `${server.url}/coverage/d4/interval_file/`;
    const lines = await postForm<Body>(file, { sample_id: 'F', completeness_thresholds: '[10]', bed });
    expect([lines.status, lines.body[0]?.mean_coverage]).to.deep.equal([200, 6]);

    const sex = await get<Body>(`${server.url}/coverage/samples/predicted_sex`, { sample_id: 'F' });
    expect(sex.body).to.include({
      predicted_sex: 'female',
      declared_sex: 'female',
      sex_mismatch: false,
      build: 'GRCh38',
    });
  });

  it('read the registered track, and compare the declared sex', async () => {
    const sex = await get<Body>(`${server.url}/coverage/samples/predicted_sex`, { sample_id: 'M' });
    expect(sex.body).to.include({ predicted_sex: 'male', sex_mismatch: true });
    expect(sex.body.warnings).to.deep.equal([]);
    const samples = [
      { sample_id: 'M' },
      { sample_id: 'F', name: 'other name' },
      { name: 'p', coverage_file_path: 'm.d4' },
    ];
    const parts = { samples: JSON.stringify(samples), build: 'GRCh38', coverage_threshold: '10' };
    const bed = Buffer.from('chr1\t999990\t1000010\n');
    const reply = await postForm<Body>(`${server.url}/coverage/d4/genes/summary`, {
      ...parts,
      interval_type: 'custom_intervals',
      bed,
    });
    expect(Object.keys(reply.body)).to.deep.equal(['M', 'other name', 'p']);
    expect(reply.body.M.warnings).to.deep.equal([
      {
        code: 'sex-mismatch',
        message:
          'Declared female, predicted male. Possible causes are swapped samples, a wrong declaration, or an aneuploidy of X or Y.',
      },
    ]);
    for (const one of Object.values<Body>(reply.body)) expect(one.mean_coverage).to.equal(6);
  });

  it('refuse an id that is not registered, and prefer a path', async () => {
    const url = `${server.url}/coverage/d4/interval/`;
    const unknown = await post<Body>(url, { sample_id: 'nobody', ...whole });
    expect([unknown.status, unknown.body.detail]).to.deep.equal([
      422,
      [{ type: 'value_error', loc: ['body', 'sample_id'], msg: 'is not registered' }],
    ]);
    expect((await post<Body>(url, { sample_id: 7, ...whole })).status).to.equal(422);
    const listed = await post<Body>(`${server.url}/coverage/d4/genes/summary`, {
      samples: [{ sample_id: 'F' }, { sample_id: 'nobody' }],
    });
    expect(listed.body.detail[0].loc).to.deep.equal(['body', 'samples', 1, 'sample_id']);
    // As before there were ids, when further fields were ignored.
    const both = await post<Body>(url, { sample_id: 'nobody', coverage_file_path: 'f.d4', ...whole });
    expect([both.status, both.body.mean_coverage]).to.deep.equal([200, 6]);
    const neither = await post<Body>(url, whole);
    expect(neither.body.detail[0]).to.deep.equal({
      type: 'missing',
      loc: ['body', 'coverage_file_path'],
      msg: 'Field required',
    });
  });

  it('warn of a file that is not the checked one, and have it checked again', async () => {
    server.startJobs();
    const stateOf = async (id: string) => (await server.samples.find([id]))[0]?.state;
    const until = async (state: string) => {
      while ((await stateOf('F')) !== state) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const [sample] = await server.samples.find(['F']);
    const { body } = await post<Body>(`${server.url}/coverage/d4/interval/`, { sample_id: 'F', ...whole });
    expect(body.warnings).to.deep.equal([]);
    await server.samples.record('F', sample?.revision ?? '', {
      state: 'ready',
      runs: [],
      check: {
        ...{ at: day, fingerprint: 'another file', build: 'GRCh38', sex: 'female', warnings: [], thresholds: [10] },
        ...{ depths: { x: 1, y: 0, autosomes: 1 }, covered: [0], bytes: 0 },
      },
    });
    const changed = await post<Body>(`${server.url}/coverage/d4/interval/`, { sample_id: 'F', ...whole });
    expect(changed.body.warnings.map(({ code }: { code: string }) => code)).to.deep.equal(['changed-file']);
    await until('ready');
    const again = await post<Body>(`${server.url}/coverage/d4/interval/`, { sample_id: 'F', ...whole });
    expect(again.body.warnings).to.deep.equal([]);
    await rename(join(folder, 'f.d4'), join(folder, 'moved.d4'));
    expect((await post<Body>(`${server.url}/coverage/d4/interval/`, { sample_id: 'F', ...whole })).status).to.equal(
      404,
    );
  });
});
