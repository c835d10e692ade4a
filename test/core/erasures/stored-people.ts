/** A person in every table that has data of people, for tests of what their columns declare. */
import { createHash } from 'node:crypto';
import { attachAudit } from '../../../core/audit/attach.js';
import { audit } from '../../../core/audit/contract.js';
import { sessions, tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import { tokenHolder } from '../../../core/policy/policy.js';
import type { Contract, Storage } from '../../../core/storage.js';
import {
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconProtection,
  type Search,
} from '../../../plugins/beacon/contract.js';
import { CohortRegions, layoutId } from '../../../plugins/coverage/cohorts/layout-regions.js';
import {
  type CohortLayout,
  coverageCohorts,
  coverageReports,
  coverageSamples,
  coverageTracks,
  type KeptFacts,
  trackChecksum,
} from '../../../plugins/coverage/contract.js';
import { searchWord } from '../../../plugins/coverage/report/kept/search.js';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerTriage,
  type Patient,
} from '../../../plugins/matchmaker/contract.js';
import { panels } from '../../../plugins/panels/contract.js';
import { type Baseline, type NewStatement, reviews } from '../../../plugins/reviews/contract.js';
import { breakend, called, dataset, small, structural } from '../../conformance/beacon/build.js';
import { block, check } from '../../conformance/coverage/registered.js';
import { facts } from '../../conformance/matchmaker/build.js';
import { sighting } from '../../conformance/matchmaker/triage.js';

/** Those whose tables have data of people. */
export const contractsWithPeople: readonly Contract[] = [
  ...[tokens, sessions, jobs, audit, erasures, beacon, beaconDepths, beaconConsequences, beaconProtection],
  ...[coverageSamples, coverageTracks, coverageCohorts, coverageReports],
  ...[matchmaker, matchmakerMatches, matchmakerNodes, matchmakerMail, matchmakerAudit, matchmakerTriage, panels],
  reviews,
];

export const auditKey = 'k'.repeat(32);

/** A person with ids that occur nowhere else, and someone who works with the person's data. */
export interface StoredPerson {
  /** Of the sample and of the patient. */
  id: string;
  /** In the id of the case, the path of the file, labels, notes. */
  word: string;
  /** Of the user: owner, actor, contact. */
  user: string;
  sex: 'female' | 'male';
  /** Distinguishes numbers: 1, 2 and so on. */
  place: number;
}

const at = (place: number) => new Date(Date.UTC(2026, 0, 1 + place));
const uuid = (place: number, kind: number) => `00000000-0000-4000-8000-${String(100 * place + kind).padStart(12, '0')}`;
/** Without regions: nothing is arranged. */
const regions = new CohortRegions(new Uint32Array(0), 0, 0).describe();
const layout: CohortLayout = { id: layoutId(regions, 'GRCh38', [10]), build: 'GRCh38', thresholds: [10], sets: 'sets' };

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
/** Samples that stay in the file of a person. */
const relatives = (place: number) => [`relative-${place}-1`, `relative-${place}-2`];
/** Of the registered sample, as the dataset states it. */
const depthId = (word: string) => `${word}-depth`;

async function* batch<Value>(...values: Value[]): AsyncGenerator<Value[]> {
  yield values;
}

/** What is there before any person: datasets, and a layout of cohorts. */
export async function storeSurroundings(storage: Storage): Promise<void> {
  for (const id of ['cardio', 'neuro']) {
    const more = { description: 'Hearts', externalUrl: 'https://example.org', access: 'CONTROLLED' } as const;
    await storage.repository(beacon).addDataset(dataset(id, more), at(0));
    await storage.repository(beacon).salt(id);
  }
  // With the alleles that they have, so that of them nothing is new but that they were named again.
  const samples = [1, 2].flatMap(relatives);
  const carriers = samples.map((_, i): [number, number] => [i, 1]);
  const facts = new Map(samples.map((name) => [name, { case: 'kin', coverageId: 'kin' }]));
  const alleles = batch(called(small('1', 7, 'G', 'T'), ...carriers));
  await storage.repository(beacon).importAlleles({ dataset: 'cardio', samples, alleles, facts }, at(0));
  await storage.repository(coverageCohorts).use(layout, regions);
}

