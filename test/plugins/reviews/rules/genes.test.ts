/**
 * Rows about genes of panels against a model that was written apart from the rules: releases of gene names and of gene structures,
 * versions of the panel, and cases that are entered in between.
 */
import assert from 'node:assert/strict';
import { type ReviewRepository, reviews, type Statement } from '../../../../plugins/reviews/contract.js';
import type { AskGenes } from '../../../../plugins/reviews/evidence/panel-genes.js';
import { defaultRules } from '../../../../plugins/reviews/rules/passing.js';
import { guardRules } from '../../../../plugins/reviews/run/guard.js';
import { previewRows } from '../../../../plugins/reviews/run/preview.js';
import { type RunTools, run } from '../../../../plugins/reviews/run/run.js';
import { memorySubject } from '../../../kit/memory.js';
import {
  commonOf,
  evidenceOf,
  noGenes,
  pick,
  type Random,
  randomOf,
  randomWorld,
  statementOf,
  type World,
  type WorldCase,
} from './world.js';

const signal = new AbortController().signal;
const seeds = Number(process.env.TEST_SEEDS ?? 6);

/** What releases say: symbols that a gene became, and ids of its preferred transcripts. */
interface Facts {
  names: number;
  structures: number;
  became: Map<number, string[]>;
  transcripts: Map<number, string[]>;
}

/** A case as the model remembers it. */
interface Entered {
  one: WorldCase;
  owner: string | undefined;
  became: Map<number, string[]>;
  transcripts: Map<number, string[]>;
}

function askOf(facts: () => Facts): AskGenes {
  return async ({ genes }) => {
    const { names, structures, became, transcripts } = facts();
    const gone = genes.flatMap(({ hgnc }) => (became.has(hgnc) ? [[hgnc, became.get(hgnc) ?? []] as const] : []));
    const only = (all: string[] = []) => (all.length === 1 ? (all[0] ?? '') : '');
    const of = genes.map(({ hgnc }) => only(transcripts.get(hgnc)));
    return { names: { release: `n${names}`, became: new Map(gone) }, transcripts: { release: `s${structures}`, of } };
  };
}

function toolsOf(repository: ReviewRepository, world: () => World, facts: () => Facts): RunTools {
  const caseOf = (name: string) => world().cases.find((one) => one.name === name) as WorldCase;
  return {
    ...{ ...noGenes, repository, rules: defaultRules, guard: guardRules, now: () => new Date('2026-02-01T00:00:00Z') },
    genesNow: askOf(facts),
    versions: async () => ({
      of: async (statement) => evidenceOf(world(), caseOf((statement as Statement).case)).panel,
    }),
    gather: () => async (statements) => {
      return statements.map(({ case: name }) => {
        return { evidence: evidenceOf(world(), caseOf(name)), common: commonOf(world()) };
      });
    },
  };
}

const transcriptOf = (random: Random) => `ENST0000000${1000 + Math.floor(random() * 4)}`;

/** The rows that must be there: by kind, owner and gene, with the release that said so first. */
class Model {
  readonly #said = new Map<string, { what: string; release: string }>();

  rows(world: World, facts: Facts, cases: readonly Entered[]): string[] {
    const found: string[] = [];
    const latest = world.versions.at(-1) ?? [];
    for (const owner of new Set(cases.map((one) => one.owner)))
      for (const { hgnc } of latest) {
        const own = cases.filter(
          ({ one, owner: of }) =>
            of === owner &&
            one.conclusion !== 'solved' &&
            world.versions[one.version]?.some((gene) => gene.hgnc === hgnc),
        );
        const row = (kind: string, behind: number, what: string, release: string) => {
          if (behind === 0) return;
          const key = `${kind} ${owner} ${hgnc}`;
          const known = this.#said.get(key);
          if (known?.what !== what) this.#said.set(key, { what, release });
          found.push(`${key}: ${behind} since ${this.#said.get(key)?.release}`);
        };
        const became = facts.became.get(hgnc);
        const merged = own.filter((one) => !one.became.has(hgnc));
        if (became !== undefined) row('name', merged.length, became.join(), `n${facts.names}`);
        const now = facts.transcripts.get(hgnc) ?? [];
        const moved = own.filter(({ transcripts }) => {
          const then = transcripts.get(hgnc) ?? [];
          return then.length !== 1 || then[0] !== now[0];
        });
        if (now.length === 1) row('transcript', moved.length, now.join(), `s${facts.structures}`);
      }
    return found.sort();
  }
}

