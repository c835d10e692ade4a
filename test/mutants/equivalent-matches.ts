/** Mutants of records of searches that break no promise. */
const unseen = 'what no verb shows has tests of its own: test/adapters/storage/found-patients.test.ts';
const portions = 'it is done in one portion, or in more';
const known = 'what is not known to be there is looked up';
const inRecord = 'a patient without a form is in its record';
const none = 'adding or removing none changes nothing';
const race = 'it concerns patients that are erased between two reads';
const folded = 'merged or not, the sum is the same';
const fewer = 'more rows are read, of which the same are used';
const again = 'memory tries searches again whose key is taken';
const [drops, bound, counts] = ['drops a condition', 'is off by one at a bound', 'counts wrongly'];
const [forgets, changes, limit] = ['forgets a field', 'changes a text', 'ignores a limit'];

function at(source: string, line: string, because: string, ...operators: string[]) {
  const place = { source, line, because };
  return operators.length === 0 ? [place] : operators.map((operator) => ({ ...place, operator }));
}

const [store, forms, records] = ['store.ts', 'forms.ts', 'records.ts'].map((file) => `matches/${file}`) as [
  string,
  string,
  string,
];
const binding = 'matchmaker-matches/binding.ts';

export const matchesEquivalents = [
  ...[store, binding].flatMap((source) => at(source, 'if (requests === 0)', none, drops)),
  ...at(store, 'left = kept.length > 0', none, bound),
  ...at(store, '', again, drops).map((one) => ({ ...one, within: ['groupsOf'] })),
  {
    ...{ source: store, operator: changes, line: 'id, created, type, direction, asker', was: 'id' },
    because: 'it is a random UUID in lower case',
  },
  ...at(
    store,
    'match.key === undefined || (await',
    'one that another was before may be refused',
    drops,
    changes,
    counts,
  ),
  ...at(store, 'limit: 10 * mostTallied', portions, limit),
  ...at(store, 'if (held.length === 0)', folded, counts),
  ...at(store, 'limit: limit + 1', fewer, limit),
  ...at(store, 'const last = places', 'callers ask whether there is one', 'returns null for absent'),
  ...at(store, 'results.length === 0 && document.errors', race, drops, counts),
  ...at(store, 'where: ofOthers, limit: 1', fewer, limit),
  ...at(store, 'tables.transaction(sweepForms)', unseen),
  ...at(store, 'let rows = 0', folded, counts),
  ...at(store, 'rows += 1', folded, counts),
  ...at(store, 'rows > mostTallied', folded),
  ...at(forms, "unique: [['digest']]", unseen),
  ...at(forms, 'before?.node === node', 'it is made again, with the same digest', drops),
  ...at(forms, 'wanted.size === 0', inRecord, drops, counts),
  ...at(forms, 'const missing = [', 'their order shows in conflicts only', 'swaps an order'),
  ...at(forms, 'const byDigest', 'their order shows in conflicts only', 'swaps an order', counts),
  ...at(forms, 'missing.length === 0 ? there', inRecord, counts),
  ...['digest: { among: digests }', '(forms).addMany(rows)', '(forms).change({ digest'].flatMap((line) =>
    at(forms, line, unseen),
  ),
  ...at(forms, '(found).remove(where)', 'numbers of records are given once'),
  ...at(forms, 'order: [', portions, limit).map((one) => ({ ...one, within: ['sweepForms'] })),
  ...['where: { id: { among } }', 'if (seen >=', '{ patientId, form: id }', 'stored.remove(', 'noted.remove('].flatMap(
    (line) => at(forms, line, unseen),
  ),
  ...['(loose).remove({ form', '(forms).remove(where)'].flatMap((line) => at(forms, line, unseen)),
  ...at(records, "direction: 'incoming', type:", 'what is incoming is on this node', forgets).map((one) => ({
    ...one,
    was: 'type',
  })),
  ...at(records, 'where: { ...ours, asker, patientId }', fewer, drops),
  ...[records, binding].flatMap((source) =>
    at(source, 'form', inRecord, forgets).map((one) => ({ ...one, was: 'form', within: ['findersIn', 'findersOf'] })),
  ),
  ...at(records, 'results.filter((result) => result.patients.length > 0)', race, bound, 'claims to have changed rows'),
  ...at(records, 'await loosen(inside', unseen),
  ...at(records, 'patientNumber: { above: 0 }', 'numbers begin with 1', bound),
  ...at(records, 'limit: 2000', portions, limit),
  ...at(records, 'await deleteForms(', unseen),
  ...at(binding, 'known.size < mostKnown', known),
  ...at(binding, '.filter((gene) => !known', 'their order shows in conflicts only', 'swaps an order'),
  ...at(binding, 'before?.day === day', known, drops),
  ...at(binding, 'known.set(form', unseen),
  ...at(binding, 'after && time !== undefined', 'both are given, or none', drops),
];
