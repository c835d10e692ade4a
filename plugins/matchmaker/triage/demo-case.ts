/** The patient of a made-up case of the demo of reviews, and later the match that it gets. */
import { demoOwner, matchmakerTriage } from '../contract.js';
import { importPatients } from '../patients/lists.js';
import type { MatchmakerServices, Triage } from '../services.js';

const ownId = 'reviews-demo-3';

const patient = (id: string) => ({
  ...{ id, label: `made-up ${id}`, test: true, species: 'NCBITaxon:9606' },
  contact: { name: 'Trefoil demo', href: 'mailto:demo@example.org', institution: 'Nowhere General (made up)' },
  features: [
    { id: 'HP:0001889', observed: 'yes' },
    { id: 'HP:0001250', observed: 'yes' },
  ],
  genomicFeatures: [{ gene: { id: 'SLC46A1' } }],
});

/** A repetition changes nothing. */
export async function followDemo(services: MatchmakerServices, triage: Triage, step: string): Promise<void> {
  const id = step === 'cases' ? ownId : step === 'news' ? 'reviews-demo-match' : undefined;
  if (id === undefined) return;
  await services.loaded();
  const submitter = { owner: demoOwner, all: false, by: { owner: demoOwner } };
  const options = { ...services, resources: services.resources(), afterSave: [] };
  await importPatients(options, [patient(id)], submitter);
  if (step === 'cases') return;
  const own = await services.patients.patient(ownId, [demoOwner]);
  if (own === undefined) return;
  await services.searchable();
  const { signal } = new AbortController();
  const { matches } = await services.search(own.patient, { asker: demoOwner, signal });
  const about = matches.filter((match) => match.patient.id === id);
  const seen = triage.sightings.here({ patient: own.patient, own, asker: demoOwner, matches: about });
  await services.transaction((scope) => scope.repository(matchmakerTriage).seen(seen));
}
