/** `trefoil audit …`: lists, exports and verifies who asked for whose data, and forgets names. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { type AuditEvent, callerNames, isPersonal, operator } from '../audit/audit.js';
import { AuditKeys } from '../audit/chain.js';
import { isFolder, readCheckpoint, readCheckpoints, writeCheckpoint } from '../audit/checkpoint.js';
import { type AuditRepository, audit } from '../audit/contract.js';
import { recordForgotten } from '../audit/eraser.js';
import { type AuditFinding, acceptance, findingName } from '../audit/findings.js';
import {
  chainLine,
  csvHeading,
  csvLine,
  type EntryQuery,
  entryLine,
  type ReadEntry,
  readEntries,
  unknownNames,
} from '../audit/read.js';
import { createRecorder } from '../audit/recorder.js';
import { verifyAudit } from '../audit/verify.js';
import { confirmed, counted, dayOf, table } from '../command-text.js';
import type { CommandInput, CommandOption, Terminal } from '../commands.js';
import { Fault } from '../fault.js';
import { writeWhole } from '../files/write.js';
import { utf8Text } from '../text.js';
import { type CoreCommand, type CoreContext, configureCore } from './core-command.js';
import { withSession } from './session.js';

// The options by which commands of the audit select entries.

const day = 24 * 60 * 60 * 1000;

/** Kinds of things that entries are about; options name them. */
const kinds = ['sample', 'case', 'patient', 'dataset'];

const aboutOptions: readonly CommandOption[] = [
  { flags: '--sample <id...>', description: 'entries about these samples', repeatable: true },
  { flags: '--sample-file <file>', description: 'the samples in this file, one on each line; - for stdin' },
  { flags: '--case <id...>', description: 'entries about these cases', repeatable: true },
  { flags: '--patient <id...>', description: 'entries about these patients', repeatable: true },
  { flags: '--dataset <id...>', description: 'entries about these datasets', repeatable: true },
];

const selectionOptions: readonly CommandOption[] = [
  ...aboutOptions,
  {
    flags: '--actor <name...>',
    description: 'entries of these callers: the owner of a token, or a name as `audit list` shows it',
    repeatable: true,
  },
  {
    flags: '--action <action...>',
    description: 'only these actions, such as beacon.query or beacon',
    repeatable: true,
  },
  { flags: '--from <day>', description: 'from this day on, such as 2026-03-01 (UTC)' },
  { flags: '--to <day>', description: 'until this day, included' },
];

/** What the options select. Throws an `invalid` fault for days that do not exist. */
async function soughtBy({ options }: CommandInput): Promise<EntryQuery> {
  const about = await namesIn(options);
  const actors = options.actor as string[] | undefined;
  const [from, to] = [options.from, options.to].map((text) => (text === undefined ? undefined : dayOf(String(text))));
  const before = to && new Date(to.getTime() + day);
  if (from && before && before <= from) throw new Fault('invalid', '--to must not be before --from');
  return {
    about: about.length > 0 ? about : undefined,
    actors: actors?.flatMap(callerNames),
    actions: options.action as string[] | undefined,
    from,
    before,
  };
}

/** The names that options of `aboutOptions` give, each once. */
export async function namesIn(options: CommandInput['options']): Promise<string[]> {
  const given = kinds.flatMap((kind) => ((options[kind] as string[] | undefined) ?? []).map((id) => `${kind}:${id}`));
  const file = options.sampleFile as string | undefined;
  const listed = file === undefined ? [] : (await linesOfFile(file)).map((id) => `sample:${id}`);
  if (file !== undefined && listed.length === 0) throw new Fault('invalid', `${file} names no sample`);
  return [...new Set([...given, ...listed])];
}

async function linesOfFile(file: string): Promise<string[]> {
  const text = utf8Text(file === '-' ? await buffer(process.stdin) : await readFile(file).catch(refuse(file)));
  if (text === undefined) throw new Fault('unprocessable', `The file ${file} is not UTF-8 text`);
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

function refuse(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw new Fault('unprocessable', `The file ${file} cannot be read (${error.code})`, { cause: error });
  };
}

