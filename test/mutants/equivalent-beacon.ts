/** Mutants of the beacon's sources that break no promise. */
const ofDatasets = 'ids of datasets have letters, digits, _, -, . and : only';
const read = 'it decides which rows are read, of which `matches` chooses';
const unique = 'no two rows have one id, whatever their contig';
const counted = 'no verb tells of rows of deleted segments: test/adapters/storage/compaction.test.ts counts them';

function at(source: string, operator: string, line: string, because: string) {
  return { source, operator, line, because };
}

/** Every change in lines with one of these texts. */
function anyOf(source: string, lines: readonly string[], because: string) {
  return lines.map((line) => ({ source, line, because }));
}

const again = 'it is read again, or kept for longer';

/** The id of a dataset, without letters that it cannot have. */
function named(source: string) {
  return ['dataset', 'id'].flatMap((line) =>
    ['trim()', "normalize('NFC')"].map((becomes) => ({ ...at(source, 'changes a text', line, ofDatasets), becomes })),
  );
}

const bases = ['reference', 'alternate'].flatMap((line) =>
  ['segment', 'hits', 'stored-alleles', 'layout'].flatMap((file) =>
    ['trim()', "normalize('NFC')"].map((becomes) => ({
      ...at(`beacon/${file}.ts`, 'changes a text', line, 'bases and symbols have neither blanks nor composed letters'),
      becomes,
    })),
  ),
);

const naming = ['observe', 'hits', 'samples', 'found', 'search', 'import', 'remove', 'datasets', 'dataset-states'];

export const beaconEquivalents = [
  ...['is off by one at a bound', 'drops a condition', 'forgets a field'].map((operator) =>
    at('beacon/paths.ts', operator, '', read),
  ),
  ...naming.flatMap((file) => named(`knex/beacon/${file}.ts`)),
  ...bases,
  at('beacon/segment.ts', 'is off by one at a bound', '>= batchRows', 'rows are stored with those that come next'),
  ...[
    { ...at('beacon/fold.ts', 'drops a condition', 'await', unique), becomes: 'where' },
    { ...at('beacon/sweep.ts', 'drops a condition', "write('beacon_alleles')", unique), becomes: 'whereBetween(' },
  ],
  at('beacon/store.ts', 'changes a text', 'dataset: number', 'it is a number'),
  at('beacon/stored-alleles.ts', 'changes a text', 'dataset', 'it is a number'),
  at('beacon/moment.ts', 'forgets a field', 'near(', 'more alleles are read, of which `isAskedFor` chooses'),
  at('beacon/hits.ts', 'drops a condition', 'SegmentGone', 'test/adapters/storage/swept-segments.test.ts tells'),
  at(
    'knex/beacon/datasets.ts',
    'holds no rows',
    'write(table).where({ id })).first()',
    'only datasets of earlier releases are without a salt: test/adapters/storage/samples.test.ts',
  ),
  at('beacon-protection/binding.ts', 'drops a condition', 'forUpdate(write(publications)', 'more rows are held'),
  at(
    'beacon-protection/binding.ts',
    'swaps an order',
    "orderBy('dataset')",
    'all rows are held by one statement, which reads them in one order',
  ),
  ...['beacon/sweep.ts', 'beacon/uncalled.ts'].flatMap((source) =>
    ["write('beacon_", 'sweepUncalled(', '.delete()'].map((line) => at(source, 'does half', line, counted)),
  ),
  ...anyOf('beacon/merges.ts', [''], 'which imports are merged is tested in test/adapters/storage/merges.test.ts'),
  ...anyOf('beacon/query-limit.ts', ['#free', '#room'], 'how many read at a time is not promised'),
  ...anyOf('beacon/dataset-states.ts', ['#count', 'known?.revision', '#drop('], again),
  ...anyOf('beacon/samples.ts', ['#reads', '#names', '#present.has'], again),
  ...anyOf('beacon/export.ts', ['width', 'count <', 'count >', 'batchSize'], 'portions may be smaller or larger'),
  ...anyOf('beacon/together.ts', ['isFew', 'slack', 'complete.length'], 'portions may be smaller or larger'),
  ...anyOf('beacon/merge.ts', ['> this.#highest', '> this.#released)'], 'more alleles wait for their like'),
  at('beacon/copy.ts', 'drops a condition', '!repeats', 'a copy that leaves nothing out is the same'),
  at('-sightings.ts', 'changes a text', 'path', 'it is an object'),
];
