/** What the authors of a plugin and of an adapter would write first; compiled against the packed package. */

import { bindingOf, defineBinding } from 'trefoil/adapters/knex';
import { type BeaconRepository, beacon } from 'trefoil/beacon/contract';
import type { Command } from 'trefoil/commands';
import { describeContract } from 'trefoil/conformance';
import { createD4, type D4File, type IntervalStatistics, openD4, type RunBatch } from 'trefoil/d4';
import { type FileHandle, openD4 as openInPage } from 'trefoil/d4/browser';
import { directoriesSetting, Places } from 'trefoil/files';
import { type Finding, Findings, findingLines, parseDocument } from 'trefoil/migration';
import { type BearerOptions, bearerVerifier, headerAccess } from 'trefoil/openid';
import { type Access, definePlugin, Fault, html, route } from 'trefoil/plugin';
import type { Services } from 'trefoil/services';
import {
  type Adapter,
  defineContract,
  defineStore,
  defineTable,
  jobs,
  type Storage,
  type TokenRepository,
  text,
  tokens,
} from 'trefoil/storage';

interface NoteRepository {
  find(gene: string): Promise<string | undefined>;
  /** By default unknown. */
  newest?(): Promise<string>;
}

export const notes = defineContract<NoteRepository>('notes@1', { find: 'needed', newest: 'optional' });
/** As before there were verbs. */
export const plain = defineContract<NoteRepository>('plain-notes@1');
// @ts-expect-error A verb that the repository lacks.
defineContract<NoteRepository>('notes@1', { find: 'needed', newest: 'optional', remove: 'needed' });
// @ts-expect-error One is forgotten.
defineContract<NoteRepository>('notes@1', { find: 'needed' });

export const binding = defineBinding<NoteRepository>({
  contract: notes,
  migrations: {},
  repository: (database) => ({
    async find(gene) {
      const [row] = await database.query<{ note: string }>('select note from notes where gene = ?', [gene]);
      return row?.note;
    },
  }),
});

const rows = defineTable({ name: 'notes_rows', columns: { gene: text(), note: text() }, key: ['gene'] });

/** The same above a table, and faster on the SQL engines. */
export const store = defineStore<NoteRepository>({
  contract: notes,
  tables: [rows],
  steps: { '001-rows': { tables: [rows] } },
  repository: (tables) => ({ find: async (gene) => (await tables.table(rows).one({ gene }))?.note }),
});
export const faster = bindingOf(store, (database) => ({ find: binding.repository(database).find }));

export const plugin = definePlugin({
  name: 'notes',
  api: 1,
  summary: 'Notes on genes',
  settings: {
    '~standard': {
      version: 1,
      vendor: 'consumer',
      validate: (value: unknown) => ({ value: value as { title: string } }),
    },
  },
  contracts: [notes],
  register(context) {
    const repository = context.repository(notes);
    context.route(
      route({
        method: 'GET',
        path: '/notes/:gene',
        operation: 'note',
        summary: 'The note on a gene',
        answers: { 200: { description: 'The note' } },
        handle: async () => ({ type: 'text/html', body: html`<p>${await repository.find('PER3')}</p>`.toString() }),
      }),
    );
  },
});

export async function present(storage: Storage, adapter: Adapter): Promise<string[]> {
  const repository: BeaconRepository = storage.repository(beacon);
  void adapter.name;
  return repository.present({ assembly: 'GRCh37', contig: '1', start: { min: 1, max: 1 } }, ['d']);
}

/** The core's own two contracts, which every adapter keeps. */
export async function kept(storage: Storage): Promise<number> {
  const issued: TokenRepository = storage.repository(tokens);
  const { queued } = await storage.repository(jobs).count();
  return queued + (await issued.list()).length;
}

export const kit: typeof describeContract = describeContract;

/** A command that reads what another system exported. */
export const importNotes: Command = {
  name: 'import',
  summary: 'Reads an export of mongoexport',
  arguments: [{ name: 'line', description: 'one document', required: true }],
  async run({ terminal }, { arguments: [line = ''] }) {
    const findings = new Findings();
    if (parseDocument(line) === undefined) findings.note('it is not a document', line);
    const found: readonly Finding[] = findings.list();
    for (const text of findingLines('Skipped:', found)) terminal.note(text);
    return found.length === 0 ? 0 : 1;
  },
};

/** Other plugins, by what they offer. */
export function sexes(callability: Services['coverage/callability@1'], samples: string[]): Promise<readonly string[]> {
  return callability.ofTenants(['clinic']).sexes(samples, AbortSignal.timeout(1000));
}

/** Only callers whom the identity provider knows. */
export function staff(options: BearerOptions): Access {
  return headerAccess(bearerVerifier(options));
}

/** A file that a client names, under the configured folders. */
export async function named(folders: unknown, path: string): Promise<string> {
  const found = await new Places({ roots: directoriesSetting.parse(folders), tenants: [] }).find(path, 'everything');
  if (found === undefined) throw new Fault('invalid', 'The file is not in a configured folder');
  return found;
}

/** Depths without the server: written, and read here and in a page. */
export async function depthsOf(runs: RunBatch[], handle: FileHandle): Promise<IntervalStatistics[]> {
  await createD4('sample.d4', runs, { denominator: 1 });
  const files: D4File[] = [await openD4('sample.d4'), await openInPage(handle, { name: 'uploaded.d4' })];
  const intervals = [{ chromosome: '1', begin: 0, end: 100 }];
  return (await Promise.all(files.map((file) => file.statistics({ intervals, thresholds: [20] })))).flat();
}
