/** `import-patientmatcher`: the collections of a patientMatcher database. */
import type { Command } from '../../../core/commands.js';
import { findingLines, type MongoDocument } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { type Carried, type Migration, migrationOf } from '../migration/documents.js';
import { checkedClientId } from '../nodes/checked.js';
import type { MatchmakerSettings } from '../settings.js';
import { resourcesInUse } from './resources-in-use.js';

interface ImportOptions {
  clients?: string;
  patients?: string;
  nodes?: string;
  matches?: string;
  owner?: string;
  scope?: readonly string[];
  update?: boolean;
  dryRun?: boolean;
}

export const importPatientMatcher: Command<MatchmakerSettings> = {
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
    const {
      clients,
      patients,
      nodes,
      matches,
      owner,
      scope,
      update = false,
      dryRun = false,
    } = input.options as ImportOptions;
    if ([clients, patients, nodes, matches].every((file) => file === undefined)) {
      throw new Fault('invalid', 'At least one collection is required: --clients, --patients, --nodes or --matches');
    }
    if (patients !== undefined && owner === undefined) {
      throw new Fault('invalid', '--patients needs --owner, the client that owns the patients');
    }
    if (owner !== undefined) checkedClientId(owner);
    const { readDocuments } = await import('../migration/documents.js');
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
      carry: (migration: Migration, documents: readonly MongoDocument[]) => Promise<Carried>,
    ): Promise<Carried | undefined> => {
      if (documents === undefined) return undefined;
      const progress = context.terminal.progress(title);
      try {
        const onProgress = (fraction: number, note: string) => progress.update(fraction, note);
        const report = await carry({ ...migrationOf(context, dryRun), onProgress }, documents);
        progress.stop();
        for (const line of reportLines(title, report, dryRun)) context.terminal.print(line);
        return report;
      } finally {
        progress.stop();
      }
    };

    const scopes = [...new Set(scope ?? ['query', 'submit'])].map((right) => `matchmaker:${right}`);
    const report = {
      dryRun,
      clients: await part('Clients', files.clients, async (migration, documents) => {
        const { carryClients } = await import('../migration/clients.js');
        return carryClients(migration, documents, scopes);
      }),
      patients: await part('Patients', files.patients, async (migration, documents) => {
        const { carryPatients } = await import('../migration/patients.js');
        const { firstFound } = await import('../migration/matches.js');
        const resources = await resourcesInUse(context);
        const since = firstFound(files.matches ?? [], context.now());
        return carryPatients({ ...migration, resources, owner: owner ?? '', update, since }, documents);
      }),
      nodes: await part('Nodes', files.nodes, async (migration, documents) => {
        const { carryNodes } = await import('../migration/clients.js');
        return carryNodes({ ...migration, ...context.settings.exchange }, documents);
      }),
      matches: await part('Records of matches', files.matches, async (migration, documents) => {
        const { carryMatches } = await import('../migration/matches.js');
        const { retentionDays } = context.settings;
        return carryMatches({ ...migration, resources: await resourcesInUse(context), retentionDays }, documents);
      }),
    };
    context.terminal.data(report);
    return 0;
  },
};

function reportLines(title: string, report: Carried, dryRun: boolean): string[] {
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
