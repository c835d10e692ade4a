/** Out of how many samples alleles were seen, over HTTP, in a server of beacon and coverage. */
import { expect } from 'chai';
import { beacon } from '../../../plugins/beacon/contract.js';
import { denominatorWords } from '../../../plugins/beacon/counts/denominator.js';
import { Random } from '../../conformance/core.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { type Person as Registered, store } from '../coverage/callability/support.js';
import { serveCoverage } from '../coverage/support/serve.js';
import { allele, carriersOf, fill, naive, type Person, sites, stretchesOf } from './support/denominators.js';
import { type Asking, send } from './support/observed.js';
import { dataset, type Json } from './support/serve.js';
import { mustBeV11 } from './support/v11-schema.js';

const assembly = 'GRCh38';

/** Men, women and people of unknown sex; `mapped` is registered by another id, `stranger` not at all. */
const all: Person[] = [
  ...['w1', 'w2', 'w3', 'w4'].map((name) => ({ name, coverageId: name, stated: 'female', registered: 'unknown' })),
  ...['m1', 'm2', 'm3'].map((name) => ({ name, coverageId: name, stated: 'unknown', registered: 'male' })),
  { name: 'mapped', coverageId: 'M-2024', stated: 'male', registered: 'male' },
  { name: 'someone', coverageId: 'someone', stated: 'unknown', registered: 'unknown' },
  { name: 'doubtful', coverageId: 'doubtful', stated: 'male', registered: 'female' },
  { name: 'stranger', coverageId: 'stranger', stated: 'male', registered: undefined },
].map((person) => ({ ...person, small: true }) as Person);

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: denominators over HTTP (${engine.name})`, function () {
    this.timeout(60_000);
    const asked = sites(assembly);
    const { called, carried } = carriersOf(asked, all, new Random(5));
    const server = useOnce(() => serveCoverage({ engine, withBeacon: true }));
    let observing: string;

    before(async () => {
      const registered = all.filter((person) => person.registered !== undefined);
      await store(
        server.samples,
        registered.map(
          ({ coverageId, registered: sex }) =>
            ({
              id: coverageId,
              build: assembly,
              stretches: stretchesOf(coverageId, sites(assembly)),
              predicted: sex,
            }) as Registered,
        ),
      );
      const repository = server.storage.repository(beacon);
      await fill(repository, assembly, all, called);
      await repository.addDataset(dataset('closed', { assembly, access: 'CONTROLLED' }), new Date());
      observing = await server.token('beacon:observe:ds');
    });

    const get = (path: string, asking: Asking = {}) => send(server, path, { token: observing, ...asking });
    const idOf = ({ contig, start, reference, alternate }: (typeof asked)[number]) =>
      `${contig}-${start + 1}-${reference}-${alternate}`;
    const expected = (i: number) =>
      naive(asked[i] as (typeof asked)[number], assembly, all, carried[i] as Map<string, number>, 10);

    it('are those of looking at every base, in a batch and one by one', async () => {
      const { status, body, text } = await get('/observations/batch', {
        body: { assembly, alleles: asked.map(idOf) },
      });
      expect(status, text).to.equal(200);
      for (const [i, [found]] of (body.observations as Json[][]).entries()) {
        const { alleles, ...counts } = expected(i);
        const frequency = alleles &&
          alleles.alleleNumber > 0 && { frequency: alleles.alleleCount / alleles.alleleNumber };
        const bound = carried[i]?.size === 0 && counts.covered > 0 && { upperBound: 1 - 0.05 ** (1 / counts.covered) };
        const whole = { method: 'depth', ...counts, ...alleles, ...frequency, ...bound };
        expect(found?.denominator, idOf(asked[i] as (typeof asked)[number])).to.deep.equal(whole);
      }
      for (const i of [0, 1, asked.length - 1]) {
        const single = await get(
          `/observations?assembly=${assembly}&allele=${idOf(asked[i] as (typeof asked)[number])}`,
        );
        const [{ denominator }] = single.body.observations as [{ denominator: Json }];
        const { words, limits, unknownBecause, ...same } = denominator;
        expect(same).to.deep.equal((body.observations as Json[][])[i]?.[0]?.denominator);
        expect(words).to.equal(denominatorWords(expected(i), carried[i]?.size as number));
        expect(limits).to.match(/Depth does not know genotype quality/);
        expect(unknownBecause).to.deep.equal(['unregistered']);
      }
    });

    it('are unknown at a threshold for which nothing is stored', async () => {
      const { body } = await get(`/observations?assembly=${assembly}&allele=1-1000-A-C&threshold=12`);
      const [{ denominator }] = body.observations as [{ denominator: Json }];
      expect(denominator).to.deep.include({ threshold: 12, total: 11, covered: 0, notCovered: 0, unknown: 11 });
      expect(denominator.unknownBecause).to.have.members(['other-threshold', 'unregistered']);
    });

    it('are on the pages of those who may observe', async () => {
      const i = asked.findIndex((site) => idOf(site) === '1-1000-A-C');
      const words = denominatorWords(expected(i), carried[i]?.size as number);
      const page = await get(`/observations?assembly=${assembly}&allele=1-1000-A-C`, {
        headers: { accept: 'text/html' },
      });
      expect(page.text).to.include(`<p class="denominator">${words}.</p>`);
      const { alleleCount, alleleNumber } = expected(i).alleles ?? { alleleCount: 0, alleleNumber: 0 };
      expect(page.text).to.match(/<dt>Allele frequency<\/dt><dd>[\d.]+ % \((\d+ \/ \d+)\)<\/dd>/);
      expect(page.text).to.include(`(${alleleCount} / ${alleleNumber})</dd>`);
      const form = `/apiv1.0/query_form?assemblyId=${assembly}&referenceName=1&start=999&referenceBases=A&alternateBases=C`;
      const accept = { accept: 'text/html' };
      expect((await get(form, { headers: accept })).text).to.include(words);
      expect((await get(form, { headers: accept, token: undefined })).text).to.not.match(/covered|Coverage/);
    });

    it('are on the search page for holders of the right to read a dataset, and of no one else', async () => {
      const i = asked.findIndex((site) => idOf(site) === '1-1000-A-C');
      const { covered, total, alleles } = expected(i);
      const page = `/beacon/search?assemblyId=${assembly}&q=1-1000-A-C`;
      const { text } = await get(page, { token: await server.token('beacon:read:ds') });
      expect(text).to.include(`(${alleles?.alleleCount} of ${alleles?.alleleNumber})`);
      expect(text).to.include(`${covered} of ${total} samples covered at ≥ 10×`);
      expect((await get(page, { token: undefined })).text)
        .to.include('not told')
        .and.not.to.match(/covered at/);
    });

    it('state on the search page whom they leave out, and of whom nothing is known', async () => {
      const token = await server.token('beacon:read:ds');
      const shown = async (i: number) =>
        (await get(`/beacon/search?assemblyId=${assembly}&q=${idOf(asked[i] as (typeof asked)[number])}`, { token }))
          .text;
      const judged = asked.map((_, i) => expected(i));
      const left = judged.findIndex(({ covered, alleles }) => covered > 0 && (alleles?.carriersUnknown ?? 0) > 0);
      const { carriersUnknown } = judged[left]?.alleles ?? { carriersUnknown: 0 };
      expect(await shown(left)).to.match(
        new RegExp(`covered at ≥ 10×; ${carriersUnknown} carriers? of unknown coverage or sex not counted here<`),
      );
      const none = judged.findIndex(({ total }) => total === 0);
      expect(await shown(none)).to.include('not expected in any sample');
    });

    it('are the allele numbers of records of Beacon v2 for the same holders, in which no frequency has none', async () => {
      const page = `/beacon/v2/g_variants?datasetIds=ds&limit=0`;
      const variants = async (token: string | undefined) => {
        const { status, text, body } = await get(page, { token });
        expect(status, text).to.equal(200);
        const { resultSets } = body.response as { resultSets: { results: Json[] }[] };
        return new Map(resultSets[0]?.results.map((one) => [one.id, one.frequencyInPopulations]));
      };
      const told = await variants(await server.token('beacon:read:ds'));
      let known = 0;
      for (const [i, site] of asked.entries()) {
        const id = `${assembly}-${idOf(site)}`;
        if (!told.has(id)) continue;
        const { alleleCount = 0, alleleNumber = 0 } = expected(i).alleles ?? {};
        if (alleleNumber > 0) known++;
        const [population] = (told.get(id) ?? []) as { source: string; sourceReference: string; frequencies: Json[] }[];
        const [frequency] = population?.frequencies ?? [];
        const whole = { population: 'ds', alleleFrequency: alleleCount / alleleNumber, alleleCount, alleleNumber };
        expect(frequency, id).to.deep.equal(alleleNumber > 0 ? whole : undefined);
        if (population) expect(population.sourceReference).to.equal(`${server.url}/beacon/v2/datasets/ds`);
      }
      expect(known).to.be.greaterThan(3);
      for (const token of [undefined, await server.token('beacon:cases:ds')]) {
        for (const frequencies of (await variants(token)).values()) expect(frequencies).to.equal(undefined);
      }
    });

    it('are in info of a dataset for holders of the right to read it, and of no one else', async () => {
      const { token } = server;
      const query =
        `/apiv1.0/query?assemblyId=${assembly}&referenceName=1&start=999&referenceBases=A&alternateBases=C` +
        '&includeDatasetResponses=ALL';
      const i = asked.findIndex((site) => idOf(site) === '1-1000-A-C');
      const { alleles, ...counts } = expected(i);
      const reading = await get(query, { token: await token('beacon:read:ds') });
      const [one, ...others] = reading.body.datasetAlleleResponses as { datasetId: string; info: Json }[];
      expect([one?.datasetId, others]).to.deep.equal(['ds', []]);
      const list = one?.info.denominator as { key: string; value: string }[];
      const values = Object.fromEntries(list.map(({ key, value }) => [key, value]));
      expect(values).to.include({
        method: 'depth',
        threshold: '10',
        total: String(counts.total),
        covered: String(counts.covered),
        notCovered: String(counts.notCovered),
        unknown: '1',
        alleleCount: String(alleles?.alleleCount),
        alleleNumber: String(alleles?.alleleNumber),
        carriersBelowThreshold: String(alleles?.carriersBelowThreshold),
      });
      expect(values).to.not.have.any.keys('homozygotes', 'unknownBecause');
      expect(values.words).to.match(/^\d+ carriers?(, \d+ of them)? among \d+ covered \(of 11; /);

      // Byte for byte what the response is without.
      delete one?.info.denominator;
      const without = JSON.stringify(reading.body);
      for (const scopes of [[], ['beacon:observe'], ['beacon:read:closed-not'], ['beacon:write']]) {
        const asking = scopes.length === 0 ? { token: undefined } : { token: await token(...scopes) };
        expect((await get(query, asking)).text, scopes.join()).to.equal(without);
      }
      // A dataset that is closed to the caller is as silent as if nothing were known of coverage.
      const closed = await get(`${query}&datasetIds=closed`, { token: await token('beacon:read:ds') });
      expect([closed.status, closed.body.datasetAlleleResponses]).to.deep.equal([403, []]);
      expect(closed.text).to.not.match(/covered|depth/);
      const open = await get(`${query}&datasetIds=closed`, { token: await token('beacon:read:closed') });
      expect(open.text).to.include('No sample of the dataset could show it');
      // A range is more than one allele.
      const range = query.replace('start=999', 'startMin=990&startMax=1010');
      expect((await get(range, { token: await token('beacon:read') })).text).to.not.include('denominator');
    });

    it('are the called copies and the frequency of v1.1, for holders of the right to read', async () => {
      const query =
        `/beacon/v1/query?assemblyId=${assembly}&referenceName=1&start=999&referenceBases=A&alternateBases=C` +
        '&includeDatasetResponses=ALL&datasetIds=ds';
      const { alleles } = expected(asked.findIndex((site) => idOf(site) === '1-1000-A-C'));
      const { alleleCount = 0, alleleNumber = 0 } = alleles ?? {};
      const answerOf = async (path: string, token?: string) => {
        const { body } = await get(path, { token });
        mustBeV11('answer', body);
        return (body.datasetAlleleResponses as [Json])[0];
      };
      const reading = await server.token('beacon:read:ds');
      const answer = await answerOf(query, reading);
      expect(answer).to.include({ callCount: alleleNumber, frequency: alleleCount / alleleNumber });
      expect(answer.info).to.have.nested.property('denominator.alleleCount', alleleCount);
      for (const token of [undefined, await server.token('beacon:observe'), await server.token('beacon:write')]) {
        expect(await answerOf(query, token)).not.to.have.any.keys('callCount', 'frequency');
      }
      // More than one allele has no frequency.
      const range = query.replace('start=999', 'startMin=990&startMax=1010');
      expect(await answerOf(range, reading)).not.to.have.any.keys('callCount', 'frequency');
    });

    it('are the same in result sets of Beacon v2 as in v1.1, also where no allele is found', async () => {
      const reading = await server.token('beacon:read:ds');
      for (const { contig, start, reference, alternate } of asked) {
        const query =
          `assemblyId=${assembly}&referenceName=${contig}&start=${start}&referenceBases=${reference}` +
          `&alternateBases=${alternate}&datasetIds=ds`;
        const v11 = await get(`/beacon/v1/query?${query}&includeDatasetResponses=ALL`, { token: reading });
        const v2 = await get(`/beacon/v2/g_variants?${query}&includeResultsetResponses=ALL`, { token: reading });
        const [answer] = v11.body.datasetAlleleResponses as { info: Json }[];
        const [set] = (v2.body.response as { resultSets: { info: Json }[] }).resultSets;
        expect(answer?.info.denominator, query).to.include({ method: 'depth' });
        expect(set?.info, query).to.deep.equal({ denominator: answer?.info.denominator });
      }
    });

    it('follow a correction of the mapping and of the sex', async () => {
      const denominatorOf = async (id: string) => {
        const { body } = await get(`/observations?assembly=${assembly}&allele=${id}`);
        return (body.observations as [{ denominator: Json }])[0].denominator;
      };
      const before = await denominatorOf(idOf(allele('X', 31_000_000, 'CTT', 'C')));
      expect(before).to.deep.include({ unknown: 1, unknownSex: 2 });
      const body = {
        samples: [
          { name: 'stranger', coverageId: 'm1' },
          { name: 'm1', coverageId: 'nobody' },
          { name: 'doubtful', sex: 'female' },
        ],
      };
      const writing = await server.token('beacon:write');
      const changed = await send(server, '/observations/datasets/ds/samples', {
        token: writing,
        method: 'PATCH',
        body,
      });
      expect(changed.body).to.deep.equal({ changed: 3 });
      const after = await denominatorOf(idOf(allele('X', 31_000_000, 'CTT', 'C')));
      expect(after).to.deep.include({ unknown: 1, unknownSex: 1, total: before.total });
      const place = await denominatorOf('Y-8000000-C-CT');
      expect(place.total, 'now without the woman who was doubtful').to.equal(6);
    });
  });
}
