/** panels@1 above tables. */
import {
  bytes,
  defineStore,
  defineTable,
  Fault,
  generated,
  json,
  type RowOf,
  small,
  type Tables,
  text,
  time,
  user,
} from '../../core/storage.js';
import {
  byVersion,
  type GeneNames,
  type PanelHead,
  type PanelRepository,
  type PanelState,
  type PanelStep,
  type PanelVersion,
  panelStates,
  panels,
  refuseChangeOfSigned,
} from './contract.js';

type StoredStep = Omit<PanelStep, 'at'> & { at: number };

const asSigned = 'to tell who made and signed the version';

const versions = defineTable({
  name: 'panels_versions',
  columns: {
    number: generated(),
    panel: text(),
    version: text(),
    name: text(),
    state: text(),
    revision: small(),
    digest: text(),
    genes: small(),
    unmapped: small(),
    history: user(json<StoredStep[]>(), asSigned),
    content: user(text(), asSigned),
  },
  key: ['number'],
  unique: [['panel', 'version']],
  // A damaged version is left out: nothing is reported by it.
  sound: ({ state, history }) =>
    (panelStates as readonly string[]).includes(state) &&
    Array.isArray(history) &&
    history.length > 0 &&
    history.every(({ at, what, by }) => Number.isSafeInteger(at) && typeof what === 'string' && typeof by === 'string'),
});

const genes = defineTable({
  name: 'panels_genes',
  columns: { hgnc: small(), version: small() },
  key: ['hgnc', 'version'],
  indexes: [['version']],
});

/** A single row at most. */
const names = defineTable({
  name: 'panels_names',
  columns: { id: small(), facts: json<Omit<GeneNames, 'loaded'>>(), loaded: time() },
  key: ['id'],
});

const pieces = defineTable({
  name: 'panels_pieces',
  columns: { piece: small(), content: bytes() },
  key: ['piece'],
});

type HeadRow = Omit<RowOf<typeof versions.columns>, 'content'>;

function headOf({ number: _, history, state, ...rest }: HeadRow): PanelHead {
  const steps = history.map(({ at, ...step }): PanelStep => ({ ...step, at: new Date(at) }));
  return { ...rest, state: state as PanelState, history: steps };
}

/** What `replace` may change of a row. */
function changeable({ panel: _, version: __, hgnc: ___, history, ...rest }: PanelVersion) {
  return { ...rest, history: history.map(({ at, ...step }): StoredStep => ({ ...step, at: at.getTime() })) };
}

const without = ['content'] as const;
const theNames = 1;

export const store = defineStore<PanelRepository>({
  contract: panels,
  tables: [versions, genes, names, pieces],
  steps: { '001-versions-and-names': { tables: [versions, genes, names, pieces] } },
  repository(tables) {
    async function find(on: Tables, panel: string, version: string) {
      const row = await on.table(versions).one({ panel, version });
      if (row === undefined) return undefined;
      const { content, ...head } = row;
      const held = await on.table(genes).find({ where: { version: row.number }, order: ['hgnc'] });
      const found: PanelVersion = { ...headOf(head), content, hgnc: held.map(({ hgnc }) => hgnc) };
      return { number: row.number, found };
    }

    async function holdGenes(inside: Tables, version: number, hgnc: readonly number[]): Promise<void> {
      await inside.table(genes).remove({ version });
      await inside.table(genes).append(hgnc.map((id) => ({ hgnc: id, version })));
    }

    async function namesIn(on: Tables): Promise<GeneNames | undefined> {
      const row = await on.table(names).one({ id: theNames });
      return row && { ...row.facts, loaded: row.loaded };
    }

    return {
      add: (version) =>
        tables.transaction(async (inside) => {
          const { panel, version: name, hgnc } = version;
          const added = await inside.table(versions).add({ panel, version: name, ...changeable(version) });
          if (added === undefined) throw new Fault('conflict', `There is already a version ${panel}@${name}`);
          await holdGenes(inside, added.number, hgnc);
        }),

      find: (panel, version) => tables.snapshot(async (moment) => (await find(moment, panel, version))?.found),

      async list(panel) {
        const where = panel === undefined ? {} : { panel };
        return (await tables.table(versions).find({ where, without })).map(headOf).sort(byVersion);
      },

      replace: (version) =>
        tables.transaction(async (inside) => {
          const revision = version.revision - 1;
          const stored = await find(inside, version.panel, version.version);
          if (stored?.found.revision !== revision) return false;
          refuseChangeOfSigned(stored.found, version);
          const { number } = stored;
          if ((await inside.table(versions).change({ number, revision }, changeable(version))) === 0) return false;
          if (String(stored.found.hgnc) !== String(version.hgnc)) await holdGenes(inside, number, version.hgnc);
          return true;
        }),

      remove: (panel, version, revision) =>
        tables.transaction(async (inside) => {
          const stored = await find(inside, panel, version);
          if (stored === undefined) return false;
          const { number } = stored;
          if ((await inside.table(versions).remove({ number, revision, state: 'draft' })) === 0) return false;
          await holdGenes(inside, number, []);
          return true;
        }),

      holding: (hgnc) =>
        tables.snapshot(async (moment) => {
          const held = new Map<number, number[]>();
          for (const row of await moment.table(genes).find({ where: { hgnc: { among: hgnc } }, order: ['hgnc'] })) {
            held.set(row.version, [...(held.get(row.version) ?? []), row.hgnc]);
          }
          const where = { number: { among: [...held.keys()] } };
          const found = (await moment.table(versions).find({ where, without })).map((row) => ({
            head: headOf(row),
            hgnc: held.get(row.number) ?? [],
          }));
          return found.sort((one, other) => byVersion(one.head, other.head));
        }),

      names: () => namesIn(tables),

      loadNames: () =>
        tables.snapshot(async (moment) => {
          const found = await namesIn(moment);
          if (found === undefined) return undefined;
          const rows = await moment.table(pieces).find({ order: ['piece'] });
          return { names: found, content: rows.map(({ content }) => content) };
        }),

      replaceNames: ({ loaded, ...facts }, content) =>
        tables.transaction(async (inside) => {
          // This row first: another replacement waits for it.
          await inside.table(names).put({ id: theNames, facts, loaded });
          await inside.table(pieces).remove({});
          await inside.table(pieces).append(content.map((bytes, piece) => ({ piece, content: bytes })));
        }),
    };
  },
});
