/** `export`: a version of a panel as BED. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, counted, Fault } from '../../../core/commands.js';
import { wording } from '../../../core/plugin.js';
import type { GeneStructures } from '../../services/coverage.js';
import { panels } from '../contract.js';
import { nameOf } from '../domain/lifecycle.js';
import { versionNamed } from '../domain/reference.js';
import { geneStructuresKey } from '../exports/exons.js';
import type { PanelSettings } from '../settings.js';

const exportBed: Command<PanelSettings> = {
  name: 'export',
  summary: 'Write the exons of the genes of a panel as BED',
  description:
    'Positions are those of the intervals that the plugin coverage has for the build. Lines with # at the beginning of the file ' +
    'name panel, version, state, releases and digests, and list every gene and entry that has no lines.',
  arguments: [{ name: 'version', description: 'ID@VERSION, or ID for the latest that is signed off', required: true }],
  options: [
    { flags: '--build <build>', description: 'GRCh37 or GRCh38', required: true },
    { flags: '--padding <bases>', description: 'bases that are added on both sides of each exon (default: 0)' },
    {
      flags: '--transcripts <choice>',
      description:
        'preferred (default; those that the panel wants, else those of reports), mane, mane_select, mane_plus_clinical, refseq_mrna or all',
    },
    { flags: '--confidence <level>', description: 'all (default), amber (without red genes) or green' },
    { flags: '--chromosomes <names>', description: 'plain (default: 1, X, MT) or chr (chr1, chrX, chrM)' },
    { flags: '--out <file>', description: 'file to write (default: standard output)' },
  ],
  examples: ['export kidney --build GRCh38 --padding 20 --out kidney.bed', 'export kidney@1.9 --build GRCh37'],
  async run(context, { options, arguments: [reference = ''] }) {
    const { out, ...given } = options as { out?: string } & Record<string, unknown>;
    const { terminal, signal, version: software } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, since standard output cannot hold both');
    const [{ bedQuery, panelBed }, { writeWhole }] = await Promise.all([
      import('../exports/panel-bed.js'),
      import('../../../core/files.js'),
    ]);
    const { data: asked, error } = bedQuery.safeParse(given, { error: wording });
    if (asked === undefined)
      throw new Fault('invalid', `--${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
    const version = await versionNamed(await context.repository(panels), reference);
    const structures = await context.find<GeneStructures>(geneStructuresKey);
    const made = { structures, signal, software, now: context.now() };
    const { text, lines, bases, lacking } = await panelBed(version, asked, made);
    const content = Readable.from([text]);
    if (out === undefined) await pipeline(content, process.stdout, { signal, end: false });
    else await writeWhole(out, (target) => pipeline(content, target, { signal }), signal);
    for (const sentence of lacking) terminal.note(sentence);
    const summary = `${nameOf(version)} on ${asked.build}: ${counted(lines, 'line')} with ${counted(bases, 'base')}`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary}, written to ${out}`);
    terminal.data({ panel: version.panel, version: version.version, ...asked, lines, bases, lacking, out });
    return 0;
  },
};

export const exportCommands: readonly Command<PanelSettings>[] = [exportBed];
