/** panels@1 on SQL. */
import { Fault } from '../../../core/storage.js';
import {
  byVersion,
  type GeneNames,
  type PanelHead,
  type PanelRepository,
  type PanelVersion,
  panels,
  refuseChangeOfSigned,
} from '../../../plugins/panels/contract.js';
import { type Database, defineBinding, type Scalar } from '../binding.js';
import { readRow, readRows } from '../rows.js';
import { genes, migrations, names, pieces, versions } from './migrations.js';
import { type HeadRow, headColumns, headRows, rowOf, type VersionRow } from './rows.js';

const selection = `select number, ${headColumns.join(', ')}`;

interface Held {
  version: number;
  hgnc: number;
}

/** HGNC ids bound in one statement. */
const portion = 500;

async function find(database: Database, panel: string, version: string) {
  const sql = `${selection}, content from ${versions} where panel = ? and version = ?`;
  const [row] = await database.query<VersionRow>(sql, [panel, version]);
  const head = row && readRow(database, headRows, row);
  if (row === undefined || head === undefined) return undefined;
  const held = await database.query<Held>(`select hgnc from ${genes} where version = ? order by hgnc`, [row.number]);
  const found: PanelVersion = { ...head, content: row.content, hgnc: held.map(({ hgnc }) => hgnc) };
  return { number: row.number, found };
}

async function holdGenes({ write, engine }: Database, number: number, hgnc: readonly number[]): Promise<void> {
  await write(genes).where({ version: number }).delete();
  if (hgnc.length === 0) return;
  await engine.append(
    write,
    genes,
    ['hgnc', 'version'],
    hgnc.map((id) => [id, number]),
  );
}

function repository(database: Database): PanelRepository {
  const { values } = database.engine;

  async function namesIn(on: Database): Promise<GeneNames | undefined> {
    const [row] = await on.query<{ facts: unknown; loaded: unknown }>(`select facts, loaded from ${names}`, []);
    if (row === undefined) return undefined;
    return { ...(values.parseJson(row.facts) as Omit<GeneNames, 'loaded'>), loaded: values.parseTime(row.loaded) };
  }

  return {
    add: (version) =>
      database.transaction(async (inside) => {
        const row = rowOf(version, values);
        const added = await inside
          .write(versions)
          .insert(row)
          .onConflict(['panel', 'version'])
          .ignore()
          .returning('number');
        const [first] = added as { number: number }[];
        if (!first) throw new Fault('conflict', `There is already a version ${version.panel}@${version.version}`);
        await holdGenes(inside, first.number, version.hgnc);
      }),

    find: (panel, version) => database.snapshot(async (moment) => (await find(moment, panel, version))?.found),

    async list(panel) {
      const [where, bindings]: [string, Scalar[]] = panel === undefined ? ['', []] : [' where panel = ?', [panel]];
      const rows = await database.query<HeadRow>(`${selection} from ${versions}${where}`, bindings);
      return readRows(database, headRows, rows).sort(byVersion);
    },

    replace: (version) =>
      database.transaction(async (inside) => {
        const stored = await find(inside, version.panel, version.version);
        if (stored?.found.revision !== version.revision - 1) return false;
        refuseChangeOfSigned(stored.found, version);
        const { number } = stored;
        const changed = await inside
          .write(versions)
          .where({ number, revision: version.revision - 1 })
          .update(rowOf(version, values));
        if (changed === 0) return false;
        if (String(stored.found.hgnc) !== String(version.hgnc)) await holdGenes(inside, number, version.hgnc);
        return true;
      }),

    remove: (panel, version, revision) =>
      database.transaction(async (inside) => {
        const stored = await find(inside, panel, version);
        const removed = await inside.write(versions).where({ panel, version, revision, state: 'draft' }).delete();
        if (stored === undefined || removed === 0) return false;
        await holdGenes(inside, stored.number, []);
        return true;
      }),

    holding: (hgnc) =>
      database.snapshot(async (moment) => {
        const held = new Map<number, number[]>();
        for (let from = 0; from < hgnc.length; from += portion) {
          const wanted = hgnc.slice(from, from + portion);
          const places = wanted.map(() => '?').join(', ');
          const sql = `select distinct version, hgnc from ${genes} where hgnc in (${places}) order by hgnc`;
          for (const { version, hgnc: id } of await moment.query<Held>(sql, wanted)) {
            const known = held.get(version);
            if (known === undefined) held.set(version, [id]);
            else if (!known.includes(id)) known.push(id);
          }
        }
        const found: { head: PanelHead; hgnc: number[] }[] = [];
        for (const row of await moment.query<HeadRow>(`${selection} from ${versions}`, [])) {
          const ids = held.get(row.number);
          const head = ids && readRow(moment, headRows, row);
          if (ids && head) found.push({ head, hgnc: ids.sort((one, two) => one - two) });
        }
        return found.sort((one, two) => byVersion(one.head, two.head));
      }),

    names: () => namesIn(database),

    loadNames: () =>
      database.snapshot(async (moment) => {
        const found = await namesIn(moment);
        if (found === undefined) return undefined;
        const rows = await moment.query<{ content: Uint8Array }>(`select content from ${pieces} order by piece`, []);
        return { names: found, content: rows.map(({ content }) => new Uint8Array(content)) };
      }),

    replaceNames: ({ loaded, ...facts }, content) =>
      database.transaction(async ({ write }) => {
        const row = { id: 1, facts: values.json(facts), loaded: values.time(loaded) };
        // This row first: another replacement waits for it.
        await write(names).insert(row).onConflict('id').merge();
        await write(pieces).delete();
        for (const [piece, bytes] of content.entries())
          await write(pieces).insert({ piece, content: Buffer.from(bytes) });
      }),
  };
}

export default defineBinding({ contract: panels, migrations, rows: [headRows], repository });
