/** Whether the assay of a sample usually covers a site: a hole of the assay, or of this sample. */
import { isFault } from '../../../core/plugin.js';
import type { CoveredPlace, CoveredQuestion } from '../../services/coverage.js';
import type { Callability } from '../callability/callability.js';
import { mostPlaces, mostSamples } from '../callability/question.js';
import { type Member, membersFor } from '../comparison/cohort.js';
import { leastForPercentiles } from '../comparison/statement.js';
import type { Build } from '../contract.js';
import { dependsOnSex } from '../domain/expected-copies.js';
import type { Region } from '../domain/region.js';

/** Samples, without the one that is compared, of which it is known whether they cover the site, and those that do. */
export interface Usual {
  n: number;
  covered: number;
}

/** Share of samples below which a site is usually not covered. */
const usualShare = 0.5;

/**
 * - `assay`: fewer than half of the other samples cover the site;
 * - `sample`: half of them or more do;
 * - `few`: there are too few other samples to say.
 */
export type HoleKind = 'assay' | 'sample' | 'few';

export function holeOf({ n, covered }: Usual): HoleKind {
  if (n < leastForPercentiles) return 'few';
  return covered < usualShare * n ? 'assay' : 'sample';
}

export interface UsualQuestion {
  build: Build;
  /** Reads. */
  threshold: number;
  /** All registered samples of the build. */
  members: readonly Member[];
  /** Ids of the compared samples. */
  samples: readonly string[];
  /** Whether samples of all assays are compared. */
  isPooled: boolean;
  /** At most 10,000; others are not compared. */
  regions: readonly Region[];
}

export interface UsualAnswer {
  /** For each compared sample, by id: what is known at each region; undefined where nothing is. */
  at: ReadonlyMap<string, readonly (Usual | undefined)[]>;
  /** Present if some of the other samples do not count because it is not stored what they cover at the threshold. */
  notStored?: NotStored;
}

/** Of the samples with which one or more of a report are compared. */
export interface NotStored {
  /** Those of which it is not stored what they cover at the threshold. */
  samples: number;
  /** All of them. */
  of: number;
}

const nothingKnown: UsualAnswer = { at: new Map() };

/** Members of one assay and sex are counted together. */
interface Group {
  assay: string;
  sex: Member['sex'];
  ids: string[];
}

export async function usualAt(
  callability: Pick<Callability, 'coveredNow'>,
  { build, threshold, members, samples, isPooled, regions }: UsualQuestion,
  signal: AbortSignal,
): Promise<UsualAnswer> {
  const named = new Set(samples);
  const own = members.filter(({ id }) => named.has(id));
  const cohorts = own.flatMap((member) => {
    const others = membersFor(member, members, isPooled);
    if (others === undefined) return [];
    const assays = new Set([...others, member].flatMap(({ assay }) => assay ?? []));
    return [{ member, assays }];
  });
  const compares = new Set(cohorts.flatMap(({ assays }) => [...assays]));
  const byAssayAndSex = new Map<string, Group>();
  for (const { id, assay, sex } of members) {
    if (assay === undefined || !compares.has(assay)) continue;
    const key = `${sex} ${assay}`;
    const group = byAssayAndSex.get(key);
    if (group === undefined) byAssayAndSex.set(key, { assay, sex, ids: [id] });
    else group.ids.push(id);
  }
  const groups = [...byAssayAndSex.values()];
  const count = groups.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count === 0 || count > mostSamples) return nothingKnown;
  const counted = new Set(groups.flatMap(({ ids }) => ids));
  const compared = cohorts.flatMap(({ member: { id } }) => (counted.has(id) ? [id] : []));
  const places = regions.slice(0, mostPlaces).map(({ chromosome, start, end }): CoveredPlace => {
    return { chromosome: chromosome as CoveredPlace['chromosome'], intervals: [{ start, end }], named: compared };
  });
  const question: CoveredQuestion = { build, threshold, groups: groups.map(({ ids }) => ids), places };
  const answer = await callability.coveredNow(question, signal).catch((error: unknown) => {
    // The registered samples change at this moment: nothing is said of the assay.
    if (isFault(error) && error.code === 'unavailable') return undefined;
    throw error;
  });
  if (answer === undefined) return nothingKnown;
  const unknown = new Set(answer.unknown.map(({ sample }) => sample));
  const known = groups.map(({ ids }) => ids.filter((id) => !unknown.has(id)).length);
  const at = new Map(
    cohorts.map(({ member, assays }) => {
      const isKnown = counted.has(member.id) && !unknown.has(member.id);
      const found = answer.places.map(({ covered, below }, i): Usual | undefined => {
        const isOfOneSex = dependsOnSex([regions[i] as Region], build);
        if (isOfOneSex && member.sex === 'unknown') return undefined;
        let [n, others] = isKnown ? [-1, below.includes(member.id) ? 0 : -1] : [0, 0];
        for (const [g, { assay, sex }] of groups.entries()) {
          if (!assays.has(assay) || (isOfOneSex && sex !== member.sex)) continue;
          n += known[g] as number;
          others += covered[g] as number;
        }
        return n === 0 ? undefined : { n, covered: others };
      });
      return [member.id, found] as const;
    }),
  );
  const others = new Set(
    cohorts.flatMap(({ member }) => membersFor(member, members, isPooled) ?? []).map(({ id }) => id),
  );
  const notStored = answer.unknown.filter(({ sample, reason }) => reason === 'other-threshold' && others.has(sample));
  return { at, ...(notStored.length > 0 && { notStored: { samples: notStored.length, of: others.size } }) };
}
