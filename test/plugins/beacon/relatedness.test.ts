/** Whether a sample is here already, and whether relatives are related as stated. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { Fault } from '../../../core/fault.js';
import { openSource, sourceOf } from '../../../core/files.js';
import {
  beacon,
  type CalledAllele,
  type Contig,
  type Dataset,
  Genotypes,
  type Site,
} from '../../../plugins/beacon/contract.js';
import { compareSamples } from '../../../plugins/beacon/loading/comparison.js';
import {
  comparisonJson,
  comparisonLines,
  comparisonWarnings,
  refuseFindings,
} from '../../../plugins/beacon/loading/comparison-text.js';
import { loadVariants } from '../../../plugins/beacon/loading/load.js';
import { barredLines, permitAll } from '../../../plugins/beacon/loading/permit.js';
import {
  checkStated,
  type ComparedPerson as Somebody,
  statedPairs,
} from '../../../plugins/beacon/loading/relatedness.js';
import { readPed } from '../../../plugins/beacon/loading/sheets/sample-sheet.js';
import { profileMatches } from '../../../plugins/beacon/loqusdb/load.js';
import { SiteGenotypes } from '../../../plugins/beacon/vcf/site-genotypes.js';
import { Random } from '../../conformance/core.js';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { typedBeacon } from './support/commands.js';
import { engines } from './support/engines.js';
import { carried, Families, gvcf, joint, likenessOf, type Person } from './support/families.js';
import { dataset, type Json } from './support/serve.js';
import { describeWithShared, shared } from './support/shared.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const families = new Families(600, 16);
const [father, mother, stranger, other] = Array.from({ length: 4 }, () => families.person()) as [
  Person,
  Person,
  Person,
  Person,
];
const [child, sibling] = [families.child(father, mother), families.child(father, mother)];
const grandchild = families.child(child, stranger);

describe('beacon: comparing genotypes', () => {
  it('counts sites as one by one', () => {
    const random = new Random(1);
    for (let round = 0; round < 30; round++) {
      const sites = random.int(1, 100);
      const known = [0, 1].map(() => Array.from({ length: sites }, () => random.int(-1, 2)));
      const [one = [], other = []] = known;
      // Among other samples, whose bits are in the neighbouring words.
      const group = new Genotypes(3, sites);
      for (const [sample, all] of [one.map(() => 2), one, other].entries()) {
        for (const [site, copies] of all.entries()) if (copies >= 0) group.set(sample, site, copies);
      }
      const both = (is: (here: number, there: number) => boolean) =>
        one.filter((here, site) => here >= 0 && (other[site] ?? -1) >= 0 && is(here, other[site] ?? -1)).length;
      expect(group.likeness(1, group, 2)).to.deep.equal({
        sites: both(() => true),
        same: both((here, there) => here === there),
        bothHeterozygous: both((here, there) => here === 1 && there === 1),
        referenceAgainstAlternate: both((here, there) => here === 0 && there === 2),
        alternateAgainstReference: both((here, there) => here === 2 && there === 0),
      });
      expect(one.map((_, site) => group.at(1, site) ?? -1)).to.deep.equal(one);
      const count = (copies: number) => one.filter((known) => known === copies).length;
      expect(group.counts(1)).to.deep.equal({ reference: count(0), heterozygous: count(1), homozygous: count(2) });
    }
  });

  it('keeps the same sites of a file in any order, and all that are asked for', () => {
    const random = new Random(2);
    const sites = Array.from({ length: 30_000 }, (_, n): Site => {
      const contig = String(1 + (n % 22)) as Contig;
      return { contig, start: 7 * n, reference: 'ACGT'[n % 4] ?? '', alternate: 'CGTA'[n % 4] ?? '' };
    });
    const wanted = sites.filter((_, n) => n % 100 === 0);
    const kept = (all: readonly Site[]) => {
      const genotypes = new SiteGenotypes(2, wanted);
      for (const { contig, start, reference, alternate } of all) {
        genotypes.at(contig, start, reference, alternate)?.set([1 + (start % 3), 0]);
      }
      return genotypes;
    };
    const [forward, backward] = [kept(sites), kept(sites.toReversed())];
    const known = forward.known(5000);
    expect(known).to.deep.equal(backward.known(5000));
    // 300 that are asked for, and between half and all of the 2,048 others that there is room for.
    expect(known.slice(0, 300)).to.have.deep.members(wanted);
    expect(known.length).to.be.within(300 + 900, 300 + 2048);
    expect(new Set(known.map(({ contig }) => contig)).size).to.equal(22);
    const at = random.int(0, known.length - 1);
    const { start } = known[at] as Site;
    expect([forward.genotypes(known).at(0, at), forward.genotypes(known).at(1, at)]).to.deep.equal([
      start % 3,
      undefined,
    ]);
    // The first sample alone is known: of its genotypes 1 of 4 alleles is nearest to half.
    expect(new Set(forward.telling(100).map((site) => site.start % 3))).to.deep.equal(new Set([2]));
  });

  it('compares no pair that cannot share enough sites, and no more pairs than the bound', async () => {
    const [engine] = engines;
    if (!engine) throw new Error('there is a storage');
    const { storage } = await engine.open([beacon]);
    const repository = storage.repository(beacon);
    await repository.addDataset(dataset('ds'), new Date());
    const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
    const genotypes = new SiteGenotypes(names.length, []);
    // Ten samples are known at 200 sites, two at ten: half of the 100 that two need in common is more.
    for (let n = 0; n < 200; n++) {
      genotypes
        .at('1', 10 * n, 'A', 'C')
        ?.set(names.map((_, sample) => (sample < 10 || n < 10 ? 1 + ((n + sample) % 3) : 0)));
    }
    const { likeness } = Genotypes.prototype;
    let work = 0;
    Genotypes.prototype.likeness = function (...given) {
      work++;
      return likeness.apply(this, given);
    };
    try {
      const about = { repository, dataset: 'ds', samples: names, genotypes, facts: new Map(), pedigree: new Map() };
      const thresholds = { sites: 100, samePerson: 0.85, parentChild: 0.1, unrelated: 0.35 };
      const whole = await compareSamples({ ...about, thresholds });
      // 10 * 9 / 2 of 12 * 11 / 2 = 66 pairs.
      expect([whole.pairs, work]).to.deep.equal([{ compared: 45, tooFewSites: 21 }, 45]);
      work = 0;
      const part = await compareSamples({ ...about, thresholds, most: 20 });
      expect([part.pairs, work]).to.deep.equal([{ compared: 20, tooFewSites: 21, notCompared: 25 }, 20]);
      expect(comparisonLines(part).join('\n')).to.include('25 pairs of samples were not compared');
      expect(() => refuseFindings({ ...part, findings: [] })).to.throw(Fault, '25 pairs of samples were not compared');
    } finally {
      Genotypes.prototype.likeness = likeness;
      await storage.close();
    }
  });

  it('compares no pair of a file and the dataset beyond the bound of a profile check', async () => {
    const [engine] = dealt(engines, 'sqlite');
    if (engine === undefined) throw new Error('no engine');
    const { storage } = await engine.open([beacon]);
    await storage.migrate();
    const repository = storage.repository(beacon);
    await repository.addDataset(dataset('ds'), new Date());
    // Three people of the dataset and two of the file, at 25 sites; 20 in common are needed.
    const sites = Array.from({ length: 25 }, (_, n) => n * 1000);
    const batches = (async function* () {
      yield sites.map((start): CalledAllele => {
        const place = { contig: '1', start, end: start + 1, reference: 'A', alternate: 'C', kind: 'SNP' } as const;
        return {
          ...place,
          structural: false,
          carriers: [
            [0, 1],
            [1, 1],
            [2, 2],
          ],
        };
      });
    })();
    await repository.importAlleles({ dataset: 'ds', samples: ['a', 'b', 'c'], alleles: batches }, new Date());
    const records = sites.map((start) => `1 ${start + 1} . A C . . . GT 0/1 1/1`);
    const text = vcf({ samples: ['x', 'y'], records });
    const { likeness } = Genotypes.prototype;
    let work = 0;
    Genotypes.prototype.likeness = function (...given) {
      work++;
      return likeness.apply(this, given);
    };
    const check = async (most: number) => {
      work = 0;
      const source = sourceOf('x.vcf', 0, () => Readable.from([Buffer.from(text)]));
      const stored = (await repository.dataset('ds')) as Dataset;
      const matches = await profileMatches({ repository, dataset: stored, source, threshold: 0, most }).catch(
        (error: Error) => error.message,
      );
      return [typeof matches === 'string' ? matches : matches.length, work];
    };
    try {
      // 2 × 3 pairs.
      expect(await check(6)).to.deep.equal([6, 6]);
      expect(await check(5)).to.deep.equal([
        'x.vcf: 2 samples of the file are too many to be compared with 3 of the dataset: at most 5 pairs are',
        0,
      ]);
    } finally {
      Genotypes.prototype.likeness = likeness;
      await storage.close();
    }
  });

  it('refuses a pedigree in which two people have more than 50 children', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-ped-'));
    const path = join(folder, 'many.ped');
    const children = (count: number) => Array.from({ length: count }, (_, n) => `F c${n} pa ma 1 1\n`).join('');
    await writeFile(path, children(50));
    expect(statedPairs((await readPed(path)).pedigree([])).length).to.equal(50 * 2 + (50 * 49) / 2);
    await writeFile(path, children(300));
    const refused = await readPed(path).then(
      () => 'read',
      (error: Error) => error.message,
    );
    await rm(folder, { recursive: true });
    expect(refused).to.include('line 51, column 3: more than 50 individuals have the parents "pa" and "ma"');
  });

  it('knows unknown parents by all their words, and parents by their family', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-ped-'));
    const path = join(folder, 'two.ped');
    let samples: string[] = [];
    const pairs = async (...lines: string[]) => {
      await writeFile(path, lines.map((line) => `${line}\n`).join(''));
      return readPed(path).then(
        ({ pedigree }) => statedPairs(pedigree(samples)).map(({ relation, names }) => `${relation} ${names.join(' ')}`),
        (error: Error) => error.message,
      );
    };
    for (const none of ['0', '-9', '.', 'NA', 'na', 'n/a', 'None', 'unknown']) {
      expect(await pairs(`F1\ta\t${none}\t${none}\t1\t1`, `F2\tb\t${none}\t${none}\t2\t1`), none).to.deep.equal([]);
    }
    const ofTheir = (child: string, [pa, ma] = ['1', '2']) => [
      `parent-child ${child} ${pa}`,
      `parent-child ${child} ${ma}`,
    ];
    // Ids are those of a family (PLINK 1.9, "PED"), whether the parents have lines or not.
    const parents = ['F1 1 0 0 1 1', 'F1 2 0 0 2 1', 'F2 1 0 0 1 1', 'F2 2 0 0 2 1'];
    for (const listed of [[], parents, parents.slice(1), parents.slice(2)]) {
      const own = [...ofTheir('a', ['F1_1', 'F1_2']), ...ofTheir('b', ['F2_1', 'F2_2'])];
      expect(await pairs('F1 a 1 2 1 1', 'F2 b 1 2 2 1', ...listed)).to.deep.equal(own);
    }
    expect(await pairs('F1 a 1 2 1 1', 'F1 a 1 2 2 1')).to.include(
      'line 2, column 2: the individual "a" is already on line 1',
    );
    // As PLINK names samples.
    samples = ['F1_a'];
    expect(await pairs('F1 a 1 2 1 1')).to.deep.equal(ofTheir('F1_a', ['F1_1', 'F1_2']));
    samples = [];
    const circle = 'line 1, column 2: the individual "a" is among its own ancestors, or one of these is';
    expect(await pairs('F1 a b 0 1 1', 'F1 b 0 c 1 1', 'F1 c a 0 2 1', 'F1 d c 0 1 1')).to.include(circle);
    expect(await pairs('F1 a b 0 1 1', 'F2 b a 0 1 1')).to.deep.equal([
      'parent-child F1_a F1_b',
      'parent-child F2_b F2_a',
    ]);
    expect(await pairs('F1 a 1 2 1 1', 'F1 b 1 2 2 1')).to.deep.equal([
      ...ofTheir('a'),
      ...ofTheir('b'),
      'siblings b a',
    ]);
    expect(await pairs('F1 a a 2 1 1')).to.include('line 1, column 3: the individual "a" is its own parent');
    expect(await pairs('F1 a 1 a 1 1')).to.include('line 1, column 4: the individual "a" is its own parent');
    await rm(folder, { recursive: true });
  });

  it('reads who is stated as related from a pedigree', () => {
    const parents = { father: 'F', mother: 'M' };
    const pedigree = new Map<string, { father?: string; mother?: string }>([
      ['a', parents],
      ['b', { mother: 'M' }],
      ['c', parents],
    ]);
    expect(statedPairs(pedigree).map(({ relation, names }) => `${relation} ${names.join(' ')}`)).to.deep.equal([
      'parent-child a F',
      'parent-child a M',
      'parent-child b M',
      'parent-child c F',
      'parent-child c M',
      'siblings c a',
    ]);
  });

  it('takes two people of a case for a couple unless they are of one sex, and many for no family', () => {
    const thresholds = { sites: 100, samePerson: 0.85, parentChild: 0.1, unrelated: 0.35 };
    const found = (...sexes: Somebody['sex'][]) => {
      const people = sexes.map((sex, n): [string, Somebody] => {
        const name = `s${n}`;
        return [name, { name, case: 'F', sex, isStored: n > 0, showsReference: true }];
      });
      const comparison = { sites: 500, ibs0: 50, ibs2: 200, concordance: 0.4, alike: 0.2, telling: 300, ratio: 0.5 };
      const stated = { fresh: new Set(['s0']), people: new Map(people), pedigree: new Map(), thresholds };
      return checkStated(stated, () => comparison).findings.map(({ kind, others }) => [kind, others.length]);
    };
    expect(found('male', 'female')).to.deep.equal([]);
    expect(found('male', 'unknown')).to.deep.equal([]);
    expect(found('unknown', 'unknown')).to.deep.equal([]);
    expect(found('male', 'male')).to.deep.equal([['unrelated-to-case', 1]]);
    expect(found('male', 'female', 'unknown')).to.deep.equal([['unrelated-to-case', 2]]);
    const cohort = Array.from({ length: 51 }, () => 'female' as const);
    expect(found(...cohort.slice(1))).to.deep.equal([['unrelated-to-case', 49]]);
    expect(found(...cohort), 'no family').to.deep.equal([]);
  });
});

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: samples that are here already on ${engine.name}`, () => {
    const server = useOnce(() => serveWriter(engine));
    let namer: string;

    before(async () => {
      const scopes = ['beacon:write', 'beacon:cases'];
      ({ token: namer } = await issueToken(server.tokens, { owner: 'Lab', scopes }, new Date()));
      await server.repository.addDataset(dataset('ds'), new Date());
    });

    let files = 0;
    async function add(text: string, more: Json = {}, token?: string): Promise<Json> {
      files++;
      const vcf_path = await server.file(`${files}.vcf`, text);
      const body = { dataset_id: 'ds', vcf_path, assemblyId: 'GRCh37', ...more };
      return server.ended(await server.send('add', body, token === undefined ? {} : { token }));
    }
    const comparisonOf = ({ result }: Json) => (result as Json).comparison as Json;
    const sexes = Object.entries({ child: 'male', father: 'male', mother: 'female' });
    const samples_info = sexes.map(([sample, sex]) => ({ sample, sex }));
    const trio = joint({ child, father, mother });

    it('finds a trio in order, also if it is loaded again', async () => {
      const expected = { pairs: { compared: 3, tooFewSites: 0 }, unchecked: 0, warnings: [], moreWarnings: 0 };
      for (const time of ['first', 'second']) {
        const job = await add(trio, { case_id: 'F1', samples_info, strict: true });
        expect(comparisonOf(job), time).to.deep.equal(expected);
      }
    });

    it('recognizes a person under another name', async () => {
      const before = await server.repository.dataset('ds');
      const file = carried('again', child);
      // What the person carries, in both files.
      const { sites, ibs2 } = likenessOf(child, child, (site) => (child[site] ?? 0) > 0);
      const { telling } = { telling: child.filter((copies) => copies === 2).length };
      const refused = await add(file, { case_id: 'F2', strict: true }, namer);
      expect(refused).to.include({
        state: 'failed',
        error:
          'Nothing was added, since the samples do not fit: "again" is the same person as "child" of case "F1", or an ' +
          `identical twin: 100.0 % of ${telling} genotypes agree`,
      });
      expect((await add(file, { strict: true })).error).to.match(
        /"again" is the same person as a stored sample of another case/,
      );
      expect(await server.repository.dataset('ds')).to.deep.equal(before);
      const numbers = { sites, ibs0: 0, ibs2, concordance: 1, alike: 1, ratio: null };
      for (const [token, names] of [
        [undefined, { sample: null, case: null }],
        [namer, { sample: 'child', case: 'F1' }],
      ] as const) {
        const { warnings, pairs } = comparisonOf(await add(file, { case_id: 'F2' }, token)) as Record<string, Json[]>;
        expect(pairs).to.deep.equal({ compared: 3, tooFewSites: 0 });
        expect(warnings).to.deep.equal([
          { kind: 'same-person', sample: 'again', case: 'F2', others: [{ ...names, ...numbers }] },
        ]);
      }
      await server.repository.removeSamples('ds', ['again'], new Date());
    });

    it('recognizes another person under a name that is there', async () => {
      const before = await server.repository.dataset('ds');
      // Sites at which one of the two is homozygous for the alternate and the other carries it.
      const both = child.flatMap((copies, site) => {
        const other = stranger[site] ?? 0;
        return copies > 0 && other > 0 && (copies === 2 || other === 2) ? [copies === other] : [];
      });
      const share = ((both.filter((same) => same).length / both.length) * 100).toFixed(1);
      const refused = await add(carried('child', stranger), { case_id: 'F1', strict: true });
      expect(refused.error).to.equal(
        'Nothing was added, since the samples do not fit: "child" is in the dataset already, as another person: only ' +
          `${share} % of ${both.length} genotypes agree`,
      );
      expect(await server.repository.dataset('ds')).to.deep.equal(before);
    });

    it('says that relationships cannot be checked without reference genotypes', async () => {
      const { unchecked, warnings } = comparisonOf(await add(carried('sibling', sibling), { case_id: 'F1' }));
      expect({ unchecked, warnings }).to.deep.equal({ unchecked: 1, warnings: [] });
      await server.repository.removeSamples('ds', ['sibling'], new Date());
    });

    const forms = {
      'explicit genotypes': (name: string, person: Person) => joint({ [name]: person }),
      'the blocks of a gVCF': gvcf,
    };
    for (const [form, write] of Object.entries(forms)) {
      it(`tells relatives from strangers by ${form}`, async () => {
        const fitting = comparisonOf(await add(write('sibling', sibling), { case_id: 'F1', strict: true }));
        expect(fitting).to.deep.include({ unchecked: 0, warnings: [], pairs: { compared: 3, tooFewSites: 0 } });
        const distant = comparisonOf(await add(write('grandchild', grandchild), { case_id: 'F1', strict: true }));
        expect(distant, 'as half of a parent').to.deep.include({ unchecked: 0, warnings: [] });
        const job = await add(write('stranger', stranger), { case_id: 'F1' }, namer);
        const { warnings } = comparisonOf(job) as { warnings: { kind: string; others: Json[] }[] };
        // The grandchild's other parent is the only one who belongs to it.
        expect(warnings).to.deep.equal([]);
        await server.repository.removeSamples('ds', ['grandchild', 'stranger'], new Date());
        const [found] = comparisonOf(await add(write('stranger', stranger), { case_id: 'F1' }, namer))
          .warnings as Json[];
        expect(found).to.include({ kind: 'unrelated-to-case', sample: 'stranger', case: 'F1' });
        const others = found?.others as Json[];
        expect(others.map(({ sample }) => sample)).to.have.members(['child', 'father', 'mother', 'sibling']);
        // What a stored sample carries is known of it, and the new one is known everywhere.
        for (const { sample, sites, ibs0, ibs2, ratio } of others) {
          const person = { child, father, mother, sibling }[sample as string] as Person;
          const expected = likenessOf(person, stranger, (site) => (person[site] ?? 0) > 0);
          expect({ sites, ibs0, ibs2 }, sample as string).to.deep.equal(expected);
          expect(ratio, sample as string).to.be.within(0.35, 0.7);
        }
        await server.repository.removeSamples('ds', ['sibling', 'stranger'], new Date());
        const refused = await add(write('other', other), { case_id: 'F1', strict: true });
        expect(refused.error).to.match(/"other" looks unrelated to all other samples of its case: a stored sample/);
      });
    }

    it('says nothing of two samples with few sites in common', async () => {
      const few = child.map((copies, site) => (site % 10 === 0 ? copies : 0));
      const { pairs, warnings } = comparisonOf(await add(carried('few', few), { case_id: 'F3' }));
      expect({ pairs, warnings }).to.deep.equal({ pairs: { compared: 0, tooFewSites: 3 }, warnings: [] });
      const records = ['X 5 . A C . . . GT 0/1', '1 5 . A C,T . . . GT 1/2', '1 9 . AT A . . . GT 0/1'];
      const other = comparisonOf(await add(vcf({ samples: ['other'], records })));
      expect(other.pairs).to.deep.equal({ compared: 0, tooFewSites: 4 });
      await server.repository.removeSamples('ds', ['few', 'other'], new Date());
    });

    it('refuses a parameter that is neither true nor false', async () => {
      const vcf_path = await server.file('strict.vcf', trio);
      const reply = await server.send('add', { dataset_id: 'ds', vcf_path, assemblyId: 'GRCh37', strict: 'very' });
      expect([reply.status, reply.body]).to.deep.equal([422, { message: "'very' is not of type 'boolean'" }]);
    });
  });
}

describe('beacon: stated relationships', () => {
  const server = useOnce(async () => {
    const [engine] = engines;
    if (!engine) throw new Error('there is a storage');
    return serveWriter(engine, { work: false });
  });

  async function compared(path: string, pedigree: [string, { father?: string; mother?: string }][], samePerson = 0.85) {
    await server.repository.removeDataset('ds');
    await server.repository.addDataset(dataset('ds'), new Date());
    const found = await server.repository.dataset('ds');
    if (!found) throw new Error('the dataset was added');
    const { comparison } = await loadVariants({
      permit: permitAll,
      repository: server.repository,
      dataset: found,
      sources: [await openSource(path)],
      samples: [],
      compare: {
        thresholds: { sites: 100, samePerson, parentChild: 0.1, unrelated: 0.35 },
        pedigree: () => new Map(pedigree),
      },
      now: new Date(),
    });
    if (!comparison) throw new Error('the samples were compared');
    return comparison;
  }

  it('contradicts parents who are not, and siblings who are not', async () => {
    const path = await server.file('all.vcf', joint({ child, father, mother, sibling, stranger }));
    const parents = { father: 'father', mother: 'mother' };
    const right = await compared(path, [
      ['child', parents],
      ['sibling', parents],
      ['father', { mother: 'unknown' }],
    ]);
    expect(right).to.deep.include({ findings: [], unchecked: 0, pairs: { compared: 10, tooFewSites: 0 } });
    const wrong = await compared(path, [
      ['child', { father: 'stranger', mother: 'mother' }],
      ['stranger', { father: 'stranger', mother: 'mother' }],
    ]);
    const said = wrong.findings.map(({ kind, sample, others }) => [kind, sample.name, others[0]?.person.name]);
    expect(said).to.deep.include.members([
      ['not-parent-and-child', 'child', 'stranger'],
      ['not-parent-and-child', 'stranger', 'mother'],
      ['not-siblings', 'stranger', 'child'],
    ]);
  });

  it('are at most 20 sentences of each kind, and their number', async () => {
    // Of 22 copies of one person each two are a warning: 22 * 21 / 2 = 231. Of these 20 are named, and 200 are in the result.
    const copies = Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`copy${n}`, child]));
    const path = await server.file('copies.vcf', joint({ ...copies, stranger, mother, other }));
    const found = await compared(path, [['copy0', { father: 'stranger' }]]);
    const warnings = comparisonWarnings(found);
    const same = warnings.filter((warning) => warning.includes('is the same person as'));
    expect(same).to.have.length(20);
    expect(warnings[20]).to.equal('211 more warnings of this kind (same-person), 231 in all');
    expect(warnings.slice(21)).to.have.length(1);
    expect(warnings[21]).to.match(/^"copy0" and "stranger" are stated as parent and child/);
    const result = comparisonJson(found, { withNames: true }) as Record<string, Json[]>;
    expect([result.warnings?.length, result.moreWarnings]).to.deep.equal([201, 31]);
    expect(() => refuseFindings(found)).to.throw(
      Fault,
      /agree\. 211 more warnings .*, 231 in all\. "copy0" and "stranger"/,
    );

    const at = new Date('2026-01-01');
    const barred = (count: number) =>
      barredLines(new Map(Array.from({ length: count }, (_, n) => [`s${n}`, { reason: 'objection', at }])));
    expect(barred(20)).to.have.length(20);
    expect(barred(25).slice(19)).to.deep.equal([
      'Not loaded: sample s19, because of an objection to sharing (2026-01-01)',
      '5 more samples that were not loaded, 25 in all',
    ]);
  });

  it('are a warning of the command, and a refusal with --strict', async function () {
    this.timeout(120_000);
    const vcfPath = await server.file('command.vcf', joint({ child, stranger, mother }));
    const ped = await server.file('command.ped', 'F child stranger mother 1 2\nF stranger 0 0 1 1\nF mother 0 0 2 1\n');
    const { run: beacon } = typedBeacon(() => server.folder);
    await beacon('add', 'dataset', '--did', 'ds', '--name', 'Seen', '--authlevel', 'controlled');
    const add = ['add', 'variants', '--ds', 'ds', '--vcf', vcfPath, '--ped', ped];
    const sentence =
      /"child" and "stranger" are stated as parent and child, but have no allele in common at \d+ of \d+ sites/;
    const refused = await beacon(...add, '--strict');
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr)
      .to.match(/^beacon: Nothing was added, since the samples do not fit: "child"/)
      .and.match(sentence);
    expect((await beacon('list', 'samples', '--ds', 'ds')).stdout).to.equal('There are no samples\n');
    const added = await beacon(...add);
    expect(added.code).to.equal(0);
    expect(added.stdout).to.match(/^Compared 3 pairs of samples$/m);
    expect(added.stderr)
      .to.match(/^WARNING /)
      .and.match(sentence);
  });

  describeWithShared('of a real trio', () => {
    it('agrees with bcftools, and knows which of the three is the child', async () => {
      // bcftools gtcheck -u GT -e 0, on biallelic SNVs of autosomes: discordant genotypes of those compared. IBS0 and sites
      // at which both are heterozygous: bcftools query -f '[\t%GT]\n', counted. One of the sites tells nothing and is left
      // out: the last two have the reference there, and the first is unknown.
      const expected = [
        ['ADM1059A1 ADM1059A2', 384, 384 - 216, 0, 0],
        ['ADM1059A1 ADM1059A3', 382, 382 - 317, 17, 17 / 50],
        ['ADM1059A2 ADM1059A3', 382 - 1, 382 - 189 - 1, 2, 2 / 88],
      ];
      const path = shared('test_trio.vcf.gz');
      // Every pair counts as one person, so that all are shown.
      const { findings } = await compared(path, [], 0);
      const found = findings.flatMap(({ kind, sample, others }) =>
        kind === 'same-person'
          ? others.map(({ person, comparison: { sites, ibs0, ibs2, ratio } }) => [
              `${sample.name} ${person.name}`,
              sites,
              ibs2,
              ibs0,
              ratio,
            ])
          : [],
      );
      expect(found).to.deep.equal(expected);
      const [one, two, three] = ['ADM1059A1', 'ADM1059A2', 'ADM1059A3'] as [string, string, string];
      expect((await compared(path, [[two, { father: one, mother: three }]])).findings).to.deep.equal([]);
      const wrong = await compared(path, [[one, { father: two, mother: three }]]);
      expect(wrong.findings.map(({ kind, others }) => [kind, others[0]?.person.name])).to.deep.equal([
        ['not-parent-and-child', three],
      ]);
    });
  });
});
