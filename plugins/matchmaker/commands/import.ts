/**
 * `import`, `import-patientmatcher`, `add demodata`, `remove demodata`: patients from files, from a patientMatcher database,
 * and of the demo.
 */
import { type Command, command, counted, withProgress } from '../../../core/commands.js';
import { findingLines, type MongoDocument } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { trailOfCommand } from '../audit/trail.js';
import { demoOwner, matchmaker } from '../contract.js';
import { deletePatient } from '../erasure.js';
import { checkedClientId } from '../exchange/node.js';
import { storedDemo } from '../patients/lists.js';
import { givenContact } from '../patients/phenopacket.js';
import type { MatchmakerSettings } from '../settings.js';
import { type ImportCounts, type PatientMatcherImport, patientMatcherImport } from './patientmatcher/documents.js';
import { resourcesInUse } from './upkeep.js';

export const importFile: Command<MatchmakerSettings> = command({
  name: 'import',
  summary: 'Add or replace the patients of a file: all of them, or none if one is invalid',
  description:
    'The file holds patients in the JSON of the exchange, as `export` writes them, or GA4GH phenopackets: a list or a ' +
    'single one, plain or gzip. Phenopackets, and patients without a contact, get the given contact.',
  examples: [
    'import --file patients.json --owner scout',
    'import --file packets.json --owner lab --contact-name "The lab" --contact-href lab@example.org',
  ],
  options: [
    { flags: '--file <file>', description: 'file to import', required: true },
    { flags: '--owner <client>', description: 'id of the client that owns the patients', required: true },
    { flags: '--contact-name <name>', description: 'name of the contact for patients without one' },
    { flags: '--contact-href <href>', description: 'address of that contact: http(s), mailto: or an e-mail address' },
  ],
  async run(context, { options: { file, owner, contactName, contactHref } }) {
    checkedClientId(owner);
    if ((contactName === undefined) !== (contactHref === undefined)) {
      throw new Fault('invalid', '--contact-name and --contact-href must be given together');
    }
    const contact =
      contactName === undefined || contactHref === undefined ? undefined : givenContact(contactName, contactHref);
    if (contactHref !== undefined && contact === undefined) {
      throw new Fault('invalid', `"${contactHref}" is neither an http(s) address nor an e-mail address`);
    }
    const { readTextFile } = await import('../../../core/files.js');
    const { importPatients } = await import('../patients/lists.js');
    const { queryLater } = await import('../patients/saving.js');
    const body = parseImportFile(await readTextFile(file));
    const { now, erasures, terminal } = context;
    const options = {
      trail: trailOfCommand(context),
      now,
      erasures,
      afterSave: [queryLater({ within: context.settings.exchange.within !== 'off' })],
      resources: await resourcesInUse(context),
    };
    const imported = await importPatients(
      options,
      body,
      { owner, all: false, by: { owner, isOperator: true, because: 'command line' } },
      contact,
    );
    for (const { path, message } of imported.warnings) terminal.note(`${path} ${message}`);
    const { inserted, updated, unchanged } = imported;
    terminal.print(`${counted(inserted, 'patient')} inserted, ${updated} updated, ${unchanged} unchanged`);
    terminal.data(imported);
    return 0;
  },
});

function parseImportFile({ name, text }: { name: string; text: string }): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the file.
    throw new Fault('unprocessable', `${name} is not valid JSON`, { cause: (error as Error).name });
  }
}

// `add demodata`, `remove demodata`.

export const addDemoData: Command<unknown> = command({
  name: 'add demodata',
  summary: 'Add demo patients, and issue a token to view them',
  description:
    `The patients are fictitious and belong to the owner "${demoOwner}". Existing data stays as it is. A token of that ` +
    'owner, valid for a day, is shown once.',
  async run(context) {
    const { addDemo } = await import('../patients/lists.js');
    const { now, erasures, terminal } = context;
    const options = { trail: trailOfCommand(context), now, erasures };
    const imported = await addDemo({ ...options, resources: await resourcesInUse(context) });
    const day = 24 * 60 * 60 * 1000;
    const expires = new Date(now().getTime() + day);
    const scopes = ['matchmaker:query', 'matchmaker:submit'];
    const { id, token } = await context.issueToken({ owner: demoOwner, scopes, expires });
    const { inserted, updated, unchanged } = imported;
    terminal.print(`${counted(inserted, 'patient')} inserted, ${updated} updated, ${unchanged} unchanged`);
    terminal.print(`Token: ${token}`);
    terminal.note(`The token ${id} of "${demoOwner}" is valid until ${expires.toISOString()}.`);
    terminal.data({ inserted, updated, unchanged, tokenId: id, token, expires: expires.toISOString() });
    return 0;
  },
});

export const removeDemoData: Command<MatchmakerSettings> = {
  name: 'remove demodata',
  summary: 'Remove the demo patients, their matches and their tokens',
  description:
    `Deletes the demo patients of the owner "${demoOwner}", removes them from the records of all searches, and revokes the ` +
    'tokens of that owner. All other patients stay. With `demo: true`, a server that starts without any patient adds them again.',
  async run(context) {
    const { terminal, signal, settings } = context;
    const deletion = { scrub: true, triage: settings.triage !== undefined };
    const trail = trailOfCommand(context);
    const ids = await storedDemo(await context.repository(matchmaker));
    let [patients, records] = [0, 0];
    await withProgress(terminal, 'Patients', async (progress) => {
      for (const id of ids) {
        signal.throwIfAborted();
        const writer = { owner: demoOwner, all: false, by: { owner: demoOwner, isOperator: true } };
        const deleted = await deletePatient(trail, id, writer, deletion);
        patients += Number(deleted.patient);
        records += deleted.records;
        progress.update(patients / ids.length);
      }
    });
    const valid = (await context.listTokens(demoOwner)).filter(({ revoked }) => revoked === undefined);
    for (const { id } of valid) await context.revokeToken(id);
    const tokens = `${counted(valid.length, 'token')} revoked`;
    terminal.print(
      `${counted(patients, 'patient')} removed, ${counted(records, 'record')} of matches changed, ${tokens}`,
    );
    terminal.data({ patients, records, tokensRevoked: valid.length });
    return 0;
  },
};

