/** A service of callability that looks at the depth of every base of every sample, one by one. */
import { Fault } from '../../../../core/fault.js';
import type { Contig } from '../../../../plugins/beacon/contract.js';
import type { RegisteredSex } from '../../../../plugins/beacon/counts/population.js';
import type { CallabilityService, CoveredQuestion, QuestionedSamples } from '../../../../plugins/services/coverage.js';

/** Reads at a zero-based position of a registered sample. */
export type DepthAt = (sample: string, contig: Contig, position: number) => number;

export interface Registered {
  /** Samples that are not in it are not registered. */
  sexes: ReadonlyMap<string, RegisteredSex>;
  depthAt: DepthAt;
}

export interface Asked extends CallabilityService {
  /** The questions so far. */
  readonly questions: CoveredQuestion[];
}

export function countingBases({ sexes, depthAt }: Registered): Asked {
  const questions: CoveredQuestion[] = [];
  return {
    questions,
    async covered(question) {
      questions.push(question);
      const { groups, places, threshold } = question;
      const ids = groups.flat();
      const members = new Set(ids);
      const wrong = places.some(({ intervals, named = [] }) => {
        const order = intervals.flatMap(({ start, end }) => [start, end]);
        return order.some((at, i) => i > 0 && at <= (order[i - 1] as number)) || named.some((id) => !members.has(id));
      });
      if (wrong || new Set(ids).size < ids.length || places.length > 10_000)
        throw new Fault('invalid', 'No such question');
      const coveredAt = ({ chromosome, intervals }: CoveredQuestion['places'][number], id: string) =>
        intervals.every(({ start, end }) => {
          for (let at = start; at < end; at++) if (depthAt(id, chromosome, at) < threshold) return false;
          return true;
        });
      return {
        unknown: ids.filter((id) => !sexes.has(id)).map((sample) => ({ sample, reason: 'unregistered' as const })),
        places: places.map((place) => ({
          covered: groups.map((group) => group.filter((id) => sexes.has(id) && coveredAt(place, id)).length),
          below: (place.named ?? []).filter((id) => sexes.has(id) && !coveredAt(place, id)),
        })),
      };
    },
    sexes: async (samples) => samples.map((id) => sexes.get(id) ?? 'unknown'),
  };
}

/** The same of samples by number. */
export function countingNumbers({ sexes, depthAt }: Registered): NonNullable<CallabilityService['numbered']> {
  return ({ groups, threshold }: QuestionedSamples) => {
    const ids = groups.flat();
    return {
      async covered({ chromosomes, starts, ends, named, namedFrom }) {
        const isCovered = (place: number, id: string) => {
          for (let at = starts[place] as number; at < (ends[place] as number); at++) {
            if (depthAt(id, chromosomes[place] as Contig, at) < threshold) return false;
          }
          return sexes.has(id);
        };
        const below = [...named].map((number, i) => {
          const id = ids[number] as string;
          const place = chromosomes.findIndex((_, n) => i < (namedFrom[n + 1] as number));
          return Number(sexes.has(id) && !isCovered(place, id));
        });
        return {
          unknown: ids.flatMap((id, sample) => (sexes.has(id) ? [] : [{ sample, reason: 'unregistered' as const }])),
          covered: Uint32Array.from(
            chromosomes.flatMap((_, place) => groups.map((own) => own.filter((id) => isCovered(place, id)).length)),
          ),
          below: Uint8Array.from(below),
        };
      },
    };
  };
}
