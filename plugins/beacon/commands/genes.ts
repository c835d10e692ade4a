/** `update genes`. */
import { type Command, type CommandContext, command } from '../../../core/commands.js';
import { openSource } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { assemblies, beaconGenes } from '../contract.js';
import { downloadGenes, readGenes } from '../genes/files.js';
import type { BeaconSettings } from '../settings.js';

export const updateGenes: Command<BeaconSettings> = command({
  name: 'update genes',
  summary: 'Replace the genes of a genome build',
  description:
    'From a file (a table of Ensembl BioMart with gene id, HGNC id, HGNC symbol, chromosome, start and end; or GFF3 or ' +
    'GTF; plain, gzip or bgzip; - reads standard input) or from Ensembl. If anything is wrong, the old genes stay.',
  examples: [
    'update genes --build GRCh38 --file Homo_sapiens.GRCh38.114.chr.gff3.gz',
    'update genes --build GRCh37 --download',
  ],
  options: [
    {
      flags: '--build <assembly>',
      description: 'genome build',
      required: true,
      choices: assemblies,
      ignoreCase: true,
      aliases: ['-build'],
    },
    { flags: '--file <file>', description: 'a file with genes' },
    { flags: '--download', description: 'fetch them from Ensembl BioMart' },
    { flags: '--force', description: 'accept a file of which more than one in twenty lines are no genes' },
  ],
  async run(context, input) {
    const { build: assembly, file, download: remote = false, force = false } = input.options;
    if ((file === undefined) !== remote) {
      throw new Fault('invalid', 'Give either --file <file> or --download');
    }
    const repository = await context.repository(beaconGenes);
    const source = file === undefined ? await download(context, assembly) : await openSource(file);
    const { genes, skipped } = await readGenes(source, assembly, { stamped: remote, force });
    context.signal.throwIfAborted();
    await repository.replaceGenes(assembly, genes, context.now());
    context.terminal.print(`Number of inserted genes for build ${assembly}: ${genes.length}`);
    for (const [count, what] of [
      [skipped.withoutHgnc, 'genes without an HGNC id'],
      [skipped.otherContigs, 'genes on other contigs'],
      [skipped.incomplete, 'lines that are not genes'],
    ] as const) {
      if (count > 0) context.terminal.print(`  skipped ${count} ${what}`);
    }
    context.terminal.data({ build: assembly, genes: genes.length, skipped });
    return 0;
  },
});

function download(
  { settings: { genes }, signal, terminal }: CommandContext<BeaconSettings>,
  assembly: 'GRCh37' | 'GRCh38',
) {
  terminal.note('Fetching genes from Ensembl; this may take some minutes.');
  const url = assembly === 'GRCh37' ? genes.grch37 : genes.grch38;
  return downloadGenes({ url, timeout: genes.timeout, limit: genes.limit, signal });
}