export async function storePerson(storage: Storage, person: StoredPerson): Promise<void> {
  await inCore(storage, person);
  await inBeacon(storage, person);
  await inCoverage(storage, person);
  await inMatchmaker(storage, person);
  await inReviews(storage, person);
  const { user, place } = person;
  const step = { what: 'made', at: at(place), by: user, name: user, digest: 'a'.repeat(64) } as const;
  const content = JSON.stringify({ name: 'Kidney', genes: [], source: { kind: 'person', name: user } });
  await storage.repository(panels).add({
    ...{ panel: 'kidney', version: `${place}.0`, name: 'Kidney', state: 'draft', revision: 1, digest: 'a'.repeat(64) },
    ...{ genes: 0, unmapped: 0, history: [step], content, hgnc: [] },
  });
}

async function inReviews(storage: Storage, { id, word, user, place }: StoredPerson): Promise<void> {
  const repository = storage.repository(reviews);
  const one: NewStatement = {
    ...{ owner: user, case: `${word}-case`, revision: 1, build: 'GRCh38', panel: { panel: 'iem', version: '1' } },
    ...{ persons: [{ role: 'proband', isAffected: true, sample: id, sex: 'unknown' }], thresholds: [20] },
    ...{ releases: {}, terms: [], patient: id, conclusion: 'negative', alleles: [], reviewer: user },
    ...{ decided: at(place), recontact: 'yes' },
  };
  const baseline: Baseline = {
    ...{ taken: at(place), pathogenic: {}, passing: [], deNovo: [], trans: [], calls: { [id]: word }, coverage: {} },
    ...{ holes: [], recurrent: [], common: [], matches: [], terms: [] },
  };
  await repository.put(one, at(place));
  await repository.put({ ...one, revision: 2 }, at(place));
  await repository.takeBaseline(one, 2, baseline);
  const persons = [{ sample: id, role: 'proband', isAffected: true, copies: 1 }] as const;
  const evidence = { before: {}, now: {}, unknown: [] };
  const finding = { id: digestOf(`finding ${id}`), priority: 4, rests: digestOf(`rests ${place}`) };
  const computed = { ...finding, reason: 'panel', evidence: { ...evidence, persons } } as const;
  const found = { ...one, revision: 2, gathered: at(place), reasons: ['panel'] as const, findings: [computed] };
  await repository.replaceFindings([found], at(place));
  const decision = { outcome: 'no change', reason: `seen ${place}`, by: user, at: at(place) } as const;
  await repository.decide('finding', finding.id, 1, decision);
  const row = { subject: 'ABAT', release: `MANE ${place}`, cases: 1, panels: [], evidence, rests: `${place}` };
  const group = `group ${place}`;
  const kind = place === 1 ? 'hole' : 'name';
  await repository.replaceGroups(kind, [{ ...row, id: group, owner: user, kind }], at(place));
  await repository.decide('group', group, 1, decision);
  const held = { id: `panel iem@${place}`, owner: user, found: at(place), byReason: {}, cases: place, watched: 9 };
  await repository.hold(held);
  await repository.settle(held.id, { by: user, at: at(place) });
}

