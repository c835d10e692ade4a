/** What is known of cases, on a server with all plugins, against what was loaded. */
import { expect } from 'chai';
import { serveForTest } from '../../../../core/testing/server.js';
import { type Allele, beacon, beaconConsequences, type CalledAllele } from '../../../../plugins/beacon/contract.js';
import { coverage, coverageSamples, coverageSites, type Site } from '../../../../plugins/coverage/contract.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { draftVersion, signedVersion, submittedVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import {
  alleleKey,
  type Baseline,
  reviews,
  type StatedAllele,
  type Statement,
} from '../../../../plugins/reviews/contract.js';
import type { CaseEvidence } from '../../../../plugins/reviews/evidence/evidence.js';
import { type GatherTools, gatherer } from '../../../../plugins/reviews/evidence/gather.js';
import { noBaseline } from '../../../../plugins/reviews/rules/baseline.js';
import { defaultRules, isCommon, passingAlleles } from '../../../../plugins/reviews/rules/passing.js';
import { Random } from '../../../conformance/core.js';
import { finder, optionalService } from '../../../support/finder.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { annotate, annotated, atGene } from '../../beacon/consequences/support.js';
import { add } from '../../beacon/support/observed.js';
import { dataset } from '../../beacon/support/serve.js';
import { checkOf, depthAt, type Person, store } from '../../coverage/callability/support.js';
import { contentOf, green } from '../../panels/support/served.js';

const seed = Number(process.env.TEST_SEED ?? 1);
const { signal } = new AbortController();
const build = 'GRCh38';
const now = new Date('2026-05-05T05:05:05.000Z');
const record = { source: 'x', checksum: `sha256:${'0'.repeat(64)}`, read: 1, skipped: {} };

/** Coding exons by gene. */
const exons = {
  1: [
    [1000, 1030],
    [1200, 1240],
  ],
  2: [[5000, 5040]],
  3: [
    [9000, 9030],
    [9100, 9120],
  ],
} as const satisfies Record<number, readonly (readonly [number, number])[]>;
const symbols = { 1: 'ONE', 2: 'TWO', 3: 'THREE' } as const;
const hgncs = [1, 2, 3] as const;

const snv = (start: number, alternate = 'C', chromosome: 'X' | '1' = '1'): Allele => ({
  ...{ contig: chromosome, start, end: start + 1, reference: 'A', alternate, kind: 'SNP', structural: false },
});
const plain = ({ contig: chromosome, start, reference, alternate }: Allele) => {
  return { chromosome, start, reference, alternate };
};
const keyOf = (allele: Allele) => alleleKey(plain(allele));

/** A missense of gene 1, one too frequent, a synonymous one that is pathogenic, one of gene 2, an unannotated one, one of gene 3. */
const missense = snv(1005);
const frequent = snv(1006);
const synonymous = snv(1007);
const second = snv(5010);
const unannotated = snv(1210);
const added = snv(9010);
const listed = snv(70_000);
/** By allele: copies by sample. */
const carried = new Map<Allele, Record<string, number>>([
  [missense, { child: 1, mother: 1, other: 2, lab2: 1 }],
  [frequent, { child: 1 }],
  [synonymous, { child: 2, father: 1 }],
  [second, { other: 1 }],
  [unannotated, { child: 1 }],
  [added, { child: 1, sibling: 1 }],
  [listed, { child: 1 }],
]);
const people = ['child', 'mother', 'father', 'sibling', 'other', 'lab2', 'late'];

const statementOf = (more: Partial<Statement> = {}): Statement => ({
  ...{ case: 'F1', revision: 1, build, thresholds: [10], releases: {}, terms: ['HP:0001250'], conclusion: 'negative' },
  persons: [
    { role: 'proband', isAffected: true, sample: 'child', sex: 'male' },
    { role: 'mother', isAffected: false, sample: 'mother', sex: 'female' },
    { role: 'father', isAffected: false, sample: 'father', sex: 'male' },
  ],
  panel: { panel: 'kidney', version: '1' },
  ...{ alleles: [], reviewer: 'anna', decided: now, recontact: 'yes', stored: now, isLookedAt: false },
  ...more,
});

