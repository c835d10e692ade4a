/** `update resources`, `reindex`. */
import { type Command, counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { matchmaker, type StoredPatient } from '../contract.js';
import { factsOf } from '../patient/keys.js';
import { matchmakerResources } from '../resources/contract.js';
import type { ResourceSettings } from '../resources/settings.js';
import { allPatients } from './patients.js';
import { resourcesInUse } from './resources-in-use.js';

export const updateResources: Command<{ resources: ResourceSettings }> = {
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
  async run(context, input) {
    const { file = [], download = false } = input.options as { file?: readonly string[]; download?: boolean };
    if (file.length > 0 === download) {
      throw new Fault('invalid', 'A source is required: either --file <file> or --download');
    }
    const { updateFromFiles, updateFromNetwork } = await import('../resources/update.js');
    const { describe } = await import('../resources/report.js');
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
};

const portion = 500;

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
    const flush = async (batch: readonly StoredPatient[]) => {
      signal.throwIfAborted();
      replaced += await repository.replaceFacts(
        batch.map(({ number, version, patient }) => ({ number, version, facts: factsOf(patient, genes) })),
      );
      read += batch.length;
      progress.update(read / Math.max(total, read));
    };
    try {
      let batch: StoredPatient[] = [];
      for await (const stored of allPatients(repository, {})) {
        batch.push(stored);
        if (batch.length < portion) continue;
        await flush(batch);
        batch = [];
      }
      if (batch.length > 0) await flush(batch);
      await repository.counts();
    } finally {
      progress.stop();
    }
    terminal.print(`${counted(replaced, 'patient')} reindexed`);
    terminal.data({ patients: replaced });
    return 0;
  },
};
