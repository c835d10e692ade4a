/** `intervals`: what is loaded; `find-gene`: how a gene is understood. */
import type { Command } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { builds, coverage, type GeneAnswer } from '../contract.js';
import { setShown } from '../routes/interval-sets.js';
import type { CoverageSettings } from '../settings.js';
import { setLines } from './words.js';

export const listIntervals: Command<CoverageSettings> = {
  name: 'intervals',
  summary: 'List the sets of genes, transcripts, exons and gene names that are loaded',
  async run({ repository, terminal }) {
    const sets = await (await repository(coverage)).sets();
    terminal.data(sets.map(setShown));
    if (sets.length === 0) terminal.print('No intervals are loaded yet; see load-genes, load-gtf and the like.');
    for (const set of sets) for (const line of setLines(set)) terminal.print(line);
    return 0;
  },
};

export const findGene: Command<CoverageSettings> = {
  name: 'find-gene',
  summary: 'Show which genes some ids or symbols mean in a build, or why they mean none',
  examples: ['find-gene --build GRCh38 MTHFR HGNC:2861 ENSG00000110195.12'],
  arguments: [
    { name: 'names', description: 'HGNC ids, Ensembl ids, symbols or aliases', required: true, variadic: true },
  ],
  options: [
    { flags: '--build <build>', description: 'genome build', required: true, choices: builds, ignoreCase: true },
  ],
  async run({ repository, terminal }, { arguments: asked, options }) {
    const build = builds.find((each) => each.toLowerCase() === String(options.build).toLowerCase());
    if (!build) throw new Fault('invalid', '--build is GRCh37 or GRCh38');
    const { answers } = await (await repository(coverage)).findGenes(build, asked);
    terminal.data(answers);
    for (const answer of answers) terminal.print(answerLine(answer));
    return answers.every((answer) => 'genes' in answer) ? 0 : 1;
  },
};

const reasons = {
  malformed: 'no name of a gene',
  'no-genes-loaded': 'the build has no genes loaded',
  unknown: 'nothing is called so',
  'not-in-build': 'known, but not in this build',
  ambiguous: 'several genes are called so',
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
