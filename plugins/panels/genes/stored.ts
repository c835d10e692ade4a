/** The names of genes in the storage. */
import { Fault } from '../../../core/plugin.js';
import type { GeneNames, PanelRepository } from '../contract.js';
import { GeneTable } from './gene-table.js';

export interface NamesInUse {
  names: GeneNames;
  table: GeneTable;
}

/** Throws an `unavailable` fault before names are loaded. */
export async function namesInUse(repository: Pick<PanelRepository, 'loadNames'>): Promise<NamesInUse> {
  const stored = await repository.loadNames();
  if (stored === undefined) throw noNames();
  return { names: stored.names, table: GeneTable.unpack(stored.content) };
}

export function noNames(): Fault {
  return new Fault('unavailable', 'No names of genes are loaded: load them with `trefoil panels load-hgnc`');
}
