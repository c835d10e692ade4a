/** Alleles of a recessive gene that fit only together: one finding for each gene and change, which a decision closes until one comes or goes. */
import assert from 'node:assert/strict';
import { alleleKey, allelesOf, type CaseFinding, reviews } from '../../../../plugins/reviews/contract.js';
import { becauseOf } from '../../../../plugins/reviews/pages/words.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { guardRules } from '../../../../plugins/reviews/run/guard.js';
import { type RunTools, run } from '../../../../plugins/reviews/run/run.js';
import { en } from '../../../../plugins/reviews/texts/en.js';
import { memorySubject } from '../../../kit/memory.js';
import {
  commonOf,
  evidenceOf,
  noGenes,
  randomOf,
  randomWorld,
  statementOf,
  type World,
  type WorldCase,
} from './world.js';

const signal = new AbortController().signal;
const gene = { hgnc: 1, mode: 'recessive', confidence: 'green', core: false } as const;
const [a, b, c] = [100, 200, 300].map((start) => {
  return alleleKey({ chromosome: '1', start, reference: 'A', alternate: 'T' });
}) as [string, string, string];

/** A girl and her parents, of whom nothing is known but that a newer version of the panel may add the gene. */
function worldOf(): { world: World; one: WorldCase } {
  const world = { ...randomWorld(randomOf(1), 0), versions: [[]], classes: new Map(), alleles: new Map() } as World;
  for (const key of [a, b, c]) {
    const start = 100 * ([a, b, c].indexOf(key) + 1);
    const known = { hgnc: 1, effect: 'moderate', coding: true, frequency: 0.001 } as const;
    world.alleles.set(key, { chromosome: '1', start, ...known });
  }
  const persons = (['proband', 'mother', 'father'] as const).map((role) => {
    return { sample: role, role, isAffected: role === 'proband', sex: role === 'father' ? 'male' : 'female' } as const;
  });
  const one: WorldCase = {
    ...{ name: 'F1', persons, patient: 'p', byPhenotype: false, version: 0, conclusion: 'negative', listed: [] },
  };
  world.cases.push(one);
  return { world, one };
}

/** What each person carries. */
function call(world: World, copies: Partial<Record<'proband' | 'mother' | 'father', Record<string, 1 | 2>>>): void {
  for (const [sample, of] of Object.entries(copies)) {
    const stamp = (world.calls.get(sample)?.stamp ?? 0) + 1;
    world.calls.set(sample, { stamp, copies: new Map(Object.entries(of)) });
  }
}

async function entered({ world, one }: ReturnType<typeof worldOf>) {
  const { storage } = await memorySubject.open([reviews]);
  await storage.migrate();
  const repository = storage.repository(reviews);
  let day = 1;
  const now = () => new Date(Date.UTC(2026, 0, day));
  const tools: RunTools = {
    ...{ ...noGenes, repository, rules: defaultRules, guard: guardRules, now },
    gather: () => async () => [{ evidence: evidenceOf(world, one), common: commonOf(world) }],
  };
  const { stored: _, isLookedAt: __, ...statement } = statementOf(world, one);
  await repository.put(statement, now());
  const found = async (): Promise<CaseFinding[]> => {
    day += 1;
    await run(tools, {}, { signal });
    return (await repository.findings({ limit: 100 })).filter(({ state }) => state !== 'gone');
  };
  assert.deepEqual(await found(), []);
  const decide = async ({ id, revision }: CaseFinding) => {
    const decision = { outcome: 'no change', reason: 'r', by: 'b', at: now() } as const;
    assert.equal(await repository.decide('finding', id, revision, decision), true);
  };
  return { found, decide };
}

const keysOf = (one: CaseFinding) => allelesOf(one).map(alleleKey);