// `trefoil audit list`.

export const listEntries: CoreCommand = {
  name: 'audit list',
  summary: 'list who asked for whose data',
  description:
    'Lists entries of the audit, oldest first, with the names of callers and people as far as those were not forgotten. ' +
    'The list is itself recorded.',
  options: selectionOptions,
  examples: [
    'audit list --sample ADM1059A1 ADM1059A2 --from 2026-03-01 --to 2026-03-31',
    'audit list --sample-file samples.txt --json',
    'audit list --actor "Lab A" --action beacon',
  ],
  async run(context, input) {
    const { terminal } = context;
    const sought = await soughtBy(input);
    const about = sought.about ?? [];
    const { entries, unknown } = await withAudit(context, async (session) => {
      const absent = new Set(await unknownNames(session, about));
      const known = about.filter((name) => !absent.has(name));
      const detail = { names: about.length };
      await session.record({ action: 'audit.list', about: known, outcome: 'answered', detail });
      const found: ReadEntry[] = [];
      for await (const page of readEntries(session, sought)) found.push(...page);
      return { entries: found, unknown: [...absent] };
    });
    terminal.data(entries.map(jsonOf));
    const asked = new Set(about);
    const rows = entries.map((entry) => {
      const { at, actor, action, because = '-', outcome } = entry;
      return [at.toISOString(), actor, action, aboutText(entry, asked), because, outcome];
    });
    const heading = ['TIME', 'CALLER', 'ACTION', 'ABOUT', 'BECAUSE', 'OUTCOME'];
    for (const line of rows.length === 0 ? ['There are no entries'] : table(heading, rows)) terminal.print(line);
    if (unknown.length > 0) terminal.note(`No entry names ${unknown.length} of them: ${unknown.join(', ')}`);
    return 0;
  },
};

const idsShown = 4;

/** What an entry is about: of many, those that were asked for come first. */
export function aboutText({ about }: Pick<ReadEntry, 'about'>, asked: ReadonlySet<string>): string {
  const wanted = about.filter((name) => asked.has(name));
  const all = [...wanted, ...about.filter((name) => !asked.has(name))];
  const most = Math.max(idsShown, wanted.length);
  return all.slice(0, most).join(' ') + (all.length > most ? ` +${all.length - most}` : '');
}

function jsonOf({ body: _, names: __, at, ...entry }: ReadEntry): object {
  return { at, ...entry };
}

// `trefoil audit export`.

const exportAudit: CoreCommand = {
  name: 'audit export',
  summary: 'write the audit to a file',
  description:
    'Writes entries, oldest first: as CSV for people, or as JSON lines with the chains, the hashes and the exact text that ' +
    'was hashed, so that the chains can be verified elsewhere. --pseudonyms leaves out the names of callers and people. ' +
    'The export is itself recorded.',
  options: [
    ...selectionOptions,
    { flags: '--format <format>', description: 'the format', choices: ['csv', 'jsonl'], default: 'csv' },
    { flags: '--pseudonyms', description: 'no names (jsonl only)' },
    { flags: '--output <file>', description: 'the file', required: true },
  ],
  examples: [
    'audit export --output march.csv --from 2026-03-01 --to 2026-03-31',
    'audit export --format jsonl --output audit.jsonl',
  ],
  async run(context, input) {
    const { terminal, interruption } = context;
    const { format, output, pseudonyms } = input.options as { format: string; output: string; pseudonyms?: boolean };
    const sought = await soughtBy(input);
    const count = await withAudit(context, async (session) => {
      const { repository } = session;
      await session.record({ action: 'audit.export', about: [], outcome: 'answered', detail: { format } });
      return writeWhole(
        output,
        async (target) => {
          let written = 0;
          const isCsv = format === 'csv';
          await put(target, isCsv ? csvHeading : (await repository.chains()).map(chainLine).join(''));
          for await (const page of readEntries(session, sought)) {
            const lines = page.map((entry) => (isCsv ? csvLine(entry) : entryLine(entry, pseudonyms !== true)));
            await put(target, lines.join(''));
            written += page.length;
            interruption.signal.throwIfAborted();
          }
          await finished(target.end());
          return written;
        },
        interruption.signal,
      );
    });
    terminal.data({ entries: count, file: output });
    terminal.print(`Entries written to ${output}: ${count}`);
    return 0;
  },
};