// `import-patientmatcher`: the collections of a patientMatcher database.

export const importPatientMatcher: Command<MatchmakerSettings> = command({
  name: 'import-patientmatcher',
  summary: 'Import clients, patients, nodes and records of matches from patientMatcher',
  description:
    'Each file is a collection as `mongoexport` writes it, one JSON document per line, plain or gzip. Documents that ' +
    'cannot be imported are counted by reason and named by id; the others are imported. Clients keep their tokens, of ' +
    'which only hashes are stored. Owners of patients see records of matches if both are imported in one run. Nodes are ' +
    'not queried until `update node --enable`, and are sent none of the patients. Running the command again adds what ' +
    'is missing and changes nothing else.',
  examples: [
    'import-patientmatcher --clients clients.json --patients patients.json --owner scout --dry-run',
    'import-patientmatcher --clients clients.json --patients patients.json --nodes nodes.json --matches matches.json --owner scout',
  ],
  options: [
    { flags: '--clients <file>', description: 'the collection clients' },
    { flags: '--patients <file>', description: 'the collection patients' },
    {
      flags: '--nodes <file>',
      description: 'the collection nodes; their tokens are stored encrypted, with MATCHMAKER_KEY',
    },
    { flags: '--matches <file>', description: 'the collection matches' },
    { flags: '--owner <client>', description: 'id of the client that owns the patients' },
    {
      flags: '--scope <right>',
      description: 'rights of the tokens of the clients; if omitted, query and submit',
      choices: ['query', 'submit', 'admin'],
      repeatable: true,
    },
    { flags: '--update', description: 'replace stored patients whose data differs' },
    { flags: '--dry-run', description: 'check and report, without changing anything' },
  ],
  async run(context, input) {
    const { clients, patients, nodes, matches, owner, scope, update = false, dryRun = false } = input.options;
    if ([clients, patients, nodes, matches].every((file) => file === undefined)) {
      throw new Fault('invalid', 'At least one collection is required: --clients, --patients, --nodes or --matches');
    }
    if (patients !== undefined && owner === undefined) {
      throw new Fault('invalid', '--patients needs --owner, the client that owns the patients');
    }
    if (owner !== undefined) checkedClientId(owner);
    const { readDocuments } = await import('./patientmatcher/documents.js');
    // All files are read before anything is changed.
    const read = async (file: string | undefined) =>
      file === undefined ? undefined : await readDocuments(file, context.signal);
    const files = {
      clients: await read(clients),
      patients: await read(patients),
      nodes: await read(nodes),
      matches: await read(matches),
    };

    const part = async (
      title: string,
      documents: readonly MongoDocument[] | undefined,
      carry: (migration: PatientMatcherImport, documents: readonly MongoDocument[]) => Promise<ImportCounts>,
    ): Promise<ImportCounts | undefined> => {
      if (documents === undefined) return undefined;
      const report = await withProgress(context.terminal, title, (progress) => {
        const onProgress = (fraction: number, note: string) => progress.update(fraction, note);
        return carry({ ...patientMatcherImport(context, dryRun), onProgress }, documents);
      });
      for (const line of reportLines(title, report, dryRun)) context.terminal.print(line);
      return report;
    };

    const scopes = [...new Set(scope ?? ['query', 'submit'])].map((right) => `matchmaker:${right}`);
    const report = {
      dryRun,
      clients: await part('Clients', files.clients, async (migration, documents) => {
        const { carryClients } = await import('./patientmatcher/carried-clients.js');
        return carryClients(migration, documents, scopes);
      }),
      patients: await part('Patients', files.patients, async (migration, documents) => {
        const { carryPatients, firstFound } = await import('./patientmatcher/carried-patients.js');
        const resources = await resourcesInUse(context);
        const since = firstFound(files.matches ?? [], context.now());
        return carryPatients({ ...migration, resources, owner: owner ?? '', update, since }, documents);
      }),
      nodes: await part('Nodes', files.nodes, async (migration, documents) => {
        const { carryNodes } = await import('./patientmatcher/carried-clients.js');
        return carryNodes({ ...migration, ...context.settings.exchange }, documents);
      }),
      matches: await part('Records of matches', files.matches, async (migration, documents) => {
        const { carryMatches } = await import('./patientmatcher/carried-patients.js');
        const { retentionDays } = context.settings;
        return carryMatches({ ...migration, resources: await resourcesInUse(context), retentionDays }, documents);
      }),
    };
    context.terminal.data(report);
    return 0;
  },
});

function reportLines(title: string, report: ImportCounts, dryRun: boolean): string[] {
  const { read, added, replaced, unchanged, left, tokens, notCarried, remarks } = report;
  const counts = [
    `${added} added`,
    ...(replaced === undefined ? [] : [`${replaced} replaced`]),
    `${unchanged} unchanged`,
    `${left} left out`,
    ...(tokens === undefined ? [] : [`${tokens.issued} tokens kept`]),
  ];
  return [
    `${title}${dryRun ? ' (dry run)' : ''}: of ${read}, ${counts.join(', ')}`,
    ...findingLines('  Not imported:', notCarried).map((line, i) => (i === 0 ? line : `  ${line}`)),
    ...findingLines('  Imported with remarks:', remarks).map((line, i) => (i === 0 ? line : `  ${line}`)),
  ];
}
