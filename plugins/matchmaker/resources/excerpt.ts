/** The excerpt of HPO and of the gene table that comes with Trefoil, so that the demo needs no downloads. */
import { fileURLToPath } from 'node:url';
import { readTextFile } from '../../../core/files.js';
import { unpack } from '../formats/packed.js';
import { packGenes } from '../genes/pack.js';
import { PackedGenes } from '../genes/packed-genes.js';
import { readGenes } from '../genes/read.js';
import { countedAs } from '../ontology/counts.js';
import { PackedOntology } from '../ontology/packed-ontology.js';
import { readTermTable } from '../ontology/term-table.js';
import { packTerms } from '../ontology/terms.js';
import type { UsedRelease } from './resources.js';

export interface Excerpt {
  ontology: PackedOntology;
  genes: PackedGenes;
  releases: UsedRelease[];
}

const asset = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url));

export async function readExcerpt(): Promise<Excerpt> {
  const [termFile, geneFile] = await Promise.all([
    readTextFile(asset('hpo-excerpt.tsv')),
    readTextFile(asset('genes-excerpt.tsv')),
  ]);
  const table = readTermTable(termFile);
  const terms = unpack('ontology', packTerms(termFile.name, table.terms).packed);
  const ontology = new PackedOntology(terms, countedAs(table.counts));
  const list = readGenes(geneFile);
  const genes = new PackedGenes(unpack('genes', packGenes(list.genes)));
  const of = ({ version }: { version?: string }): { version?: string } => (version === undefined ? {} : { version });
  return {
    ontology,
    genes,
    releases: [
      { kind: 'ontology', ...of(table), source: termFile.name, entries: ontology.size, excerpt: true },
      { kind: 'genes', ...of(list), source: geneFile.name, entries: genes.size, excerpt: true },
    ],
  };
}
