/** Mutants that the kit does not notice because they break no promise, with the reason. */
export interface Equivalent {
  /** The end of the source's path. */
  readonly source: string;
  /** Any if omitted. */
  readonly operator?: string;
  /** A part of the line in which the change begins. */
  readonly line: string;
  /** A part of what is replaced; of the whole line if omitted. */
  readonly was?: string;
  /** A part of what comes in its place. */
  readonly becomes?: string;
  readonly because: string;
}

const ofReports = 'ids of reports have letters, digits, - and _ only';
const fewer = 'more rows are read, of which the same are used';
const damaged = 'it concerns damaged rows, which have tests of their own';
const portions = 'it is done in one portion, or in more';
const nothing = 'nothing is added or changed in one more statement';

export const equivalents: readonly Equivalent[] = [
  {
    ...{ source: 'core/jobs/store.ts', operator: 'forgets a field', line: 'leaseUntil: { below: now }', was: 'state:' },
    because: 'only a running job has a lease',
  },
  {
    ...{ source: 'core/jobs/store.ts', operator: 'ignores a limit', line: 'limit: 1, latest: true' },
    because: fewer,
  },
  {
    ...{ source: 'core/jobs/store.ts', operator: 'is off by one at a bound', line: 'changed > 0' },
    because: 'it concerns damaged jobs, which have tests of their own',
  },
  {
    ...{ source: 'core/jobs/store.ts', operator: 'counts wrongly', line: 'const counts: Record' },
    because: 'every number is replaced in the next line',
  },
  {
    ...{ source: 'core/jobs/store.ts', operator: 'forgets a field', line: 'const counts: Record' },
    because: 'every number is set in the next line',
  },
  {
    ...{ source: 'core/auth/store.ts', operator: 'is off by one at a bound', line: 'lastUsed: { below: now }' },
    because: 'the time that is stored is written again',
  },
  {
    ...{
      source: 'core/auth/sessions/store.ts',
      operator: 'is off by one at a bound',
      line: 'lastSeen: { below: now }',
    },
    because: 'the time that is stored is written again',
  },
  {
    ...{ source: 'matchmaker/audit/store.ts', operator: 'is off by one at a bound', line: 'all.length > 0' },
    because: 'adding no rows adds none',
  },
  {
    ...{ source: 'matchmaker/audit/store.ts', operator: 'forgets a field', line: 'action: row.action' },
    because: 'the row has it already; the member is for the types',
  },
  {
    ...{ source: 'matchmaker/mail/store.ts', operator: 'forgets a field', line: 'patient: { among: [...submitters] }' },
    because: fewer,
  },
  {
    ...{ source: 'matchmaker/mail/store.ts', operator: 'is off by one at a bound', line: 'matches.length <' },
    because: 'the document that is stored is written again',
  },
  {
    ...{ source: 'matchmaker/resources/store.ts', operator: 'counts wrongly', line: '?.revision ?? 0' },
    because: 'the table has its only row from the beginning',
  },
  {
    ...{ source: 'coverage/stored/store.ts', operator: 'changes a text', line: 'id', becomes: 'trim()' },
    because: ofReports,
  },
  {
    ...{ source: 'coverage/stored/store.ts', operator: 'changes a text', line: 'id', becomes: "normalize('NFC')" },
    because: ofReports,
  },
  { ...{ source: 'coverage/stored/store.ts', line: 'limit: atOnce' }, because: portions },
  { ...{ source: 'coverage/stored/store.ts', line: 'asked.length > 0 && rows.length > 0' }, because: nothing },
  { ...{ source: 'coverage/sites/store.ts', line: 'above: first - longestSite' }, because: fewer },
  { ...{ source: 'coverage/registry/store.ts', line: 'if (!known.has(id)) outcomes' }, because: damaged },
  { ...{ source: 'knex/coverage-sites/find.ts', line: 'one[0] - other[0]' }, because: fewer },
  { ...{ source: 'knex/coverage-sites/find.ts', line: 'place[1] <= last[2]', was: '<=' }, because: fewer },
  {
    ...{ source: 'knex/coverage-sites/load.ts', line: "write(sets).where({ number, state: 'staged' }).update" },
    because: 'a load that was swept fails at the latest when it is published; its rows are of no set',
  },
  { ...{ source: 'knex/coverage-tracks/binding.ts', line: 'sweptAtOnce' }, because: portions },
  { ...{ source: 'knex/coverage-cohorts/binding.ts', line: 'sweptAtOnce' }, because: portions },
  {
    ...{ source: 'panels/store.ts', operator: 'changes a text', line: 'theNames' },
    because: 'it is always the same text',
  },
  {
    ...{ source: 'panels/store.ts', operator: 'does half', line: 'holdGenes(inside, number, [])' },
    because: 'genes of a version that is gone are found by nobody, and its number is never given again',
  },
];
