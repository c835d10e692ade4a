/** Panels in the requests and responses of the endpoints for programs. */
import { z } from 'zod';
import { panelConfidences } from '../panels/panel.js';
import { confidenceField, panelField } from '../panels/resolve.js';

/** In a request that takes a list of genes. */
export const panelFields = {
  [panelField]: z
    .string()
    .max(200)
    .nullish()
    .describe(
      'A gene panel, ID@VERSION, or ID for the latest signed-off version: its genes are measured with those of hgnc_gene_ids.',
    ),
  [confidenceField]: z
    .enum(panelConfidences)
    .default('all')
    .describe('Genes of the panel: all, amber (and green and unrated), or green (and unrated).'),
};

/** Which version was used, and what of it was measured. */
export const panelShape = z
  .object({
    reference: z.string().describe('kidney@1.10'),
    id: z.string(),
    version: z.string(),
    name: z.string(),
    state: z.string().describe('draft, in review, signed off or retired.'),
    sha256: z.string(),
    gene_names: z.string().nullable().describe('The release of gene names by which its entries were mapped.'),
    signed_off: z.object({ at: z.iso.datetime(), by: z.array(z.string()) }).nullable(),
    newer: z.object({ version: z.string(), genes_that_differ: z.int() }).nullable(),
    confidence: z.enum(panelConfidences),
    genes_beside: z.array(z.string()).describe('Genes of hgnc_gene_ids that the panel does not have.'),
    not_covered: z
      .array(
        z.object({
          kind: z.string(),
          name: z.string(),
          hgnc: z.string().nullable(),
          place: z.string().nullable(),
          reason: z.string(),
          message: z.string().optional(),
        }),
      )
      .describe('Entries of the panel that were not measured.'),
    transcripts_not_as_wanted: z.array(
      z.object({ gene: z.string(), wanted: z.string(), measured: z.string().nullable() }),
    ),
  })
  .meta({ id: 'PanelOfReport' });

export type PanelShape = z.output<typeof panelShape>;
