/** The erasure of people from the registered samples, the cohorts and the kept reports. */
import {
  concerns,
  type Erased,
  type Eraser,
  type Erasure,
  erasuresById,
  type Revision,
  reaches,
} from '../../core/plugin.js';
import { arrangeCohort } from './cohorts/blocks.js';
import {
  builds,
  type CohortRepository,
  coverageCohorts,
  type KeptReport,
  type RegisteredSample,
  type ReportRepository,
  type TrackRepository,
} from './contract.js';
import { searchWord, textOfWord } from './report/kept/search.js';
import { removeSamples, type SampleRegistry } from './samples/changes.js';
import { samplePages } from './samples/find.js';

interface CoverageEraserTools {
  registry: SampleRegistry;
  cohorts: CohortRepository;
  tracks: Pick<TrackRepository, 'sweep'>;
  /** Kept reports; undefined if none is kept. */
  kept?: ReportRepository | undefined;
}

const clinical = 'the clinical record, of which reports are made';
const clinicalReports = 'the clinical record: what was reported';

export function coverageEraser({ registry, cohorts, tracks, kept }: CoverageEraserTools): Eraser {
  const { samples, transaction } = registry;

  /** The samples of this scope, and how many of them have values in the cohort of each build. */
  async function found(erasures: readonly Erasure[], scope: Erasure['scope']) {
    const own = erasuresById(erasures.filter((one) => one.scope === scope && concerns(one, 'sample')));
    const all = own.size === 0 ? [] : await samples.find([...own.keys()]);
    const registered = all.filter((one) => own.get(one.id)?.some((erasure) => reaches(erasure, revisionOf(one))));
    const ids = new Set(registered.map(({ id }) => id));
    const members: Erased[] = [];
    for (const build of ids.size === 0 ? [] : builds) {
      const state = await cohorts.state(build);
      const count = (state?.members ?? []).filter(({ sample }) => ids.has(sample)).length;
      members.push({ what: `samples of the cohort of ${build}`, count });
    }
    return { ids: [...ids], members, revisions: registered.map(revisionOf) };
  }

  async function find(erasures: readonly Erasure[]) {
    const [all, sharing] = [await found(erasures, 'all'), await found(erasures, 'sharing')];
    const reports = kept && (await reportsOfPerson(kept, erasures));
    const report: Erased[] = [
      { what: 'registered samples, with the regions that they cover', count: all.ids.length },
      ...all.members,
      ...sharing.members,
      { what: 'registered samples', count: sharing.ids.length, stays: clinical },
      ...(reports === undefined ? [] : [{ what: 'kept reports', count: reports.all.length }]),
      ...(reports === undefined ? [] : [{ what: 'kept reports', count: reports.sharing, stays: clinicalReports }]),
    ];
    return { all, sharing, report, reports: reports?.all ?? [] };
  }

  return {
    async related({ cases }) {
      if (cases.length === 0) return [];
      const ids: string[] = [];
      const wanted = new Set(cases);
      for await (const page of samplePages(samples)) {
        ids.push(...page.filter((one) => one.case !== undefined && wanted.has(one.case)).map(({ id }) => id));
      }
      return ids;
    },
    find: async (erasures) => (await find(erasures)).report,
    async revisions(erasures) {
      const { all, reports } = await find(erasures);
      return [...all.revisions, ...reports.map(reportRevision)];
    },
    async erase(erasures) {
      const { all, sharing, report, reports } = await find(erasures);
      if (reports.length > 0) await kept?.remove(reports.map(({ id }) => id));
      if (all.ids.length > 0) await removeSamples(registry, all.ids);
      if (sharing.ids.length > 0) {
        await transaction((scope) => scope.repository(coverageCohorts).remove(sharing.ids));
      }
      // Tracks of the samples are gone; also their blocks, those of an interrupted erasure included.
      await tracks.sweep(new Date(0));
      // Blocks of many samples have their values until they are overwritten, also those of an interrupted erasure.
      const { signal } = new AbortController();
      for (const build of builds) await arrangeCohort(cohorts, build, { signal });
      return report;
    },
  };
}

/** By the moment at which it was registered. */
function revisionOf({ id, registered }: RegisteredSample): Revision {
  return { name: `coverage ${JSON.stringify(id)} ${registered.toISOString()}`, stored: registered };
}

// The kept reports of people who are to be erased.

/** Reports that are read at once. */
const reportPortion = 500;

/** A report is about all of its samples: if one of them is erased, it is removed as a whole. */
export async function reportsOfPerson(
  repository: Pick<ReportRepository, 'list'>,
  erasures: readonly Erasure[],
): Promise<{ all: ReportMoment[]; sharing: number }> {
  const own = erasures.filter((one) => concerns(one, 'sample'));
  const found = { all: new Map<string, ReportMoment>(), sharing: new Map<string, ReportMoment>() };
  const ofPerson = erasuresById(own);
  const words = [...ofPerson.keys()].map((id) => searchWord('person', id));
  for (let after: KeptReport | undefined; words.length > 0; ) {
    const page = await repository.list({ words: [words], limit: reportPortion, ...(after && { after }) });
    for (const { report, words: has } of page) {
      for (const erasure of has.flatMap((one) => ofPerson.get(textOfWord('person', one) ?? '') ?? [])) {
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

function reportRevision({ id, made }: ReportMoment): Revision {
  return { name: `report ${id}`, stored: made };
}
