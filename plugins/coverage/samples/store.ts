/** coverage-samples@1 above tables. */
import { randomUUID } from 'node:crypto';
import {
  absent,
  bytes,
  type Changes,
  type Conditions,
  defineStore,
  defineTable,
  Fault,
  generated,
  json,
  optional,
  person,
  placeOf,
  type RowOf,
  small,
  step,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import { builds, chromosomes } from '../intervals/interval.js';
import {
  type CheckOutcome,
  checksumOf,
  coverageSamples,
  type RegisteredSample,
  type RegistrationOutcome,
  type RunBlock,
  refuseRepeated,
  registered,
  type SampleCheck,
  type SampleDescription,
  type SampleLabels,
  type SampleRepository,
  type SampleRuns,
  type SampleSex,
  type SampleState,
  sampleSexes,
  sampleStates,
  type UniqueCoverageFile,
} from './contract.js';
import { currentFindings, findings, removeFindings, replaceFindings } from './stored-findings.js';

/** `checked` and `found`: when the last successful check was, and what it found. */
const samples = defineTable({
  name: 'coverage_samples_registered',
  columns: {
    id: person(text()),
    revision: text(),
    build: text(),
    path: person(text()),
    track: person(optional(text())),
    caseId: person(optional(text())),
    sex: person(text()),
    analysed: person(optional(text())),
    labels: person(json<SampleLabels>()),
    state: text(),
    reason: person(optional(text())),
    registered: time(),
    updated: time(),
    checked: optional(time()),
    found: person(optional(json<Omit<SampleCheck, 'at'>>())),
    // The path in one form, so that a statement can find its owner.
    place: person(text()),
    second: person(optional(json<UniqueCoverageFile>())),
  },
  key: ['id'],
  indexes: [['state', 'id']],
  sound: ({ build, sex, state, checked, found }) =>
    isAmong(builds, build) &&
    isAmong(sampleSexes, sex) &&
    isAmong(sampleStates, state) &&
    (found === undefined || checked !== undefined),
});

/** What revisions do not need. */
const without = [
  ...(['build', 'track', 'caseId', 'sex', 'analysed', 'labels', 'reason'] as const),
  ...(['registered', 'updated', 'checked', 'found', 'place', 'second'] as const),
] as const;
/** Samples are named, also damaged ones. */
const named = [...without, 'state'] as const;

/** `chromosome` is a place in the list of chromosomes. */
const runs = defineTable({
  name: 'coverage_samples_runs',
  columns: {
    number: generated(),
    sample: person(text()),
    chromosome: small(),
    start: small(),
    stop: small(),
    checksum: text(),
    content: person(bytes()),
  },
  key: ['number'],
  unique: [['sample', 'chromosome', 'start']],
  sound: ({ chromosome }) => chromosomes[chromosome] !== undefined,
  // Readers of a block compare its checksum: here it would be computed twice.
  isIntact: ({ checksum, content }) => checksumOf(content) === checksum,
});

type StoredSample = RowOf<typeof samples.columns>;
type RunRow = RowOf<typeof runs.columns>;

/** True of a column that was not read. */
function isAmong(all: readonly string[], value: string | undefined): boolean {
  return value === undefined || all.includes(value);
}

function sampleOf(row: StoredSample): RegisteredSample {
  const { id, revision, path, track, caseId, analysed, labels, reason, checked, found, second } = row;
  return {
    id,
    revision,
    build: row.build as RegisteredSample['build'],
    file: { path, ...(track !== undefined && { track }) },
    ...(second !== undefined && { unique: second }),
    ...(caseId !== undefined && { case: caseId }),
    sex: row.sex as SampleSex,
    ...(analysed !== undefined && { analysed }),
    labels,
    state: row.state as SampleState,
    ...(reason !== undefined && { reason }),
    registered: row.registered,
    updated: row.updated,
    ...(found !== undefined && { check: { at: checked as Date, ...found } }),
  };
}

function rowOf({ file: { path, track }, unique: second, case: caseId, check, ...rest }: RegisteredSample) {
  return { ...rest, path, track, second, caseId, place: placeOf(path), ...columnsOf(check) };
}

function columnsOf(check: SampleCheck | undefined) {
  if (check === undefined) return {};
  const { at, ...found } = check;
  return { checked: at, found };
}

function blockOf({ chromosome, start, stop, checksum, content }: RunRow): RunBlock {
  return { chromosome: chromosomes[chromosome] as RunBlock['chromosome'], start, end: stop, checksum, content };
}

/** How often a sample that disappears while it is registered is registered anew. */
const attempts = 5;
/** Blocks of a page, and of an addition. */
const [readAtOnce, appendedAtOnce] = [500, 64];

export const store = defineStore<SampleRepository>({
  contract: coverageSamples,
  tables: [samples, runs, findings],
  steps: {
    '002-windows-of-runs': { replaces: ['001-samples-and-runs'], tables: [samples, runs] },
    '003-places': {
      adds: [{ table: samples, columns: { place: '' } }],
      async up(tables) {
        const known = tables.table(samples);
        for await (const { id, path } of known.each({ without: named }))
          await known.change({ id }, { place: placeOf(path) });
      },
    },
    '004-unique-files': { adds: [{ table: samples, columns: { second: undefined } }] },
    '005-findings': { tables: [findings] },
  },
  repository: (tables) => ({
    async register(given, now) {
      refuseRepeated(given);
      return tables.transaction(async (inside) => {
        const outcomes = new Map<string, RegistrationOutcome>();
        let left: readonly SampleDescription[] = given;
        for (let attempt = 0; left.length > 0; attempt++) {
          if (attempt === attempts) throw new Fault('conflict', 'The samples are being removed: try again');
          // Two concurrent callers wait for each other here.
          const rows = left.map((one) => rowOf(registered(one, undefined, randomUUID(), now).sample));
          for (const { id } of await inside.table(samples).addMany(rows)) outcomes.set(id, 'added');
          step('coverage.register.added');
          const others = left.filter(({ id }) => !outcomes.has(id));
          for (const [id, outcome] of await describeSample(inside, others, now)) outcomes.set(id, outcome);
          left = left.filter(({ id }) => !outcomes.has(id));
        }
        step('coverage.register.described');
        return given.map(({ id }) => outcomes.get(id) as RegistrationOutcome);
      });
    },

    async find(ids, begins) {
      const id = { among: ids };
      const where = begins === undefined ? { id } : begins.map((beginning) => ({ id, place: { beginning } }));
      return (await tables.table(samples).find({ where, order: ['id'] })).map(sampleOf);
    },

    async revisions(ids) {
      const found = await tables.table(samples).find({ where: { id: { among: ids } }, order: ['id'], without });
      return found.map(({ id, revision, state }) => ({ id, revision, state: state as SampleState }));
    },

    // Ids have no characters beyond U+D7FF: the order of tables is that of their code units.
    async list({ states, after, limit }) {
      const where = {
        ...(after !== undefined && { id: { above: after } }),
        ...(states !== undefined && { state: { among: states } }),
      };
      return (await tables.table(samples).find({ where, order: ['id'], limit })).map(sampleOf);
    },

    record: (id, revision, outcome) =>
      tables.transaction(async (inside) => {
        const changed = await inside.table(samples).change({ id, revision }, changesAfter(outcome));
        if (changed === 0) return false;
        if (outcome.state === 'ready') await replaceRuns(inside, id, outcome.runs);
        return true;
      }),

    async runs(id, wanted) {
      const places = wanted && { chromosome: { among: wanted.map((one) => chromosomes.indexOf(one)) } };
      const rows = await tables.snapshot((moment) => allBlocks(moment, { sample: id, ...places }));
      return rows.map(blockOf);
    },

    runsFrom: (ids, chromosome, { start, end }) =>
      tables.snapshot(async (moment) => {
        const place = { chromosome: chromosomes.indexOf(chromosome), start: { atLeast: start, below: end } };
        const rows = await allBlocks(moment, { sample: { among: ids }, ...place });
        if (rows.length === 0) return [];
        const known = await moment.table(samples).find({ where: { id: { among: ids } }, without: named });
        const revisions = new Map(known.map(({ id, revision }) => [id, revision]));
        const found: (SampleRuns & { blocks: RunBlock[] })[] = [];
        for (const row of rows) {
          const { sample } = row;
          if (found.at(-1)?.sample !== sample) {
            found.push({ sample, revision: revisions.get(sample) as string, blocks: [] });
          }
          found.at(-1)?.blocks.push(blockOf(row));
        }
        return found;
      }),

    note: (sample, kind, found) =>
      tables.transaction(async (inside) => {
        const { id, revision } = sample;
        const [current] = await inside.table(samples).lock({ id, revision, state: 'ready' }, { without: named });
        if (current === undefined) return false;
        await replaceFindings(inside, sample, kind, found);
        return true;
      }),

    findings: (ids) =>
      tables.snapshot((moment) =>
        currentFindings(moment, ids, async (among) => {
          const known = await moment.table(samples).find({ where: { id: { among }, state: 'ready' }, without: named });
          return new Map(known.map(({ id, revision }) => [id, revision]));
        }),
      ),

    remove: (ids) =>
      tables.transaction(async (inside) => {
        const found = (await inside.table(samples).lock({ id: { among: ids } }, { without: named })).map(
          ({ id }) => id,
        );
        await inside.table(samples).remove({ id: { among: found } });
        step('coverage.unregister.removed');
        await inside.table(runs).remove({ sample: { among: found } });
        await removeFindings(inside, found);
        return found.length;
      }),
  }),
});

/**
 * Replaces what is stated of samples that exist; those that do not are left out. One whose row is damaged is added anew, without
 * a check.
 */
async function describeSample(
  inside: Tables,
  given: readonly SampleDescription[],
  now: Date,
): Promise<Map<string, RegistrationOutcome>> {
  const outcomes = new Map<string, RegistrationOutcome>();
  if (given.length === 0) return outcomes;
  const table = inside.table(samples);
  const where = { id: { among: given.map(({ id }) => id) } };
  const known = new Map((await table.lock(where)).map((row) => [row.id, sampleOf(row)]));
  for (const { id } of await table.find({ where, without: named })) if (!known.has(id)) outcomes.set(id, 'added');
  for (const description of given) {
    const before = known.get(description.id);
    if (before === undefined && !outcomes.has(description.id)) continue;
    const { outcome, sample } = registered(description, before, randomUUID(), now);
    if (outcome !== 'unchanged') await table.put(rowOf(sample));
    outcomes.set(sample.id, outcome);
  }
  return outcomes;
}

function changesAfter(outcome: CheckOutcome): Changes<StoredSample> {
  const { state } = outcome;
  if (state === 'failing') return { state, reason: outcome.reason };
  if (state === 'changed') return { state, reason: absent };
  return { state, reason: absent, revision: randomUUID(), ...columnsOf(outcome.check) };
}

async function replaceRuns(inside: Tables, sample: string, blocks: readonly RunBlock[]): Promise<void> {
  await inside.table(runs).remove({ sample });
  step('coverage.check.emptied');
  // In portions, since a table copies what it is given.
  for (let from = 0; from < blocks.length; from += appendedAtOnce) {
    const rows = blocks.slice(from, from + appendedAtOnce).map(({ chromosome, start, end, checksum, content }) => {
      return { sample, chromosome: chromosomes.indexOf(chromosome), start, stop: end, checksum, content };
    });
    await inside.table(runs).append(rows);
  }
  step('coverage.check.stored');
}

/** All blocks, in their order. One that cannot be read is never left out, since its bases would then count as not covered. */
async function allBlocks(moment: Tables, where: Conditions<RunRow>): Promise<RunRow[]> {
  const found: RunRow[] = [];
  for (let after: object | undefined; ; ) {
    const order = ['sample', 'chromosome', 'start'] as const;
    const { rows, damaged, next } = await moment.table(runs).page({ where, order, limit: readAtOnce, after });
    if (damaged > 0) throw new Fault('internal', 'A stored block of covered bases cannot be read');
    found.push(...rows);
    if (next === undefined) return found;
    after = next;
  }
}
