/** Kept reports, in English. */
import { english } from '../numbers.js';

const { number, plural } = english;

export const kept = {
  id: 'Report id',
  field: 'Keep this report, so that it can be opened again as it is',
  always: 'Every report is kept, so that it can be opened again as it is.',
  off: 'cannot be used: this server keeps no reports (setting plugins.coverage.reports)',
  note: 'This report is kept.',
  open: 'Open it by its address',
  title: 'Kept report',
  opened: (made: string, madeBy: string, opened: string, openedBy: string) =>
    `Measured on ${made} by ${madeBy}, and not measured again. Shown on ${opened} by ${openedBy}.`,
  newerTitle: 'Newer panel version',
  newer: (used: string, latest: string, genes: number) =>
    `This report used ${used}. Meanwhile ${latest} is signed off, in which ${plural(genes, 'gene differs', 'genes differ')}.`,
  changes: {
    added: 'Added',
    removed: 'Removed',
    promoted: 'Promoted',
    demoted: 'Demoted',
    renamed: 'Renamed',
    changed: 'Otherwise changed',
  },
  more: (count: number) => `and ${number(count)} more`,
  formats: { pdf: 'PDF', json: 'JSON, as it was sent' },
  list: {
    title: 'Kept reports',
    link: 'Kept reports',
    intro:
      'Reports whose samples you may see, the latest first. Of a gene, all reports that measured it, that could not measure it, or whose panel has it with a confidence that was not asked for.',
    gene: 'Gene: HGNC id, Ensembl id or symbol',
    panel: 'Panel: ID, ID@VERSION or name',
    sample: 'Sample: id or name',
    search: 'Search',
    none: 'There are no such reports.',
    unknownGene: (gene: string) =>
      `${gene} is not a gene of the loaded gene sets. Reports are listed that were asked for this name.`,
    panelsOf: (gene: string) => `Versions of panels with ${gene}`,
    noPanels: 'No version that you may read.',
    uncertain: 'Not searched: this name does not mean one gene for certain. Search by HGNC id or approved symbol.',
    entry: (given: string) => `the entry ${given}, which has no gene yet, may be it`,
    shown: (count: number) => plural(count, 'report', 'reports'),
    next: 'Earlier reports',
    columns: {
      made: 'Measured',
      report: 'Report',
      samples: 'Samples',
      panel: 'Panel',
      genes: 'Genes',
      gene: 'The gene',
      by: 'Requested by',
      software: 'Software',
    },
    missing: (count: number) => `${number(count)} not measured`,
    held: { measured: 'measured', missing: 'not measured', left: 'in the panel, not asked for' },
  },
};