async function inCore(storage: Storage, { id, word, user, place }: StoredPerson): Promise<void> {
  const digest = digestOf(user);
  const created = at(place);
  await storage
    .repository(tokens)
    .add({ id: `token-${place}`, hash: digest, owner: user, scopes: ['beacon:read'], created });
  await storage.repository(sessions).add({
    ...{ id: `session-${place}`, hash: digest, issuer: 'https://login.example.org', subject: user, name: user },
    ...{ created, lastSeen: created, expires: new Date('2100-01-01T00:00:00Z'), sealed: `sealed ${place}` },
  });
  const queue = storage.repository(jobs);
  for (const end of ['done', 'failed', 'open']) {
    const job = `${end}-${place}`;
    const payload = { samples: [id, word] };
    const key = `beacon.load ${id} ${end}`;
    await queue.enqueue({ id: job, kind: `beacon.${job}`, payload, owner: user, created, runAfter: created, key });
    if (end === 'open') continue;
    await queue.claim({ kinds: [`beacon.${job}`], worker: job, now: created, leaseUntil: created });
    if (end === 'done') await queue.finish(job, job, { samples: [id, word] }, created);
    else await queue.fail(job, job, `The sample ${id} of ${word} is not there`, created);
  }
  const { audit: record } = attachAudit({ storage, settings: { key: auditKey, keepDays: 0 }, now: () => created });
  const about = [`sample:${id}`, `patient:${id}`, 'dataset:cardio'];
  const event = { action: 'beacon.query', about, because: 'API token', outcome: 'answered' };
  // A caller whose name is known before: the names of users stay.
  await record.record(tokenHolder('lab', []), { ...event, detail: { place } });
}

async function inBeacon(storage: Storage, { id, word, user, sex, place }: StoredPerson): Promise<void> {
  const repository = storage.repository(beacon);
  const others = relatives(place);
  const known = {
    ...{
      case: `${word}-case`,
      coverageId: depthId(word),
      sex,
      affected: true,
      labels: { run_date: `2026-01-0${place}` },
    },
    ...{ phenotypes: [{ id: `HP:000000${place}` }], diseases: [{ id: `OMIM:10000${place}` }] },
  };
  const own = new Map([[id, known]]);
  // The second person is the second of its file, so that what is stored is not the same.
  const alleles = batch(
    { ...called(small('1', 100 * place, 'A', 'C'), [place - 1, place]), fractions: [[place - 1, 10 * place]] },
    called(structural('3', 10_000 * place, 11_000 * place, 'DEL'), [place - 1, place]),
    called(breakend('2', 100 * place, 'G]17:5]', '17', 4), [place - 1, place]),
    { ...called(small('1', 7, 'G', 'T'), [2, 1]), uncalled: [place - 1] },
  );
  const searched = (): Search => ({ small: true, structural: true, skipped: { small: [place === 1 ? 'X' : 'Y'] } });
  // Of a sample alone, and of several.
  await repository.importAlleles(
    {
      dataset: 'neuro',
      samples: [id],
      alleles: batch(called(small('1', 100, 'A', 'C'), [0, 1])),
      facts: own,
      searched,
    },
    at(place),
  );
  // An allele of this person alone, of which something is known; something else waits to be published, and a load was killed.
  const rare = small('1', 100 * place, 'A', 'C');
  const consequences = storage.repository(beaconConsequences);
  const transcript = { choice: 'worst', terms: ['stop_gained'], protein: `p.Arg${place}Ter` } as const;
  const genes = [{ symbol: `GENE${place}`, transcripts: [transcript] }];
  const source = { annotator: 'VEP', version: 'v110', databases: {} } as const;
  for (const end of ['published', 'complete', 'killed'] as const) {
    const load = await consequences.begin('cardio', [id], at(place));
    await consequences.stage(load, [{ allele: rare, genes, source }], at(place));
    if (end !== 'killed') await consequences.complete(load);
    if (end === 'published') await consequences.publish('cardio', [load], at(place));
  }
  const samples = place === 1 ? [id, ...others] : [others[0] ?? '', id, others[1] ?? ''];
  await repository.importAlleles({ dataset: 'cardio', samples, alleles, facts: own }, at(place));
  const series = await repository.batches('cardio', 'series');
  await repository.addBatches('cardio', 'series', series.length, [[digestOf(id)]]);
  const depth = { chromosome: '1', start: 100, depth: place } as const;
  await storage.repository(beaconDepths).add('cardio', 'GRCh38', new Map([[id, [depth]]]));
  await storage.repository(beaconDepths).addPhases('cardio', new Map([[id, new Map([[place, 'cis']])]]));
  const protection = storage.repository(beaconProtection);
  const published = (await protection.published('cardio'))?.samples ?? [];
  const totals = { alleles: 1, calls: 1, samples: place };
  await protection.publish({ dataset: 'cardio', created: at(0), samples: [...published, id], totals }, at(place));
  const account = digestOf(user);
  const region = { contig: '1', first: 10 * place, last: 10 * place } as const;
  await protection.answer(
    { dataset: 'cardio', account, event: digestOf(`event ${id}`), carriers: [id], region },
    { allowed: { budget: 0.5, least: 1 }, people: 2, share: 0.5 },
    at(place),
  );
  await protection.count('cardio', [{ account, questions: 1, hits: 1 }]);
  const load = await protection.beginLoad({ dataset: 'cardio', created: at(0), samples }, at(place));
  const annotation = { genes, source };
  await protection.addToLoad(load, [{ ...called(rare, [samples.indexOf(id), 1]), annotation }]);
  await protection.addPhasesToLoad(load, new Map([[id, new Map([[place, 'cis']])]]));
  await protection.endLoad(load, searched());
}

