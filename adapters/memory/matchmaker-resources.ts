/** matchmaker-resources@1 in memory. */
import { Fault } from '../../core/storage.js';
import {
  matchmakerResources,
  type ResourceKind,
  type ResourceRepository,
  resourceKinds,
  type StoredResource,
} from '../../plugins/matchmaker/contract.js';
import { defineBinding } from './binding.js';

interface State {
  revision: number;
  resources: ReadonlyMap<ResourceKind, StoredResource>;
}

const inOrder = ({ resources }: State): StoredResource[] =>
  resourceKinds.flatMap((kind) => structuredClone(resources.get(kind)) ?? []);

export default defineBinding<ResourceRepository, State>({
  contract: matchmakerResources,
  empty: () => ({ revision: 0, resources: new Map() }),
  copy: (state) => ({ ...state }),
  repository: ({ read, write }) => ({
    revision: async () => (await read()).revision,

    async releases() {
      const state = await read();
      const releases = inOrder(state).map(({ content: _, ...release }) => release);
      return { revision: state.revision, releases };
    },

    async load() {
      const state = await read();
      return { revision: state.revision, resources: inOrder(state) };
    },

    async replace(fresh) {
      const kinds = new Set(fresh.map(({ kind }) => kind));
      if (kinds.size === 0 || kinds.size < fresh.length) {
        throw new Fault('invalid', 'A replacement needs at least one resource, and at most one of each kind');
      }
      return write((draft) => {
        draft.resources = new Map([
          ...draft.resources,
          ...fresh.map((resource) => [resource.kind, structuredClone(resource)] as const),
        ]);
        draft.revision++;
        return draft.revision;
      });
    },
  }),
});
