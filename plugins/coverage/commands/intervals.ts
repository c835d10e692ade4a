/** `intervals`: lists the loaded sets; `find-gene`: looks genes up by id or name. */
import type { Command } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { builds, coverage, type GeneAnswer } from '../contract.js';
import { withTranscriptNames } from '../intervals/transcript-names.js';
import { setShown } from '../routes/interval-sets.js';
import type { CoverageSettings } from '../settings.js';
import { setLines } from './words.js';

export const listIntervals: Command<CoverageSettings> = {
  name: 'intervals',
  summary: 'List the sets of genes, transcripts, exons and gene names that are loaded',
  async run({ repository, terminal }) {
    const sets = await (await repository(coverage)).sets();
    terminal.data(sets.map(setShown));
    if (sets.length === 0)
      terminal.print('No intervals are loaded yet: use load-gtf, or load-genes, load-transcripts and load-exons.');
    for (const set of sets) for (const line of setLines(set)) terminal.print(line);
    return 0;
  },
};

export const findGene: Command<CoverageSettings> = {
  name: 'find-gene',
  summary: 'Show which genes the given ids or symbols mean in a build, or why there is none',
  examples: ['find-gene --build GRCh38 MTHFR HGNC:2861 ENSG00000110195.12'],
  arguments: [
    {
      name: 'names',
      description: 'HGNC ids, Ensembl ids, symbols, aliases or transcripts (NM_…, ENST…)',
      required: true,
      variadic: true,
    },
  ],
  options: [
    { flags: '--build <build>', description: 'genome build', required: true, choices: builds, ignoreCase: true },
  ],
  async run({ repository, terminal }, { arguments: asked, options }) {
    const build = builds.find((each) => each.toLowerCase() === String(options.build).toLowerCase());
    if (!build) throw new Fault('invalid', '--build must be GRCh37 or GRCh38');
    const intervals = withTranscriptNames(await repository(coverage));
    const { answers } = await intervals.findGenes(build, asked);
    terminal.data(answers);
    for (const answer of answers) terminal.print(answerLine(answer));
    return answers.every((answer) => 'genes' in answer) ? 0 : 1;
  },
};

const reasons = {
  malformed: 'not a valid gene id or symbol',
  'no-genes-loaded': 'no genes are loaded for this build',
  unknown: 'unknown gene',
  'not-in-build': 'known, but not in this build',
  ambiguous: 'the name of several genes',
  'no-transcripts-loaded': 'no transcripts are loaded for this build',
  'unknown-transcript': 'not among the transcripts of this build',
} as const;

function answerLine(answer: GeneAnswer): string {
  if ('reason' in answer) {
    const candidates = answer.candidates ? `: ${answer.candidates.join(', ')}` : '';
    return `${answer.asked}: ${reasons[answer.reason]}${candidates}`;
  }
  const genes = answer.genes.map(
    ({ ensembl, hgnc, symbol, chromosome, start, end }) =>
      `${symbol ?? ensembl} (${[ensembl, ...(hgnc === undefined ? [] : [`HGNC:${hgnc}`])].join(', ')}) ` +
      `${chromosome}:${start + 1}-${end}`,
  );
  return `${answer.asked}: ${genes.join('; ')}, by ${answer.by}`;
}
