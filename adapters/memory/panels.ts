/** panels@1 in memory. */
import { Fault } from '../../core/storage.js';
import {
  byVersion,
  type GeneNames,
  type PanelHead,
  type PanelRepository,
  type PanelVersion,
  panels,
  refuseChangeOfSigned,
} from '../../plugins/panels/contract.js';
import { defineBinding } from './binding.js';

interface State {
  /** By `panel@version`. Versions are replaced, never changed. */
  versions: ReadonlyMap<string, PanelVersion>;
  names: { names: GeneNames; content: Uint8Array[] } | undefined;
}

const keyOf = (panel: string, version: string) => `${panel}@${version}`;

function headOf({ content: _, hgnc: __, ...head }: PanelVersion): PanelHead {
  return structuredClone(head);
}

export default defineBinding<PanelRepository, State>({
  contract: panels,
  empty: () => ({ versions: new Map(), names: undefined }),
  copy: (state) => ({ ...state }),
  repository: ({ read, write }) => {
    /** Replaces the stored version by what the function returns; undefined keeps everything as it is. */
    const change = (
      panel: string,
      version: string,
      next: (stored: PanelVersion | undefined) => PanelVersion | null | undefined,
    ) =>
      write((draft) => {
        const key = keyOf(panel, version);
        const after = next(draft.versions.get(key));
        if (after === undefined) return false;
        const versions = new Map(draft.versions);
        if (after === null) versions.delete(key);
        else versions.set(key, structuredClone(after));
        draft.versions = versions;
        return true;
      });

    return {
      async add(version) {
        const added = await change(version.panel, version.version, (stored) => (stored ? undefined : version));
        if (!added) throw new Fault('conflict', 'This version exists already');
      },

      find: async (panel, version) => structuredClone((await read()).versions.get(keyOf(panel, version))),

      list: async (panel) =>
        [...(await read()).versions.values()]
          .filter((version) => panel === undefined || version.panel === panel)
          .map(headOf)
          .sort(byVersion),

      replace: (version) =>
        change(version.panel, version.version, (stored) => {
          if (stored?.revision !== version.revision - 1) return undefined;
          refuseChangeOfSigned(stored, version);
          return version;
        }),

      remove: (panel, version, revision) =>
        change(panel, version, (stored) =>
          stored?.revision === revision && stored.state === 'draft' ? null : undefined,
        ),

      async holding(hgnc) {
        const wanted = new Set(hgnc);
        return [...(await read()).versions.values()]
          .map((version) => ({ head: headOf(version), hgnc: version.hgnc.filter((id) => wanted.has(id)) }))
          .filter((found) => found.hgnc.length > 0)
          .sort((one, two) => byVersion(one.head, two.head));
      },

      names: async () => structuredClone((await read()).names?.names),

      loadNames: async () => structuredClone((await read()).names),

      replaceNames: (names, content) =>
        write((draft) => {
          draft.names = structuredClone({ names, content: [...content] });
        }),
    };
  },
});
