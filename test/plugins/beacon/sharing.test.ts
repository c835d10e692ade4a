/**
 * Counts in a dataset that another tenant shares: those of its released samples, counted one by one, and nothing else; a dataset
 * that is not shared, or too small, is as one that does not exist.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../../../core/conformance.js';
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { checkOf } from '../coverage/callability/support.js';
import { type Coverage, serveCoverage } from '../coverage/support/serve.js';
import { allele, carriersOf, hashed, naive, type Person, sites } from './support/denominators.js';
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
    let server: Coverage;
    let repository: BeaconRepository;
    let folder: string;
    const tokens: Record<string, string> = {};

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trefoil-shared-'));
      const rule = { minimum: 20, batch: 5 };
      server = await serveCoverage({
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
    after(async () => {
      await server?.close();
      await rm(folder, { recursive: true });
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
        const stretches = stretchesOf(coverageId);
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
      await repository.removeSamples('brains', ['n02'], day(30));
      await mustShow([...people.slice(0, 2), ...people.slice(3, 21)]);
      await addPerson(repository, 'brains', people[2] as Person, day(31));
      await mustShow([...people.slice(0, 2), ...people.slice(3, 25), people[2] as Person]);
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
        .to.deep.include({ of: { cases: 25, samples: 25 } })
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
  });
}

describe('beacon: shared datasets with a protection', () => {
  it('stay closed: others learn of them what the protection lets them learn', async () => {
    const { sharedDatasets } = await import('../../../plugins/beacon/observing/sharing.js');
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
            repository: { observe: async () => [], sampleFacts: async () => samples },
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

/** Depths of the bases around each allele, as `hashed` has them; none elsewhere. */
function stretchesOf(id: string) {
  const wanted = new Map<string, { contig: (typeof asked)[number]['contig']; at: number }>();
  for (const { contig, start, reference } of asked) {
    for (let at = Math.max(0, start - 2); at < start + reference.length + 2; at++) {
      if (contig !== 'MT' || at < 16_569) wanted.set(`${contig}:${at}`, { contig, at });
    }
  }
  const order = ['1', 'X', 'Y', 'MT'];
  return [...wanted.values()]
    .sort((one, other) => order.indexOf(one.contig) - order.indexOf(other.contig) || one.at - other.at)
    .map(({ contig, at }) => ({ chromosome: contig, start: at, depths: [hashed(id, contig, at)] }));
}