async function inCoverage(storage: Storage, { word, user, sex, place }: StoredPerson): Promise<void> {
  const id = depthId(word);
  const samples = storage.repository(coverageSamples);
  await samples.register(
    [
      {
        ...{ id, build: 'GRCh38', file: { path: `/data/${word}.d4`, track: word }, case: `${word}-case`, sex },
        ...{
          analysed: `2026-01-0${place}`,
          labels: { assay: word },
          unique: { path: `/data/${word}.q20.d4`, quality: 20 },
        },
      },
    ],
    at(place),
  );
  for (const outcome of ['ready', 'failing'] as const) {
    const revision = (await samples.revisions([id]))[0]?.revision ?? '';
    const runs = [block('1', 0, 5, Uint8Array.of(place, 1))];
    const found = { ...check(1), sex, fingerprint: `fingerprint ${word}` };
    const reason = `The file ${word}.d4 is not there`;
    await samples.record(
      id,
      revision,
      outcome === 'ready' ? { state: outcome, check: found, runs } : { state: outcome, reason },
    );
    if (outcome === 'failing') break;
    const [own] = await samples.revisions([id]);
    if (own === undefined) throw new Error('the sample is not stored');
    await samples.note(own, 'calls', [{ other: own, figures: { dataset: word, outcome: 'fits', places: place } }]);
  }
  const tracks = storage.repository(coverageTracks);
  const track = `track-${place}`;
  await tracks.begin(
    { id: track, build: 'GRCh38', threshold: 10, members: [{ sample: id, revision: `${place}` }] },
    at(place),
  );
  const window = { chromosome: '1', start: 0, content: Uint8Array.of(place, 2) } as const;
  await tracks.add(track, [{ ...window, checksum: trackChecksum(window) }]);
  await tracks.publish(track, 2, []);
  const column = { part: -1, plane: 0, content: Uint8Array.of(place, 3) };
  const entry = { sample: id, source: `source of ${word}`, denominator: 100 + place, beyond: [], bytes: 2 };
  await storage.repository(coverageCohorts).add(layout.id, entry, [column]);
  const kept: KeptFacts = {
    ...{ software: '0.2.0', language: 'sv', page: 'report', by: user, build: 'GRCh38', level: 10, thresholds: [10] },
    ...{ sets: [], samples: [{ name: word, registration: id, file: `/data/${word}.d4` }], genes: 1, missing: 0 },
    ...{ shared: [], parts: {}, caseName: `${word}-case` },
  };
  await storage
    .repository(coverageReports)
    .keep(
      { id: `report-${place}`.padEnd(22, '-'), made: at(place), facts: kept },
      [searchWord('sample', word), searchWord('person', id)],
      { json: [Uint8Array.of(place, 4)] },
    );
}

