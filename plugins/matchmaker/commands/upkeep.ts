/** `doctor`, `test email`, `update resources`, `reindex`, `list audit`: what operators check and renew. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Command, type CommandContext, command, counted, dayOf, printTable } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { type AuditEntry, type MatchmakerRepository, matchmaker, matchmakerAudit } from '../contract.js';
import { addressesOfContact } from '../mail/readers.js';
import { storedDemo } from '../patients/lists.js';
import { factsOfPatient } from '../patients/patient.js';
import { matchmakerResources } from '../resources/contract.js';
import type { ResourceFinding, Resources } from '../resources/resources.js';
import type { MatchmakerSettings, ResourceSettings } from '../settings.js';
import { patientPages } from './patients.js';

export const doctor: Command<unknown> = {
  name: 'doctor',
  summary: 'Check resources, stored patients, counters and the search index',
  description:
    'Exits with 1 if something is not suitable for patients, such as the excerpt of HPO that comes with the demo.',
  async run(context) {
    const { findings } = await import('../resources/resources.js');
    const resources = await resourcesInUse(context);
    const found: ResourceFinding[] = [
      ...findings(resources),
      ...(await damage(context)),
      await counters(await context.repository(matchmaker)),
      await indexing(context, resources),
      ...(await demoAmong(await context.repository(matchmaker))),
    ];
    for (const { level, message } of found) context.terminal.print(`${level.padEnd(8)}${message}`);
    context.terminal.data(found);
    return found.some(({ level }) => level === 'fault') ? 1 : 0;
  },
};

/** Damaged rows that are named; the rest are counted. */
const namedRows = 20;

async function damage(context: CommandContext): Promise<ResourceFinding[]> {
  const rows = await context.damaged();
  const found = rows.slice(0, namedRows).map(({ table, row }): ResourceFinding => {
    return { level: 'fault', message: `The row ${row} of ${table} is damaged and set aside` };
  });
  if (rows.length > namedRows) {
    found.push({
      level: 'fault',
      message: `${rows.length - namedRows} more rows are damaged: see trefoil check --deep`,
    });
  }
  return found;
}

/** Patients may be saved between the two counts, so only a difference that persists is a fault. */
async function counters(repository: Pick<MatchmakerRepository, 'counts' | 'recount'>): Promise<ResourceFinding> {
  for (let look = 0; look < 3; look++) {
    const [kept, anew] = [await repository.counts(), await repository.recount()];
    if (isDeepStrictEqual(kept, anew))
      return { level: 'ok', message: `${counted(kept.cases, 'patient')}; the counters are correct` };
  }
  return { level: 'fault', message: 'The counters of /metrics do not match the stored patients: run "reindex"' };
}

/** Demo patients match real ones, on other nodes too. */
async function demoAmong(
  repository: Pick<MatchmakerRepository, 'counts' | 'patientsById'>,
): Promise<ResourceFinding[]> {
  const demo = (await storedDemo(repository)).length;
  const real = (await repository.counts()).cases - demo;
  if (demo === 0 || real <= 0) return [];
  const message =
    `${counted(demo, 'demo patient')} ${demo === 1 ? 'is' : 'are'} stored with ${real} others and found by their searches: ` +
    '"remove demodata" removes them';
  return [{ level: 'warning', message }];
}

/** Builds the index as a server does, to measure its size and time. */
async function indexing(context: CommandContext, resources: Resources): Promise<ResourceFinding> {
  const { MatchService } = await import('../matching/service.js');
  const patients = await context.repository(matchmaker);
  const service = new MatchService({ patients, resources: () => resources, log: context.log });
  await service.ready();
  const state = service.state();
  await service.close();
  if (!state) throw new Error('A built index has a state');
  const size = `${(state.bytes / 1e6).toFixed(1)} MB of memory and ${(state.built / 1000).toFixed(1)} s to build`;
  return { level: 'ok', message: `The index of ${counted(state.patients, 'patient')} takes ${size}` };
}

export const testEmail: Command<MatchmakerSettings> = command({
  name: 'test email',
  summary: 'Send a test mail, to check that notifications arrive',
  options: [{ flags: '-r, --recipient <address>', description: 'e-mail address of the recipient', required: true }],
  async run(context, { options: { recipient } }) {
    const to = addressesOfContact({ name: '', href: `mailto:${recipient}` });
    if (to.length !== 1) throw new Fault('invalid', `--recipient must be an e-mail address; got "${recipient}"`);
    const { sendMail } = await import('../mail/outbox.js');
    const text = 'This is a test. Notifications of this Matchmaker node reach this address.';
    const mail = { id: randomUUID(), to, subject: 'MatchMaker Exchange: test', text, html: `<p>${text}</p>` };
    await sendMail(context.settings.mail, mail);
    const { server, file } = context.settings.mail;
    context.terminal.print(
      server === undefined ? `The mail was written to ${file}` : `The mail server ${server} accepted the mail`,
    );
    context.terminal.data({ sent: true });
    return 0;
  },
});

// `update resources`, `reindex`.