function signedOff(version: string, genes: readonly number[]) {
  const content = contentOf(genes.map((hgnc) => green(hgnc, symbols[hgnc as 1])));
  const draft = draftVersion('kidney', version, content, { by: 'anna', at: now });
  const review = submittedVersion(draft, { by: 'anna', at: now });
  return signedVersion(review, review.digest, 1, { by: 'bo', at: now });
}

for (const engine of storages) {
  describe(`reviews: evidence of cases on ${engine.name} (TEST_SEED=${seed})`, function () {
    this.timeout(120_000);
    const random = new Random(seed);
    const server = useOnce(() =>
      serveForTest({
        plugins: { beacon: {}, coverage: { samples: { thresholds: [10] } }, panels: {}, reviews: {}, [finder]: {} },
        storage: engine,
      }),
    );
    const registered: Person[] = ['child', 'mother', 'sibling', 'other'].map((id) => ({
      id,
      stretches: hgncs.flatMap((hgnc) =>
        exons[hgnc].map(([start, end]) => ({
          chromosome: '1' as const,
          start: start - 1,
          depths: Array.from({ length: end - start + 2 }, () => (random.chance(id === 'child' ? 0.97 : 1) ? 30 : 3)),
        })),
      ),
    }));
    const passing: GatherTools['passing'] = (statement, evidence) => passingAlleles(statement, evidence, defaultRules);
    const own = (): GatherTools => ({
      ...{ find: optionalService, tenants: undefined, repository: server.repository(reviews), passing },
      ...{ rules: defaultRules, isCommon: (allele) => isCommon(allele, defaultRules) },
    });
    const gather = (statements: readonly Statement[], tools: Partial<GatherTools> = {}) =>
      gatherer({ ...own(), ...tools })()(statements, signal);
    const one = async (statement: Statement) => (await gather([statement]))[0]?.evidence;

    const site = (allele: Allele, significance: string, stars: number): Site => ({
      ...plain(allele),
      ...{ end: allele.end, significance, stars, genes: [allele === listed ? 'NINE' : 'ONE'] },
    });
    async function loadSites(release: string, some: readonly Site[]): Promise<void> {
      async function* sites() {
        yield some;
      }
      const accept = () => ({ ...record, release });
      await server.repository(coverageSites).load({ name: 'ClinVar', build, sites: sites(), accept }, now);
    }

    before(async () => {
      const intervals = server.repository(coverage);
      const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
      const place = { chromosome: '1', strand: 1 } as const;
      async function* rows() {
        yield {
          genes: hgncs.map((hgnc) => {
            const [first, last] = [exons[hgnc][0], exons[hgnc].at(-1) as readonly [number, number]];
            return {
              ...place,
              ensembl: `G${hgnc}`,
              hgnc,
              symbol: symbols[hgnc],
              start: first[0],
              end: last[1],
              biotype: 'protein_coding',
            };
          }),
          transcripts: hgncs.map((hgnc) => {
            const [first, last] = [exons[hgnc][0], exons[hgnc].at(-1) as readonly [number, number]];
            const span = { ...place, start: first[0], end: last[1] };
            return {
              ...span,
              ensembl: `T${hgnc}`,
              gene: `G${hgnc}`,
              references: none,
              isManeSelect: true,
              isManePlusClinical: false,
            };
          }),
          exons: hgncs.flatMap((hgnc) =>
            exons[hgnc].map(([start, end], i) => ({
              ...{
                ...place,
                ensembl: `E${hgnc}${i}`,
                gene: `G${hgnc}`,
                transcript: `T${hgnc}`,
                rank: i + 1,
                start,
                end,
              },
              cds: { start, end },
            })),
          ),
        };
      }
      const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: build as 'GRCh38' }));
      await intervals.load({ sets, rows: rows(), accept: () => record }, now);
      await store(server.repository(coverageSamples), registered);

      const repository = server.repository(beacon);
      await repository.addDataset(dataset('wgs', { assembly: build }), now);
      const alleles = [...carried].map(([allele, copies]): CalledAllele => {
        const carriers = Object.entries(copies).map(([name, count]) => [people.indexOf(name), count] as const);
        return { ...allele, carriers, uncalled: allele === missense ? [people.indexOf('father')] : [] };
      });
      const facts = Object.fromEntries(
        people.slice(0, -1).map((name) => [
          name,
          {
            ...(['child', 'mother', 'father', 'sibling'].includes(name) && { case: 'F1' }),
            ...(['child', 'other'].includes(name) && { affected: true, phenotypes: [{ id: 'HP:0001250' }] }),
          },
        ]),
      );
      const small = { small: true, structural: false };
      await add(repository, 'wgs', facts, alleles, now, small);
      await annotate(server.repository(beaconConsequences), 'wgs', [
        annotated(missense, [atGene({ hgnc: 1, symbol: 'ONE' }, ['missense_variant'])], {
          clinVar: ['uncertain_significance'],
        }),
        annotated(frequent, [atGene({ hgnc: 1, symbol: 'ONE' }, ['missense_variant'])], {
          frequency: { value: 0.2, field: 'AF' },
        }),
        annotated(synonymous, [atGene({ hgnc: 1, symbol: 'ONE' }, ['synonymous_variant'])], {
          frequency: { value: 0.3, field: 'AF' },
        }),
        annotated(second, [atGene({ symbol: 'TWO' }, ['stop_gained'])]),
        annotated(added, [atGene({ hgnc: 3, symbol: 'THREE' }, ['missense_variant'])]),
        annotated(listed, [atGene({ hgnc: 9, symbol: 'NINE' }, ['intron_variant'])]),
      ]);
      await loadSites('2026-05', [
        site(synonymous, 'Pathogenic', 2),
        site(snv(1220), 'Likely_pathogenic', 1),
        site(listed, 'Pathogenic', 1),
      ]);
      await server.repository(panels).add(signedOff('1', [1, 2]));
    });

    it('has the alleles that may matter, with genotypes, genes, counts, classes and others', async () => {
      const evidence = await one(statementOf());
      expect(evidence?.panel.before.value?.version).to.equal('1');
      expect(evidence?.panel.now.value?.version).to.equal('1');
      const calls = evidence?.calls.value ?? [];
      expect(calls.map(({ key }) => key)).to.deep.equal([missense, synonymous, unannotated].map(keyOf));
      const [first, homozygous, unknown] = calls;
      // The father was not called there; his coverage is unknown, too.
      expect(Object.fromEntries(first?.genotypes ?? [])).to.deep.equal({
        child: { copies: 1, of: 2 },
        mother: { copies: 1, of: 2 },
        father: 'unknown',
      });
      expect(Object.fromEntries(homozygous?.genotypes ?? [])).to.deep.equal({
        child: { copies: 2, of: 2 },
        mother: 'absent',
        father: { copies: 1, of: 2 },
      });
      expect(first?.genes).to.deep.equal([{ hgnc: 1, symbol: 'ONE', effect: 'moderate', terms: ['missense_variant'] }]);
      expect(unknown?.genes).to.deep.equal([{ hgnc: 1, symbol: 'ONE', effect: 'unknown', terms: [] }]);
      expect(first?.local).to.deep.include({ carriers: 4, samples: 5, alleleCount: 5 });
      const notCovered = Number(depthAt(registered[0] as Person, '1', missense.start) < 10);
      expect(first?.local.covered).to.deep.include({ covered: 4 - notCovered, notCovered, unknown: 1 });
      expect(first?.others).to.deep.equal([
        { sample: 'lab2', case: 'lab2', affected: undefined, phenotypes: [], copies: 1, whole: [] },
        { sample: 'other', case: 'other', affected: true, phenotypes: ['HP:0001250'], copies: 2, whole: [1] },
      ]);
      // The child has a pathogenic allele of the gene, too; the mother has this one alone.
      const persons = [{ role: 'proband', isAffected: true, sample: 'other', sex: 'female' } as const];
      const reverse = (await one(statementOf({ case: 'other', persons })))?.calls.value ?? [];
      expect(
        reverse.find(({ key }) => key === keyOf(missense))?.others.map(({ sample, whole }) => [sample, ...whole]),
      ).to.deep.equal([['child', 1], ['lab2'], ['mother']]);
      expect(homozygous?.populationFrequency).to.equal(0.3);
      const classes = evidence?.classes.value;
      expect(classes?.get(keyOf(synonymous))).to.deep.equal([
        { by: 'ClinVar', from: 'set', release: '2026-05', significance: 'Pathogenic', level: 'pathogenic', stars: 2 },
      ]);
      expect(classes?.get(keyOf(missense))).to.deep.equal([
        { by: 'VEP v110', from: 'annotation', release: '', significance: 'uncertain_significance', level: 'other' },
      ]);
      expect(evidence?.releases).to.deep.equal({ ClinVar: '2026-05' });
      expect(evidence?.terms.value).to.deep.equal(['HP:0001250']);
      expect(evidence?.isAligned).to.equal(false);
      expect([evidence?.matches.why, evidence?.byTerms.why]).to.deep.equal(['no-plugin', 'no-plugin']);
    });

    it('has what the proband does not cover, by exons, bases and known variants', async () => {
      const { coverage: known } = (await one(statementOf())) ?? {};
      const child = registered.find(({ id }) => id === 'child') as Person;
      const lacks = (start: number, end: number) =>
        Array.from({ length: end - start }, (_, i) => start + i).filter((base) => depthAt(child, '1', base) < 10)
          .length;
      const holes = ([1, 2] as const).flatMap((hgnc) =>
        exons[hgnc]
          .filter(([start, end]) => lacks(start, end) > 0)
          .map(([start, end]) => ({ hgnc, chromosome: '1', start, end })),
      );
      const sites = [1007, 1220].filter((start) => lacks(start - 1, start + 2) > 0);
      expect(holes.length).to.be.above(0);
      expect(known?.value?.holes).to.have.deep.members([
        ...holes,
        ...sites.map((start) => ({ hgnc: 1, chromosome: '1', start, end: start + 1, site: 'A>C' })),
      ]);
      for (const hgnc of new Set(holes.map((hole) => hole.hgnc))) {
        const coding = exons[hgnc].reduce((sum, [start, end]) => sum + end - start, 0);
        const lacking = exons[hgnc].reduce((sum, [start, end]) => sum + lacks(start, end), 0);
        expect(known?.value?.genes?.get(hgnc)).to.deep.equal({ coding, covered: coding - lacking });
      }
      expect(Object.keys(known?.value?.standings ?? {})).to.have.members(['child', 'mother']);
    });

    it('has genes of the newer signed version, alleles that the statement lists, and siblings', async () => {
      await server.repository(panels).add(signedOff('2', [1, 3]));
      const basis: StatedAllele = { ...plain(listed), isBasis: true };
      const sibling = { role: 'relative', isAffected: true, sample: 'sibling', sex: 'female' } as const;
      const statement = statementOf({ alleles: [basis], persons: [...statementOf().persons, sibling] });
      const [first, twice] = await gather([statement, { ...statementOf(), case: 'F2', build: 'GRCh37' }]);
      expect(first?.evidence.panel.now.value?.version).to.equal('2');
      const keys = first?.evidence.calls.value?.map(({ key }) => key);
      expect(keys).to.deep.equal([missense, synonymous, unannotated, added, listed].map(keyOf));
      const own = first?.evidence.calls.value?.[3];
      expect([...(own?.genotypes ?? [])].map(([sample, genotype]) => [sample, typeof genotype])).to.deep.equal([
        ...[
          ['child', 'object'],
          ['mother', 'string'],
          ['father', 'string'],
          ['sibling', 'object'],
        ],
      ]);
      expect(first?.evidence.classes.value?.get(keyOf(listed))?.[0]?.level).to.equal('pathogenic');
      // Of another build there is no dataset, no set and no gene.
      const { calls, classes, coverage: covered } = twice?.evidence ?? {};
      expect([calls?.why, classes?.why, covered?.why]).to.deep.equal(['no-calls', 'no-sets', 'no-genes']);
    });

    it('says why a part was not looked at, and knows what is solved by another allele', async () => {
      const kept: Record<string, unknown> = {};
      const without = (...keys: string[]) =>
        gather([statementOf({ patient: 'P1' })], {
          find: (key) => (keys.includes(key) ? undefined : optionalService(key)),
        });
      const [none] = await without('beacon/carried-alleles@1', 'coverage/callability@1', 'panels/versions@1');
      const { panel, calls, terms, coverage: covered } = none?.evidence ?? {};
      Object.assign(kept, { panel: panel?.before.why, calls: calls?.why, terms: terms?.why, covered: covered?.why });
      expect(kept).to.deep.equal({ panel: 'no-plugin', calls: 'no-plugin', terms: 'no-plugin', covered: 'no-plugin' });
      const [unlisted] = await gather([statementOf({ panel: { panel: 'heart', version: '1' } })]);
      expect([unlisted?.evidence.panel.before.why, unlisted?.evidence.calls.why]).to.deep.equal([
        'no-panel',
        'no-panel',
      ]);
      const [stranger] = await gather([
        statementOf({ persons: [{ role: 'proband', isAffected: true, sample: 'nobody', sex: 'unknown' }] }),
      ]);
      expect([stranger?.evidence.calls.why, stranger?.evidence.coverage.why]).to.deep.equal([
        'no-calls',
        'no-coverage',
      ]);

      const {
        stored: _,
        isLookedAt: __,
        ...other
      } = statementOf({
        ...{ case: 'O', conclusion: 'solved', alleles: [{ ...plain(second), isBasis: true }] },
        persons: [{ role: 'proband', isAffected: true, sample: 'other', sex: 'male' }],
      });
      await server.repository(reviews).put(other, now);
      const [solved] = await gather([statementOf()]);
      expect(solved?.common.isSolvedOtherwise?.('other', keyOf(missense))).to.equal(true);
      expect(solved?.common.isSolvedOtherwise?.('other', keyOf(second))).to.equal(false);
      expect(solved?.common.isSolvedOtherwise?.('lab2', keyOf(missense))).to.equal(false);
    });

    it('is read anew once calls, annotations or sets change, by the same gatherer', async () => {
      const same = gatherer(own());
      const keys = async () => {
        const [found] = await same()([statementOf()], signal);
        return {
          calls: found?.evidence.calls.value?.map(({ key }) => key),
          stamp: found?.evidence.samples.get('child')?.stamp,
        };
      };
      const first = await keys();
      expect(await keys()).to.deep.equal(first);
      const fresh = snv(1211, 'G');
      const call: CalledAllele = { ...fresh, carriers: [[0, 1]] };
      await add(server.repository(beacon), 'wgs', { child: {} }, [call], new Date(), {
        small: true,
        structural: false,
      });
      const later = await keys();
      expect(later.calls).to.include(keyOf(fresh));
      expect(later.stamp).not.to.equal(first.stamp);
      for (const [clinVar, level] of [
        ['pathogenic', 'pathogenic'],
        ['benign', 'other'],
      ] as const) {
        const gene = atGene({ hgnc: 1, symbol: 'ONE' }, ['missense_variant']);
        await annotate(server.repository(beaconConsequences), 'wgs', [
          annotated(fresh, [gene], { clinVar: [clinVar] }),
        ]);
        const [found] = await same()([statementOf()], signal);
        expect(found?.evidence.classes.value?.get(keyOf(fresh))?.map((one) => one.level)).to.deep.equal([level]);
      }
      // What is too frequent, or of low effect, is there for its class alone.
      const [common, low] = [frequent, synonymous].map(keyOf);
      const releases = [
        { release: '2026-06', of: [frequent, synonymous], absent: [] },
        { release: '2026-07', of: [frequent], absent: [low] },
        { release: '2026-08', of: [], absent: [common, low] },
        { release: '2026-09', of: [synonymous], absent: [common] },
      ];
      for (const { release, of, absent } of releases) {
        await loadSites(release, [
          site(snv(1220), 'Likely_pathogenic', 1),
          ...of.map((one) => site(one, 'Pathogenic', 2)),
        ]);
        const [found] = await same()([statementOf()], signal);
        const { calls, classes } = (await one(statementOf())) as CaseEvidence;
        expect(found?.evidence.calls, release).to.deep.equal(calls);
        expect(found?.evidence.classes, release).to.deep.equal(classes);
        const known = calls.value?.map(({ key }) => key) ?? [];
        expect(known, release).to.include.members(of.map(keyOf));
        expect(
          known.filter((key) => absent.includes(key)),
          release,
        ).to.deep.equal([]);
      }
    });

    it('has holes that are kept as long as the coverage stays, and are those of a new gatherer', async () => {
      const kept = gatherer(own());
      const twice = [
        statementOf(),
        { ...statementOf(), case: 'F3' },
        { ...statementOf(), panel: { panel: 'kidney', version: '2' } },
      ];
      const holesBy = async (gathering: typeof kept) =>
        (await gathering()(twice, signal)).map(({ evidence }) => {
          const { holes = [], genes = new Map() } = evidence.coverage.value ?? {};
          return {
            holes: holes.map((hole) => JSON.stringify(hole)).sort(),
            genes: [...genes].sort(([one], [other]) => one - other),
          };
        });
      const first = await holesBy(kept);
      expect(first[0]).to.deep.equal(first[1]);
      expect(first[0]?.holes.length).to.be.above(0);
      expect(await holesBy(kept)).to.deep.equal(first);
      expect(await holesBy(gatherer(own()))).to.deep.equal(first);
      await server.repository(panels).add(signedOff('3', [2, 3]));
      expect(await holesBy(kept)).to.deep.equal(await holesBy(gatherer(own())));
      // Other known variants: in every coding base, in none of them, and none at all.
      const inExons = Array.from({ length: 240 }, (_, i) => site(snv(1000 + i, 'G'), 'Pathogenic', 1));
      for (const [release, some] of Object.entries({ x: inExons, y: [site(snv(1100), 'Pathogenic', 1)], z: [] })) {
        await loadSites(release, some);
        expect(await holesBy(kept), release).to.deep.equal(await holesBy(gatherer(own())));
      }
      const [child] = registered as [Person];
      const worse = child.stretches.map((stretch) => ({
        ...stretch,
        depths: stretch.depths.map((depth, i) => (i % 3 ? depth : 3)),
      }));
      const samples = server.repository(coverageSamples);
      const [{ revision = '' } = {}] = await samples.find(['child']);
      const outcome = checkOf({ ...child, stretches: worse });
      if (outcome.state !== 'ready') throw new Error('The check is of a ready sample');
      // Of another file.
      const check = { ...outcome.check, fingerprint: 'fedcba9876543210' };
      expect(await samples.record('child', revision, { ...outcome, check })).to.equal(true);
      const last = await holesBy(kept);
      expect(last).not.to.deep.equal(first);
      expect(last).to.deep.equal(await holesBy(gatherer(own())));
    });

    it('has holes of each case as if it were asked alone, whichever cases, panels and sets were read before', async () => {
      const names = Array.from({ length: 5 }, (_, i) => `patchy ${i}`);
      // Also beside exons, of which most are covered.
      const stretches = () =>
        (registered[0] as Person).stretches.map(({ chromosome, start, depths: { length } }) => {
          const isCovered = random.chance(0.6);
          const depth = (_: unknown, i: number) =>
            (isCovered && 15 < i && i < length + 14) || random.chance(0.9) ? 30 : 3;
          return { chromosome, start: start - 15, depths: Array.from({ length: length + 30 }, depth) };
        });
      const patchy = names.map((id): Person => ({ id, stretches: stretches() }));
      await store(server.repository(coverageSamples), patchy);
      for (const [panel, genes] of Object.entries({ one: [1, 2], two: [2, 3], three: [3] } as const)) {
        const content = contentOf(genes.map((hgnc) => green(hgnc, symbols[hgnc])));
        const review = submittedVersion(draftVersion(panel, '1', content, { by: 'a', at: now }), { by: 'a', at: now });
        await server.repository(panels).add(signedVersion(review, review.digest, 1, { by: 'b', at: now }));
      }
      const cases = patchy.flatMap(({ id: sample }) =>
        ['one', 'two', 'three'].map((panel) => ({
          ...statementOf({ persons: [{ role: 'proband', isAffected: true, sample, sex: 'male' }] }),
          ...{ case: `${sample} ${panel}`, panel: { panel, version: '1' } },
        })),
      );
      /** Of gene ONE, all positions from its first coding base to its last one. */
      const [first, last] = [exons[1][0][0], exons[1].at(-1)?.[1] ?? 0];
      let listed: number[] = [];
      const expectedOf = (sample: string) =>
        listed.filter((start) => {
          const person = patchy.find(({ id }) => id === sample) as Person;
          const isLow = [start - 1, start, start + 1].some((base) => depthAt(person, '1', base) < 10);
          return first <= start && start < last && isLow;
        });
      const kept = gatherer(own());
      const holesOf = ({ evidence }: { evidence: CaseEvidence }) => {
        const { holes = [], genes = [] } = evidence.coverage.value ?? {};
        return {
          holes: holes.map((hole) => JSON.stringify(hole)).sort(),
          genes: [...genes].sort(([a], [b]) => a - b),
          sites: holes.flatMap(({ hgnc, site, start }) =>
            hgnc === 1 && site && first <= start && start < last ? start : [],
          ),
        };
      };
      let sites = 0;
      for (let round = 0; round < 12; round++) {
        if (round % 4 === 0) {
          const known = [1000, 5000, 9000].flatMap((from) => Array.from({ length: 100 }, (_, i) => from - 20 + 3 * i));
          listed = random
            .shuffled(known)
            .slice(0, 120)
            .sort((a, b) => a - b);
          await loadSites(
            `patchy ${round}`,
            listed.map((start) => site(snv(start, 'G'), 'Pathogenic', 1)),
          );
        }
        const some = random.shuffled(cases).slice(0, random.int(1, 6));
        const found = (await kept()(some, signal)).map(holesOf);
        for (const [i, statement] of some.entries()) {
          const [alone] = (await gatherer(own())()([statement], signal)).map(holesOf);
          expect(found[i], `round ${round}, ${statement.case}`).to.deep.equal(alone);
          const open = (found[i]?.holes ?? [])
            .map((hole) => JSON.parse(hole))
            .filter((hole) => hole.site === undefined);
          expect(found[i]?.genes.map(([hgnc]) => hgnc)).to.deep.equal(
            [...new Set(open.map(({ hgnc }) => hgnc))].sort(),
          );
          const isOfOne = statement.panel.panel === 'one';
          const inOne = found[i]?.sites.sort((a, b) => a - b);
          expect(inOne).to.deep.equal(isOfOne ? expectedOf(statement.persons[0]?.sample ?? '') : []);
          sites += inOne?.length ?? 0;
        }
      }
      expect(sites).to.be.above(100);
      await loadSites('none', []);
    });

    it('has what the proband alone does not cover, of core genes, and not what was so already', async () => {
      const samples = server.repository(coverageSamples);
      const [child] = registered as [Person];
      const covered = child.stretches.map((stretch) => ({ ...stretch, depths: stretch.depths.map(() => 30) }));
      // Of the first exons of ONE and TWO the child lacks a base.
      const lacking = covered.map((stretch) => {
        const isFirst = stretch.start === exons[1][0][0] - 1 || stretch.start === exons[2][0][0] - 1;
        return isFirst ? { ...stretch, depths: stretch.depths.map((_, i) => (i === 5 ? 3 : 30)) } : stretch;
      });
      const crowd = Array.from({ length: 10 }, (_, i) => ({ id: `crowd ${i}`, stretches: covered }));
      await store(samples, [{ id: 'alone', stretches: lacking }, ...crowd]);
      const labels = { assay: 'panel' };
      const facts = Object.fromEntries(['alone', ...crowd.map(({ id }) => id)].map((name) => [name, { labels }]));
      await add(server.repository(beacon), 'wgs', facts, [], new Date(), { small: true, structural: false });
      const content = contentOf([{ ...green(1, 'ONE'), core: true }, green(2, 'TWO')]);
      const review = submittedVersion(draftVersion('heart', '1', content, { by: 'a', at: now }), { by: 'a', at: now });
      await server.repository(panels).add(signedVersion(review, review.digest, 1, { by: 'b', at: now }));
      const statement = (holes: Baseline['holes']) =>
        statementOf({
          persons: [{ role: 'proband', isAffected: true, sample: 'alone', sex: 'male' }],
          ...{ panel: { panel: 'heart', version: '1' }, baseline: { ...noBaseline, taken: now, holes } },
        });
      const alone = async (holes: Baseline['holes']) =>
        (await one(statement(holes)))?.coverage.value?.holes.flatMap(({ hgnc, start, isAlone }) =>
          isAlone ? [[hgnc, start]] : [],
        );
      const [[start, end]] = exons[1];
      expect(await alone([])).to.deep.equal([[1, start]]);
      expect(await alone([{ hgnc: 1, chromosome: '1', start, end }])).to.deep.equal([]);
    });
  });
}
