/** Versions of panels as rows. */
import type { PanelHead, PanelState, PanelStep, PanelVersion } from '../../../plugins/panels/contract.js';
import { panelStates } from '../../../plugins/panels/contract.js';
import type { Engine } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';
import { versions } from './migrations.js';

export const headColumns = ['panel', 'version', 'name', 'state', 'revision', 'digest', 'genes', 'unmapped', 'history'];

export interface HeadRow {
  number: number;
  panel: string;
  version: string;
  name: string;
  state: string;
  revision: number;
  digest: string;
  genes: number;
  unmapped: number;
  history: unknown;
}

export interface VersionRow extends HeadRow {
  content: string;
}

export function rowOf(version: PanelVersion, values: Engine['values']): Omit<VersionRow, 'number'> {
  const { hgnc: _, ...row } = version;
  const history = version.history.map(({ at, ...step }) => ({ ...step, at: at.getTime() }));
  return { ...row, history: values.json(history) };
}

/** A damaged version is left out: nothing is reported by it. */
export const headRows: StoredRows<HeadRow, PanelHead> = {
  table: versions,
  key: 'number',
  columns: ['number', ...headColumns],
  read(values, row) {
    const { panel, version, name, state, revision, digest, genes, unmapped } = row;
    intact((panelStates as readonly string[]).includes(state));
    const stored = values.parseJson(row.history);
    intact(Array.isArray(stored) && stored.length > 0);
    const history = (stored as (Omit<PanelStep, 'at'> & { at: number })[]).map(({ at, ...step }): PanelStep => {
      intact(Number.isSafeInteger(at) && typeof step.what === 'string' && typeof step.by === 'string');
      return { ...step, at: new Date(at) };
    });
    return { panel, version, name, state: state as PanelState, revision, digest, genes, unmapped, history };
  },
};