describe('alleles of a recessive gene that fit only together', () => {
  it('are one finding with what is known of both, as urgent as the more urgent one', async () => {
    const { world, one } = worldOf();
    call(world, { proband: { [a]: 1, [b]: 1 }, mother: { [a]: 1 }, father: { [b]: 1 } });
    world.classes.set(b, { isPathogenic: true, stars: 2 });
    const { found } = await entered({ world, one });
    world.versions.push([gene]);
    const [finding, ...more] = (await found()) as [CaseFinding];
    assert.deepEqual(more, []);
    assert.deepEqual([finding.reason, finding.priority, keysOf(finding)], ['panel', 1, [a, b]]);
    const copies = allelesOf(finding).map((allele) => allele.copies);
    assert.deepEqual(copies, [
      { proband: 1, mother: 1, father: 0 },
      { proband: 1, mother: 0, father: 1 },
    ]);
    assert.deepEqual(
      allelesOf(finding).map(({ origin }) => origin),
      ['mother', 'father'],
    );
    const [partner] = finding.evidence.partners ?? [];
    assert.deepEqual([partner?.phase, partner?.class], ['trans', 'ClinVar 1: Pathogenic (2 of 4 stars)']);
    assert.match(becauseOf(finding, en), /, and 1:101 A>T \(with 1:201 A>T\) fits$/);
  });

  it('lead with the one that changed', async () => {
    const { world, one } = worldOf();
    world.versions = [[gene]];
    call(world, { proband: { [a]: 1, [b]: 1, [c]: 1 } });
    const { found } = await entered({ world, one });
    world.classes.set(b, { isPathogenic: true, stars: 1 });
    assert.deepEqual((await found()).map(keysOf), [[b, a, c]]);
    world.classes.set(c, { isPathogenic: true, stars: 1 });
    assert.deepEqual((await found()).map(keysOf), [[b, a, c]]);
    world.classes.set(a, { isPathogenic: true, stars: 1 });
    assert.deepEqual((await found()).map(keysOf), [[a, b, c]]);
  });

  it('stay decided until another one comes or goes, or the phase becomes known', async () => {
    const { world, one } = worldOf();
    call(world, { proband: { [a]: 1, [b]: 1 } });
    const { found, decide } = await entered({ world, one });
    world.versions.push([gene]);
    const states: [string[], string][] = [];
    const ids = new Set<string>();
    const look = async () => {
      const [finding] = (await found()).filter(({ reason }) => reason === 'panel') as [CaseFinding];
      states.push([keysOf(finding), finding.state]);
      ids.add(finding.id);
      if (finding.state === 'open') await decide(finding);
    };
    await look();
    await look();
    // Three are one question, too; and two again are another one than three.
    call(world, { proband: { [a]: 1, [b]: 1, [c]: 1 } });
    await look();
    await look();
    call(world, { proband: { [a]: 1, [c]: 1 } });
    await look();
    call(world, { mother: { [a]: 1 }, father: { [c]: 1 } });
    await look();
    await look();
    assert.deepEqual(states, [
      [[a, b], 'open'],
      [[a, b], 'decided'],
      [[a, b, c], 'open'],
      [[a, b, c], 'decided'],
      [[a, c], 'open'],
      [[a, c], 'open'],
      [[a, c], 'decided'],
    ]);
    assert.equal(ids.size, 1);
  });

  it('return with another partner, also if that is no news by itself', async () => {
    const { world, one } = worldOf();
    world.versions = [[gene]];
    call(world, { proband: { [a]: 1, [b]: 1 } });
    const { found, decide } = await entered({ world, one });
    world.classes.set(a, { isPathogenic: true, stars: 1 });
    const [raised] = (await found()) as [CaseFinding];
    await decide(raised);
    call(world, { proband: { [a]: 1, [c]: 1 } });
    const again = (await found()).filter(({ id }) => id === raised.id);
    assert.deepEqual(
      again.map((finding) => [keysOf(finding), finding.state]),
      [[[a, c], 'open']],
    );
  });

  it('do not name an allele that fits alone, which keeps its own finding', async () => {
    const { world, one } = worldOf();
    call(world, { proband: { [b]: 2 } });
    const { found, decide } = await entered({ world, one });
    world.versions.push([gene]);
    const [alone] = (await found()) as [CaseFinding];
    assert.deepEqual(keysOf(alone), [b]);
    await decide(alone);
    call(world, { proband: { [a]: 1, [b]: 2 } });
    const findings = (await found()).filter(({ reason }) => reason === 'panel');
    assert.deepEqual(findings.map((finding) => [keysOf(finding), finding.state]).sort(), [
      [[a, b], 'open'],
      [[b], 'decided'],
    ]);
  });
});

describe('an allele in a gene that a newer version of the panel adds', () => {
  it('is one finding with the cases that share it, which returns if more do', async () => {
    const { world, one } = worldOf();
    call(world, { proband: { [b]: 2 } });
    world.terms.set('proband', ['HP:0000001']);
    world.strangers.push({ ...stranger('S1'), allele: b });
    const { found, decide } = await entered({ world, one });
    world.versions.push([gene]);
    const look = async () => {
      const findings = await found();
      return findings.map(({ reason, state, evidence: { others = [] } }) => [
        reason,
        state,
        others.map((of) => of.case),
      ]);
    };
    assert.deepEqual(await look(), [['panel', 'open', ['S1']]]);
    await decide((await found())[0] as CaseFinding);
    assert.deepEqual(await look(), [['panel', 'decided', ['S1']]]);
    world.strangers.push({ ...stranger('S2'), allele: b });
    assert.deepEqual(await look(), [['panel', 'open', ['S1', 'S2']]]);
  });
});

/** Affected, with a term of the case, and with two copies. */
const stranger = (name: string) => ({
  sample: name,
  case: name,
  copies: 2 as const,
  isAffected: true,
  terms: ['HP:0000001'],
});
