/** A change that would bring many cases onto the list waits for a person, and no run applies it until then. */
import assert from 'node:assert/strict';
import { alleleKey, type CaseFinding, type ReviewRepository, reviews } from '../../../../plugins/reviews/contract.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { guardRules } from '../../../../plugins/reviews/run/guard.js';
import { preview } from '../../../../plugins/reviews/run/preview.js';
import { type RunTools, run } from '../../../../plugins/reviews/run/run.js';
import { memorySubject } from '../../../kit/memory.js';
import {
  commonOf,
  copyOf,
  evidenceOf,
  noGenes,
  randomOf,
  randomWorld,
  statementOf,
  type World,
  type WorldCase,
} from './world.js';

const signal = new AbortController().signal;
const at = (day: number) => new Date(Date.UTC(2026, 0, 1 + day));

describe('the guard of reviews', function () {
  this.timeout(60_000);
  let repository: ReviewRepository;
  let close: () => Promise<void>;
  let world: World;
  let day = 1;

  const toolsOf = (of: () => World): RunTools => ({
    ...{ ...noGenes, repository, rules: defaultRules, guard: guardRules, now: () => at(day) },
    gather: () => async (statements) => {
      return statements.map((statement) => {
        const one = of().cases.find(({ name }) => name === statement.case) as WorldCase;
        return { evidence: evidenceOf(of(), one), common: commonOf(of()) };
      });
    },
  });
  const again = (scope = {}) =>
    run(
      toolsOf(() => world),
      scope,
      { signal },
    );
  const open = async (): Promise<CaseFinding[]> => repository.findings({ states: ['open'], limit: 10_000 });

  /** Cases with one carried allele each, in gene 1 if it is one of the `many`; the panel has gene 2. */
  async function enter(cases: number, many: number): Promise<void> {
    const { storage } = await memorySubject.open([reviews]);
    await storage.migrate();
    repository = storage.repository(reviews);
    close = () => storage.close();
    day = 1;
    const random = randomOf(5);
    world = { ...randomWorld(random, 0), classes: new Map(), versions: [[gene(2)]] };
    for (let number = 0; number < cases; number++) {
      const name = `case-${number}`;
      const sample = `${name}-proband`;
      const persons = [{ sample, role: 'proband', isAffected: true, sex: 'female' } as const];
      const facts = { patient: name, byPhenotype: false, version: 0, conclusion: 'negative', listed: [] } as const;
      world.cases.push({ name, persons, ...facts, listed: [] });
      world.calls.set(sample, { stamp: 1, copies: new Map(number < many ? [[alleleOf(1, number), 1 as const]] : []) });
      world.coverage.set(sample, { standing: 1, holes: [] });
    }
    for (const one of world.cases) {
      const { stored: _, isLookedAt: __, ...statement } = statementOf(world, one);
      await repository.put(statement, at(0));
    }
    assert.deepEqual(await again(), { cases, opened: 0, gone: 0, held: [], unlooked: 0 });
  }

  /** Another one for each case: what many carry is an artefact. */
  function alleleOf(hgnc: number, number: number): string {
    const place = { chromosome: '1', start: 100_000 * hgnc + number } as const;
    const key = alleleKey({ ...place, reference: 'A', alternate: 'T' });
    world.alleles.set(key, { ...place, hgnc, effect: 'high', coding: true, frequency: 0 });
    return key;
  }

  const gene = (hgnc: number) => ({ hgnc, mode: 'dominant', confidence: 'green', core: false }) as const;

  afterEach(() => close());

  it('holds what adds findings to over 5 % of the cases, in whichever run, until a person agrees', async () => {
    await enter(150, 8);
    world.versions.push([gene(1), gene(2)]);
    day = 2;
    const result = await again({ touched: { panels: ['p'] } });
    assert.deepEqual({ opened: result.opened, held: result.held }, { opened: 0, held: ['panel p@1'] });
    const waiting = { id: 'panel p@1', found: at(2), byReason: { panel: 8 }, cases: 8, watched: 150 };
    assert.deepEqual(await repository.held(), [waiting]);
    // Neither the night nor the run of one case applies a part of it.
    day = 3;
    await again();
    await again({ case: { case: 'case-0' } });
    assert.deepEqual(await open(), []);
    assert.deepEqual(await repository.held(), [waiting]);
    assert.equal(await repository.settle('panel p@1', { by: 'anna', at: at(4) }), true);
    assert.equal((await again()).opened, 8);
    assert.deepEqual([...new Set((await open()).map(({ case: name }) => name))].length, 8);
    assert.deepEqual((await again()).opened, 0);
  });

  it('holds nothing of 5 % or less, or if few cases are watched', async () => {
    for (const [cases, many] of [
      [160, 8],
      [19, 19],
    ] as const) {
      await enter(cases, many);
      world.versions.push([gene(1), gene(2)]);
      assert.equal((await again()).opened, many);
      assert.deepEqual(await repository.held(), []);
      if (cases === 160) await close();
    }
  });

  it('applies other changes meanwhile, and forgets a change that another replaced', async () => {
    await enter(100, 50);
    world.versions.push([gene(1), gene(2)]);
    await again();
    world.matches.set('case-3', [{ id: 'm', hgnc: 1, isClosed: false }]);
    await again();
    assert.deepEqual(
      (await open()).map(({ reason, case: name }) => [reason, name]),
      [['match', 'case-3']],
    );
    world.versions.push([gene(2)]);
    await again();
    assert.deepEqual(await repository.held(), []);
  });

  it('holds a change without a release anew when it comes again', async () => {
    await enter(100, 0);
    const call = (from: number, to: number) => {
      for (const [number, one] of world.cases.entries())
        if (number >= from && number < to)
          world.calls.set(one.persons[0]?.sample ?? '', { stamp: 2, copies: new Map([[alleleOf(2, number), 1]]) });
    };
    call(0, 10);
    assert.deepEqual((await again()).held, ['calls 2026-01-02']);
    assert.equal(await repository.settle('calls 2026-01-02', { by: 'anna', at: at(1) }), true);
    assert.equal((await again()).opened, 10);
    day = 20;
    call(20, 30);
    assert.deepEqual((await again()).held, ['calls 2026-01-21']);
    assert.equal((await open()).length, 10);
  });

  it('holds a release of ClinVar that raises alleles of many cases', async () => {
    await enter(100, 6);
    for (const [key, allele] of world.alleles)
      if (allele.start >= 100_000) world.alleles.set(key, { ...allele, hgnc: 2, frequency: 0.1 });
    world.release = 2;
    for (const [key, { start }] of world.alleles)
      if (start >= 100_000) world.classes.set(key, { isPathogenic: true, stars: 2 });
    assert.deepEqual((await again()).held, ['ClinVar 2']);
    assert.deepEqual(await open(), []);
    assert.equal(await repository.settle('ClinVar 2', { by: 'anna', at: at(2) }), true);
    assert.equal((await again()).opened, 6);
  });

  it('counts in advance what a change would bring, and stores nothing', async () => {
    await enter(40, 5);
    const changed = copyOf(world);
    changed.versions.push([gene(1), gene(2)]);
    const before = await repository.findings({ limit: 100 });
    const tools = { ...toolsOf(() => world), replaced: toolsOf(() => changed).gather };
    const result = await preview(tools, { touched: { panels: ['p'] } }, { signal });
    assert.deepEqual(result, { byReason: { panel: 5 }, cases: 5, asked: 40, unlooked: 0 });
    assert.deepEqual([await repository.findings({ limit: 100 }), await repository.held()], [before, []]);
    assert.deepEqual((await preview(tools, { owners: ['x'] }, { signal })).asked, 0);
  });
});
