/** `update resources`. */
import type { Command } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { matchmakerResources } from '../resources/contract.js';
import type { ResourceSettings } from '../resources/settings.js';

export const updateResources: Command<{ resources: ResourceSettings }> = {
  name: 'update resources',
  summary: 'Put ontology, annotations, genes or lift-over chains in the place of the old ones',
  description:
    'From files, each recognised by its content: hp.obo or hp.json, phenotype.hpoa, the complete set of HGNC, chain files ' +
    'of Ensembl; plain or gzip. Or from where they are published. Kinds that are not given stay as they are; where anything ' +
    'is wrong all of them do. Running servers take over the new ones without a restart.',
  examples: [
    'update resources --file hp.json --file phenotype.hpoa --file hgnc_complete_set.txt',
    'update resources --download',
  ],
  options: [
    { flags: '--file <file>', description: 'a file of any of these kinds', repeatable: true },
    { flags: '--download', description: 'fetch all of them from where they are published' },
  ],
  async run(context, input) {
    const { file = [], download = false } = input.options as { file?: readonly string[]; download?: boolean };
    if (file.length > 0 === download) {
      throw new Fault('invalid', 'Please say where the resources come from: either --file <file> or --download');
    }
    const { updateFromFiles, updateFromNetwork } = await import('../resources/update.js');
    const { describe } = await import('../resources/report.js');
    const { terminal, signal } = context;
    const options = {
      repository: await context.repository(matchmakerResources),
      now: context.now(),
      signal,
      note: (line: string) => terminal.note(`${download ? 'Fetching' : 'Reading'} ${line}`),
    };
    const { revision, replaced, resources } = download
      ? await updateFromNetwork(context.settings.resources, options)
      : await updateFromFiles(file, options);
    const releases = resources.releases.filter(({ kind }) => replaced.includes(kind));
    for (const release of releases) terminal.print(describe(release));
    if (resources.excerpt)
      terminal.note('For what was not loaded the excerpt is in use, which is not for patients; see "doctor".');
    if (replaced.includes('genes')) {
      terminal.note('/metrics counts patients that are stored by the genes of before until "reindex" is run.');
    }
    terminal.data({ revision, releases });
    return 0;
  },
};
