/** Known sites, in English. */
import { english } from '../numbers.js';

const { plural } = english;

export const sites = {
  title: 'Known sites',
  caption: (depth: string) =>
    `Known variant sites in the genes of the report, those in introns and untranslated regions too. Callable: every base of the reference allele and one on each side is at or above ${depth}. Partly callable: some of these bases are; not callable: none is.`,
  fact: 'Known sites',
  set: (name: string, release: string, loaded: string, checksum: string) =>
    `${name} ${release}, loaded ${loaded}, ${checksum}`,
  source: 'Source',
  count: 'Sites',
  share: 'Callable, %',
  columns: { callable: 'Callable', partly: 'Partly callable', not: 'Not callable' },
  states: { callable: 'callable', partly: 'partly callable', not: 'not callable' },
  all: 'Every known site is callable in every sample.',
  listTitle: (depth: string) => `Known sites that are not callable at ${depth}`,
  listCaption: 'A negative result does not exclude these variants.',
  summary: (sites: number) => plural(sites, 'site', 'sites'),
  more: (count: number) =>
    `${plural(count, 'further site', 'further sites')} not listed here; the CSV and JSON exports have all.`,
  gene: 'Gene',
  site: 'Site',
  stars: 'Stars',
  least: (depth: string) => `minimum ${depth}`,
  usual: (covered: string, n: string) => `callable in ${covered} of ${n} other samples of the assay`,
  notStored: (samples: string, of: string, depth: string) =>
    `${samples} of ${of} other samples do not count in whether the assay usually covers a site: their covered regions are not stored at ${depth}.`,
  storeToo: (stored: readonly string[], level: string) =>
    `Use a coverage threshold of ${stored.join(' or ')}, or have ${level} added to coverage.samples.thresholds in the configuration; the next check of the samples stores the regions.`,
  storedSoon: 'The next check of the samples stores them.',
  holes: { assay: 'usually not callable in this assay', sample: 'not callable in this sample', few: '' },
  terms: {
    sites: 'Known sites',
    sitesText:
      'Sites belong to a gene if they are within its extent, or if the source names the gene (GENEINFO). Of ClinVar those classified as pathogenic or likely pathogenic, without conflict; stars: review status, 0 to 4. Breakends and variants longer than 10,000 bases are not among them.',
    hole: 'Usually callable',
    holeText:
      'From the stored covered regions of the other registered samples of the assay; on X and Y outside the pseudoautosomal regions, of the same sex. Fewer than half of at least 20 samples callable: usually not callable in this assay; otherwise: not callable in this sample. Of fewer samples only the numbers are stated.',
    sampling: 'Sampling sensitivity',
    samplingText: (depth: string, three: string, four: string) =>
      `The chance that at least k of d reads show the alternate allele of a heterozygous variant, if each read shows either allele with probability ½: 1 − Σ C(d, i) / 2^d over i = 0 … k − 1. At ${depth}: ${three} for k = 3, ${four} for k = 4. It is an upper bound of what sequencing at this depth can show: reference bias, mapping and the variant caller lower it, and mosaicism, repeats and large variants are out of its scope. It is a property of the depth, not the risk of a patient.`,
  },
};
