/** Matches of the demo patients with each other, as rows to try the pages with. */
import { demoOwner, matchmakerTriage } from '../contract.js';
import type { MatchmakerServices, Triage } from '../services.js';

/** Demo patients that are searched for. */
const searched = 8;

export async function addDemoRows(
  { patients, search, transaction }: Pick<MatchmakerServices, 'patients' | 'search' | 'transaction'>,
  { sightings }: Pick<Triage, 'sightings'>,
): Promise<void> {
  const { signal } = new AbortController();
  for (const own of await patients.patients({ owner: demoOwner, limit: searched })) {
    const { matches } = await search(own.patient, { asker: demoOwner, signal });
    const seen = sightings.here({ patient: own.patient, own, asker: demoOwner, matches });
    await transaction((scope) => scope.repository(matchmakerTriage).seen(seen));
  }
}
