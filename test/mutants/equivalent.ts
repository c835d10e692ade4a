/** Mutants that the kit does not notice because they break no promise, with the reason. */
import { beaconEquivalents } from './equivalent-beacon.js';
import { matchesEquivalents } from './equivalent-matches.js';
import { tableEquivalents } from './equivalent-tables.js';
import type { Mutant } from './operators.js';

export interface Equivalent {
  /** The end of the source's path. */
  readonly source: string;
  /** Any if omitted. */
  readonly operator?: string;
  /** A part of the line in which the change begins. */
  readonly line: string;
  /** Names of the functions, classes and constants on the first level in which the change is; in any if omitted. */
  readonly within?: readonly string[];
  /** A part of what is replaced, or a pattern of it; anything if omitted. */
  readonly was?: string | RegExp;
  /** A part of what comes in its place. */
  readonly becomes?: string;
  readonly because: string;
}

const ofReports = 'ids of reports have letters, digits, - and _ only';
const fewer = 'more rows are read, of which the same are used';
const damaged = 'it concerns damaged rows, which have tests of their own';
const portions = 'it is done in one portion, or in more';
const absentCount = 'what is counted 0 times counts as absent';
const uuids = 'it is a random UUID in lower case';
const unseen = 'what no verb shows has tests of its own: test/adapters/storage/found-patients.test.ts';
const numbers = 'it is a number';
const nothing = 'nothing is added or changed in one more statement';
const none = 'adding or removing none changes nothing';
const locks = 'changing rows holds them; their order shows in conflicts only';

/** Several kinds of one place, or all. */
function at(source: string, line: string, because: string, ...operators: string[]): Equivalent[] {
  if (operators.length === 0) return [{ source, line, because }];
  return operators.map((operator) => ({ source, operator, line, because }));
}
const [drops, bound, counts] = ['drops a condition', 'is off by one at a bound', 'counts wrongly'];
const [forgets, changes, limit] = ['forgets a field', 'changes a text', 'ignores a limit'];

const sameWork = 'it only makes the work the same for a report that does not exist';

/** Functions that compute prices of questions. */
const prices = [
  ...[
    'isRefused',
    'currentPrice',
    'crowdPrice',
    'priceOfQuestion',
    'fewerThan',
    'atLeast',
    'lowerShare',
    'carrierShare',
  ],
  ...['knownShare', 'newcomersOfPublications', 'publicationsOf'],
];

/** How many rows are read, written or held at a time. */
const sizes =
  '(?:\\w*[aA]tOnce|\\w*Together|portion\\w*|(?:batch|copied|counted|folded|held|swept)Rows|heldCarriers|slack|reads)';

/** Kinds of lines, wherever they are. */
const everywhere: readonly Equivalent[] = [
  { source: '', operator: limit, line: 'limit', was: new RegExp(`limit(?:: |\\()${sizes}\\b`), because: portions },
  ...[bound, drops].map((operator) => {
    return { source: '', operator, line: '', was: new RegExp(`>=? (?:this\\.#)?${sizes}$`), because: portions };
  }),
  ...["damaged')", 'throw damaged('].map((line) => ({ source: '', operator: drops, line, because: damaged })),
  { source: '', operator: limit, line: '] = await', was: /limit: 1\b/, because: fewer },
  { source: '', operator: bound, line: `+= `, was: /^\w+ < [\w.]+\.length$/, because: none },
  { source: '', operator: drops, line: 'isFault(', becomes: 'error.code', because: 'only faults have such codes' },
  { source: '', operator: changes, line: '', was: /: (?:\w+\.)?(?:number|segment)$/, because: numbers },
];