async function put(target: Writable, text: string): Promise<void> {
  if (text !== '' && !target.write(text)) await once(target, 'drain');
}

// `trefoil audit forget`.

const forget: CoreCommand = {
  name: 'audit forget',
  summary: 'destroy the key by which the audit names a person',
  description:
    'The entries stay and can still be verified, but nobody can tell any more whom they are about, or whose they are: ' +
    'neither by this command nor with the key of the server. This cannot be undone, except from a backup. `trefoil erase` ' +
    'does it for the people that it erases.',
  options: [
    ...aboutOptions.filter(({ flags }) => !flags.startsWith('--dataset')),
    { flags: '--actor <name...>', description: 'callers, as `audit list` shows them', repeatable: true },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: ['audit forget --sample ADM1059A1', 'audit forget --actor token:erna'],
  async run(context, { options }) {
    const { terminal } = context;
    const people = await namesIn(options);
    const callers = ((options.actor as string[] | undefined) ?? []).map((name) => callerNames(name));
    if (people.length + callers.length === 0) {
      throw new Fault('invalid', 'Say whom: --sample, --sample-file, --case, --patient or --actor');
    }
    const question = 'The audit will never name them again. Do you want to continue?';
    const yes = options.yes === true;
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nobody was forgotten' }))) return 1;
    const wanted = [...people.map((name) => [name]), ...callers];
    const count = await withAudit(context, async (session) => {
      const { repository, keys, record } = session;
      const lookups = wanted
        .flat()
        .filter(isPersonal)
        .map((name) => keys.lookup(name));
      const known = await repository.people([...new Set(lookups)]);
      if (known.length === 0) throw new Fault('not-found', 'No entry of the audit names them');
      const event = { action: 'audit.forget', because: undefined, outcome: 'done', detail: { people: known.length } };
      await recordForgotten(known, event, record);
      let forgotten = 0;
      for (const { lookup } of known) if (await repository.forget(lookup)) forgotten += 1;
      return forgotten;
    });
    terminal.data({ forgotten: count });
    terminal.print(`Forgotten: ${count} of ${wanted.length}`);
    return 0;
  },
};

// `trefoil audit verify`.

const mostFindings = 100;

const verify: CoreCommand = {
  name: 'audit verify',
  summary: 'verify that no entry of the audit was changed or removed',
  description:
    'Computes the hashes of all entries anew, and checks the seals and numbers of the chains and the names of the people. With a checkpoint, a small file that is ' +
    'best kept on another machine, it also checks that the chains are a continuation of those at the last verification, ' +
    'and then writes where they stand now. Exit code 1 if anything is wrong; the checkpoint then stays as it was.',
  options: [
    {
      flags: '--checkpoint <file>',
      description: 'compare with this checkpoint, then write it anew; or with all of a folder, and write none',
    },
    {
      flags: '--accept',
      description: 'record what is found as known, so that later verifications report only what is new',
    },
    { flags: '--yes', description: 'with --accept, do not ask for confirmation' },
  ],
  examples: [
    'audit verify',
    'audit verify --checkpoint /mnt/elsewhere/audit.checkpoint',
    'audit verify --checkpoint /mnt/elsewhere/checkpoints',
  ],
  async run(context, { options }) {
    const { terminal, now, interruption } = context;
    const file = options.checkpoint as string | undefined;
    const progress = terminal.progress('Verifying');
    const wantsToAccept = options.accept === true;
    const { chains, entries, findings, accepted, unreadable, isAccepted } = await withAudit(
      context,
      async ({ repository, keys, unreadable, record }) => {
        const isMany = file !== undefined && (await isFolder(file));
        const read = isMany ? readCheckpoints : readCheckpoint;
        const checkpoint = file === undefined ? undefined : await read(file, keys);
        if (file !== undefined && checkpoint === undefined) {
          terminal.note(`There is no checkpoint ${file}: what was put back to an earlier state cannot be found`);
        }
        const result = await verifyAudit({ repository, keys, checkpoint }).finally(() => progress.stop());
        const { findings } = result;
        for (const finding of findings.slice(0, mostFindings)) terminal.print(sentenceOf(finding));
        if (findings.length > mostFindings)
          terminal.print(`… and ${counted(findings.length - mostFindings, 'further finding')}`);
        const isAccepted = wantsToAccept && findings.length > 0 && (await isConfirmed(terminal, options.yes === true));
        if (isAccepted) {
          const about = findings.map((finding) => findingName(finding, keys));
          await record({ action: acceptance, about, outcome: 'accepted', detail: { findings: findings.length } });
        }
        if (file !== undefined && !isMany && (isAccepted ? 0 : findings.length) + unreadable === 0) {
          const content = { written: now().toISOString(), heads: result.heads };
          await writeCheckpoint(file, content, { keys, signal: interruption.signal });
        }
        return { ...result, unreadable, isAccepted };
      },
    );
    const known = accepted.length > 0 ? { accepted } : {};
    terminal.data({ chains, entries, findings, ...known, ...(unreadable > 0 && { unreadable }) });
    if (unreadable > 0)
      terminal.print(`Damaged: ${counted(unreadable, 'event')} of no chain yet, changed or of another key`);
    if (accepted.length > 0) terminal.print(`Accepted earlier: ${counted(accepted.length, 'finding')}`);
    if (isAccepted) terminal.print(`Accepted now: ${counted(findings.length, 'finding')}`);
    const sound = (isAccepted ? 0 : findings.length) + unreadable === 0;
    const verified = `${entries} ${entries === 1 ? 'entry' : 'entries'} in ${counted(chains, 'chain')}`;
    terminal.print(sound ? `Verified: ${verified}` : `NOT verified: ${verified}`);
    return sound ? 0 : 1;
  },
};

function sentenceOf({ chain, message }: AuditFinding): string {
  return chain === undefined ? message : `Chain ${chain}: ${message}`;
}

function isConfirmed(terminal: Terminal, yes: boolean): Promise<boolean> {
  const question = 'Later verifications will not report these again. Do you know what happened, and want to continue?';
  return confirmed(terminal, { question, yes, otherwise: 'Nothing was accepted' });
}

export const auditCommands: readonly CoreCommand[] = [verify, listEntries, exportAudit, forget];

// What the commands of the audit work with.

interface AuditSession {
  repository: AuditRepository;
  keys: AuditKeys;
  /** The number of events that wait for their chain and cannot be read. */
  unreadable: number;
  /** Records what the operator does with the audit. */
  record(event: Omit<AuditEvent, 'because'>): Promise<void>;
}

/** Opens the storage. Throws an `invalid` fault if no audit is configured, `unprocessable` if its key is another one. */
async function withAudit<Result>(
  { configuration, log, now }: CoreContext,
  work: (session: AuditSession) => Promise<Result>,
): Promise<Result> {
  const configured = await configureCore(configuration);
  const settings = configured.core.audit;
  if (settings === undefined) {
    throw new Fault('invalid', 'No audit is configured: the configuration needs the section audit, with audit.key');
  }
  return withSession({ log }, configured, async (session) => {
    const repository = (await session.storage()).repository(audit);
    const keys = new AuditKeys(settings.key);
    const { record, settle } = createRecorder({ repository, keys, now });
    // Servers that were killed may have left events that are in no chain yet.
    const unreadable = await settle();
    return work({
      repository,
      keys,
      unreadable,
      record: (event) => record(operator(), { ...event, because: 'command line' }),
    });
  });
}
