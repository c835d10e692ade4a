/** coverage-reports@1 in memory. */
import { Fault } from '../../core/storage.js';
import {
  byTime,
  coverageReports,
  type KeptReport,
  type ReportPart,
  type ReportRepository,
} from '../../plugins/coverage/contract.js';
import { defineBinding } from './binding.js';

interface Entry {
  report: KeptReport;
  words: ReadonlySet<string>;
  content: ReadonlyMap<ReportPart, readonly Uint8Array[]>;
}

type Reports = Map<string, Entry>;

export default defineBinding<ReportRepository, Reports>({
  contract: coverageReports,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    keep: (report, words, content) =>
      write((draft) => {
        if (draft.has(report.id)) throw new Fault('conflict', 'There is already a kept report with this id');
        const parts = Object.entries(structuredClone(content)) as [ReportPart, Uint8Array[]][];
        draft.set(report.id, {
          report: structuredClone(report),
          words: new Set(words),
          content: new Map(parts.map(([part, pieces]) => [part, pieces.map((piece) => new Uint8Array(piece))])),
        });
      }),

    async find(id, begins) {
      const entry = (await read()).get(id);
      const files = [...(entry?.words ?? [])].filter((word) => word.startsWith('file:'));
      const isOut = begins && !files.every((word) => begins.some((begin) => word.startsWith(begin, 'file:'.length)));
      return isOut ? undefined : structuredClone(entry?.report);
    },

    content: async (id, part) => structuredClone([...((await read()).get(id)?.content.get(part) ?? [])]),

    async list({ words: wanted, after, limit }) {
      const found = [...(await read()).values()]
        .filter(({ words }) => wanted.every((group) => group.some((word) => words.has(word))))
        .filter(({ report }) => after === undefined || byTime(after, report) < 0)
        .sort((one, other) => byTime(one.report, other.report))
        .slice(0, limit);
      const asked = [...new Set(wanted.flat())].sort();
      return structuredClone(
        found.map(({ report, words }) => ({ report, words: asked.filter((word) => words.has(word)) })),
      );
    },

    async words(begin) {
      const all = [...(await read()).values()].flatMap(({ words }) => [...words]);
      return [...new Set(all)].filter((word) => word.startsWith(begin)).sort();
    },

    remove: (ids) => write((draft) => [...new Set(ids)].filter((id) => draft.delete(id)).length),

    expire: (before) =>
      write((draft) => {
        const old = [...draft.values()].filter(({ report }) => report.made < before);
        for (const { report } of old) draft.delete(report.id);
        return old.length;
      }),
  }),
});
