/**
 * Which cases have to be asked again once calls, facts or annotations change: at least those of which a gatherer that reads all anew
 * knows something else, in random histories on a server.
 */
import { expect } from 'chai';
import { serveForTest } from '../../../../core/testing/server.js';
import { type Allele, beacon, beaconConsequences, type CalledAllele } from '../../../../plugins/beacon/contract.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { draftVersion, signedVersion, submittedVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import { reviews, type Statement } from '../../../../plugins/reviews/contract.js';
import type { CaseEvidence, PassingRules } from '../../../../plugins/reviews/evidence/evidence.js';
import { type GatherTools, gatherer } from '../../../../plugins/reviews/evidence/gather.js';
import { isCommon, passingAlleles } from '../../../../plugins/reviews/rules/passing.js';
import { finder, optionalService } from '../../../support/finder.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { annotate, annotated, atGene } from '../../beacon/consequences/support.js';
import { add } from '../../beacon/support/observed.js';
import { dataset } from '../../beacon/support/serve.js';
import { contentOf, green } from '../../panels/support/served.js';
import { pick, randomOf } from '../rules/world.js';

const seeds = Number(process.env.TEST_SEEDS ?? 3);
const { signal } = new AbortController();
/** So that a few samples decide whether an allele is an artefact. */
const rules: PassingRules = {
  populationFrequency: { dominant: 0.00001, recessive: 0.01 },
  artefact: { frequency: 0.15, carriers: 3 },
};
const alleles = Array.from({ length: 14 }, (_, i): Allele => {
  const start = 1000 + 10 * i;
  return { contig: '1', start, end: start + 1, reference: 'A', alternate: 'C', kind: 'SNP', structural: false };
});
const last = alleles.at(-1);
const listed = { chromosome: '1', start: 1130, reference: 'A', alternate: 'C', isBasis: false } as const;

/** F0 to F4: s0 with its mother s10, s1 …; F4 lists the last allele, which is in no gene of the panel. */
const statements = Array.from({ length: 5 }, (_, i): Statement => {
  const mother = { role: 'mother', isAffected: false, sample: 's10', sex: 'female' } as const;
  return {
    ...{ case: `F${i}`, revision: 1, build: 'GRCh38', thresholds: [10], releases: {}, terms: [], isLookedAt: true },
    persons: [{ role: 'proband', isAffected: true, sample: `s${i}`, sex: 'male' }, ...(i === 0 ? [mother] : [])],
    ...{ panel: { panel: 'kidney', version: '1' }, conclusion: 'negative', alleles: i === 4 ? [listed] : [] },
    ...{ reviewer: 'anna', decided: new Date(0), recontact: 'yes', stored: new Date(0) },
  };
});

/** Of how many samples were searched only what it decides; who else has an allele only if it is in a gene. */
function textOf({ calls, ...rest }: CaseEvidence): string {
  const known = calls.value?.map(({ local, ...allele }) => {
    const others = allele.genes.length > 0 ? allele.others : [];
    return { ...allele, others, isCommon: isCommon({ local }, rules), carriers: local.carriers };
  });
  return JSON.stringify({ ...rest, known }, (_, value) => (value instanceof Map ? [...value] : value));
}

