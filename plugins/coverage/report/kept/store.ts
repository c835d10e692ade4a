/** coverage-reports@1 above tables. */
import {
  bytes,
  defineStore,
  defineTable,
  Fault,
  generated,
  json,
  person,
  placeOf,
  type RowOf,
  small,
  step,
  type Tables,
  text,
  time,
} from '../../../../core/storage.js';
import { builds } from '../../intervals/interval.js';
import { coverageReports, type KeptFacts, type KeptMatch, type KeptReport, type ReportRepository } from './contract.js';

const reports = defineTable({
  name: 'coverage_reports_kept',
  columns: { number: generated(), id: text(), made: time(), facts: person(json<KeptFacts>()) },
  key: ['number'],
  unique: [['id']],
  indexes: [['made', 'id']],
  // A damaged report is left out: it counts as absent.
  sound: ({ facts }) =>
    facts === undefined ||
    (builds.includes(facts.build) && Array.isArray(facts.samples) && typeof facts.software === 'string'),
});

const words = defineTable({
  name: 'coverage_reports_words',
  columns: { word: person(text()), report: small() },
  key: ['word', 'report'],
  indexes: [['report']],
});

const pieces = defineTable({
  name: 'coverage_reports_pieces',
  columns: { report: small(), part: text(), piece: small(), content: person(bytes()) },
  key: ['report', 'part', 'piece'],
});

function reportOf(row: RowOf<typeof reports.columns> | undefined): KeptReport | undefined {
  if (row === undefined) return undefined;
  const { number: _, ...report } = row;
  return report;
}

/** What is not read where reports are only counted or removed, also damaged ones. */
const without = ['facts', 'made'] as const;

/** Reports that one transaction removes when they expire. */
const atOnce = 50;

const filePrefix = 'file:';

/** As long as words are. */
function wordOf002(file: string): string {
  return `${filePrefix}${[...placeOf(file)].slice(0, 250).join('')}`;
}

export const store = defineStore<ReportRepository>({
  contract: coverageReports,
  tables: [reports, words, pieces],
  steps: {
    '001-kept-reports': { tables: [reports, words, pieces] },
    // A word for each coverage file of a report, so that their owners can be found.
    '002-files': {
      async up(tables) {
        for await (const { number, facts } of tables.table(reports).each()) {
          const named = facts.samples.flatMap(({ file }) => (file === undefined ? [] : [wordOf002(file)]));
          await tables.table(words).append([...new Set(named)].map((word) => ({ word, report: number })));
        }
      },
      async down(tables) {
        await tables.table(words).remove({ word: { beginning: filePrefix } });
      },
    },
  },
  repository(tables) {
    /** The report first: another removal of the same one waits for it. */
    async function removeNumbers(inside: Tables, numbers: readonly number[]): Promise<number> {
      if (numbers.length === 0) return 0;
      const removed = await inside.table(reports).remove({ number: { among: numbers } });
      step('coverage.report.removed');
      await inside.table(words).remove({ report: { among: numbers } });
      await inside.table(pieces).remove({ report: { among: numbers } });
      return removed;
    }

    /** The numbers of the reports that have a word of each list; undefined for all. */
    async function having(on: Tables, wanted: readonly (readonly string[])[]): Promise<number[] | undefined> {
      let numbers: number[] | undefined;
      for (const group of wanted) {
        const where = { word: { among: group }, ...(numbers && { report: { among: numbers } }) };
        numbers = [...new Set((await on.table(words).find({ where })).map(({ report }) => report))];
      }
      return numbers;
    }

    return {
      keep: (report, found, content) =>
        tables.transaction(async (inside) => {
          const added = await inside.table(reports).add(report);
          if (added === undefined) throw new Fault('conflict', 'There is already a kept report with this id');
          const { number } = added;
          await inside.table(words).append([...new Set(found)].map((word) => ({ word, report: number })));
          step('coverage.report.named');
          for (const [part, own] of Object.entries(content)) {
            await inside.table(pieces).append(own.map((content, piece) => ({ report: number, part, piece, content })));
          }
          step('coverage.report.kept');
        }),

      async find(id, begins) {
        if (begins === undefined) return reportOf(await tables.table(reports).one({ id }));
        return tables.snapshot(async (moment) => {
          const kept = moment.table(reports);
          const row = await kept.one({ id });
          // Of a report that does not exist the files of the latest are looked at, so that the work is the same as for one that
          // is out of reach.
          const [latest] = await kept.find({ order: ['number'], descending: true, limit: 1, without });
          const report = (row ?? latest)?.number ?? 0;
          const files = await moment.table(words).find({ where: { report, word: { beginning: filePrefix } } });
          const isWithin = files.every(({ word }) => begins.some((begin) => word.startsWith(begin, filePrefix.length)));
          return isWithin ? reportOf(row) : undefined;
        });
      },

      content: (id, part) =>
        tables.snapshot(async (moment) => {
          const row = await moment.table(reports).one({ id }, { without });
          if (row === undefined) return [];
          const rows = await moment.table(pieces).find({ where: { report: row.number, part }, order: ['piece'] });
          return rows.map(({ content }) => content);
        }),

      list: ({ words: wanted, after, limit }) =>
        tables.snapshot(async (moment): Promise<KeptMatch[]> => {
          const numbers = await having(moment, wanted);
          if (numbers?.length === 0) return [];
          const where = numbers === undefined ? {} : { number: { among: numbers } };
          const order = ['made', 'id'] as const;
          const page = { where, order, descending: true, limit, after };
          const { rows } = await moment.table(reports).page(page);
          const asked = [...new Set(wanted.flat())];
          const found = new Map<number, string[]>(rows.map(({ number }) => [number, []]));
          const held = { report: { among: [...found.keys()] }, word: { among: asked } };
          if (asked.length > 0 && rows.length > 0) {
            for (const { word, report } of await moment.table(words).find({ where: held }))
              found.get(report)?.push(word);
          }
          return rows.map(({ number, ...report }) => ({ report, words: found.get(number)?.sort() ?? [] }));
        }),

      async words(begin) {
        const rows = await tables.table(words).find({ where: { word: { beginning: begin } } });
        return [...new Set(rows.map(({ word }) => word))].sort();
      },

      remove: (ids) =>
        tables.transaction(async (inside) => {
          const found = await inside.table(reports).find({ where: { id: { among: ids } }, without });
          const numbers = found.map(({ number }) => number);
          return removeNumbers(inside, numbers);
        }),

      async expire(before) {
        for (let removed = 0; ; ) {
          const portion = await tables.transaction(async (inside) => {
            const old = { where: { made: { below: before } }, order: ['made'], limit: atOnce, without } as const;
            return removeNumbers(
              inside,
              (await inside.table(reports).find(old)).map(({ number }) => number),
            );
          });
          removed += portion;
          if (portion === 0) return removed;
        }
      },
    };
  },
});
