/** Covered samples over HTTP: which are unknown and why, what is refused, and who may ask. */
import { expect } from 'chai';
import { outcome } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';
import { checkOf, type Person, type Stretch, store } from './support.js';

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses of several shapes, compared by their fields
  body: any;
}

const path = '/coverage/registry/callability';
const depths = (start: number, ...list: number[]): Stretch[] => [{ chromosome: 'MT', start, depths: list }];
const mt = (start: number, end = start + 1) => ({ chromosome: 'MT', intervals: [{ start, end }] });

describe('covered samples over HTTP', () => {
  const server = useOnce(() => serveCoverage());
  let token: string;
  before(async () => {
    token = await server.token('coverage:read');
    await store(server.samples, [
      { id: 'a', stretches: depths(100, 9, 10, 30), sex: 'female', predicted: 'male' },
      { id: 'b', stretches: depths(100, 30, 30, 30), predicted: 'male' },
      { id: 'at20', stretches: depths(100, 30, 15, 30), thresholds: [5, 10, 20], sex: 'male', predicted: 'male' },
      { id: 'old build', build: 'GRCh37', stretches: depths(100, 30) },
      { id: 'other threshold', stretches: depths(100, 30), thresholds: [15] },
      { id: 'changed', stretches: depths(100, 30) },
      { id: 'failing', stretches: depths(100, 30) },
    ]);
    const found = await server.samples.find(['changed', 'failing']);
    await server.samples.record('changed', found[0]?.revision ?? '', { state: 'changed' });
    await server.samples.record('failing', found[1]?.revision ?? '', { state: 'failing', reason: 'gone' });
    const pending = { id: 'pending', build: 'GRCh38', sex: 'unknown', file: { path: 'p.d4' }, labels: {} } as const;
    await server.samples.register([pending], new Date(0));
  });

  const ask = (json: unknown, key = token, to = path) =>
    outcome<Reply['body']>(server.url + to, { json, token: key || undefined });
  const question = { build: 'GRCh38', threshold: 10, groups: [['a', 'b']], places: [mt(100)] };

  it('are counted by group, and named if they are not covered', async () => {
    const places = [
      { ...mt(100), named: ['b', 'a'] },
      { ...mt(101, 103), named: ['a', 'b'] },
      { chromosome: 'MT', intervals: [{ start: 99, end: 101 }, mt(102).intervals[0]], named: ['b'] },
      { chromosome: 'MT', intervals: [mt(100).intervals[0], mt(102).intervals[0]], named: ['b', 'a'] },
    ];
    const { status, body } = await ask({ ...question, groups: [['a'], [], ['b', 'at20']], places });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      unknown: [],
      places: [
        { covered: [0, 0, 2], below: ['a'] },
        { covered: [1, 0, 2], below: [] },
        { covered: [0, 0, 0], below: ['b'] },
        { covered: [0, 0, 2], below: ['a'] },
      ],
    });
    const at20 = await ask({ ...question, threshold: 20, groups: [['at20']], places: [mt(100), mt(101), mt(102)] });
    expect(at20.body.places.map(({ covered }: { covered: number[] }) => covered)).to.deep.equal([[1], [0], [1]]);
  });

  it('leave out samples of which it is unknown, with the reason', async () => {
    const groups = [
      ['a', 'changed', 'nobody'],
      ['old build', 'other threshold'],
      ['failing', 'pending', 'b'],
    ];
    const named = ['nobody', 'a', 'pending', 'changed'];
    const { body } = await ask({ ...question, groups, places: [{ ...mt(100), named }, mt(102)] });
    expect(body).to.deep.equal({
      unknown: [
        { sample: 'changed', reason: 'unusable' },
        { sample: 'nobody', reason: 'unregistered' },
        { sample: 'old build', reason: 'other-build' },
        { sample: 'other threshold', reason: 'other-threshold' },
        { sample: 'failing', reason: 'unusable' },
        { sample: 'pending', reason: 'unchecked' },
      ],
      places: [
        { covered: [0, 0, 1], below: ['a'] },
        { covered: [1, 0, 1], below: [] },
      ],
    });
    const old = await ask({ ...question, build: 'GRCh37', groups: [['old build', 'a']] });
    expect(old.body).to.deep.equal({
      unknown: [{ sample: 'a', reason: 'other-build' }],
      places: [{ covered: [1], below: [] }],
    });
  });

  it('are those of now: removed and checked again', async () => {
    const person: Person = { id: 'comes and goes', stretches: depths(100, 30) };
    const now = async () => (await ask({ ...question, groups: [[person.id, 'b']] })).body;
    await store(server.samples, [person]);
    expect((await now()).places[0].covered).to.deep.equal([2]);
    const [before] = await server.samples.find([person.id]);
    const again = checkOf({ ...person, stretches: depths(100, 1), thresholds: [1, 10] });
    await server.samples.record(person.id, before?.revision ?? '', again);
    expect((await now()).places[0].covered, 'another file and other thresholds').to.deep.equal([1]);
    await server.samples.remove([person.id]);
    expect(await now()).to.deep.equal({
      unknown: [{ sample: person.id, reason: 'unregistered' }],
      places: [{ covered: [1], below: [] }],
    });
  });

  it('have the sex that is declared, else the one that the file shows', async () => {
    const { body } = await ask({ samples: ['b', 'a', 'nobody', 'at20'] }, token, '/coverage/registry/sexes');
    expect(body).to.deep.equal({ sexes: ['male', 'contradicted', 'unknown', 'male'] });
  });

  it('are refused with what is wrong', async () => {
    const refused: [unknown, number, string][] = [
      ['{', 400, 'JSON'],
      [{ ...question, build: 'GRCh36' }, 422, 'GRCh37'],
      [{ ...question, threshold: 0 }, 422, 'must be at least 1'],
      [{ ...question, groups: undefined }, 422, 'Field required'],
      [{ ...question, places: [{ chromosome: 'chr1', intervals: [{ start: 1, end: 2 }] }] }, 422, 'chromosome'],
      [{ ...question, places: [{ chromosome: '1', intervals: [] }] }, 422, 'intervals'],
      [{ ...question, places: [{ chromosome: '1', intervals: [{ start: -1, end: 2 }] }] }, 422, 'start'],
      [{ ...question, places: [mt(5, 5)] }, 400, 'places.0.intervals must ascend'],
      [
        {
          ...question,
          places: [
            mt(1),
            {
              chromosome: 'MT',
              intervals: [
                { start: 5, end: 6 },
                { start: 4, end: 9 },
              ],
            },
          ],
        },
        400,
        'places.1.intervals must ascend',
      ],
      [{ ...question, groups: [['a'], ['b', 'a']] }, 400, 'named twice in the groups, the second time in groups.1'],
      [{ ...question, places: [{ ...mt(1), named: ['c'] }] }, 400, 'places.0.named has a sample that is in no group'],
      [{ ...question, places: Array.from({ length: 10_001 }, () => mt(1)) }, 422, '10000'],
      [{ ...question, groups: [Array.from({ length: 100_001 }, (_, i) => `${i}`)] }, 400, 'more than 100000 samples'],
    ];
    for (const [body, status, words] of refused) {
      const reply = await ask(body);
      expect(reply.status, `${words}: ${JSON.stringify(reply.body)}`).to.equal(status);
      expect(JSON.stringify(reply.body)).to.contain(words);
    }
    expect((await ask('x'.repeat(17 * 2 ** 20))).status).to.equal(413);
  });

  it('are told to holders of a token with coverage:read only', async () => {
    const other = await server.token('coverage:register');
    for (const to of [path, '/coverage/registry/sexes']) {
      expect((await ask(question, '', to)).status).to.equal(401);
      expect((await ask(question, other, to)).status).to.equal(403);
    }
  });
});
