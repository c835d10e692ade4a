/**
 * `trefoil erase`, `trefoil erasures …` and `trefoil consent …`: what people may ask for: that their data is erased, for which
 * a list of erasures is kept, and that it is not shared.
 */
import { randomUUID } from 'node:crypto';
import { confirmed, counted, printTable } from '../command-text.js';
import { command } from '../commands.js';
import { erasureListOf, listName } from '../erasures/configured.js';
import { replayErasures } from '../erasures/erase.js';
import type { ErasureRecord } from '../erasures/record.js';
import { Fault } from '../fault.js';
import { type AssembledPlugins, withAll } from './assembled.js';
import { type CoreCommand, type CoreContext, configureCore } from './core-command.js';
import { erasePeople, linesOfErasure, noList } from './erasing.js';

export const erase: CoreCommand = command({
  name: 'erase',
  summary: 'erase all data about a person, in all plugins',
  description:
    'Shows what would be erased, by plugin, and erases it once it is confirmed: samples of datasets and of the coverage ' +
    'registry with all that is kept of them, and the patient of the matchmaker. Further ids under which the server knows ' +
    'the same sample are included. Without --patient, the patient has the id of the sample. The erasure is first put on a ' +
    'list outside the database, which is replayed at the next start if an older backup was restored. On SQLite the ' +
    'database file is then rewritten without the erased data; servers cannot write meanwhile. Files that were loaded or ' +
    'registered, backups, and what other servers were sent are not changed. If it fails, the same command erases what is left.',
  options: [
    { flags: '--sample <id>', description: 'a sample', repeatable: true },
    { flags: '--case <id>', description: 'a case: all of its samples', repeatable: true },
    { flags: '--patient <id>', description: 'the patient of the matchmaker, if it has another id', repeatable: true },
    {
      flags: '--from-sharing',
      description:
        'keep the clinical record, erase from what others find, count or compare with, and note a standing objection',
    },
    { flags: '--receipt <file>', description: 'also write the receipt to this new file, as JSON' },
    { flags: '--replay', description: 'erase again what is on the list, after an older backup was restored' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: [
    'erase --sample ADM1059A1',
    'erase --sample ADM1059A1 --from-sharing',
    'erase --sample ADM1059A1 --patient P0001058 --receipt receipt.json --yes',
  ],
  async run(context, input) {
    const { replay, sample = [], patient = [], case: cases = [], receipt, yes, fromSharing } = input.options;
    const ids = [...sample, ...patient, ...cases];
    if (replay ? ids.length > 0 : ids.length === 0) {
      throw new Fault('invalid', 'Give --sample, --case or --patient, or only --replay');
    }
    if (replay && fromSharing) throw new Fault('invalid', 'Use --replay alone: it repeats objections as well');
    if (ids.includes('')) throw new Fault('invalid', 'An id must not be empty');
    const scope = fromSharing ? ('sharing' as const) : ('all' as const);
    const request = { samples: sample, patients: patient, cases, scope, receipt, yes };
    return withAll(context, (all) => (replay ? replayList(context, all) : erasePeople(context, all, request)));
  },
});

async function replayList({ terminal }: CoreContext, all: AssembledPlugins): Promise<number> {
  if (all.erasing.list.file === undefined) throw noList();
  await all.erasing.confirm();
  const { listed, found, later } = await replayErasures(all.erasing);
  const purged = await all.purge();
  const number = `${counted(listed, 'erasure')} on the list`;
  terminal.print(found.length === 0 ? `Nothing to erase: ${number}` : `Erased again, by ${number}:`);
  for (const line of linesOfErasure(found)) terminal.print(line);
  if (later.length > 0) terminal.print('Stored after the erasure, and not erased:');
  for (const line of linesOfErasure(later)) terminal.print(line);
  terminal.data({ listed, erased: found, later, purged });
  return 0;
}

// `trefoil erasures …`: the list of erasures.

const accept: CoreCommand = command({
  name: 'erasures accept',
  summary: 'accept the list of erasures as it is, although it lost lines',
  description:
    'A server does not start if the key file of the list, the database or the audit knows more lines than the list has, or if ' +
    'a line is damaged: people whose lines are lost come back with an older backup. Restore the list if you can. If not, this ' +
    'command goes on with the lines that can be read, and the audit has that. Erase people of whom you know by other means again.',
  options: [{ flags: '--yes', description: 'do not ask for confirmation' }],
  examples: ['erasures accept'],
  run: (context, { options }) => withAll(context, (all) => acceptList(context, all, options.yes === true)),
});

async function acceptList({ terminal }: CoreContext, all: AssembledPlugins, yes: boolean): Promise<number> {
  const { list, now, knownToAudit } = all.erasing;
  if (list.file === undefined) throw noList();
  const found = await list.look();
  const known = Math.max(found.known, await knownToAudit());
  if (found.problem === undefined && found.end.number >= known) {
    throw new Fault('conflict', `Nothing is wrong with the list of erasures ${list.file}: there is nothing to accept`);
  }
  const [read, unreadable] = [found.records.length, found.unreadable];
  const line = known + 1;
  terminal.note(
    `The list of erasures ${list.file} has ${counted(read, 'line')} that can be read, and ${unreadable} that cannot.`,
  );
  terminal.note(`It has or had at least ${counted(known, 'line')}.`);
  const question = 'People of the other lines will come back with an older backup. Do you want to continue?';
  if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was accepted' }))) return 1;
  // First the audit: a list that was accepted has an entry.
  const detail = { read, unreadable, known, line };
  await all.audit.record({
    action: 'erasures.accept',
    about: [listName],
    because: 'command line',
    outcome: 'accepted',
    detail,
  });
  await list.accept(now(), known);
  terminal.print(`Accepted: ${counted(read, 'line')} of ${list.file}`);
  terminal.data({ list: list.file, ...detail });
  return 0;
}

export const erasuresCommands: readonly CoreCommand[] = [accept];

// `trefoil consent …`: standing objections to sharing.

const people = [
  { flags: '--sample <id>', description: 'a sample', repeatable: true },
  { flags: '--patient <id>', description: 'the patient of the matchmaker, if it has another id', repeatable: true },
] as const;

const listObjections: CoreCommand = {
  name: 'consent list',
  summary: 'list the standing objections to sharing',
  examples: ['consent list', 'consent list --json'],
  async run({ configuration, terminal }) {
    const standing = objectionsIn(await erasureListOf(await configureCore(configuration)).records());
    const shown = standing.map(({ receipt, at: since, erasure: { id, names = 'person' } }) => {
      return { id, names, since, receipt };
    });
    terminal.data(shown);
    const columns = { ID: 'id', NAMES: 'names', SINCE: 'since', RECEIPT: 'receipt' } as const;
    printTable(terminal, shown, columns, 'No one objects to sharing.');
    return 0;
  },
};

const withdraw: CoreCommand = command({
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
  async run(context, { options: { sample = [], patient = [], receipt, yes } }) {
    requireIds(sample, patient);
    const request = { samples: sample, patients: patient, cases: [], scope: 'sharing', receipt, yes } as const;
    return withAll(context, (all) => erasePeople(context, all, request));
  },
});

const restore: CoreCommand = command({
  name: 'consent restore',
  summary: 'lift an objection to sharing',
  description:
    'Later loads no longer skip the person. What was erased is not brought back: load it again. Values for cohorts are ' +
    'computed again within an hour from the files of samples that are still registered.',
  options: people,
  examples: ['consent restore --sample ADM1059A1'],
  async run(context, { options: { sample = [], patient = [] } }) {
    requireIds(sample, patient);
    return withAll(context, (all) => lift(context, all, { sample, patient }));
  },
});

/** Lifts the objections of these people. Throws a `not-found` fault if one of them has none. */
export async function lift(
  { terminal }: Pick<CoreContext, 'terminal'>,
  { erasing: { list: objections, now, confirm }, audit }: Pick<AssembledPlugins, 'erasing' | 'audit'>,
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

export const consentCommands: readonly CoreCommand[] = [listObjections, withdraw, restore];

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
