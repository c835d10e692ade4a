/** The erasure of people from the registered samples, the cohorts and the kept reports. */
import { type ErasedPeople, type Eraser, type Erasure, eraserOf, peopleOf, type Revision } from '../../core/plugin.js';
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

  async function registered(people: ErasedPeople): Promise<RegisteredSample[]> {
    const all = people.ids.length === 0 ? [] : await samples.find(people.ids);
    return all.filter((one) => people.reach(one.id, revisionOf(one)));
  }

  /** How many of them have values in the cohort of each build. */
  async function members(of: readonly RegisteredSample[]) {
    const ids = new Set(of.map(idOf));
    const states = await Promise.all((ids.size === 0 ? [] : builds).map((build) => cohorts.state(build)));
    return states.map((state, i) => ({
      what: `samples of the cohort of ${builds[i]}`,
      count: (state?.members ?? []).filter(({ sample }) => ids.has(sample)).length,
    }));
  }

  return eraserOf(
    async (erasures) => {
      const all = await registered(peopleOf(erasures, 'sample', 'all'));
      const sharing = await registered(peopleOf(erasures, 'sample', 'sharing'));
      const reports = kept && (await reportsOfPerson(kept, erasures));
      return {
        found: [
          { what: 'registered samples, with the regions that they cover', count: all.length },
          ...(await members(all)),
          ...(await members(sharing)),
          { what: 'registered samples', count: sharing.length, stays: clinical },
          ...(reports === undefined ? [] : [{ what: 'kept reports', count: reports.all.length }]),
          ...(reports === undefined ? [] : [{ what: 'kept reports', count: reports.sharing, stays: clinicalReports }]),
        ],
        revisions: [...all.map(revisionOf), ...(reports?.all ?? []).map(reportRevision)],
        async erase() {
          if (reports && reports.all.length > 0) await kept?.remove(reports.all.map(idOf));
          if (all.length > 0) await removeSamples(registry, all.map(idOf));
          if (sharing.length > 0) {
            await transaction((scope) => scope.repository(coverageCohorts).remove(sharing.map(idOf)));
          }
          // Tracks of the samples are gone; also their blocks, those of an interrupted erasure included.
          await tracks.sweep(new Date(0));
          // Blocks of many samples have their values until they are overwritten, also those of an interrupted erasure.
          const { signal } = new AbortController();
          for (const build of builds) await arrangeCohort(cohorts, build, { signal });
          return undefined;
        },
      };
    },
    async ({ cases }) => {
      if (cases.length === 0) return [];
      const ids: string[] = [];
      const wanted = new Set(cases);
      for await (const page of samplePages(samples)) {
        ids.push(...page.filter((one) => one.case !== undefined && wanted.has(one.case)).map(({ id }) => id));
      }
      return ids;
    },
  );
}

function idOf({ id }: { id: string }): string {
  return id;
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
  const people = { all: peopleOf(erasures, 'sample', 'all'), sharing: peopleOf(erasures, 'sample', 'sharing') };
  const found = { all: [] as ReportMoment[], sharing: 0 };
  const words = [...people.all.ids, ...people.sharing.ids].map((id) => searchWord('person', id));
  for (let after: KeptReport | undefined; words.length > 0; ) {
    const page = await repository.list({ words: [words], limit: reportPortion, ...(after && { after }) });
    for (const { report, words: has } of page) {
      const ids = has.flatMap((word) => textOfWord('person', word) ?? []);
      const reachedBy = (scope: Erasure['scope']) => ids.some((id) => people[scope].reach(id, reportRevision(report)));
      if (reachedBy('all')) found.all.push({ id: report.id, made: report.made });
      else if (reachedBy('sharing')) found.sharing += 1;
    }
    after = page.at(-1)?.report;
    if (after === undefined) break;
  }
  return found;
}

type ReportMoment = Pick<KeptReport, 'id' | 'made'>;

function reportRevision({ id, made }: ReportMoment): Revision {
  return { name: `report ${id}`, stored: made };
}
