/**
 * Counts in a dataset that another tenant shares: those of its released samples, counted one by one, and nothing else; a dataset
 * that is not shared, or too small, is as one that does not exist.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type BeaconRepository, beacon, type Sex } from '../../../plugins/beacon/contract.js';
import { Random } from '../../conformance/core.js';
import { dealt } from '../../support/dealt.js';
import { blockFolder } from '../../support/folder.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { checkOf } from '../coverage/callability/support.js';
import { serveCoverage } from '../coverage/support/serve.js';
import { allele, carriersOf, naive, type Person, sites, stretchesOf } from './support/denominators.js';
import { type Asking, add, send } from './support/observed.js';
import { dataset, type Json } from './support/serve.js';

const assembly = 'GRCh38';
const asked = sites(assembly);
const words = asked.map(
  ({ contig, start, reference, alternate }) => `${contig}-${start + 1}-${reference}-${alternate}`,
);
/** Samples of the shared dataset, oldest first: of every sex, two of them without coverage. */
const people = Array.from({ length: 34 }, (_, i): Person => {
  const name = `n${String(i).padStart(2, '0')}`;
  const stated = (['female', 'male', 'female', 'male', 'unknown'] as const)[i % 5] ?? 'unknown';
  return { name, coverageId: name, stated, registered: i % 17 === 3 ? undefined : stated, small: true };
});
const { carried } = carriersOf(asked, people, new Random(7));
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n));

/** The alleles of one person, added on a day. */
async function addPerson(repository: BeaconRepository, id: string, { name, coverageId, stated }: Person, at: Date) {
  const alleles = asked.flatMap((site, i) => {
    const copies = carried[i]?.get(name) ?? 0;
    return copies === 0 ? [] : [{ ...site, carriers: [[0, copies] as [number, number]] }];
  });
  const facts = { [name]: { coverageId, sex: stated, case: `family of ${name}` } };
  await add(repository, id, facts, alleles, at, { small: true, structural: false });
}

