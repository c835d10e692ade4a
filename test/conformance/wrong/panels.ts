/** Panel repositories that break one promise. */
import { isFault } from '../../../core/storage.js';
import type { PanelRepository, PanelVersion } from '../../../plugins/panels/contract.js';
import { panels } from '../panels.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<PanelRepository>): Wrong =>
  wrongRepository(panels, does, fails, damage);

/** Keeps signed versions by comparing only what is given here. */
const careless =
  (...forgotten: (keyof PanelVersion)[]): Damage<PanelRepository> =>
  () =>
  (right) => ({
    async replace(version) {
      try {
        return await right.replace(version);
      } catch (error) {
        if (!isFault(error)) throw error;
        const stored = await right.find(version.panel, version.version);
        const kept = Object.fromEntries(forgotten.map((name) => [name, stored?.[name]]));
        return right.replace({ ...version, ...kept });
      }
    },
  });

const signedStays = 'a signed version of a panel is retired, and changes in nothing else';
const inOrder = 'versions of panels are listed in the order of their numbers';

export const wrongPanels: readonly Wrong[] = [
  wrong('keeps times of panels to the second', 'a version of a panel is returned as it was added', () => (right) => ({
    add: (version) => right.add({ ...version, history: version.history.map(toSeconds) }),
  })),
  wrong('normalises the text of panels', 'a version of a panel is returned as it was added', () => (right) => ({
    add: (version) => right.add({ ...version, content: version.content.normalize('NFC') }),
  })),
  wrong('cuts long panels', 'a version of a panel is returned as it was added', () => (right) => ({
    add: (version) => right.add({ ...version, content: version.content.slice(0, 65_535) }),
  })),
  wrong('takes version names for decimals', 'a version of a panel is found by its whole name only', () => (right) => ({
    find: async (panel, version) => {
      const heads = await right.list(panel);
      const head = heads.find((one) => Number(one.version) === Number(version));
      return head && right.find(panel, head.version);
    },
  })),
  wrong(
    'replaces a version that is added again',
    'a version of a panel that exists is not added again',
    () => (right) => ({
      async add(version) {
        const known = await right.find(version.panel, version.version);
        if (known) await right.remove(version.panel, version.version, known.revision);
        await right.add(version);
      },
    }),
  ),
  wrong('lists versions as text', inOrder, () => (right) => ({
    list: async (panel) =>
      (await right.list(panel)).sort((one, two) => (one.panel + one.version < two.panel + two.version ? -1 : 1)),
  })),
  wrong('lists panels without regard to case', inOrder, () => (right) => ({
    list: async (panel) =>
      (await right.list(panel)).sort((one, two) => one.panel.toLowerCase().localeCompare(two.panel.toLowerCase())),
  })),
  wrong('lists contents, too', 'a version of a panel is listed with all but its content', () => (right) => ({
    async list(panel) {
      const heads = await right.list(panel);
      const whole = await Promise.all(heads.map((head) => right.find(head.panel, head.version)));
      return whole.flatMap((version) => version ?? []);
    },
  })),
  wrong(
    'does not look at revisions',
    'a version of a panel is not replaced from an old revision, nor if it is missing',
    () => (right) => ({
      async replace(version) {
        const stored = await right.find(version.panel, version.version);
        return stored !== undefined && right.replace({ ...version, revision: stored.revision + 1 });
      },
    }),
  ),
  wrong(
    'adds a version that it should replace',
    'a version of a panel is not replaced from an old revision, nor if it is missing',
    () => (right) => ({
      async replace(version) {
        if (await right.find(version.panel, version.version)) return right.replace(version);
        await right.add(version);
        return true;
      },
    }),
  ),
  wrong('says nothing of a change of a signed version', signedStays, careless('content')),
  wrong('lets a signed version have other genes', signedStays, careless('hgnc')),
  wrong('removes versions in review', 'a draft of a panel is removed, and no other version', () => (right) => ({
    async remove(panel, version, revision) {
      const stored = await right.find(panel, version);
      if (stored?.state !== 'in review' || stored.revision !== revision) return right.remove(panel, version, revision);
      await right.replace({ ...stored, state: 'draft', revision: revision + 1 });
      return right.remove(panel, version, revision + 1);
    },
  })),
  wrong('removes a draft of any revision', 'a draft of a panel is removed, and no other version', () => (right) => ({
    async remove(panel, version, _revision) {
      const stored = await right.find(panel, version);
      return stored !== undefined && right.remove(panel, version, stored.revision);
    },
  })),
  wrong(
    'returns all genes of the versions that it finds',
    'versions are found by any of their genes, with those that were asked for',
    () => (right) => ({
      holding: async (hgnc) =>
        Promise.all(
          (await right.holding(hgnc)).map(async ({ head }) => ({
            head,
            hgnc: [...((await right.find(head.panel, head.version))?.hgnc ?? [])],
          })),
        ),
    }),
  ),
  wrong('looks for the first thousand genes', 'versions are found by thousands of genes', () => (right) => ({
    holding: (hgnc) => right.holding(hgnc.slice(0, 1000)),
  })),
  wrong('keeps pieces of former names', 'other names of genes leave nothing of the former ones', () => (right) => ({
    async replaceNames(names, content) {
      const before = await right.loadNames();
      await right.replaceNames(names, [...content, ...(before?.content ?? []).slice(content.length)]);
    },
  })),
  wrong('joins pieces', 'names of genes come back with every byte and piece', () => (right) => ({
    replaceNames: (names, content) => right.replaceNames(names, [Buffer.concat(content)]),
  })),
];
