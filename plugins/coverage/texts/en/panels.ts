/** Gene panels, in English. */
import { english } from '../numbers.js';

const { number } = english;

export const panels = {
  field: 'Gene panel: ID@VERSION, or ID for the latest signed-off version',
  confidence: 'Genes of the panel',
  confidences: {
    all: 'all',
    amber: 'green, amber and unrated',
    green: 'green and unrated',
  },
  noPlugin: 'cannot be used: this server keeps no gene panels (its plugin panels is not enabled)',
  unknown: (reference: string) => `there is no panel version ${reference} that you may use`,
  noneSigned: (reference: string) => `there is no panel ${reference} with a signed-off version that you may use`,
  noGenes: (reference: string) => `${reference} has no genes`,
  noneReported: (reference: string) => `no gene of ${reference} has this confidence`,
  tooMany: (reference: string, most: number) =>
    `${reference} and the genes of the list are more than ${number(most)} together`,
  notWithBed: 'cannot be combined with BED lines: choose genes, transcripts or exons, or leave it empty',
};