for (const engine of dealt(storages, 'sqlite')) {
  describe(`beacon: shared datasets (${engine.name})`, function () {
    this.timeout(60_000);
    const server = useOnce(async () => {
      const rule = { minimum: 20, batch: 5 };
      return serveCoverage({
        engine,
        withBeacon: true,
        isAudited: true,
        settings: { roots: [folder] },
        auth: {
          tenants: {
            cardio: { datasets: ['hearts'], roots: [join(folder, 'cardio')] },
            renal: {},
            neuro: {
              datasets: ['brains', 'few', 'kept', 'other-build'],
              roots: [join(folder, 'neuro')],
              shared: ['brains', 'few', 'other-build'].map((id) => ({
                dataset: id,
                with: ['cardio', 'renal'],
                ...rule,
              })),
            },
            remote: {},
          },
        },
      });
    });
    let repository: BeaconRepository;
    const folder = blockFolder();
    const tokens: Record<string, string> = {};

    before(async () => {
      repository = server.storage.repository(beacon);
      for (const id of ['hearts', 'brains', 'few', 'kept']) {
        await repository.addDataset(dataset(id, { assembly, access: 'CONTROLLED' }), day(0));
      }
      await repository.addDataset(dataset('other-build', { assembly: 'GRCh37', access: 'CONTROLLED' }), day(0));
      await add(
        repository,
        'hearts',
        { h1: { sex: 'female' } },
        [{ ...allele('1', 1000, 'A', 'C'), carriers: [[0, 1]] }],
        day(0),
      );
      for (const [i, person] of people.slice(0, 23).entries()) {
        await addPerson(repository, 'brains', person, day(i));
        if (i < 19) await addPerson(repository, 'few', person, day(i));
        await addPerson(repository, 'kept', person, day(i));
      }
      await register(people.filter(({ registered }) => registered !== undefined));
      const scopes = ['cardio', 'renal', 'neuro', 'remote'];
      for (const name of scopes) tokens[name] = await server.token(`beacon:shared:${name}`);
      tokens.member = await server.token('beacon:shared:cardio', 'beacon:observe:hearts', 'beacon:cases:hearts');
      tokens.unshared = await server.token('beacon:observe:hearts', 'coverage:report:cardio');
      tokens.owner = await server.token('beacon:observe:brains');
    });

    /** Registers the depths of people, as files in the directory of a tenant. */
    async function register(all: readonly Person[], tenant = 'neuro') {
      await server.samples.register(
        all.map(({ coverageId: id, registered }) => ({
          id,
          build: assembly,
          sex: registered === 'contradicted' ? 'unknown' : (registered ?? 'unknown'),
          file: { path: join(folder, tenant, `${id}.d4`) },
          labels: {},
        })),
        day(0),
      );
      for (const { coverageId } of all) {
        const stretches = stretchesOf(coverageId, asked);
        const [sample] = await server.samples.find([coverageId]);
        await server.samples.record(
          coverageId,
          sample?.revision ?? '',
          checkOf({ id: coverageId, build: assembly, stretches }),
        );
      }
    }

    const get = (path: string, asking: Asking = {}) => send(server, path, { token: tokens.member, ...asking });
    const batch = async (asking: Asking = {}, alleles = words) =>
      get('/observations/batch', { body: { assembly, alleles }, ...asking });

    /** What of `brains` a batch shows, by allele. */
    async function shown(asking: Asking = {}): Promise<(Json | undefined)[]> {
      const { status, body, text } = await batch(asking);
      expect(status, text).to.equal(200);
      return (body.observations as Json[][]).map((all) => all.find((one) => one.dataset === 'brains'));
    }

    /** Person by person. */
    function counted(released: readonly Person[], i: number) {
      const copies = new Map([...(carried[i] ?? [])].filter(([name]) => released.some((one) => one.name === name)));
      const { alleles, ...counts } = naive(asked[i] as (typeof asked)[number], assembly, released, copies, 10);
      if (counts.total < 20) return undefined;
      const frequency = alleles && alleles.alleleNumber > 0 && alleles.alleleCount / alleles.alleleNumber;
      return {
        cases: copies.size,
        carriers: copies.size,
        of: { cases: released.length, samples: released.length },
        denominator: { method: 'depth', ...counts, ...alleles, ...(frequency !== false && { frequency }) },
      };
    }

    async function mustShow(released: readonly Person[]) {
      const found = await shown();
      let rows = 0;
      for (const [i, one] of found.entries()) {
        const expected = counted(released, i);
        if (expected === undefined) {
          expect(one, words[i]).to.equal(undefined);
          continue;
        }
        const { upperBound, ...denominator } = (one?.denominator ?? {}) as Json;
        expect({ ...one, denominator }, words[i]).to.deep.include(expected);
        expect(upperBound !== undefined, words[i]).to.equal(expected.carriers === 0 && Number(denominator.covered) > 0);
        rows += 1;
      }
      expect(rows).to.be.above(10);
      // Fewer than 20 of the released samples have a Y.
      expect(found.filter((_, i) => asked[i]?.contig === 'Y').every((one) => one === undefined)).to.equal(true);
    }

    it('are counted in their released samples alone, whole batches of them, as counting one by one', async () => {
      await mustShow(people.slice(0, 20));
      // The twenty-fourth changes nothing, the twenty-fifth brings five.
      await addPerson(repository, 'brains', people[23] as Person, day(23));
      await mustShow(people.slice(0, 20));
      await addPerson(repository, 'brains', people[24] as Person, day(24));
      await mustShow(people.slice(0, 25));
      // With one of them its whole batch stops to count, whoever else is added.
      await repository.removeSamples('brains', ['n02'], day(30));
      await mustShow(people.slice(5, 25));
      await addPerson(repository, 'brains', people[2] as Person, day(31));
      for (const i of [25, 26, 27]) await addPerson(repository, 'brains', people[i] as Person, day(32));
      await mustShow(people.slice(5, 25));
      // It counts again as a new one, with four others.
      await addPerson(repository, 'brains', people[28] as Person, day(33));
      await mustShow([...people.slice(5, 29), people[2] as Person]);
    });

    it('are told one by one as in a batch, without dates, reasons, cases and names', async () => {
      const all = await shown();
      for (const [i, word] of words.entries()) {
        if (i % 4 > 0) continue;
        const { body, text } = await get(`/observations?assembly=${assembly}&allele=${word}`);
        const rows = body.observations as Json[];
        const found = rows.find((one) => one.dataset === 'brains');
        if (all[i] === undefined) {
          expect(found, word).to.equal(undefined);
          continue;
        }
        const { denominator, firstSeen, lastSeen, seenIn, homozygousIn, ...counts } = found as Json;
        const { denominator: brief, ...same } = all[i] as Json;
        expect(counts).to.deep.equal(same);
        expect(denominator).to.deep.include({ ...(brief as Json), unknownBecause: [] });
        expect([firstSeen, lastSeen, seenIn, homozygousIn]).to.deep.equal([null, null, undefined, undefined]);
        expect(text).to.not.match(/n\d\d"|family of/);
        expect(counts.shared).to.equal(true);
        // The caller's own dataset is as it was.
        expect(rows.find((one) => one.dataset === 'hearts'))
          .to.include.keys('seenIn')
          .and.not.include.keys('shared');
      }
    });

    it('are recorded with the reason, apart from what is the caller’s own', async () => {
      const before = (await server.audited()).length;
      await get(`/observations?assembly=${assembly}&allele=1-1000-A-C`);
      await batch({}, ['1-1000-A-C']);
      const entries = (await server.audited()).slice(before);
      const shown = entries.map(({ action, about, because }) => [action, [...about].sort(), because]);
      expect(shown).to.deep.equal([
        ['beacon.observe', ['case:h1', 'dataset:hearts'], 'API token'],
        ['beacon.observe', ['dataset:brains'], 'shared dataset brains'],
        ['beacon.observe', ['dataset:hearts'], 'API token'],
        ['beacon.observe', ['dataset:brains'], 'shared dataset brains'],
      ]);
    });

    it('are on the pages, with no more than that', async () => {
      const { text } = await get(`/observations?assembly=${assembly}&allele=1-1000-A-C`, {
        headers: { accept: 'text/html' },
      });
      expect(text)
        .to.include('Shared by another department')
        .and.include('brains')
        .and.not.match(/n\d\d\b|family of/);
      expect(text.match(/First seen/g)).to.have.lengthOf(1);
      expect(text.match(/Shared by another department/g)).to.have.lengthOf(1);
      const form = `/apiv1.0/query_form?assemblyId=${assembly}&referenceName=1&start=999&referenceBases=A&alternateBases=C`;
      const query = await get(form);
      expect(query.text).to.match(/of 25 cases|of 20 cases/);
    });

    it('are listed with the totals of their released samples, and without dates', async () => {
      const { body } = await get('/observations/datasets');
      const listed = body.datasets as Json[];
      expect(listed.map(({ id }) => id)).to.deep.equal(['brains', 'hearts']);
      const totals = { cases: 25, samples: 25 };
      expect(listed[0]).to.deep.include({
        shared: true,
        of: { small: totals, structural: { cases: 0, samples: 0 } },
        lastLoad: null,
      });
      expect(listed[0]).to.not.have.property('updated');
      expect(listed[1]).to.include.keys('updated').and.not.include.keys('shared');
    });

    it('are for nobody whose tenant they are not shared with, and not for those without `read`', async () => {
      for (const [name, isOpen] of [
        ['cardio', true],
        ['renal', true],
        ['neuro', false],
        ['remote', false],
      ] as const) {
        expect(
          (await shown({ token: tokens[name] })).some((one) => one !== undefined),
          name,
        ).to.equal(isOpen);
      }
      expect((await shown({ token: tokens.unshared })).every((one) => one === undefined)).to.equal(true);
      expect((await batch({ token: await server.token('coverage:report:cardio') })).status).to.equal(403);
      // A caller with the right to the dataset itself counts all of its samples.
      const [own] = await shown({ token: tokens.owner });
      expect(own)
        .to.deep.include({ of: { cases: 29, samples: 29 } })
        .and.not.include.keys('shared');
    });

    it('open nothing but counts', async () => {
      const token = tokens.member;
      const site = `assemblyId=${assembly}&referenceName=1&start=999&referenceBases=A&alternateBases=C`;
      for (const path of [
        `/apiv1.0/query?${site}&includeDatasetResponses=ALL`,
        `/beacon/v1/query?${site}&includeDatasetResponses=ALL`,
        `/beacon/v2/g_variants?${site}&requestedGranularity=record`,
        '/beacon/v2/datasets',
        '/beacon/v2/individuals',
        '/coverage/registry/samples',
      ]) {
        const { text } = await send(server, path, { token });
        expect(text, path).to.not.include('brains').and.not.include('neuro');
      }
      const people = await send(server, '/observations/datasets/brains/samples', { token });
      const none = await send(server, '/observations/datasets/ghost/samples', { token });
      expect(people.status).to.equal(404);
      expect(people.text.replaceAll('brains', 'ghost').replace(/"requestId":"[^"]*"/, '')).to.equal(
        none.text.replace(/"requestId":"[^"]*"/, ''),
      );
    });

    it('that are not shared, or too small, are as if they did not exist', async () => {
      const plain = (text: string, id: string) => text.replaceAll(id, 'ID').replace(/"requestId":"[^"]*"/, '');
      for (const id of ['few', 'kept', 'other-build']) {
        const one = (dataset: string) => `/observations?assembly=${assembly}&allele=1-1000-A-C&dataset=${dataset}`;
        const absent = await get(one('ghost'));
        const found = await get(one(id));
        expect([found.status, plain(found.text, id)]).to.deep.equal([422, plain(absent.text, 'ghost')]);
        const many = (dataset: string) =>
          get('/observations/batch', { body: { assembly, datasets: [dataset], alleles: words } });
        const [theirs, none] = [await many(id), await many('ghost')];
        expect([theirs.status, plain(theirs.text, id)]).to.deep.equal([422, plain(none.text, 'ghost')]);
      }
      // The twentieth sample opens it.
      await addPerson(repository, 'few', people[19] as Person, day(19));
      // The list of datasets is as of a moment ago.
      while ((await get(`/observations?assembly=${assembly}&allele=1-1000-A-C&dataset=few`)).status === 422);
    });

    it('count the coverage of the files of their own tenant alone', async () => {
      // A sample of cardio says that its depth is that of a sample of neuro.
      await repository.describeSamples('hearts', new Map([['h1', { coverageId: 'n00' }]]), day(40));
      const of = async () => {
        const { body } = await get(`/observations?assembly=${assembly}&allele=1-1000-A-C&dataset=hearts`);
        return (body.observations as { denominator: Json }[])[0]?.denominator;
      };
      expect(await of()).to.deep.include({ covered: 0, notCovered: 0, unknown: 1, unknownBecause: ['unregistered'] });
      await repository.describeSamples('hearts', new Map([['h1', { coverageId: 'h1' }]]), day(40));
      await register([{ name: 'h1', coverageId: 'h1', stated: 'female', registered: 'female', small: true }], 'cardio');
      expect(await of()).to.deep.include({ unknown: 0, unknownBecause: [] });
    });

    it('keep to whole batches when coverage and facts change', async () => {
      const counted = [...people.slice(5, 29), people[2] as Person];
      const path = (id: string) => join(folder, 'neuro', `${id}.d4`);
      const registered = (id: string, sex: Sex) =>
        server.samples.register([{ id, build: assembly, sex, file: { path: path(id) }, labels: {} }], day(1));
      // The coverage of n20 was not known when it began to count: it stays unknown to others.
      await register([{ ...(people[20] as Person), registered: 'female' }]);
      await mustShow(counted);
      // That of n12 was: without it, its batch does not count until it is back.
      await server.samples.remove(['n12']);
      expect(
        (await shown()).filter((one) => one !== undefined).every(({ of }) => (of as Json).samples === 20),
      ).to.equal(true);
      await register([people[12] as Person]);
      await mustShow(counted);
      // Another sex is another sample: those beside it come back with five new ones.
      expect(await registered('n12', 'male')).to.deep.equal(['described']);
      await mustShow([...people.slice(5, 10), ...people.slice(15, 29), people[2] as Person]);
      for (const i of [29, 30, 31, 32]) await addPerson(repository, 'brains', people[i] as Person, day(40));
      await mustShow([...people.slice(5, 10), ...people.slice(15, 29), people[2] as Person]);
      await addPerson(repository, 'brains', people[33] as Person, day(41));
      const man: Person = { ...(people[12] as Person), registered: 'contradicted' };
      const others = people.slice(5).map((one) => (one.name === 'n12' ? man : one));
      await mustShow([...others, people[2] as Person]);
      // An import that adds calls to n33 withdraws the batch with it.
      await add(
        repository,
        'brains',
        { n33: {} },
        [{ ...allele('1', 777_777, 'A', 'C'), carriers: [[0, 1]] }],
        day(42),
      );
      await mustShow([...people.slice(5, 10), ...people.slice(15, 29), people[2] as Person]);
    });
  });

  describe(`beacon: what a neighbour learns from shared counts over time (${engine.name})`, function () {
    this.timeout(240_000);
    const rule = { minimum: 20, batch: 5 };
    const server = useOnce(() =>
      serveCoverage({
        engine,
        withBeacon: true,
        auth: {
          tenants: { cardio: {}, neuro: { datasets: ids, shared: ids.map((id) => ({ dataset: id, ...rule })) } },
        },
      }),
    );
    let repository: BeaconRepository;
    let tokens: { neighbour: string; owner: string };

    before(async () => {
      server.startJobs();
      repository = server.storage.repository(beacon);
      tokens = {
        neighbour: await server.token('beacon:shared:cardio'),
        owner: await server.token('beacon:write'),
      };
    });

    const ids = Array.from({ length: 6 }, (_, i) => `history-${i}`);

    const nameOf = (n: number) => `p${String(n).padStart(3, '0')}`;
    /** Each person carries one allele that nobody else carries, so that counts show who is counted. */
    const privateTo = (n: number) => allele('1', 1000 + n, 'A', 'C');

    async function load(id: string, numbers: readonly number[]) {
      const facts = Object.fromEntries(numbers.map((n) => [nameOf(n), {}]));
      const alleles = numbers.map((n, i) => ({ ...privateTo(n), carriers: [[i, 1] as [number, number]] }));
      await add(repository, id, facts, alleles, new Date());
    }

    /** Whom the neighbour sees counted, from the counts of the private alleles of these. */
    async function seen(id: string, numbers: readonly number[]): Promise<ReadonlySet<number>> {
      const alleles = numbers.map((n) => `1-${1000 + n}-A-C`);
      const body = { assembly, datasets: [id], alleles };
      const found = await send(server, '/observations/batch', { token: tokens.neighbour, body });
      if (found.status === 422) return new Set();
      expect(found.status, found.text).to.equal(200);
      const all = found.body.observations as { carriers: number; of: { samples: number } }[][];
      const counted = numbers.filter((_, i) => all[i]?.[0]?.carriers === 1);
      expect(all[0]?.[0]?.of.samples ?? 0).to.equal(counted.length);
      return new Set(counted);
    }

    async function remove(id: string, n: number) {
      const sent = { dataset_id: id, samples: [nameOf(n)] };
      const { body } = await send(server, '/apiv1.0/delete', { token: tokens.owner, method: 'DELETE', body: sent });
      const { href } = body.job as { href: string };
      for (;;) {
        const { state } = (await send(server, href, { token: tokens.owner })).body;
        expect(state).to.be.oneOf(['queued', 'running', 'done']);
        if (state === 'done') return;
        await sleep(10);
      }
    }

    for (const [i, id] of ids.entries()) {
      it(`is never about fewer than a batch of people (history ${i})`, async () => {
        const random = new Random(100 + i);
        await repository.addDataset(dataset(id, { assembly, access: 'CONTROLLED' }), new Date());
        let next = 0;
        const present = new Set<number>();
        const gone = new Set<number>();
        const answers: ReadonlySet<number>[] = [];
        for (let step = 0; step < 25; step++) {
          if (step === 0 || random.chance(0.6)) {
            const numbers = Array.from({ length: step === 0 ? 27 : random.int(1, 6) }, () => next++);
            await load(id, numbers);
            for (const n of numbers) present.add(n);
          } else {
            const n = random.pick([...present]);
            await remove(id, n);
            present.delete(n);
            gone.add(n);
          }
          const all = Array.from({ length: next }, (_, n) => n);
          answers.push(await seen(id, all));
        }
        let compared = 0;
        for (const [at, later] of answers.entries()) {
          for (const earlier of answers.slice(0, at)) {
            const came = [...later].filter((n) => !earlier.has(n));
            const left = [...earlier].filter((n) => !later.has(n));
            for (const some of [came, left]) if (some.length > 0) expect(some.length).to.be.at.least(rule.batch);
            if (came.length + left.length > 0) compared += 1;
          }
        }
        expect(compared).to.be.above(10);
        expect(answers.some((answer) => answer.size >= 25)).to.equal(true);
        expect([...(answers.at(-1) ?? [])].some((n) => gone.has(n))).to.equal(false);
        // Nobody who counted beside a removed person counts again.
        const first = answers[0] as ReadonlySet<number>;
        for (const n of gone) {
          if (!first.has(n)) continue;
          const beside = [0, 1, 2, 3, 4].map((k) => n - (n % 5) + k);
          expect(
            beside.some((k) => answers.at(-1)?.has(k)),
            `beside ${n}`,
          ).to.equal(false);
        }
      });
    }
  });
}

describe('beacon: shared datasets with a protection', () => {
  it('stay closed: others learn of them what the protection lets them learn', async () => {
    const { sharedDatasets } = await import('../../../plugins/beacon/counts/observing.js');
    const { protectionSettings } = await import('../../../plugins/beacon/protection/profiles.js');
    const tenant = { name: 'neuro', roots: [], urls: [], clients: [], datasets: ['brains'], panels: [], shared: [] };
    const share = { dataset: 'brains', minimum: 20, batch: 5, tenant };
    const samples = people.slice(0, 20).map(({ name }, i) => ({
      ...{ name, case: name, sex: 'unknown' as const, affected: undefined, labels: {}, coverageId: name },
      ...{ phenotypes: [], diseases: [], added: day(i), searched: { small: true, structural: true } },
    }));
    const brains = {
      ...dataset('brains'),
      sampleCount: 20,
      alleleCount: 0,
      callCount: 0,
      created: day(0),
      updated: day(0),
    };
    const open = async (protection: object) =>
      (
        await sharedDatasets(
          {
            tenants: { sharedWith: async () => [share] },
            repository: {
              observe: async () => [],
              sampleFacts: async () => samples,
              salt: async () => 'salt',
              batches: async () => [],
              addBatches: async () => true,
            },
            callability: async () => undefined,
            protection: protectionSettings.parse(protection),
          },
          { kind: 'anonymous' },
          [brains],
        )
      ).map((one) => one.dataset.id);
    expect(await open({})).to.deep.equal(['brains']);
    expect(await open({ datasets: { brains: 'careful' } })).to.deep.equal([]);
    expect(await open({ default: 'strict' })).to.deep.equal([]);
    expect(await open({ default: 'strict', datasets: { brains: 'open' } })).to.deep.equal(['brains']);
  });
});