for (const engine of storages)
  describe(`reviews: cases that changes of calls concern, on ${engine.name}`, function () {
    this.timeout(200_000);
    const plugins = { beacon: {}, panels: {}, reviews: {}, [finder]: {} };
    const server = useEach(() => serveForTest({ plugins, storage: engine, jobs: false }));

    it('are at least those of which something else is known, and not all', async () => {
      const tools: GatherTools = {
        ...{ find: optionalService, tenants: undefined, repository: server.repository(reviews), rules },
        passing: (statement, evidence) => passingAlleles(statement, evidence, rules),
        isCommon: (allele) => isCommon(allele, rules),
      };
      const content = contentOf([green(1, 'ONE'), green(2, 'TWO')]);
      const submitted = submittedVersion(draftVersion('kidney', '1', content, { by: 'a', at: new Date(0) }), {
        by: 'a',
        at: new Date(0),
      });
      const signed = signedVersion(submitted, submitted.digest, 1, { by: 'b', at: new Date(0) });
      await server.repository(panels).add(signed);
      /** Cases that changed, those of them none of whose samples did, and those that were not asked. */
      const count = { changed: 0, others: 0, spared: 0 };
      for (let seed = 1; seed <= seeds; seed++) await history(seed, tools, count);
      expect(count.others).to.be.above(3 * seeds);
      expect(count.changed).to.be.above(count.others);
      expect(count.spared).to.be.above(3 * seeds);
    });

    async function history(
      seed: number,
      tools: GatherTools,
      count: { changed: number; others: number; spared: number },
    ) {
      const random = randomOf(seed);
      const repository = server.repository(beacon);
      await repository.removeDataset('wgs');
      let moment = Date.parse('2026-01-01T00:00:00Z') + seed * 1e9;
      const clock = () => {
        moment += 1000;
        return new Date(moment);
      };
      await repository.addDataset(dataset('wgs', { assembly: 'GRCh38' }), clock());
      const factsOf = (name: string) => ({
        case: name === 's10' ? 'F0' : pick(random, [name, name, `of ${name.length}`]),
        affected: random() < 0.8,
        phenotypes: random() < 0.6 ? [{ id: 'HP:0001250' }] : [],
      });
      const load = async (names: readonly string[], share = 0.15) => {
        const called = alleles.flatMap((allele): CalledAllele[] => {
          const carriers = names.flatMap((_, i) =>
            random() < (allele === last ? 0.4 : share) ? [[i, random() < 0.7 ? 1 : 2] as const] : [],
          );
          return carriers.length > 0 ? [{ ...allele, carriers }] : [];
        });
        const facts = Object.fromEntries(names.map((name) => [name, factsOf(name)]));
        await add(repository, 'wgs', facts, called, clock(), { small: true, structural: false });
      };
      const say = async (some: readonly Allele[]) => {
        const saying = some.map((allele) => {
          const gene = pick(random, [
            { hgnc: 1, symbol: 'ONE' },
            { hgnc: 2, symbol: 'TWO' },
            { hgnc: 9, symbol: 'NINE' },
          ]);
          const terms = [pick(random, ['missense_variant', 'stop_gained', 'missense_variant', 'synonymous_variant'])];
          const value = pick(random, [0, 0.000001, 0.005, 0.2]);
          return annotated(allele, [atGene(gene, terms)], { frequency: { value, field: 'AF' } });
        });
        await annotate(server.repository(beaconConsequences), 'wgs', saying);
      };
      const people = Array.from({ length: 14 }, (_, i) => `s${i}`);
      await load(people);
      await say(alleles.slice(0, -1));

      const gather = gatherer(tools);
      const anew = async () => (await gatherer(tools)()(statements, signal)).map(({ evidence }) => textOf(evidence));
      const whole = gather();
      await whole.takeChanged?.(true, signal);
      await whole(statements, signal);
      let before = await anew();
      for (let turn = 0; turn < 10; turn++) {
        const what = random();
        const some = people.filter(() => random() < 0.12);
        const changed = new Set<string>();
        if (what < 0.4 && some.length > 0) {
          if (random() < 0.7) await repository.removeSamples('wgs', some, clock());
          await load(some.slice(Number(random() < 0.2)));
          for (const name of some) changed.add(name);
        } else if (what < 0.55) {
          const more = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, i) => `t${turn}-${i}`);
          await load(more, pick(random, [0, 0.05, 0.3]));
          people.push(...more);
        } else if (what < 0.8) {
          const present = new Set((await repository.sampleFacts('wgs')).map(({ name }) => name));
          const own = some.filter((name) => present.has(name));
          await repository.describeSamples('wgs', new Map(own.map((name) => [name, factsOf(name)])), clock());
          for (const name of own) changed.add(name);
        } else await say(alleles.slice(0, -1).filter(() => random() < 0.15));

        const asked = await gather().takeChanged?.(false, signal);
        if (random() < 0.2) {
          // What could not be asked comes again.
          asked?.giveBack();
          const again = await gather().takeChanged?.(false, signal);
          for (const one of statements) expect(again?.has(one)).to.equal(asked?.has(one));
        }
        const now = await anew();
        for (const [i, one] of statements.entries()) {
          const isOther = now[i] !== before[i];
          if (isOther) expect(asked?.has(one), `seed ${seed}, turn ${turn}, ${one.case}`).to.equal(true);
          count.changed += Number(isOther);
          count.others += Number(isOther && !one.persons.some(({ sample }) => changed.has(sample)));
          count.spared += Number(asked?.has(one) === false);
        }
        // Kept knowledge is that of now, too.
        const kept = (await gather()(statements, signal)).map(({ evidence }) => textOf(evidence));
        expect(kept).to.deep.equal(now);
        before = now;
      }
    }
  });
