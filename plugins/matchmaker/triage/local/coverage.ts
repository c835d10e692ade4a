/** Whether samples are covered at variants, as the coverage plugin knows it. */
import { isFault } from '../../../../core/plugin.js';
import type { CoveredAnswer } from '../../../services/coverage.js';
import type { LocalRequest, LocalTools, Looked } from './finding.js';
import { type LocalPlace, liftedPlace } from './places.js';

/** Places in one question. */
const mostPlaces = 10_000;

/** A variant with its bases, in its own build or lifted over to the other one. */
type Target = Looked & { at: Omit<LocalPlace, 'alleles'> };

/** Adds to each finding whether its sample is covered; samples of the other build are asked where the variant is there. */
export async function covers(tools: LocalTools, request: LocalRequest, all: readonly Looked[]): Promise<void> {
  await coversAt(
    tools,
    request,
    all.map((looked): Target => ({ ...looked, at: looked.place })),
  );
  const apart = all.filter(({ finding }) => finding.coverage?.reason === 'other-build');
  await coversAt(
    tools,
    request,
    apart.flatMap((looked): Target[] => {
      const at = liftedPlace(looked.place, tools.resources.lift);
      return at ? [{ ...looked, at }] : [];
    }),
  );
}

async function coversAt(
  { coverage, settings: { threshold }, log }: LocalTools,
  request: LocalRequest,
  all: readonly Target[],
): Promise<void> {
  if (coverage === undefined) return;
  for (const build of ['GRCh37', 'GRCh38'] as const) {
    const byPlace = new Map<string, { place: Target['at']; looked: Target[] }>();
    for (const looked of all) {
      if (looked.at.assembly !== build || looked.sample === undefined) continue;
      const key = JSON.stringify([looked.at.chromosome, looked.at.intervals]);
      const known = byPlace.get(key);
      if (known) known.looked.push(looked);
      else byPlace.set(key, { place: looked.at, looked: [looked] });
    }
    const places = [...byPlace.values()];
    for (let from = 0; from < places.length; from += mostPlaces) {
      const part = places.slice(from, from + mostPlaces);
      const samplesOf = (looked: readonly Looked[]) => [...new Set(looked.flatMap(({ sample }) => sample ?? []))];
      const question = {
        ...{ build, threshold, groups: [samplesOf(part.flatMap(({ looked }) => looked))] },
        places: part.map(({ place: { chromosome, intervals }, looked }) => {
          return { chromosome, intervals, named: samplesOf(looked) };
        }),
      };
      const asked = { principal: request.caller.principal, id: request.id };
      const answer = await coverage.covered(asked, question, request.signal).catch((error: unknown) => {
        if (!isFault(error) || error.code !== 'unavailable') throw error;
        log.warn({ reason: error.message }, 'the coverage of samples is unknown for now');
        return 'unavailable' as const;
      });
      if (answer === undefined) return;
      for (const [i, { looked }] of part.entries()) tell(looked, answer, i, threshold);
    }
  }
}

function tell(all: readonly Target[], answer: CoveredAnswer | 'unavailable', place: number, threshold: number): void {
  const below = new Set(answer === 'unavailable' ? [] : answer.places[place]?.below);
  const reasons = new Map(answer === 'unavailable' ? [] : answer.unknown.map(({ sample, reason }) => [sample, reason]));
  for (const { finding, sample = '', mayKnowLink, place: stated, at } of all) {
    const reason = answer === 'unavailable' ? answer : reasons.get(sample);
    // Of another client's patient not even that a sample is linked.
    if ((reason === 'unregistered' || reason === 'unavailable') && !mayKnowLink) continue;
    if (reason !== undefined) finding.coverage = { state: 'unknown', threshold, reason };
    else {
      const lifted = at.assembly === stated.assembly ? {} : { lifted: at.assembly };
      finding.coverage = { state: below.has(sample) ? 'not-covered' : 'covered', threshold, ...lifted };
    }
  }
}