export const updateResources: Command<{ resources: ResourceSettings }> = command({
  name: 'update resources',
  summary: 'Replace the ontology, annotations, genes, lift-over chains or mappings of diseases',
  description:
    'Reads files, each recognised by its content (hp.obo or hp.json, phenotype.hpoa, the complete set of HGNC, chain files ' +
    'of Ensembl, mondo.json or an SSSOM table of MONDO; plain or gzip), or downloads them from their publishers. Other kinds stay as they are; if a file is ' +
    'invalid, nothing is replaced. Running servers load the new resources without a restart.',
  examples: [
    'update resources --file hp.json --file phenotype.hpoa --file hgnc_complete_set.txt',
    'update resources --download',
  ],
  options: [
    { flags: '--file <file>', description: 'file of any of these kinds', repeatable: true },
    { flags: '--download', description: 'download all of them from their publishers' },
  ],
  async run(context, { options: { file = [], download = false } }) {
    if (file.length > 0 === download) {
      throw new Fault('invalid', 'A source is required: either --file <file> or --download');
    }
    const { updateFromFiles, updateFromNetwork } = await import('../resources/update.js');
    const { describe } = await import('../resources/resources.js');
    const { terminal, signal } = context;
    const options = {
      repository: await context.repository(matchmakerResources),
      now: context.now(),
      signal,
      note: (line: string) => terminal.note(`${download ? 'Downloading' : 'Reading'} ${line}`),
    };
    const { revision, replaced, resources } = download
      ? await updateFromNetwork(context.settings.resources, options)
      : await updateFromFiles(file, options);
    const releases = resources.releases.filter(({ kind }) => replaced.includes(kind));
    for (const release of releases) terminal.print(describe(release));
    if (resources.excerpt)
      terminal.note(
        'An excerpt, not suitable for patients, is in use for the kinds that were not loaded; see "doctor".',
      );
    if (replaced.includes('genes')) {
      terminal.note('Until "reindex" is run, /metrics counts stored patients by the previous genes.');
    }
    terminal.data({ revision, releases });
    return 0;
  },
});

export const reindex: Command<unknown> = {
  name: 'reindex',
  summary: 'Recompute counters and index of all patients with the resources in use',
  description:
    'Run it after an update of the genes: it recomputes the counters of /metrics, and running servers index every patient again.',
  async run(context) {
    const { terminal, signal } = context;
    const repository = await context.repository(matchmaker);
    const { genes } = await resourcesInUse(context);
    const total = (await repository.counts()).cases;
    const progress = terminal.progress('Patients');
    let [read, replaced] = [0, 0];
    try {
      for await (const page of patientPages(repository, {})) {
        signal.throwIfAborted();
        replaced += await repository.replaceFacts(
          page.map(({ number, version, patient }) => ({ number, version, facts: factsOfPatient(patient, genes) })),
        );
        read += page.length;
        progress.update(read / Math.max(total, read));
      }
      await repository.counts();
    } finally {
      progress.stop();
    }
    terminal.print(`${counted(replaced, 'patient')} reindexed`);
    terminal.data({ patients: replaced });
    return 0;
  },
};

// Loads the stored resources for commands, which run without a server.

export async function resourcesInUse(context: Pick<CommandContext, 'repository'>): Promise<Resources> {
  const { assemble } = await import('../resources/resources.js');
  const { revision, resources } = await (await context.repository(matchmakerResources)).load();
  return assemble(revision, resources);
}

// `list audit`: who saw or changed which patients.

const auditPageSize = 1000;

const auditColumns = {
  TIME: 'at',
  ACTOR: 'actor',
  ACTION: 'action',
  PATIENT: 'patient',
  QUERY: 'query',
  PURPOSE: 'purpose',
} as const;

export const listAudit: Command<unknown> = command({
  name: 'list audit',
  summary: 'List who saw or changed which patients',
  description:
    'Actions: add and delete (a client changed the patient), match (a query found it), send (it was sent to a node), ' +
    'receive (a node returned it), read (the patient or its matches were read or exported), erase. If the configuration has ' +
    'an audit, new entries are there (`trefoil audit list --action matchmaker`), and this list has those from before.',
  examples: ['list audit --patient P0001058', 'list audit --actor scout --since 2026-01-01'],
  options: [
    { flags: '--patient <id>', description: 'only entries about this patient' },
    { flags: '--actor <id>', description: 'only entries of this client, or of node:<id>' },
    { flags: '--since <date>', description: 'only entries from this day on, such as 2030-01-31' },
  ],
  async run(context, { options: { patient, actor, since } }) {
    const from = since === undefined ? undefined : dayOf(since);
    const repository = await context.repository(matchmakerAudit);
    const shown: (Omit<AuditEntry, 'at'> & { at: string })[] = [];
    for (let after = 0; ; ) {
      const page = await repository.entries({ patient, actor, since: from, after, limit: auditPageSize });
      for (const { number, at, ...entry } of page) {
        shown.push({ at: at.toISOString(), ...entry });
        after = number;
      }
      if (page.length < auditPageSize) break;
    }
    printTable(context.terminal, shown, auditColumns, 'There are no entries', '');
    if (context.audit.enabled) {
      context.terminal.note('New entries are in the audit of the server: trefoil audit list --action matchmaker');
    }
    context.terminal.data(shown);
    return 0;
  },
});