async function inMatchmaker(storage: Storage, { id, word, user, place }: StoredPerson): Promise<void> {
  const patients = storage.repository(matchmaker);
  const contact = { name: user, href: `mailto:${user}@example.org` };
  const patient: Patient = { id, label: word, contact, features: [{ id: `HP:000000${place}` }] };
  await patients.addClient({ id: user, contact: contact.href, created: at(place) });
  const save = { patient, facts: facts(patient), writer: { owner: user, all: true }, at: at(place) };
  await patients.savePatients([save]);
  await patients.counts();
  const stored = await patients.patient(id);
  if (!stored) throw new Error('the patient is not stored');
  await storage.repository(matchmakerAudit).add([
    { at: at(place), actor: user, action: 'add', patient: id },
    { at: at(place), actor: user, action: 'match', patient: 'stranger', query: id, purpose: 'clinical' },
  ]);
  const peer = { id: `peer-${place}`, label: 'Peer' };
  await storage.repository(matchmakerNodes).add({
    ...{ ...peer, url: 'https://peer.example.org/match', contentType: 'application/json', contact: contact.href },
    ...{ token: { sealed: 'sealed' }, enabled: true, created: at(place) },
  });
  const stranger: Patient = { id: 'stranger', contact: { name: 'S', href: 'mailto:s@example.org' }, features: [] };
  const search = { type: 'internal', direction: 'incoming', matchedGenes: [], created: at(place) } as const;
  await storage.repository(matchmakerMatches).add(
    {
      ...{
        ...search,
        errors: [],
        id: uuid(place, 1),
        asker: user,
        number: stored.number,
        patient,
        key: `search-${place}`,
      },
      results: [{ node: peer, patients: [{ patient: stranger, score: { patient: 1 } }] }],
    },
    {
      ...{ ...search, errors: [], id: uuid(place, 2), asker: 'seqr', patient: stranger },
      results: [{ node: { id: 'trefoil', label: 'Trefoil' }, patients: [{ patient, score: { patient: 1 } }] }],
    },
  );
  const notice = { created: at(place), due: at(place), search: `search-${place}`, to: [`${user}@example.org`] };
  const told = { genes: [], terms: [] };
  await storage.repository(matchmakerMail).add([
    {
      ...{ ...notice, id: uuid(place, 3), patient: { id, label: word } },
      matches: [{ ...told, node: peer, patient: { id: 'stranger', contact: stranger.contact }, pair: uuid(place, 4) }],
    },
    {
      ...{ ...notice, id: uuid(place, 5), patient: { id: `other-${place}` } },
      matches: [{ ...told, node: { id: 'trefoil', label: 'Trefoil' }, patient: { id, contact }, pair: uuid(place, 6) }],
    },
  ]);
  const [failing] = await storage.repository(matchmakerMail).due(at(place + 1), 1);
  if (failing) await storage.repository(matchmakerMail).failed([failing.id], 'The mail server is away', at(place));
  await storage.repository(matchmakerNodes).owe([peer.id], stored);
  const triage = storage.repository(matchmakerTriage);
  const own = { submission: stored.number, owner: user, own: [id, word] };
  await triage.seen([
    sighting(10 * place + 1, `counterpart-${place}`, place, own),
    sighting(10 * place + 2, id, place, {
      ...{ submission: 1000 + place, owner: 'seqr', own: ['stranger'], node: { id: 'trefoil', label: 'Trefoil' } },
      contact,
    }),
  ]);
  const note = { at: at(place), by: user, what: 'note', text: `Of ${word}` } as const;
  for (const { id: row, revision } of await triage.rows(stored.number)) {
    await triage.change(row, revision, { status: 'contacted', assignee: user, history: [note] });
  }
  await triage.note(stored.number, note);
  await triage.visit(user, stored.number, at(place));
}
