/** The matchmaker's contracts on SQL are what their references above tables are, after any history. */
import {
  type Changes,
  type Foreign,
  type KeptQuery,
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerTriage,
  type NewMatch,
  type NodeRepository,
  type Patient,
  type PeerNode,
  type QueriesOf,
  type Saved,
  type Sighting,
  type StoredPatient,
  type TriageEntry,
  type TriageRepository,
  type TriageWork,
  triageStatuses,
} from '../../../plugins/matchmaker/contract.js';
import type { Random } from '../../conformance/core.js';
import { ada, at, bob, facts, root, save } from '../../conformance/matchmaker/build.js';
import { type Compared, historyOf, nth } from './support/calls.js';
import { describeHistories, nasty } from './support/history.js';

/** An empty text, too. */
const words = [...nasty, ''];
const word = (random: Random) => random.pick(words);
const soon = (random: Random) => at(random.int(0, 4));
const maybe = <Value>(random: Random, value: (random: Random) => Value) =>
  random.chance(0.4) ? value(random) : undefined;

const nodes: Compared<NodeRepository> = {
  contract: matchmakerNodes,
  calls(random, call) {
    const ids = random.shuffled(words).slice(0, 3);
    const id = () => random.pick(ids);
    const question = () => ({ number: random.int(1, 2), version: random.int(1, 3) });
    const node = (): PeerNode => ({
      ...{ id: id(), label: word(random), url: word(random), contentType: word(random), enabled: random.chance(0.4) },
      token: random.pick([{ sealed: word(random) }, { file: word(random) }]),
      created: soon(random),
      ...optional({ contact: maybe(random, word), quirks: maybe(random, () => random.list(0, 2, () => word(random))) }),
    });
    const looks = [call('nodes'), ...ids.map((one) => call('owed', one, 10, at(9)))];
    const any = [
      () => call('add', node()),
      () => call('add', node()),
      () => call('replace', node()),
      () => call('remove', id()),
      () => call('connected'),
      () => call('noteSuccess', id(), soon(random)),
      () =>
        call('noteFailure', id(), {
          ...{ reason: word(random), at: soon(random), failures: random.int(0, 3), retryAt: maybe(random, soon) },
        }),
      () => call('answered', id(), question()),
      () => call('answered', id(), question()),
      () => call('owe', random.some(ids), question(), maybe(random, soon)),
      () => call('owe', random.some(ids), question(), maybe(random, soon)),
      () => call('owed', id(), random.int(0, 3), soon(random)),
      () => call('settle', id(), question()),
      () => call('forget', random.int(1, 2)),
    ];
    return { any, looks };
  },
};

const patients: Compared<MatchmakerRepository> = {
  contract: matchmaker,
  calls(random, call) {
    const ids = random.shuffled(words).slice(0, 4);
    const hrefs = random.shuffled(words).slice(0, 3);
    const contact = () => ({ name: word(random), href: random.pick(hrefs) });
    const number = () => nth(random.int(0, 5), 'patient');
    const writer = () => random.pick([ada, ada, bob, root]);
    const known = () =>
      optional({
        label: maybe(random, () => random.pick(hrefs)),
        features: maybe(random, () => random.list(0, 3, () => ({ id: random.pick(ids) }))),
        disorders: maybe(random, () => [{ id: 'MIM:1', label: word(random) }]),
        genomicFeatures: maybe(random, () =>
          random.list(0, 2, () => ({
            gene: { id: random.pick(ids) },
            ...optional({ variant: maybe(random, () => ({ assembly: 'GRCh37', referenceName: random.pick(ids) })) }),
          })),
        ),
        _own: maybe(random, () => ({ z: [null, 1.5, word(random)], a: {} })),
      });
    const one = (id: string): Patient => ({ id, contact: contact(), ...known() });
    // In the order of ids: which of patients that are added together gets the lower number is not promised.
    const saves = () =>
      random
        .some(ids)
        .sort()
        .map((id) => save(one(id), random.int(0, 4), writer()));
    const withFacts = () => ({ number: number(), version: random.int(1, 2), facts: facts(one('x')) });
    const owners = () => random.some(['ada', 'bob', 'Ada']);
    const page = () =>
      optional({
        owner: maybe(random, () => random.pick(['ada', 'bob', 'x'])),
        label: maybe(random, () => random.pick(hrefs)),
        after: maybe(random, number),
      });
    const looks = [call('patients', { limit: 9 }), call('counts'), call('recount'), call('contacts')];
    const any = [
      () => call('savePatients', saves()),
      () => call('savePatients', saves()),
      () => call('savePatients', saves()),
      () => call('removePatient', random.pick(ids), writer()),
      () => call('patient', random.pick(ids), maybe(random, owners)),
      () => call('held', number()),
      () => call('patientsById', random.some(ids)),
      () =>
        call(
          'patientsByNumber',
          [0, 2, 4].map((place) => nth(place, 'patient')),
        ),
      () => call('patients', { ...page(), limit: random.int(0, 3) }),
      () => call('changesSince', 0),
      () => call('changesSince', nth(random.int(0, 3), 'revision')),
      () => call('replaceFacts', random.list(0, 2, withFacts)),
      () => call('replaceContact', random.pick(hrefs), contact(), word(random), soon(random)),
      () =>
        call('addClient', { id: random.pick(ids), created: soon(random), ...optional({ url: maybe(random, word) }) }),
      () =>
        call('addClient', { id: word(random), created: soon(random), ...optional({ contact: maybe(random, word) }) }),
      () => call('clients'),
      () => call('removeClient', random.pick(ids)),
    ];
    return { any, looks };
  },
  view(result, verb, numbers) {
    const place = (number: number) => numbers.place(number, 'patient');
    const own = <Stored extends { number: number }>(stored: Stored) => ({ ...stored, number: place(stored.number) });
    const byId = (one: StoredPatient, other: StoredPatient) => (one.patient.id < other.patient.id ? -1 : 1);
    if (verb === 'savePatients') {
      return (result as (Saved | Foreign)[]).map((one) =>
        'stored' in one ? { ...one, stored: own(one.stored) } : one,
      );
    }
    if (verb === 'changesSince') {
      // Several changes of a patient may be one, and the parts of a state come in any order.
      const batches = result as Changes[];
      const last = batches.at(-1);
      return {
        saved: batches
          .flatMap(({ saved }) => saved)
          .sort(byId)
          .map(own),
        removed: batches.flatMap(({ removed }) => removed.map(place)).sort(),
        revision: last && numbers.place(last.revision, 'revision'),
      };
    }
    if (verb === 'patientsById' || verb === 'patientsByNumber') return (result as StoredPatient[]).sort(byId).map(own);
    if (verb === 'patients') return (result as StoredPatient[]).map(own);
    const isOne = verb === 'patient' || verb === 'held' || verb === 'removePatient';
    return isOne && result !== undefined ? own(result as StoredPatient) : result;
  },
};

