/** The kept reports of people who are to be erased. */
import { concerns, type Erasure, erasuresById, type Revision, reaches } from '../../../core/plugin.js';
import type { KeptReport, ReportRepository } from '../contract.js';
import { textOf, word } from './words.js';

/** Reports that are read at once. */
const portion = 500;

/** A report is about all of its samples: if one of them is erased, it is removed as a whole. */
export async function reportsOf(
  repository: Pick<ReportRepository, 'list'>,
  erasures: readonly Erasure[],
): Promise<{ all: ReportMoment[]; sharing: number }> {
  const own = erasures.filter((one) => concerns(one, 'sample'));
  const found = { all: new Map<string, ReportMoment>(), sharing: new Map<string, ReportMoment>() };
  const ofPerson = erasuresById(own);
  const words = [...ofPerson.keys()].map((id) => word('person', id));
  for (let after: KeptReport | undefined; words.length > 0; ) {
    const page = await repository.list({ words: [words], limit: portion, ...(after && { after }) });
    for (const { report, words: has } of page) {
      for (const erasure of has.flatMap((one) => ofPerson.get(textOf('person', one) ?? '') ?? [])) {
        if (!reaches(erasure, reportRevision(report))) continue;
        found[erasure.scope].set(report.id, { id: report.id, made: report.made });
      }
    }
    after = page.at(-1)?.report;
    if (after === undefined) break;
  }
  return { all: [...found.all.values()], sharing: [...found.sharing.keys()].filter((id) => !found.all.has(id)).length };
}

type ReportMoment = Pick<KeptReport, 'id' | 'made'>;

export function reportRevision({ id, made }: ReportMoment): Revision {
  return { name: `report ${id}`, stored: made };
}
