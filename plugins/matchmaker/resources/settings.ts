/** The matchmaker's settings for ontology, genes, chain files and mappings of diseases. */
import { z } from 'zod';

const address = z.url({ protocol: /^https?$/ });

export const resourceSettings = z
  .strictObject({
    check: z
      .number()
      .positive()
      .max(86_400)
      .default(10)
      .describe('Seconds between checks of the storage for resources that another process has loaded.'),
    ontology: address.default('https://purl.obolibrary.org/obo/hp.json').describe('HPO as hp.json or hp.obo.'),
    annotations: address
      .default('https://purl.obolibrary.org/obo/hp/hpoa/phenotype.hpoa')
      .describe('Disease annotations: phenotype.hpoa.'),
    genes: address
      .default('https://storage.googleapis.com/public-download-files/hgnc/tsv/tsv/hgnc_complete_set.txt')
      .describe('The complete set of HGNC.'),
    chains: z
      .array(address)
      .max(2)
      .default(
        ['GRCh37_to_GRCh38', 'GRCh38_to_GRCh37'].map(
          (name) => `https://ftp.ensembl.org/pub/assembly_mapping/homo_sapiens/${name}.chain.gz`,
        ),
      )
      .describe('Chain files of Ensembl, for both directions.'),
    diseases: address
      .or(z.literal(false))
      .default('https://purl.obolibrary.org/obo/mondo.json')
      .describe('MONDO as mondo.json or an SSSOM table, whose mappings tell which ids are one disease; false: none.'),
    timeout: z.int().min(1).default(600).describe('Seconds for downloading each file.'),
  })
  .prefault({})
  .describe(
    'Addresses from which `update resources --download` fetches ontology, genes, chain files and mappings of diseases. Nothing else fetches them.',
  );

export type ResourceSettings = z.output<typeof resourceSettings>;