const matches: Compared<MatchRepository> = {
  contract: matchmakerMatches,
  calls(random, call) {
    const ids = random.shuffled(words).slice(0, 3);
    const id = () => random.pick(ids);
    const asker = () => random.pick(['ada', 'bob']);
    const node = () => ({ id: random.pick(['trefoil', ids[0] ?? '']), label: word(random) });
    const found = () => ({
      patient: { id: id(), contact: { name: 'x', href: 'x' }, ...optional({ label: maybe(random, id) }) },
      score: { patient: random.pick([0, 0.5, 1]), _why: [null, word(random)] },
    });
    let made = 0;
    // Searches with keys free the ids of those that they replace: which of several in one call comes first is not promised.
    const named = () => {
      const key = maybe(random, id);
      made += 1;
      return key === undefined ? { id: `r${random.int(1, 90)}` } : { id: `k${made}`, key };
    };
    const record = (): NewMatch => ({
      ...named(),
      created: soon(random),
      type: random.chance(0.7) ? 'internal' : 'external',
      direction: random.chance(0.7) ? 'incoming' : 'outgoing',
      asker: asker(),
      patient: found().patient,
      results: random.list(0, 2, () => ({ node: node(), patients: random.list(0, 3, found) })),
      errors: random.chance(0.3) ? [{ node: node(), error: word(random) }] : [],
      matchedGenes: random.some(ids),
      ...optional({
        number: maybe(random, () => random.int(1, 2)),
        alsoSharing: maybe(random, () => random.int(0, 2)),
      }),
    });
    const only = (): QueriesOf =>
      random.pick<QueriesOf>([
        { asker: asker(), ...optional({ number: maybe(random, () => random.int(1, 2)) }) },
        { stored: true, ...optional({ asker: maybe(random, asker) }) },
        { stored: false, asker: asker() },
      ]);
    const number = () => nth(random.int(0, 6), 'record');
    const page = () =>
      optional({
        asker: maybe(random, asker),
        after: maybe(random, () => ({ created: soon(random), number: number() })),
      });
    const numbers = [0, 1, 2, 3, 4, 5].map((place) => nth(place, 'record'));
    const looks = [
      ...ids.map((patient) => call('matches', { patient, limit: 50 })),
      ...[call('counts'), call('asked'), call('latestQueries'), call('queries', numbers, id())],
    ];
    const any = [
      () => call('add', ...random.list(0, 4, record)),
      () => call('add', record(), record()),
      () => call('add', record()),
      () => call('matches', { patient: id(), limit: random.int(0, 2), ...page() }),
      () => call('removeQueries', id(), maybe(random, only)),
      () =>
        call(
          'scrub',
          id(),
          maybe(random, () => node().id),
        ),
      () => call('queries', random.some(numbers), maybe(random, id)),
      () => call('expire', soon(random)),
    ];
    return { any, looks };
  },
  view(result, verb, numbers) {
    const place = (number: number) => numbers.place(number, 'record');
    if (verb === 'latestQueries') return (result as number[]).sort((one, other) => one - other).map(place);
    if (verb === 'matches') {
      const { records, next } = result as Awaited<ReturnType<MatchRepository['matches']>>;
      return { records, next: next && { ...next, number: place(next.number) } };
    }
    if (verb !== 'queries') return result;
    return (result as KeptQuery[])
      .sort((one, other) => one.number - other.number)
      .map(({ number, findings, ...query }) => ({
        ...query,
        number: place(number),
        findings: findings?.map(({ record, patient }) => ({ record: place(record), patient })),
      }));
  },
};

