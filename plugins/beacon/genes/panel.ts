/** From a list of genes to the regions that a load is restricted to. */
import { Fault } from '../../../core/plugin.js';
import type { Assembly, Gene, GeneIds, GeneIdType, GeneRepository } from '../contract.js';
import { Panel } from '../vcf/panel.js';
import { ensemblId, hgncId } from './rows.js';

/** Genes as somebody names them: `17284`, `HGNC:17284`, `ENSG00000128513`. */
export interface GeneList {
  ids: readonly unknown[];
  id_type: GeneIdType;
}

/** The message that clients of the HTTP interface know. */
const noFilter = 'Could not create a gene filter using the provided gene list';

/** The places of the genes that are known; an `unprocessable` fault where none of them is. */
export async function genePanel(repository: GeneRepository, assembly: Assembly, list: GeneList): Promise<Panel> {
  const genes = await repository.genes(assembly, readIds(list).wanted);
  if (genes.length === 0) throw new Fault('unprocessable', noFilter);
  return panelOf(genes);
}

/** As genePanel, for ids of both kinds; an `unprocessable` fault that names what is unknown where anything is. */
export async function strictGenePanel(
  repository: GeneRepository,
  assembly: Assembly,
  ids: readonly string[],
): Promise<Panel> {
  const isEnsembl = (id: string) => /^ENS/i.test(id);
  const lists: GeneList[] = [
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

/** Ids in the form that they are stored in; what is no id of the kind is told apart. */
function readIds({ ids, id_type }: GeneList): { wanted: GeneIds; unreadable: string[] } {
  const unreadable: string[] = [];
  const read = <Id>(readId: (text: string) => Id | undefined): Id[] =>
    ids.flatMap((id) => {
      const text = typeof id === 'string' || typeof id === 'number' ? String(id).trim() : '';
      const known = readId(text);
      if (known === undefined) unreadable.push(text);
      return known === undefined ? [] : [known];
    });
  const wanted: GeneIds =
    id_type === 'HGNC' ? { type: 'HGNC', ids: read(hgncId) } : { type: 'Ensembl', ids: read(ensemblId) };
  return { wanted, unreadable };
}
