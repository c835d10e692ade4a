/** `trefoil consent …`: standing objections to sharing. */
import { randomUUID } from 'node:crypto';
import { erasureListOf } from '../erasures/configured.js';
import { listName } from '../erasures/confirm.js';
import type { ErasureRecord } from '../erasures/record.js';
import { Fault } from '../fault.js';
import { table } from '../terminal-text.js';
import { type Assembled, withAll } from './assembled.js';
import { configureCore } from './configured.js';
import type { CoreCommand, CoreContext } from './core-command.js';
import { erasePeople, noList } from './erasing.js';

interface Options {
  sample?: string[];
  patient?: string[];
  receipt?: string;
  yes?: boolean;
}

const people = [
  { flags: '--sample <id>', description: 'a sample', repeatable: true },
  { flags: '--patient <id>', description: 'the patient of the matchmaker, if it has another id', repeatable: true },
];

const list: CoreCommand = {
  name: 'consent list',
  summary: 'list the standing objections to sharing',
  examples: ['consent list', 'consent list --json'],
  async run({ configuration, terminal }) {
    const standing = objectionsIn(await erasureListOf(await configureCore(configuration)).records());
    const shown = standing.map(({ receipt, at, erasure: { id, names } }) => {
      return { id, names: names ?? 'person', since: at.toISOString(), receipt };
    });
    terminal.data(shown);
    const rows = shown.map(({ id, names, since, receipt }) => [id, names, since.slice(0, 10), receipt]);
    const lines = rows.length === 0 ? ['No one objects to sharing.'] : table(['ID', 'NAMES', 'SINCE', 'RECEIPT'], rows);
    for (const line of lines) terminal.print(line);
    return 0;
  },
};

const withdraw: CoreCommand = {
  name: 'consent withdraw',
  summary: 'record an objection to sharing, and erase the person from what is shared',
  description:
    'The same as `erase --from-sharing`: the clinical record stays, of which reports are made. Datasets, counts, cohorts and the ' +
    'matchmaker lose the person, and later loads skip it until `consent restore`. The id need not be known yet.',
  options: [
    ...people,
    { flags: '--receipt <file>', description: 'also write the receipt to this new file, as JSON' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: ['consent withdraw --sample ADM1059A1'],
  async run(context, input) {
    const { sample = [], patient = [], receipt, yes } = input.options as Options;
    requireIds(sample, patient);
    const request = { samples: sample, patients: patient, cases: [], scope: 'sharing', receipt, yes } as const;
    const tools = { now: context.now };
    return withAll(context.configuration, tools, (all) => erasePeople(context, all, request));
  },
};

const restore: CoreCommand = {
  name: 'consent restore',
  summary: 'lift an objection to sharing',
  description:
    'Later loads no longer skip the person. What was erased is not brought back: load it again. Values for cohorts are ' +
    'computed again within an hour from the files of samples that are still registered.',
  options: people,
  examples: ['consent restore --sample ADM1059A1'],
  async run(context, input) {
    const { sample = [], patient = [] } = input.options as Options;
    requireIds(sample, patient);
    const tools = { now: context.now };
    return withAll(context.configuration, tools, (all) => lift(context, all, { sample, patient }));
  },
};

/** Lifts the objections of these people. Throws a `not-found` fault if one of them has none. */
export async function lift(
  { terminal }: Pick<CoreContext, 'terminal'>,
  { erasing: { list: objections, now, confirm }, audit }: Pick<Assembled, 'erasing' | 'audit'>,
  { sample, patient }: { sample: readonly string[]; patient: readonly string[] },
): Promise<number> {
  if (objections.file === undefined) throw noList();
  await confirm();
  const standing = objectionsIn(await objections.records());
  const [samples, patients] = [new Set(sample), new Set(patient)];
  const lifted = standing.filter(({ erasure: { id, names } }) => {
    return (samples.has(id) && names !== 'patient') || (patients.has(id) && names !== 'sample');
  });
  const known = new Set(lifted.map(({ erasure }) => erasure.id));
  const unknown = [...sample, ...patient].filter((id) => !known.has(id));
  if (unknown.length > 0) {
    const ids = unknown.map((id) => `"${id}"`).join(', ');
    throw new Fault('not-found', `There is no objection of ${ids}; \`consent list\` shows the ids`);
  }
  const [receipt, at] = [randomUUID(), now()];
  const { number: line } = await objections.add(
    lifted.map(({ erasure }) => ({ receipt, at, does: 'permit', erasure })),
  );
  const people = lifted.flatMap(({ erasure: { id, names } }) => {
    return names === undefined ? [`sample:${id}`, `patient:${id}`] : [`${names}:${id}`];
  });
  const about = [listName, ...people];
  const detail = { receipt, line };
  await audit.record({ action: 'consent', about, because: 'command line', outcome: 'restored', detail });
  const receipts = new Set(lifted.map((one) => one.receipt));
  for (const { receipt: own, erasure } of standing) {
    if (!receipts.has(own) || known.has(erasure.id)) continue;
    terminal.note(`Recorded by the same command, and still standing: "${erasure.id}".`);
  }
  terminal.print(`Lifted: ${[...known].map((id) => `"${id}"`).join(', ')}`);
  terminal.data({ receipt, at: at.toISOString(), lifted: [...known] });
  return 0;
}

export const consentCommands: readonly CoreCommand[] = [list, withdraw, restore];

/** The first record of each objection that was not lifted since, oldest first. */
function objectionsIn(records: readonly ErasureRecord[]): ErasureRecord[] {
  const standing = new Map<string, ErasureRecord>();
  for (const record of records) {
    const { id, names, scope } = record.erasure;
    if (scope !== 'sharing') continue;
    const key = JSON.stringify([id, names ?? null]);
    if (record.does === 'permit') standing.delete(key);
    else if (!standing.has(key)) standing.set(key, record);
  }
  return [...standing.values()];
}

function requireIds(sample: readonly string[], patient: readonly string[]): void {
  const ids = [...sample, ...patient];
  if (ids.length === 0) throw new Fault('invalid', 'Give --sample or --patient');
  if (ids.includes('')) throw new Fault('invalid', 'An id must not be empty');
}
