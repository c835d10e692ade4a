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
  ['segment', 'layout'].flatMap((file) =>
    ['trim()', "normalize('NFC')"].map((becomes) => ({
      ...at(`beacon/${file}.ts`, 'changes a text', line, 'bases and symbols have neither blanks nor composed letters'),
      becomes,
    })),
  ),
);

const naming = ['import', 'datasets'];
const paths = [
  ...['sourceOfPath', 'storableBounds', 'namedIn', 'pathsTo', 'limitToPublished', 'pathsOf', 'isWide'],
  ...['startsReaching', 'farEnds', 'otherwiseSpelled', 'ofKinds', 'add', 'pattern'],
];
const choiceOfMerges = [
  ...['least', 'mostLoads', 'mostRows', 'mostSamples', 'largestSamples', 'similar', 'fewRows', 'mostRewritten'],
  ...['largestLoads', 'isMergeable', 'mergesOfSegments', 'alike', 'sizeOf', 'byCase', 'firstMerge'],
];

export const beaconEquivalents = [
  ...['is off by one at a bound', 'drops a condition', 'forgets a field'].map((operator) => ({
    ...at('knex/beacon/layout.ts', operator, '', read),
    within: paths,
  })),
  ...naming.flatMap((file) => named(`knex/beacon/${file}.ts`)),
  ...bases,
  ...[
    {
      ...at('knex/beacon/import.ts', 'drops a condition', 'await', unique),
      ...{ becomes: 'where', within: ['foldRepeats', 'fold'] },
    },
    { ...at('beacon/sweep.ts', 'drops a condition', "write('beacon_alleles')", unique), becomes: 'whereBetween(' },
  ],
  at('beacon/stored-alleles.ts', 'changes a text', 'dataset', 'it is a number'),
  at('beacon/moment.ts', 'forgets a field', 'near(', 'more alleles are read, of which `isAskedFor` chooses'),
  at('beacon/hits.ts', 'drops a condition', 'SegmentGone', 'test/adapters/storage/swept-segments.test.ts tells'),
  at(
    'knex/beacon/datasets.ts',
    'holds no rows',
    'write(datasetTable).where({ id })).first()',
    'only datasets of earlier releases are without a salt: test/adapters/storage/samples.test.ts',
  ),
  ...["write('beacon_", 'await deleteUncalled('].map((line) => ({
    ...at('beacon/sweep.ts', 'does half', line, counted),
    within: ['sweepFar', 'sweepRows', 'deleteUncalled'],
  })),
  ...anyOf(
    'knex/beacon/segment.ts',
    [''],
    'which imports are merged is tested in test/adapters/storage/merges.test.ts',
  ).map((one) => ({ ...one, within: choiceOfMerges })),
  ...anyOf('knex/beacon/search.ts', ['#free', '#room'], 'how many read at a time is not promised'),
  ...anyOf('beacon/dataset-states.ts', ['#count', 'known?.revision'], again),
  ...anyOf('knex/beacon/hits.ts', ['#reads', '#names', '#present.has'], again),
  ...anyOf('beacon/export.ts', ['width', 'batchSize'], 'portions may be smaller or larger'),
  ...anyOf('knex/beacon/compact.ts', ['isFew', 'complete.length'], 'portions may be smaller or larger'),
  ...anyOf('knex/beacon/import.ts', ['> this.#highest', '> this.#released)'], 'more alleles wait for their like'),
  ...anyOf('knex/beacon/search.ts', ['if (enough || rows'], 'the same is found by another statement'),
  at('beacon/sequence-sightings.ts', 'returns null for absent', 'group.sums : undefined', 'it is asked for by truth'),
  at('beacon/copy.ts', 'drops a condition', '!any', 'a copy that leaves nothing out is the same'),
  {
    ...{ source: 'beacon/domain/sample.ts', line: '', within: ['termKey', 'distinctTerms'] },
    because: 'no storage decides by them',
  },
  ...['let came = 0', 'came++'].map((line) =>
    at('beacon/domain/hits.ts', 'counts wrongly', line, 'only bindings need the number of carriers'),
  ),
  at('-sightings.ts', 'changes a text', 'path', 'it is an object'),
  ...anyOf('knex/beacon/import.ts', ['#highest = -1'], 'no place is below 0'),
  ...anyOf('knex/beacon/sequence-sightings.ts', ['at: { contig: code'], 'it chooses how the same rows are found'),
  ...named('plugins/beacon/store.ts').map((one) => ({ ...one, was: /^(?:id|dataset)\b/ })),
  at('beacon/export.ts', 'drops a condition', 'await hasRows(', 'a chromosome without rows has no alleles'),
  at('beacon/carriers.ts', 'swaps an order', 'samples.toSorted(', 'samples come in the order of their ordinals'),
  at('beacon/sightings.ts', 'forgets a field', 'asked, asked', 'tables on other servers have tests of their own'),
  ...anyOf('plugins/beacon/moment.ts', ['portion.length < portionSize'], 'portions are of any size'),
];
