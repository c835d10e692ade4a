/** `import-patientmatcher`: the collections of a patientMatcher database. */
import type { Command } from '../../../core/commands.js';
import { type Finding, findingLines, type MongoDocument } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { type Migration, migrationOf } from '../migration/migration.js';
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
  summary: 'Carry the clients, patients, nodes and records of matches of a patientMatcher database over',
  description:
    'Each collection is what `mongoexport` writes, one JSON document a line, plain or gzip. What cannot be carried over ' +
    'is counted by reason and named by id; the rest is. Clients keep their tokens, of which only hashes are stored. ' +
    'Records of matches are shown to the owners of patients where both are carried over in one run. ' +
    'Nodes are not asked until `update node --enable` says so, and hear nothing of the patients. Running it again adds ' +
    'what is missing and changes nothing else.',
  examples: [
    'import-patientmatcher --clients clients.json --patients patients.json --owner scout --dry-run',
    'import-patientmatcher --clients clients.json --patients patients.json --nodes nodes.json --matches matches.json --owner scout',
  ],
  options: [
    { flags: '--clients <file>', description: 'the collection clients' },
    { flags: '--patients <file>', description: 'the collection patients' },
    {
      flags: '--nodes <file>',
      description: 'the collection nodes; their tokens are kept encrypted, with MATCHMAKER_KEY',
    },
    { flags: '--matches <file>', description: 'the collection matches' },
    { flags: '--owner <client>', description: 'id of the client to whom the patients belong from now on' },
    {
      flags: '--scope <right>',
      description: 'what the tokens of the clients allow (query and submit where absent)',
      choices: ['query', 'submit', 'admin'],
      repeatable: true,
    },
    { flags: '--update', description: 'replace patients that are here with other data' },
    { flags: '--dry-run', description: 'check and report everything, change nothing' },
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
      throw new Fault('invalid', 'Please name a collection: --clients, --patients, --nodes, --matches');
    }
    if (patients !== undefined && owner === undefined) {
      throw new Fault('invalid', 'Patients belong to a client here: --owner says to which');
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

    const part = async <Report extends Carried>(
      title: string,
      documents: readonly MongoDocument[] | undefined,
      carry: (migration: Migration, documents: readonly MongoDocument[]) => Promise<Report>,
    ): Promise<Report | undefined> => {
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
        const { carryNodes } = await import('../migration/nodes.js');
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

interface Carried {
  read: number;
  added: number;
  replaced?: number;
  unchanged: number;
  left: number;
  tokens?: { issued: number; unchanged: number };
  notCarried: Finding[];
  remarks?: Finding[];
}

function reportLines(title: string, report: Carried, dryRun: boolean): string[] {
  const { read, added, replaced, unchanged, left, tokens, notCarried, remarks = [] } = report;
  const counts = [
    `${added} added`,
    ...(replaced === undefined ? [] : [`${replaced} replaced`]),
    `${unchanged} unchanged`,
    `${left} left out`,
    ...(tokens === undefined ? [] : [`${tokens.issued} tokens kept`]),
  ];
  return [
    `${title}${dryRun ? ' (dry run)' : ''}: of ${read}, ${counts.join(', ')}`,
    ...findingLines('  Not carried over:', notCarried).map((line, i) => (i === 0 ? line : `  ${line}`)),
    ...findingLines('  Carried over, but:', remarks).map((line, i) => (i === 0 ? line : `  ${line}`)),
  ];
}
