/** The promises of matchmaker-resources@1. */
import {
  matchmakerResources,
  type ResourceRepository,
  resourceKinds,
  type StoredResource,
} from '../../../plugins/matchmaker/contract.js';
import { type Case, cases, faults, readDuring, same, undone } from '../core.js';

/** A time by the clock of the cases. */
const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + Math.round(seconds * 1000));

const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const ontology: StoredResource = {
  kind: 'ontology',
  version: '2024-08-13',
  source: 'hp "Ørsted" % _.json',
  entries: 18_989,
  loaded: at(1.234),
  content: every,
};
const annotations: StoredResource = { ...ontology, kind: 'annotations', entries: 0, content: new Uint8Array() };
const genes: StoredResource = {
  kind: 'genes',
  source: 'https://example.org/genes?a=b',
  entries: 2 ** 31 - 1,
  loaded: at(2),
  content: Uint8Array.of(7),
};

const withoutContent = ({ content: _, ...release }: StoredResource) => release;
/** Drivers may return any kind of byte array. */
const plain = (resources: readonly StoredResource[]) =>
  resources.map(({ content, ...release }) => ({ ...release, content: Array.from(content) }));

const replacement = 'replace replaces the resources of the given kinds, visible together; other kinds stay';

export const resourceCases: readonly Case<ResourceRepository>[] = [
  ...cases<ResourceRepository>({
    'revision counts the replacements; 0 before the first': {
      async 'a new store has no resources and revision 0'({ repository }) {
        same(await repository.revision(), 0);
        same(await repository.releases(), { revision: 0, releases: [] });
        same(await repository.load(), { revision: 0, resources: [] });
      },
    },
    'releases returns the stored releases, in the order of resourceKinds; load the same with content': {
      async 'resources are returned as they were stored, in the order of their kinds'({ repository }) {
        same(await repository.replace([genes, annotations, ontology]), 1);
        const { revision, resources } = await repository.load();
        same(revision, 1);
        same(plain(resources), plain([ontology, annotations, genes]));
        const releases = [ontology, annotations, genes].map(withoutContent);
        same(await repository.releases(), { revision: 1, releases });
      },
    },
    [replacement]: {
      async 'only the given kinds are replaced'({ repository }) {
        await repository.replace([ontology, genes]);
        const { version: _, ...unversioned } = ontology;
        const newer: StoredResource = { ...unversioned, source: 'other', content: Uint8Array.of(0, 255) };
        same(await repository.replace([newer]), 2);
        same(plain((await repository.load()).resources), plain([newer, genes]));
        same(await repository.revision(), 2);
      },
    },
    'a kind given twice, or no resource at all: invalid': {
      async 'an empty list and two resources of one kind are refused'({ repository }) {
        await repository.replace([genes]);
        await faults('invalid', repository.replace([]));
        await faults('invalid', repository.replace([ontology, { ...ontology, source: 'other' }]));
        same(await repository.releases(), { revision: 1, releases: [withoutContent(genes)] });
      },
    },
    'replace returns the new revision, which no other replacement gets': {
      async 'concurrent replacements each get a revision, and the last one is complete'({ repository }) {
        const set = (entries: number) =>
          resourceKinds.map((kind): StoredResource => ({ ...genes, kind, entries, content: Uint8Array.of(entries) }));
        const revisions = await Promise.all([1, 2, 3, 4, 5].map((entries) => repository.replace(set(entries))));
        same([...revisions].sort(), [1, 2, 3, 4, 5]);
        const { revision, resources } = await repository.load();
        same(revision, 5);
        const last = revisions.indexOf(5) + 1;
        same(plain(resources), plain(set(last)));
        for (let entries = 6; entries <= 9; entries++) {
          await readDuring(repository.replace(set(entries)), async () => {
            const { revision, resources } = await repository.load();
            const known = revision === 5 ? last : revision;
            same(resources[0]?.entries, known, 'read of one moment');
            const now = await repository.releases();
            same(now.releases[0]?.entries, now.revision === 5 ? last : now.revision);
          });
        }
        const others = await Promise.all(resourceKinds.map((kind) => repository.replace([{ ...genes, kind }])));
        same(others.sort(), [10, 11, 12, 13, 14, 15], 'also of different kinds');
      },
    },
    'after any failure the old resources are in place': {
      async 'a failed replacement leaves the old resources and their revision'({ repository, storage }) {
        await repository.replace([genes]);
        await undone(storage, (scope) =>
          scope.repository(matchmakerResources).replace([ontology, { ...genes, entries: 1 }]),
        );
        same(await repository.revision(), 1);
        same(plain((await repository.load()).resources), plain([genes]));
      },
    },
    'content may be as large as a release': {
      async 'content of millions of bytes is stored completely'({ repository }) {
        const content = Uint8Array.from({ length: 5_000_003 }, (_, i) => (i * 2_654_435_761) >>> 24);
        await repository.replace([{ ...ontology, content }]);
        const [found] = (await repository.load()).resources;
        same(Buffer.compare(found?.content ?? new Uint8Array(), content), 0);
      },
    },
  }),
  {
    name: 'a replacement by one process is visible to another',
    promise: 'all processes share one set',
    needs: 'concurrentWriters',
    async run({ repository, again }) {
      const other = (await again()).repository(matchmakerResources);
      same(await other.revision(), 0);
      await repository.replace([ontology]);
      same(await other.revision(), 1);
      same(await other.replace([genes]), 2);
      same(plain((await repository.load()).resources), plain([ontology, genes]));
    },
  },
];
