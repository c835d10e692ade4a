/** How many published pairs with such a score are of one disease: the arithmetic by hand, and what pages say. */
import { expect } from 'chai';
import { matchmaker, matchmakerResources, type Sighting } from '../../../../plugins/matchmaker/contract.js';
import { unsharedWeight } from '../../../../plugins/matchmaker/matching/score.js';
import { storedResource } from '../../../../plugins/matchmaker/resources/update.js';
import { sameDisease, wilson } from '../../../../plugins/matchmaker/triage/same-disease.js';
import { PairCounts } from '../../../bench/support/retrieval/pairs.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { genes, manyTerms } from '../matching/support/toy.js';
import { annotation, hp, hpoa, obo, read } from '../resources/support/build.js';
import { type Json, patient } from '../support/serve.js';
import { serveTriage, type TriageServer } from './support/served.js';

describe('matchmaker: published pairs of one disease', () => {
  it('have the interval of Wilson', () => {
    // Newcombe 1998 (doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E), table I: 81 of 263, 15 of 148,
    // 0 of 20 and 1 of 29.
    for (const [of, trials, low, high] of [
      ...[[81, 263, 0.2553, 0.3662] as const, [15, 148, 0.0624, 0.1605] as const],
      ...[[0, 20, 0, 0.1611] as const, [1, 29, 0.0061, 0.1718] as const],
    ]) {
      const [least, most] = wilson(of / trials, trials);
      expect(least).to.be.closeTo(low, 0.00005);
      expect(most).to.be.closeTo(high, 0.00005);
    }
  });

  it('are worth fewer independent pairs if they are more alike within diseases', () => {
    const shareOf = (...diseases: [same: number, all: number][]) => {
      const counts = new PairCounts();
      for (const [i, [same, all]] of diseases.entries()) {
        for (let pair = 0; pair < all; pair++) counts.add(`${i}`, pair < same);
      }
      return counts.share();
    };
    // 2 of 8 are ¼. By disease they differ by 2 − 1 and 0 − 1 from ¼ of 4: the variance is (1 + 1) ÷ 8² × 2 ÷ (2 − 1) = 1/16,
    // that of ¼ among 3 independent pairs (¼ × ¾ ÷ 3).
    expect(shareOf([2, 4], [0, 4])).to.deep.equal([2, 8, 3]);
    // ½ of 2 in 5 diseases, one of which has both and one none: (1 + 1) ÷ 10² × 5 ÷ 4 = 1/40, that of ½ among 10.
    expect(shareOf([2, 2], [0, 2], [1, 2], [1, 2], [1, 2])).to.deep.equal([5, 10, 10]);
    // None at all: 10² ÷ (8² + 2²) diseases, rounded down.
    expect(shareOf([0, 8], [0, 2])).to.deep.equal([0, 10, 1]);
    expect(shareOf([1, 1]), 'one disease says nothing of others').to.deep.equal([0, 0, 0]);
  });

  it('are read by terms, genes and score, and say nothing if they are few', () => {
    expect(unsharedWeight, 'the table is of this formula: compute it anew').to.equal(0.08);
    // 39 of 1,289 pairs are 3.03 %, worth 558. Wilson: z² ÷ 558 = 0.006884; (0.030256 + 0.003442 ± 1.959964 × √(0.029341 ÷ 558 +
    // 0.006884 ÷ 2232)) ÷ 1.006884 = (0.033698 ± 0.014623) ÷ 1.006884 = 0.0189 and 0.0480.
    const features = { kind: { terms: [6, 9], genes: 'none' }, share: 3, low: 1.8, high: 4.8 };
    for (const terms of [6, 9]) {
      for (const score of [0.2, 0.2249]) expect(sameDisease(terms, 0, score)).to.deep.equal(features);
    }
    expect(sameDisease(10, 0, 0.2)?.kind).to.deep.equal({ terms: [10, 14], genes: 'none' });
    expect(sameDisease(40, 1, 0.2)?.kind).to.deep.equal({ terms: [15, undefined], genes: 'one' });
    // 28 of 89 pairs are 31.5 %, worth 11: (0.314607 + 0.174612 ± 1.959964 × √(0.215629 ÷ 11 + 0.349224 ÷ 44)) ÷ 1.349224 =
    // (0.489219 ± 0.325258) ÷ 1.349224 = 0.1215 and 0.6037.
    const list = { kind: { terms: [6, 9], genes: 'several' }, share: 31, low: 12, high: 61 };
    for (const genes of [2, 10]) expect(sameDisease(6, genes, 0.35)).to.deep.include(list);
    // 0 of many: the interval begins at 0 and does not end there.
    expect(sameDisease(1, 0, 0)).to.deep.include({ share: 0, low: 0, high: 0.1 });
    expect(sameDisease(6, 0, 0.26), 'no pairs').to.equal(undefined);
    expect(sameDisease(4, 2, 0.45), '4 pairs').to.equal(undefined);
    expect(sameDisease(0, 1, 0.5), 'no terms').to.equal(undefined);
    expect(sameDisease(6, 11, 0.25), 'a list of more than ten genes').to.equal(undefined);
  });
});

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: published pairs beside scores on ${engine.name}`, function () {
    this.timeout(120_000);
    let lab: TriageServer;
    afterEach(() => lab?.close());

    const terms = (count: number) => Array.from({ length: count }, (_, i) => ({ id: hp(210 + i) }));
    const reading = { higherThan: 99.7, pairs: 50_000, patients: 600 };
    const variant = { assembly: 'GRCh38', referenceName: '1', start: 1000, end: 1001 };
    const own = { features: terms(7), genomicFeatures: [] };

    async function serve(matchmakerSettings: object = {}, isLoaded = true): Promise<void> {
      lab = await serveTriage(engine, { matchmaker: { resources: { check: 0.05 }, ...matchmakerSettings } });
      if (!isLoaded) return;
      const files = [obo(manyTerms), hpoa([annotation('OMIM:1', 220)]), genes];
      const resources = await Promise.all(
        files.map(async (text) => storedResource(await read(text), 'file', new Date(0))),
      );
      await lab.server.repository(matchmakerResources).replace(resources);
      const inUse = async () => {
        const { body } = await lab.ask('GET', '/heartbeat', { token: lab.scout });
        return JSON.stringify(body).includes('2026-01-02');
      };
      while (!(await inUse())) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    /** A submission, and a counterpart that was seen with this score. */
    async function seen(more: Json = {}, score: Partial<Sighting['score']> = {}): Promise<string> {
      await lab.add(lab.scout, patient('P-1', { ...own, ...more }));
      const { number = 0 } = (await lab.server.repository(matchmaker).patient('P-1')) ?? {};
      await lab.rows.seen([
        {
          ...{ id: '00000000-0000-4000-8000-000000000001', at: new Date(), submission: number, owner: 'scout' },
          ...{ own: ['P-1'], node: { id: 'far', label: 'Far away' }, patient: 'F', content: 'F', direction: 'asked' },
          ...{ contact: { name: 'Dr. Far', href: 'mailto:far@clinic.example.org' }, genes: [], terms: [], stated: [] },
          // A place raised it: its own score is the sum of its parts.
          score: { patient: 0.24, genotype: 0, phenotype: 0.21, reading, ...score },
        },
      ]);
      return `/matchmaker/submissions/${number}`;
    }
    const shown = async (path: string, language = 'en') =>
      (await lab.ask('GET', path, { token: lab.scout, headers: { accept: 'text/html', 'accept-language': language } }))
        .text;
    const rowOf = (path: string) => `${path}/rows/00000000-0000-4000-8000-000000000001`;

    it('are on the pages of the submission and of the row, in both languages, and not in JSON', async () => {
      await serve();
      const path = await seen();
      for (const page of [path, rowOf(path)]) {
        const english = await shown(page);
        expect(english).to.match(/higher than 99\.7 % of (50,000 )?random pairs/);
        expect(english).to.include('same disease: 3 % (95 % interval 1.8–4.8 %)');
        expect(english).to.include(
          'among published cases with a second case stored, for submissions with 6–9 terms and',
        );
        expect(english)
          .to.include('and no genes.')
          .and.not.match(/probab|likel/i);
        const swedish = await shown(page, 'sv');
        expect(swedish).to.include('samma sjukdom: 3 % (95 % konfidensintervall 1,8–4,8 %)');
        expect(swedish).to.include('bland publicerade fall med ett andra fall lagrat, för patienter med 6–9 termer');
        expect(swedish).to.not.match(/sannolik/i);
        const { text } = await lab.ask('GET', page, { token: lab.scout });
        expect(text)
          .to.include('higherThan')
          .and.not.match(/published|disease/i);
      }
    });

    it('are not said of other scores, nor of a submission that was not compared as it is or is like no published one', async () => {
      await serve();
      const path = await seen();
      const says = async () => (await shown(rowOf(path))).includes('same disease');
      expect(await says()).to.equal(true);
      // Changed, and seen again.
      await lab.add(lab.scout, patient('P-1', { ...own, features: terms(8) }));
      expect(await says(), 'not compared since').to.equal(false);
      await seen({ features: terms(8) });
      expect(await says()).to.equal(true);
      for (const [why, more, score] of [
        ['of another node', {}, { reading: undefined }],
        ['without parts', {}, { phenotype: undefined }],
        ['states a disorder', { disorders: [{ id: 'OMIM:1' }] }, {}],
        ['of another species', { species: 'NCBITaxon:10090' }, {}],
        ['places without genes', { genomicFeatures: [{ gene: { id: '' }, variant }] }, {}],
        ['negated terms', { features: terms(7).map((term) => ({ ...term, observed: 'no' })) }, {}],
      ] as [string, Json, Json][]) {
        await seen(more, score);
        expect(await says(), why).to.equal(false);
      }
      await seen({ species: 'NCBITaxon:9606' });
      expect(await says()).to.equal(true);
    });

    it('are not said with other weights, nor with the excerpt of HPO', async () => {
      await serve({ maxGenotypeScore: 0.5, maxPhenotypeScore: 0.5 });
      expect(await shown(await seen()))
        .to.include('99.7 %')
        .and.not.include('same disease');
      await lab.close();
      await serve({}, false);
      expect(await shown(await seen()))
        .to.include('99.7 %')
        .and.not.include('same disease');
    });
  });
}
