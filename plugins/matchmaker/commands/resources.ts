/** `update resources`. */
import type { Command } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { matchmakerResources } from '../resources/contract.js';
import type { ResourceSettings } from '../resources/settings.js';

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