const triage: Compared<TriageRepository> = {
  contract: matchmakerTriage,
  calls(random, call) {
    const ids = random.shuffled(words).slice(0, 4);
    const patient = () => random.pick(ids);
    const person = () => random.pick(['ann', 'Ann', 'bo']);
    const node = () => random.pick(ids.slice(0, 2));
    const submission = () => random.int(1, 3);
    let made = 0;
    const row = () => `row ${random.int(1, Math.max(made, 1))}`;
    const score = () => ({ patient: random.pick([0, 0.5, 1]), ...optional({ genotype: maybe(random, () => 0.25) }) });
    const look = () => at(random.int(0, 8) * 600);
    const sightingOf = (number: number, mate: string): Sighting => ({
      ...{ id: `row ${++made}`, at: look(), submission: number, owner: number === 1 ? 'ada' : 'bob' },
      ...{ own: [`P-${number}`], node: { id: node(), label: word(random) }, patient: mate, score: score() },
      contact: { name: word(random), href: 'x', ...optional({ email: maybe(random, () => ['A@b', word(random)]) }) },
      ...{ genes: random.some(ids), terms: [word(random)], stated: [{ gene: 'G', zygosity: 1 }] },
      ...{ content: random.pick(['c', 'C']), direction: random.pick(['found', 'asked'] as const) },
      ...optional({ purpose: maybe(random, () => 'research' as const) }),
    });
    const search = () => {
      const number = submission();
      return random.some(ids).map((mate) => sightingOf(number, mate));
    };
    const entry = (): TriageEntry => ({ at: look(), by: person(), what: 'note', text: word(random) });
    const work = (): TriageWork => ({
      status: random.pick(triageStatuses),
      history: random.list(0, 2, entry),
      ...optional({
        assignee: maybe(random, person),
        draft: maybe(random, () => ({ subject: 's', text: word(random) })),
      }),
    });
    const page = () =>
      optional({
        owners: maybe(random, () => random.some(['ada', 'bob', 'Ada'])),
        text: maybe(random, () => random.pick([...words, 'ROW', 'p-1', 'a@B', '\n'])),
        status: maybe(random, () => random.pick(triageStatuses)),
        assignee: maybe(random, person),
        node: maybe(random, node),
        since: maybe(random, look),
        after: maybe(random, () => ({ last: look(), submission: submission() })),
      });
    const looks = [
      ...[1, 2, 3].flatMap((number) => [call('rows', number), call('notes', number)]),
      call('submissions', { limit: 9 }, 'ann'),
    ];
    const any = [
      () => call('seen', search()),
      () => call('seen', search()),
      () => call('seen', [...search(), ...search()]),
      () => call('row', row()),
      () =>
        call(
          'rowsAbout',
          patient(),
          maybe(random, () => random.some(ids.slice(0, 2))),
        ),
      () => call('submissions', { limit: random.int(0, 3), ...page() }, person()),
      () => call('submissions', { limit: 9, ...page() }, person()),
      () => call('summaries', random.some([1, 2, 3, 4]), person()),
      () => call('change', row(), random.int(1, 2), work()),
      () => call('change', row(), 1, work()),
      () => call('note', submission(), entry()),
      () => call('visit', person(), submission(), look()),
      () => call('visit', person(), submission(), look()),
      () => call('expire', look()),
      () =>
        call('forget', {
          patient: maybe(random, patient),
          ...{ nodes: maybe(random, () => [node()]), submission: random.chance(0.1) ? submission() : undefined },
        }),
    ];
    return { any, looks };
  },
  view(result, verb) {
    if (verb !== 'summaries') return result;
    return (result as { submission: number }[]).sort((one, other) => one.submission - other.submission);
  },
};

/** Without members that are undefined. */
function optional<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

describeHistories(historyOf(nodes));
describeHistories(historyOf(patients));
describeHistories(historyOf(matches));
describeHistories(historyOf(triage));
