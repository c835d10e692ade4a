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

/** The names in use, unpacked (which takes tenths of a second) when they change; undefined before names are loaded. */
export function keptNames(
  repository: Pick<PanelRepository, 'names' | 'loadNames'>,
): () => Promise<NamesInUse | undefined> {
  let unpacked: WeakRef<NamesInUse> | undefined;
  return async () => {
    const current = await repository.names();
    if (current === undefined) return undefined;
    const known = unpacked?.deref();
    if (known?.names.release === current.release && known.names.loaded.getTime() === current.loaded.getTime())
      return known;
    const loaded = await namesInUse(repository);
    unpacked = new WeakRef(loaded);
    return loaded;
  };
}

export function noNames(): Fault {
  return new Fault('unavailable', 'No names of genes are loaded: load them with `trefoil panels load-hgnc`');
}