export const equivalents: readonly Equivalent[] = [
  ...everywhere,
  {
    ...{ source: 'core/jobs/store.ts', operator: 'forgets a field', line: 'leaseUntil: { below: now }', was: 'state:' },
    because: 'only a running job has a lease',
  },
  {
    ...{ source: 'core/jobs/store.ts', operator: 'is off by one at a bound', line: 'changed > 0' },
    because: 'it concerns damaged jobs, which have tests of their own',
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
    ...{ source: 'matchmaker/resources/store.ts', operator: 'counts wrongly', line: '?.revision ?? 0' },
    because: 'the table has its only row from the beginning',
  },
  {
    ...{ source: 'coverage/report/kept/store.ts', operator: 'changes a text', line: 'id', becomes: 'trim()' },
    because: ofReports,
  },
  {
    ...{ source: 'coverage/report/kept/store.ts', operator: 'changes a text', line: 'id', becomes: "normalize('NFC')" },
    because: ofReports,
  },
  {
    ...{ source: '', operator: 'drops a condition', line: 'length === 0) return', becomes: 'false' },
    because: nothing,
  },
  { ...{ source: 'matchmaker/store.ts', line: 'const document = { id: row.id, contact' }, because: damaged },
  ...at('matchmaker/store.ts', '?? { ...row, document })', damaged, forgets),
  ...at('matchmaker/store.ts', 'if (!isFacts(facts)) continue', damaged, drops),
  ...at(
    'matchmaker/store.ts',
    'const where = { id: { among: ids } }',
    'more rows are held, of which the same are used',
    forgets,
  ),
  {
    ...{ source: 'coverage/samples/store.ts', line: 'attempt === attempts' },
    because: 'it needs five others, each of which is quicker',
  },
  ...['id: first.id', 'id: this.id'].flatMap((line) => at('intervals/staging.ts', line, numbers, changes)),
  ...at('sites/regions/store.ts', 'if (within.length > 0)', 'bounds come in pairs', counts, bound),
  ...at('sites/regions/store.ts', 'let i = 1; i < bounds.length', 'half a region at the end meets none', bound),
  ...at('sites/regions/store.ts', 'at >= wanted.length', 'nothing is behind the end', bound, drops),
  ...at('intervals/stored.ts', '({ id, set: set as IntervalSet })', numbers, changes),
  ...at('intervals/staging.ts', 'next.id + freedAtOnce', portions),
  ...at('intervals/stored.ts', 'if (!chromosome) throw', damaged),
  ...at('knex/coverage/binding.ts', 'ids.length > fewIds', 'the same exons are found, by another statement'),
  {
    ...{ source: 'coverage/intervals/store.ts', operator: 'changes a text', line: 'ey: keys }' },
    because: 'keys of symbols are in one form',
  },
  { ...{ source: 'matchmaker/matches/forms.ts', line: 'numbers)].map((form)' }, because: unseen },
  { ...{ source: 'matchmaker/matches/forms.ts', line: 'today() - heldDays' }, because: unseen },
  { ...{ source: 'coverage/report/kept/store.ts', line: 'const held = ' }, because: fewer },
  { ...{ source: 'knex/coverage-sites/binding.ts', line: 'a.start > q.start - ' }, because: fewer },
  { ...{ source: 'coverage/intervals/store.ts', line: 'values.size === 0 || ' }, because: nothing },
  { ...{ source: 'coverage/report/kept/store.ts', line: 'asked.length > 0 && rows.length > 0' }, because: nothing },
  { ...{ source: 'coverage/sites/store.ts', line: 'above: first - longestSite' }, because: fewer },
  { ...{ source: 'coverage/samples/store.ts', line: 'if (!known.has(id)) outcomes' }, because: damaged },
  { ...{ source: 'knex/coverage-sites/binding.ts', line: 'one[0] - other[0]' }, because: fewer },
  { ...{ source: 'knex/coverage-sites/binding.ts', line: 'place[1] <= last[2]', was: '<=' }, because: fewer },
  ...['coverage/sites/store.ts', 'sites/regions/store.ts'].map((source) => ({
    ...{ source, line: '.changeStaged(inside, setId, {})' },
    because: 'a load that was swept fails at the latest when it is published; its rows are of no set',
  })),
  { ...{ source: 'matchmaker/changes.ts', line: 'count > 0' }, because: absentCount },
  ...at('matchmaker/changes.ts', "unique: [['revision']]", 'revisions are given under a lock', 'has no unique values'),
  ...at(
    'matchmaker/changes.ts',
    'if (row === undefined) throw',
    'the table has its only row from the beginning',
    drops,
  ),
  ...at('matchmaker/changes.ts', 'row?.revision ?? 0', 'the table has its only row from the beginning', counts),
  ...at('matchmaker/changes.ts', 'remove({ number })', 'it is settled once more, to the same', 'does half'),
  ...at('matchmaker/changes.ts', 'if (!isPending)', 'settling none changes nothing', drops),
  { ...{ source: 'matchmaker/triage/store.ts', operator: changes, line: '', was: /^(?:id|row: id)$/ }, because: uuids },
  {
    ...{ source: 'panels/store.ts', operator: 'changes a text', line: 'theNames' },
    because: 'it is always the same text',
  },
  {
    ...{ source: 'panels/store.ts', operator: 'does half', line: 'holdGenes(inside, number, [])' },
    because: 'genes of a version that is gone are found by nobody, and its number is never given again',
  },
  ...['sample', 'layout'].flatMap((column) =>
    at('cohorts/store.ts', `unique: [['${column}`, 'callers that add rows hold the layout', 'has no unique values'),
  ),
  ...at('cohorts/store.ts', 'sample: absent, source: absent', 'no verb shows a column without a sample', forgets),
  ...['build', 'id'].flatMap((by) => at('cohorts/store.ts', `layouts).lock({ ${by} })`, locks, 'holds no rows')),
  ...at('cohorts/store.ts', 'sets, version: 0', 'it is replaced at once by one of its number', counts),
  ...at('cohorts/store.ts', 'if (sample === undefined ||', 'they are absent together', drops),
  ...at('core/audit/store.ts', "unique: [['pseudonym']]", 'pseudonyms are digests of names', 'has no unique values'),
  ...at('core/audit/store.ts', "unique: [['id']]", 'ids of events are random', 'has no unique values'),
  ...at('core/audit/store.ts', 'settled.length > 0', none, bound, drops),
  ...at('core/audit/store.ts', 'sequence: within', fewer, drops),
  ...at('core/audit/store.ts', 'const within = { above: after', fewer, forgets),
  ...at('core/audit/store.ts', 'sequence: { among }', fewer, drops),
  ...at('core/audit/store.ts', 'limit: most', fewer, limit),
  ...at('core/audit/store.ts', 'const isAfter', 'all of them are there or none', drops),
  ...at('core/jobs/store.ts', 'if (found !== undefined) return jobOf', 'it is read once more', drops),
  {
    ...{ source: 'core/jobs/store.ts', operator: drops, line: 'return damaged && (await', becomes: 'damaged' },
    because: damaged,
  },
  ...at('panels/store.ts', 'const theNames', 'it is always the same number', counts),
  {
    ...{ source: 'matchmaker/mail/store.ts', operator: changes, line: 'to, patient, matches', was: 'patient' },
    because: 'that patient is an object',
  },
  {
    ...{ source: 'matchmaker/mail/store.ts', operator: forgets, line: 'terms: match.terms', was: 'terms' },
    because: 'only notices of older versions have none',
  },
  {
    ...{ source: 'matchmaker/mail/store.ts', operator: forgets, line: 'node: absent, other', was: 'node' },
    because: 'no verb finds a pair by its node alone',
  },
  {
    ...{ source: 'matchmaker/mail/store.ts', operator: forgets, line: 'failure, due, failures', was: 'failure,' },
    because: 'the reason is for operators',
  },
  ...at('matchmaker/mail/store.ts', 'failure, due, failures', 'no verb returns the reason', changes),
  ...at('matchmaker/mail/store.ts', 'due: { above: due }', 'the time that is stored is written again', bound),
  ...at('intervals/staging.ts', "state: 'staged' }, changes", 'a set that is given up has no row', drops),
  ...at('intervals/store.ts', "set.kind === 'genes'", 'a set of another kind has no genes', drops),
  ...at('samples/tracks/store.ts', 'drop(inside, await inside.table(tracks).lock', locks, 'holds no rows'),
  ...at('coverage/sites/store.ts', 'next.place + sweptAtOnce', portions),
  {
    ...{ source: 'beacon/protection/spend.ts', line: '', within: prices },
    because: 'prices have tests of their own: test/plugins/beacon/protection',
  },
  ...at('intervals/stored.ts', 'key: symbolKey(name)', 'it is normalised already', changes),
  ...at('matchmaker/exchange/store.ts', 'owed: { above: 0 }', 'what is not owed is absent', bound),
  ...at('coverage/cohorts/store.ts', 'if (found > 0) await changed', 'a version may be skipped', bound),
  ...at('core/audit/store.ts', 'found.size < limit', fewer, bound),
  ...at('core/audit/store.ts', 'if (by)', 'the same entries are found among those about people', drops),
  ...at('intervals/store.ts', 'ids.size === 0', fewer, drops),
  ...at('coverage/samples/store.ts', 'damaged > 0', damaged, drops),
  ...at(
    'samples/tracks/store.ts',
    'unique: [',
    'a block is added once; its place is how it is found',
    'has no unique values',
  ),
  ...at('knex/coverage-sites/binding.ts', 'last[0] === place[0]', 'a site may be found at two places', drops),
  ...at(
    'knex/coverage-sites/binding.ts',
    'const sorted = places',
    'a site may be found at two places',
    'swaps an order',
  ),
  ...at('knex/coverage-sites/binding.ts', 'all.at(-1)', 'a site may be found at two places', counts),
  ...at('knex/coverage-sites/binding.ts', 'find: siteSets.finder(', 'the store finds the same', forgets),
  ...at('coverage/sites/store.ts', 'moment.table(genes).find(', fewer, drops),
  ...at('coverage/sites/store.ts', 'const ofGenes', fewer, forgets),
  ...at(
    'matchmaker/triage/store.ts',
    'put({ submission, person, at }',
    'the row is put again with its time',
    'cuts milliseconds',
  ),
  ...at('core/jobs/store.ts', 'if (changed > 0) return damagedJob', damaged, drops, counts),
  ...at('matchmaker/audit/store.ts', 'await held.lock(', locks, 'holds no rows'),
  ...at(
    'knex/matchmaker-triage/binding.ts',
    'before.last && before.last > at',
    'what is absent, or the same, is not later',
    drops,
    bound,
  ),
  ...at('matchmaker/triage/store.ts', 'submission: { among: [...present.keys()] }', fewer, forgets),
  { ...{ source: 'matchmaker/triage/store.ts', line: '', within: ['isSeen', 'isWork'] }, because: damaged },
  ...at('matchmaker/triage/store.ts', 'assignee: work.assignee', 'a row that is added is assigned to no one', forgets),
  ...at('coverage/samples/store.ts', 'if (before === undefined && !outcomes', damaged, drops),
  ...at('coverage/samples/store.ts', 'let attempt = 0', 'it needs five others, each of which is quicker', counts),
  ...at('coverage/report/kept/store.ts', 'const [latest] =', sameWork),
  ...at('coverage/report/kept/store.ts', 'latest)?.number ?? 0', sameWork, counts),
  {
    ...{ source: 'beacon/protection/contract.ts', line: '', within: ['regionOfQuery', 'stretchAt'] },
    because: 'regions have tests of their own: test/plugins/beacon/protection/region.test.ts',
  },
  ...at('beacon/protection/spend.ts', 'price <= free) return { exists', 'no price is just this', bound),
  ...at('beacon/protection/spend.ts', 'days > 0', 'in no time nothing decays', bound),
  ...at(
    'knex/beacon-protection/binding.ts',
    'at: at(row)',
    'in milliseconds hardly anything decays',
    'cuts milliseconds',
  ),
  ...at('beacon/protection/store.ts', 'if ((await add()) > 0)', 'a row that is there is put without a change', drops),
  ...at('beacon/protection/store.ts', 'generation: 0 });', 'only a publication that just began has it', drops),
  ...beaconEquivalents,
  ...matchesEquivalents,
  ...tableEquivalents,
];

/** Whether an explanation is one of a mutant of a source, which has this text. */
export function explains(one: Equivalent, source: string, text: string, mutant: Mutant): boolean {
  if (!source.endsWith(one.source) || (one.operator ?? mutant.operator) !== mutant.operator) return false;
  const was = text.slice(mutant.start, mutant.end);
  if (!(one.was instanceof RegExp ? one.was.test(was) : was.includes(one.was ?? ''))) return false;
  const line = text.slice(text.lastIndexOf('\n', mutant.start - 1) + 1, text.indexOf('\n', mutant.start));
  if (!line.includes(one.line) || !mutant.text.includes(one.becomes ?? '')) return false;
  if (one.within === undefined) return true;
  const declaration = /^(?:export )?(?:async )?(?:function\*?|class|const) (\w+)/;
  const begun = text
    .slice(0, mutant.start)
    .split('\n')
    .findLast((each) => declaration.test(each));
  return one.within.includes(begun?.match(declaration)?.[1] ?? '');
}
