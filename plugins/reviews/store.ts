/** reviews@1 above tables. */
import { absent, defineStore, Fault, type Tables } from '../../core/storage.js';
import {
  type CaseFinding,
  type ComputedCase,
  type ComputedFinding,
  caseKey,
  type FindingState,
  type HeldChange,
  type Reason,
  type Reconciled,
  type ReviewRepository,
  reasons,
  reviews,
  type Touched,
  type YieldRow,
} from './contract.js';
import { findingOf, findingRow, groupOf, groupRow, reconciled } from './stored-findings.js';
import {
  cases,
  findings,
  former,
  grouped,
  groups,
  headOf,
  held,
  keyed,
  ofOwners,
  ownerColumn,
  ownerOf,
  revived,
  rowOfStatement,
  statementOf,
  texted,
  touchedBy,
  words,
  wordsOf,
} from './stored-rows.js';

/** What is not read where cases are only named or listed. */
const listed = ['baseline'] as const;
const named = ['baseline', 'facts'] as const;

/** Cases that one transaction removes when they expire. */
const atOnce = 50;

const tables = [cases, former, words, findings, groups, held];

export const store = defineStore<ReviewRepository>({
  contract: reviews,
  tables,
  steps: { '001-statements-and-findings': { tables } },
  repository(all) {
    /** The numbers of the cases that these touch; undefined for all. */
    async function touching(
      on: Tables,
      touched: Touched | undefined,
      signal?: AbortSignal,
    ): Promise<number[] | undefined> {
      if (touched === undefined) return undefined;
      const rows = await on.table(words).find({ where: { word: { among: wordsOf(touched) } }, signal });
      return [...new Set(rows.map(({ caseNumber }) => caseNumber))];
    }

    async function removeCases(inside: Tables, rows: readonly { number: number; owner: string; name: string }[]) {
      if (rows.length === 0) return 0;
      const numbers = rows.map(({ number }) => number);
      // The case first: another change of the same one waits for it.
      const removed = await inside.table(cases).remove({ number: { among: numbers } });
      const own = { caseNumber: { among: numbers } };
      await inside.table(former).remove(own);
      await inside.table(words).remove(own);
      await inside.table(findings).remove(own);
      for (const [owner, gone] of grouped(rows, (one) => one.owner)) {
        await forget(inside, owner, new Set(gone.map(({ name }) => name)));
      }
      return removed;
    }

    /** Takes removed cases out of the findings about others with the same allele; the next run computes these again. */
    async function forget(inside: Tables, owner: string, names: ReadonlySet<string>): Promise<void> {
      for await (const { id, facts } of inside.table(findings).each({ where: { owner } })) {
        const { evidence } = facts;
        const others = evidence.others?.filter((one) => !names.has(one.case));
        if (others === undefined || others.length === evidence.others?.length) continue;
        const left = { ...facts, evidence: { ...evidence, others } };
        await inside.table(findings).change({ id }, { facts: left, revision: { plus: 1 } });
      }
    }

    /** Reconciles the findings of one case, which is held. */
    async function reconcile(
      inside: Tables,
      { of, computed, at }: { of: { number: number; panel: string }; computed: ComputedCase; at: Date },
      stored: readonly CaseFinding[],
    ): Promise<Reconciled> {
      const key = caseKey(computed.case, computed.owner);
      const row = (one: ComputedFinding) => findingRow(one, { ...key, caseNumber: of.number, panel: of.panel });
      const { added, changed, opened, left } = reconciled(computed.findings, stored, at, row);
      // What it is about stays: its id says it.
      for (const { id, gene: _, ...changes } of changed) await inside.table(findings).change({ id }, changes);
      const gone = left.filter(({ reason }) => computed.reasons.includes(reason)).map(({ id }) => id);
      await inside.table(findings).append(added);
      await inside.table(findings).change({ id: { among: gone } }, { state: 'gone', revision: { plus: 1 } });
      return { ...key, opened, gone };
    }

    return {
      put: (statement, stored) =>
        all.transaction(async (inside) => {
          const row = { ...rowOfStatement(statement), stored };
          const { owner, name, revision, ...changes } = row;
          const [before] = await inside.table(cases).lock({ owner, name }, { without: listed });
          const conflict = () => new Fault('conflict', 'The case has another statement than the one that was read');
          if (revision !== (before?.revision ?? 0) + 1) throw conflict();
          const number = before?.number ?? (await inside.table(cases).add(row))?.number;
          if (number === undefined) throw conflict();
          if (before !== undefined) {
            const { facts, stored: since } = before;
            await inside
              .table(former)
              .append([{ caseNumber: number, revision: before.revision, stored: since, facts }]);
            await inside.table(cases).change({ number }, { ...changes, revision, baseline: absent });
          }
          const found = wordsOf(touchedBy(statement)).map((word) => ({ word, caseNumber: number }));
          await inside.table(words).addMany(found);
          if (statement.recontact === 'no') await inside.table(findings).remove({ caseNumber: number });
          else {
            const live: FindingState[] = ['open', 'later', 'decided'];
            const where = { caseNumber: number, state: { among: live } };
            await inside.table(findings).change(where, { state: 'gone', revision: { plus: 1 } });
          }
        }),

      find: ({ owner, case: name }, revision) =>
        all.snapshot(async (moment) => {
          const row = await moment.table(cases).one({ owner: ownerColumn(owner), name });
          if (row === undefined || revision === undefined || revision === row.revision) return row && statementOf(row);
          const old = await moment.table(former).one({ caseNumber: row.number, revision });
          return old && headOf({ ...row, ...old, lookedAt: false });
        }),

      list: ({ owners, touched, conclusion, after, limit }) =>
        all.snapshot(async (moment) => {
          const numbers = await touching(moment, touched);
          const where = {
            ...ofOwners(owners),
            ...(numbers && { number: { among: numbers } }),
            ...(conclusion !== undefined && { conclusion }),
          };
          const from = after && { owner: ownerColumn(after.owner), name: after.case };
          const page = { where, order: ['owner', 'name'] as const, limit, after: from, without: listed };
          return (await moment.table(cases).page(page)).rows.map(headOf);
        }),

      async *watched(at, touched, signal) {
        const numbers = await touching(all, touched, signal);
        const where = { watchedUntil: { above: at }, ...(numbers && { number: { among: numbers } }) };
        for await (const row of all.table(cases).each({ where, signal })) yield statementOf(row);
      },

      countWatched: (at, { owners, unlooked } = {}) =>
        all.table(cases).count({
          ...ofOwners(owners),
          watchedUntil: { above: at },
          ...(unlooked && { lookedAt: false }),
        }),

      async takeBaseline({ owner, case: name }, revision, taken) {
        const baseline = texted(taken);
        const where = { owner: ownerColumn(owner), name, revision, lookedAt: false };
        return (await all.table(cases).change(where, { lookedAt: true, baseline })) === 1;
      },

      replaceFindings: (computed, at) =>
        all.transaction(async (inside) => {
          const found = await inside.table(cases).find({ where: keyed(computed), without: named });
          const numbers = { among: found.map(({ number }) => number) };
          const rows = await inside.table(cases).lock({ number: numbers, lookedAt: true }, { without: named });
          const byKey = new Map(rows.map((row) => [JSON.stringify([row.owner, row.name, row.revision]), row]));
          const stored = grouped(
            await inside.table(findings).lock({ caseNumber: numbers }),
            ({ caseNumber }) => caseNumber,
          );
          const done: Reconciled[] = [];
          const taken = new Map<number, number[]>();
          for (const one of computed) {
            const of = byKey.get(JSON.stringify([ownerColumn(one.owner), one.case, one.revision]));
            if (of === undefined || (of.gathered !== undefined && of.gathered > one.gathered)) continue;
            const moment = one.gathered.getTime();
            taken.set(moment, [...(taken.get(moment) ?? []), of.number]);
            const own = (stored.get(of.number) ?? []).map(findingOf);
            done.push(await reconcile(inside, { of, computed: one, at }, own));
          }
          for (const [gathered, numbers] of taken) {
            const own = { number: { among: numbers } };
            await inside.table(cases).change(own, { gathered: new Date(gathered) });
          }
          return done;
        }),

      findings: ({ owners, ids, case: key, states, reasons: of, panel, gene, touched, ...rest }) =>
        all.snapshot(async (moment) => {
          const { foundFrom, foundBefore, after, limit } = rest;
          const numbers = await touching(moment, touched);
          const bounds = { ...(foundFrom && { atLeast: foundFrom }), ...(foundBefore && { below: foundBefore }) };
          const where = {
            ...ofOwners(key === undefined ? owners : [key.owner].filter((own) => owners?.includes(own) ?? true)),
            ...(key && { name: key.case }),
            ...(ids && { id: { among: ids } }),
            ...(states && { state: { among: states } }),
            ...(of && { reason: { among: of } }),
            ...(panel !== undefined && { panel }),
            ...(gene !== undefined && { gene }),
            ...(numbers && { caseNumber: { among: numbers } }),
            ...((foundFrom ?? foundBefore) && { found: bounds }),
          };
          const order = ['priority', 'found', 'id'] as const;
          return (await moment.table(findings).page({ where, order, limit, after })).rows.map(findingOf);
        }),

      async countOpen(owners) {
        const count = (reason: Reason) => all.table(findings).count({ ...ofOwners(owners), state: 'open', reason });
        return new Map(await Promise.all(reasons.map(async (one) => [one, await count(one)] as const)));
      },

      yields: (owners) =>
        all.snapshot(async (moment) => {
          const solved = new Set<number>();
          const ofSolved = { where: { ...ofOwners(owners), conclusion: 'solved' }, without: named };
          for await (const { number } of moment.table(cases).each(ofSolved)) solved.add(number);
          const rows = new Map<string, YieldRow>();
          const without = ['facts'] as const;
          for await (const row of moment.table(findings).each({ where: ofOwners(owners), without })) {
            const [reason, year] = [row.reason as Reason, row.found.getUTCFullYear()];
            const own = rows.get(`${year} ${reason}`) ?? { reason, year, findings: 0, reopened: 0, solved: 0 };
            rows.set(`${year} ${reason}`, own);
            own.findings += 1;
            if (row.decision?.outcome !== 'reopened') continue;
            own.reopened += 1;
            if (solved.has(row.caseNumber)) own.solved += 1;
          }
          const rank = ({ year, reason }: YieldRow) => year * reasons.length + reasons.indexOf(reason);
          return [...rows.values()].sort((one, other) => rank(one) - rank(other));
        }),

      replaceGroups: (kind, rows, at) =>
        all.transaction(async (inside) => {
          const table = inside.table(groups);
          const stored = (await table.lock({ kind })).map(groupOf);
          const { added, changed, left } = reconciled(rows, stored, at, groupRow);
          for (const { id, ...changes } of changed) await table.change({ id }, changes);
          const gone = left.map(({ id }) => id);
          await table.change({ id: { among: gone } }, { state: 'gone', revision: { plus: 1 } });
          await table.addMany(added);
        }),

      async groups({ owners, ids, states }) {
        const where = {
          ...ofOwners(owners),
          ...(ids && { id: { among: ids } }),
          ...(states && { state: { among: states } }),
        };
        const rows = (await all.table(groups).find({ where })).map(groupOf);
        return rows.sort((one, other) => other.cases - one.cases || (one.id < other.id ? -1 : 1));
      },

      async decide(what, id, revision, decision) {
        const where = { id, revision, state: { among: ['open', 'later', 'decided'] } };
        const change = ({ rests }: { rests: string }) => ({
          state: decision.outcome === 'later' ? 'later' : 'decided',
          revision: { plus: 1 },
          decision: texted({ ...decision, rests }),
        });
        const decided =
          what === 'finding'
            ? await all.table(findings).take({ where }, change)
            : await all.table(groups).take({ where }, change);
        return decided !== undefined;
      },

      hold: ({ id, owner, found, ...facts }) =>
        all.transaction(async (inside) => {
          const row = { id, owner: ownerColumn(owner), found, facts };
          if ((await inside.table(held).add(row)) !== undefined) return;
          await inside.table(held).change({ id, agreed: absent }, { facts });
        }),

      async held(owners) {
        const order = ['found', 'id'] as const;
        const rows = await all.table(held).find({ where: ofOwners(owners), order, descending: true });
        return rows.map(
          ({ owner, facts, agreed, ...rest }): HeldChange => ({
            ...{ ...rest, ...ownerOf(owner), ...facts },
            ...(agreed && { agreed: revived<NonNullable<HeldChange['agreed']>>(agreed) }),
          }),
        );
      },

      async settle(id, agreed) {
        const waiting = { id, agreed: absent } as const;
        if (agreed === undefined) return (await all.table(held).remove(waiting)) === 1;
        return (await all.table(held).change(waiting, { agreed: texted(agreed) })) === 1;
      },

      remove: (keys) =>
        all.transaction(async (inside) => {
          const rows = await inside.table(cases).find({ where: keyed(keys), without: named });
          return removeCases(inside, rows);
        }),

      async expire(before) {
        for (let removed = 0; ; ) {
          const portion = await all.transaction(async (inside) => {
            const old = { where: { keepUntil: { below: before } }, order: ['number'], limit: atOnce } as const;
            const rows = await inside.table(cases).find({ ...old, without: named });
            return removeCases(inside, rows);
          });
          removed += portion;
          if (portion === 0) return removed;
        }
      },
    };
  },
});
