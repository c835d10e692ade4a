/** Questions about samples by number, also to a service that knows ids alone. */
import type {
  CallabilityService,
  CoveredPlace,
  NumberedAnswer,
  NumberedCallability,
  NumberedQuestion,
  QuestionedSamples,
} from '../../services/coverage.js';

export function numberedCallability(service: CallabilityService, samples: QuestionedSamples): NumberedCallability {
  return service.numbered?.(samples) ?? byIds(service, samples);
}

function byIds(service: CallabilityService, samples: QuestionedSamples): NumberedCallability {
  const ids = samples.groups.flat();
  const numbers = new Map(ids.map((id, number) => [id, number]));
  return {
    async covered(question, signal) {
      const { named, namedFrom } = question;
      const places = placesOf(question, ids);
      const answer = await service.covered({ ...samples, places }, signal);
      const below = new Uint8Array(named.length);
      const covered = new Uint32Array(places.length * samples.groups.length);
      for (const [place, found] of answer.places.entries()) {
        covered.set(found.covered, place * samples.groups.length);
        if (found.below.length === 0) continue;
        const those = new Set(found.below);
        for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
          if (those.has(ids[named[i] as number] as string)) below[i] = 1;
        }
      }
      const unknown = answer.unknown.flatMap(({ sample, reason }): NumberedAnswer['unknown'] => {
        const number = numbers.get(sample);
        return number === undefined ? [] : [{ sample: number, reason }];
      });
      return { unknown: unknown.sort((one, other) => one.sample - other.sample), covered, below };
    },
  };
}

/** Each sample that is named at a place is named once. */
function placesOf(
  { chromosomes, starts, ends, named, namedFrom }: NumberedQuestion,
  ids: readonly string[],
): CoveredPlace[] {
  return chromosomes.map((chromosome, place) => {
    const intervals = [{ start: starts[place] as number, end: ends[place] as number }];
    const those = new Set(named.subarray(namedFrom[place], namedFrom[place + 1]));
    if (those.size === 0) return { chromosome, intervals };
    return { chromosome, intervals, named: Array.from(those, (number) => ids[number] as string) };
  });
}
