/** coverage-reports@1 on SQL. */
import { Fault, step } from '../../../core/storage.js';
import { coverageReports, type KeptMatch, type ReportRepository } from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding, type Scalar } from '../binding.js';
import { readRow } from '../rows.js';
import { beginning } from '../select.js';
import { migrations, pieces, reports, words } from './migrations.js';
import { type ReportRow, reportRows } from './rows.js';

/** Reports that one transaction removes when they expire. */
const atOnce = 50;

/** Comes after every other character, in the order of UTF-8. */
const lastCharacter = '\u{10ffff}';

const filePrefix = 'file:';

const selection = `select ${reportRows.columns.join(', ')} from ${reports}`;

function repository(database: Database): ReportRepository {
  const { values } = database.engine;

  return {
    keep: ({ id, made, facts }, found, content) =>
      database.transaction(async ({ write, engine }) => {
        const added: { number: number }[] = await write(reports)
          .insert({ id, made: values.time(made), facts: values.json(facts) })
          .onConflict('id')
          .ignore()
          .returning('number');
        const [row] = added;
        if (row === undefined) throw new Fault('conflict', 'There is already a kept report with this id');
        const rows = [...new Set(found)].map((word): Scalar[] => [word, row.number]);
        if (rows.length > 0) await engine.append(write, words, ['word', 'report'], rows);
        step('coverage.report.named');
        for (const [part, own] of Object.entries(content)) {
          for (const [piece, { buffer, byteOffset, byteLength }] of own.entries()) {
            const bytes = Buffer.from(buffer, byteOffset, byteLength);
            await write(pieces).insert({ report: row.number, part, piece, content: bytes });
          }
        }
        step('coverage.report.kept');
      }),

    async find(id, begins) {
      if (begins !== undefined && !(await isWithin(database, id, begins))) return undefined;
      const [row] = await database.query<ReportRow>(`${selection} where id = ?`, [id]);
      return row && readRow(database, reportRows, row);
    },

    async content(id, part) {
      const sql =
        `select p.content from ${reports} r join ${pieces} p on p.report = r.number ` +
        'where r.id = ? and p.part = ? order by p.piece';
      const rows = await database.query<{ content: Uint8Array }>(sql, [id, part]);
      return rows.map(({ content }) => new Uint8Array(content));
    },

    list: ({ words: wanted, after, limit }) =>
      database.snapshot(async ({ read, engine, log }) => {
        const query = read(reports).select(reportRows.columns);
        for (const group of wanted) {
          query.whereIn('number', engine.whereIn(read(words).select('report'), 'word', [...new Set(group)]));
        }
        if (after !== undefined) {
          query.whereRaw('(made, id) < (?, ?)', [values.time(after.made) as string | number, after.id]);
        }
        const rows: ReportRow[] = await query.orderBy('made', 'desc').orderBy('id', 'desc').limit(limit);
        const asked = [...new Set(wanted.flat())];
        const numbers = rows.map(({ number }) => number);
        const having = new Map<number, string[]>(numbers.map((number) => [number, []]));
        if (asked.length > 0 && rows.length > 0) {
          const held = engine.whereIn(read(words).select('word', 'report'), 'report', numbers);
          const all: { word: string; report: number }[] = await engine.whereIn(held, 'word', asked);
          for (const { word, report } of all) having.get(report)?.push(word);
        }
        return rows.flatMap((row): KeptMatch[] => {
          const report = readRow({ engine, log }, reportRows, row);
          return report === undefined ? [] : [{ report, words: having.get(row.number)?.sort() ?? [] }];
        });
      }),

    async words(begin) {
      const sql = `select distinct word from ${words} where word >= ? and word < ?`;
      const rows = await database.query<{ word: string }>(sql, [begin, `${begin}${lastCharacter}`]);
      return rows.map(({ word }) => word).sort();
    },

    remove: (ids) =>
      database.transaction(async (scope) => {
        const query = scope.write(reports).select('number');
        const rows: { number: number }[] = await scope.engine.whereIn(query, 'id', [...new Set(ids)]);
        return removeNumbers(
          scope,
          rows.map(({ number }) => number),
        );
      }),

    async expire(before) {
      for (let removed = 0; ; ) {
        const portion = await database.transaction(async (scope) => {
          const old = values.time(before) as string | number;
          const query = scope.write(reports).select('number').where('made', '<', old);
          const rows: { number: number }[] = await query.orderBy('made').limit(atOnce);
          return removeNumbers(
            scope,
            rows.map(({ number }) => number),
          );
        });
        removed += portion;
        if (portion === 0) return removed;
      }
    },
  };
}

/**
 * Whether the report exists and each of its files begins with one of these. For an id that does not exist the files of the latest
 * report are looked at instead, so that one statement does the same work as for a report that is out of reach.
 */
async function isWithin(database: Database, id: string, begins: readonly string[]): Promise<boolean> {
  const [under, bindings] = beginning(`substr(w.word, ${filePrefix.length + 1})`, begins);
  const [looked] = await database.query<{ same: unknown; others: unknown }>(
    `select case when r.id = ? then 1 else 0 end as same,
       (select count(*) from ${words} w where w.report = r.number
        and substr(w.word, 1, ${filePrefix.length}) = '${filePrefix}' and not ${under}) as others
     from ${reports} r
     where r.number = coalesce((select number from ${reports} where id = ?), (select max(number) from ${reports}))`,
    [id, ...bindings, id],
  );
  return looked !== undefined && Number(looked.same) === 1 && Number(looked.others) === 0;
}

/** The report first: whoever removes the same one waits for it. */
async function removeNumbers({ write, engine }: Database, numbers: readonly number[]): Promise<number> {
  if (numbers.length === 0) return 0;
  const removed = (await engine.whereIn(write(reports), 'number', numbers).delete()) as unknown as number;
  step('coverage.report.removed');
  await engine.whereIn(write(words), 'report', numbers).delete();
  await engine.whereIn(write(pieces), 'report', numbers).delete();
  return removed;
}

export default defineBinding({ contract: coverageReports, migrations, rows: [reportRows], repository });