describe('rows about genes of panels', function () {
  this.timeout(60_000);

  async function opened() {
    const { storage } = await memorySubject.open([reviews]);
    await storage.migrate();
    return { repository: storage.repository(reviews), close: () => storage.close() };
  }

  const shown = async (repository: ReviewRepository) =>
    (await repository.groups({ states: ['open', 'decided'] }))
      .filter(({ kind }) => kind !== 'hole')
      .map(({ kind, owner, hgnc, cases, release }) => `${kind} ${owner} ${hgnc}: ${cases} since ${release}`)
      .sort();

  it('are those of the model after each release, by whole runs and by events, and previews foretell them', async () => {
    let rows = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const { repository, close } = await opened();
      const random = randomOf(300 + seed);
      const world = randomWorld(random, 12);
      let facts: Facts = { names: 1, structures: 1, became: new Map([[2, ['OLD']]]), transcripts: new Map() };
      for (let hgnc = 1; hgnc <= 8; hgnc++) facts.transcripts.set(hgnc, [transcriptOf(random)]);
      const tools = toolsOf(
        repository,
        () => world,
        () => facts,
      );
      const model = new Model();
      const entered: Entered[] = [];
      for (let turn = 0; turn < 6; turn++) {
        for (const one of world.cases.slice(2 * turn, 2 * turn + 2)) {
          const owner = pick(random, [undefined, 'x']);
          const { stored: _, isLookedAt: __, ...statement } = { ...statementOf(world, one), ...(owner && { owner }) };
          await repository.put(statement, new Date());
          await run(tools, { case: statement }, { signal });
          entered.push({ one, owner, became: new Map(facts.became), transcripts: new Map(facts.transcripts) });
        }
        const next = { ...facts, became: new Map(facts.became), transcripts: new Map(facts.transcripts) };
        const what = pick(random, ['names', 'names', 'structures', 'panel'] as const);
        for (let hgnc = 1; hgnc <= 8; hgnc++) {
          if (what === 'names' && random() < 0.3) next.became.set(hgnc, pick(random, [[], ['A'], ['A', 'B']]));
          if (what === 'structures' && random() < 0.3)
            next.transcripts.set(hgnc, pick(random, [[], [transcriptOf(random)], ['ENST1', 'ENST2']]));
        }
        if (what === 'panel') world.versions.push((world.versions.at(-1) ?? []).filter(() => random() < 0.8));
        else next[what] += 1;
        const before = await shown(repository);
        const foretold = await previewRows(
          tools,
          toolsOf(
            repository,
            () => world,
            () => next,
          ),
          { signal },
        );
        facts = next;
        await run(tools, what === 'names' && random() < 0.7 ? { genes: true } : {}, { signal });
        const expected = model.rows(world, facts, entered);
        assert.deepEqual(await shown(repository), expected, `seed ${seed}, turn ${turn}: ${what}`);
        rows += expected.length;
        // A preview lists what was not there, and nothing that does not come.
        const nameOf = (row: string) => row.split(':')[0] ?? '';
        const told = foretold.map(({ kind, owner, hgnc }) => `${kind} ${owner} ${hgnc}`);
        for (const row of expected.map(nameOf))
          if (!before.map(nameOf).includes(row)) assert.ok(told.includes(row), `seed ${seed}, turn ${turn}: ${row}`);
        for (const row of told) assert.ok(expected.map(nameOf).includes(row), `seed ${seed}, turn ${turn}: ${row}`);
      }
      await close();
    }
    assert.ok(rows > 10 * seeds, `${rows} rows`);
  });

  it('stay decided by the next release, and return if the gene became another', async () => {
    const { repository, close } = await opened();
    const world = {
      ...randomWorld(randomOf(1), 1),
      versions: [[{ hgnc: 1, mode: 'dominant', confidence: 'green', core: false } as const]],
    };
    const [one] = world.cases as [WorldCase];
    Object.assign(one, { version: 0, conclusion: 'negative' });
    let facts: Facts = { names: 1, structures: 1, became: new Map(), transcripts: new Map() };
    const tools = toolsOf(
      repository,
      () => world,
      () => facts,
    );
    const { stored: _, isLookedAt: __, ...statement } = statementOf(world, one);
    await repository.put(statement, new Date());
    await run(tools, {}, { signal });
    assert.deepEqual(await repository.groups({}), []);
    const merged = async (names: number, into: string[]) => {
      facts = { ...facts, names, became: new Map([[1, into]]) };
      await run(tools, { genes: true }, { signal });
      const rows = await repository.groups({});
      assert.equal(rows.length, 1);
      return rows[0] as (typeof rows)[number];
    };
    const row = await merged(2, ['A']);
    const { kind, subject, hgnc, release, cases, panels, state } = row;
    const expected = {
      kind: 'name',
      subject: 'G1 → A',
      hgnc: 1,
      release: 'n2',
      cases: 1,
      panels: ['p'],
      state: 'open',
    };
    assert.deepEqual({ kind, subject, hgnc, release, cases, panels, state }, expected);
    const decision = { outcome: 'no change', reason: 'r', by: 'b', at: new Date() } as const;
    assert.equal(await repository.decide('group', row.id, row.revision, decision), true);
    const later = await merged(3, ['A']);
    assert.deepEqual([later.state, later.release], ['decided', 'n2']);
    const again = await merged(4, ['B', 'C']);
    assert.deepEqual([again.state, again.release, again.subject], ['open', 'n4', 'G1 → B, C']);
    const gone = await merged(5, []);
    assert.deepEqual([gone.state, gone.subject], ['open', 'G1 → –']);
    await close();
  });
});
