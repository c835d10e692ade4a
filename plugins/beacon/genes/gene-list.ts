/** Turns a list of genes into the regions that a load is restricted to. */
import { type Assembly, ensemblId } from '../../../core/genome.js';
import { Fault } from '../../../core/plugin.js';
import type { Gene, GeneIds, GeneIdType, GeneRepository } from '../contract.js';
import { Panel } from '../vcf/panel.js';
import { hgncId } from './files.js';

/** Genes as a request names them: `17284`, `HGNC:17284`, `ENSG00000128513`. */
export interface GeneListRequest {
  ids: readonly unknown[];
  id_type: GeneIdType;
}

/** The message that clients of the HTTP interface know. */
const noFilter = 'Could not create a gene filter using the provided gene list';

/** The places of the known genes; throws an `unprocessable` fault if none is known. */
export async function genePanel(repository: GeneRepository, assembly: Assembly, list: GeneListRequest): Promise<Panel> {
  const genes = await repository.genes(assembly, readIds(list).wanted);
  if (genes.length === 0) throw new Fault('unprocessable', noFilter);
  return panelOf(genes);
}

/** As genePanel, for ids of both kinds; throws an `unprocessable` fault that names unknown ids, if any. */
export async function strictGenePanel(
  repository: GeneRepository,
  assembly: Assembly,
  ids: readonly string[],
): Promise<Panel> {
  const isEnsembl = (id: string) => /^ENS/i.test(id);
  const lists: GeneListRequest[] = [
    { id_type: 'HGNC', ids: ids.filter((id) => !isEnsembl(id)) },
    { id_type: 'Ensembl', ids: ids.filter(isEnsembl) },
  ];
  const found: Gene[] = [];
  const unknown: string[] = [];
  for (const list of lists) {
    const { wanted, unreadable } = readIds(list);
    const genes = await repository.genes(assembly, wanted);
    const known = new Set<string | number | undefined>(
      genes.map(({ hgnc, ensembl }) => (list.id_type === 'HGNC' ? hgnc : ensembl)),
    );
    unknown.push(...unreadable, ...wanted.ids.filter((id) => !known.has(id)).map(String));
    found.push(...genes);
  }
  if (unknown.length === 0) return panelOf(found);
  const release = await repository.release(assembly);
  const hint = release ? '' : `; there are no genes for ${assembly} yet: run update genes first`;
  throw new Fault('unprocessable', `${noFilter}: ${unknown.join(', ')} not found in ${assembly}${hint}`);
}

function panelOf(genes: readonly Gene[]): Panel {
  return new Panel(genes.map(({ contig, start, end }) => [contig, start, end] as const));
}

/** Ids in the form in which they are stored, and those that are not ids of this kind. */
function readIds({ ids, id_type }: GeneListRequest): { wanted: GeneIds; unreadable: string[] } {
  const unreadable: string[] = [];
  const read = <Id>(readId: (text: string) => Id | undefined): Id[] =>
    ids.flatMap((id) => {
      const text = typeof id === 'string' || typeof id === 'number' ? String(id).trim() : '';
      const known = readId(text);
      if (known === undefined) unreadable.push(text);
      return known === undefined ? [] : [known];
    });
  const wanted: GeneIds =
    id_type === 'HGNC'
      ? { type: 'HGNC', ids: read(hgncId) }
      : { type: 'Ensembl', ids: read((text) => ensemblId(text, 'ENSG')) };
  return { wanted, unreadable };
}
