/**
 * Patients that searches found are stored once for the records with the same form of them, as long as there is one. The
 * model keeps every record as a whole.
 */
import { expect } from 'chai';
import type { Storage } from '../../../core/storage.js';
import {
  type MatchRecord,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type Patient,
} from '../../../plugins/matchmaker/contract.js';
import { Random } from '../../conformance/core/random.js';
import { runSql, selectNumber } from '../../support/sql.js';
import { storages } from '../../support/storages.js';
import { useHome } from './support/home.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 15) + second * 1000);
const longAgo = 'update matchmaker_matches_patients set seen = 0';

function patient(id: string, label: string): Patient {
  return { id, label, contact: { name: 'Dr. Who', href: 'mailto:who@example.org' }, features: [{ id: 'HP:0000252' }] };
}

let made = 0;

/** A search that found patients, `A/new` for A with the label `new`, on each node. */
function search(query: string, nodes: Readonly<Record<string, readonly string[]>>, second = ++made): NewMatch {
  made += 1;
  return {
    id: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    created: at(second),
    type: 'internal',
    direction: 'incoming',
    asker: 'ada',
    patient: patient(query, 'query'),
    results: Object.entries(nodes).map(([id, found]) => ({
      node: { id, label: id },
      patients: found.map((one, i) => {
        const [name = '', label = ''] = one.split('/');
        return { patient: patient(name, label), score: { patient: 1 / (i + 1), _matchedFeatures: [{ of: name }] } };
      }),
    })),
    errors: [],
    matchedGenes: [],
  };
}

function recordOf({ matchedGenes: _, ...record }: NewMatch): MatchRecord {
  return record;
}

for (const engine of storages) {
  describe(`Found patients on ${engine.name}`, function () {
    this.timeout(60_000);
    const { home, open } = useHome(engine);
    let storage: Storage;
    let matches: MatchRepository;

    beforeEach(async () => {
      storage = await open([matchmakerMatches]);
      await storage.migrate();
      matches = storage.repository(matchmakerMatches);
    });

    const listed = async (id: string) => (await matches.matches({ patient: id, limit: 1000 })).records;
    const stored = () => selectNumber(home().section, 'select count(*) as number from matchmaker_matches_patients');
    const noted = () => selectNumber(home().section, 'select count(*) as number from matchmaker_matches_loose');
    /** As some days later. */
    const sweep = async () => {
      await runSql(home().section, [longAgo]);
      return matches.expire(at(-1));
    };

    it('are stored once for each form and node', async () => {
      await matches.add(search('Q', { here: ['A/1', 'B/1'], there: ['A/1'] }), search('R', { here: ['A/1'] }));
      // A on the other node is in the record itself: the record has another patient of this id already.
      expect(await stored()).to.equal(2);
      await matches.add(search('S', { here: ['A/2'] }), search('T', { there: ['A/1'] }));
      expect(await stored()).to.equal(4);
      const other = await open([matchmakerMatches]);
      const theirs = other.repository(matchmakerMatches);
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? matches : theirs).add(search(`M${i}`, { here: ['A/1', 'C/1'] }))),
      );
      expect(await stored()).to.equal(5);
      expect(await listed('C')).to.have.length(20);
    });

    it('stay until no record has them', async () => {
      const [first, second] = [search('Q', { here: ['A/1', 'B/1'] }, 10), search('R', { here: ['A/1'] }, 20)];
      await matches.add(first, second);
      expect(await matches.removeQueries('Q')).to.equal(1);
      expect(await sweep()).to.equal(0);
      expect(await stored(), 'B is gone').to.equal(1);
      expect(await listed('A')).to.deep.equal([recordOf(second)]);
      expect(await matches.expire(at(30))).to.equal(1);
      await sweep();
      expect([await stored(), await noted()]).to.deep.equal([0, 0]);
    });

    it('stay for some days if they were found lately', async () => {
      await matches.add(search('Q', { here: ['A/1'] }));
      await runSql(home().section, [longAgo]);
      // Found again, by a search whose record is then deleted as well.
      await matches.add(search('R', { here: ['A/1'] }));
      await matches.removeQueries('Q');
      await matches.removeQueries('R');
      expect([await stored(), await noted()]).to.deep.equal([1, 1]);
      const again = search('S', { here: ['A/1'] });
      await matches.add(again);
      await sweep();
      expect(await listed('A')).to.deep.equal([recordOf(again)]);
      expect([await stored(), await noted()]).to.deep.equal([1, 0]);
    });

    it('are gone at once after an erasure', async () => {
      const both = search('Q', { here: ['A/1', 'B/1'], there: ['A/2'] });
      await matches.add(both, search('R', { here: ['A/1'] }), search('S', { there: ['A/2', 'C/1'] }));
      expect(await matches.scrub('A', 'here')).to.equal(2);
      const left = 'select count(*) as number from matchmaker_matches_patients where patient_id = ';
      expect(await selectNumber(home().section, `${left}'A'`), 'of the other node').to.equal(1);
      expect((await listed('A')).map(({ results }) => results.map(({ node }) => node.id))).to.deep.equal([
        ['there'],
        ['here', 'there'],
      ]);
      expect(await matches.scrub('A')).to.equal(2);
      expect(await selectNumber(home().section, `${left}'A'`)).to.equal(0);
      const documents = 'select count(*) as number from matchmaker_matches_records where cast(document as text) like ';
      expect(await selectNumber(home().section, `${documents}'%"A"%'`)).to.equal(0);
      expect(await listed('A')).to.deep.equal([]);
      expect((await listed('B'))[0]?.results).to.deep.equal([
        { ...both.results[0], patients: both.results[0]?.patients.slice(1) },
      ]);
    });

    it('are listed as in a model after random histories', async () => {
      const random = new Random(20261123);
      let model: NewMatch[] = [];
      const names = ['A', 'B', 'C', 'D'];
      const found = () =>
        [...new Set(random.list(0, 4, () => random.pick(names)))].map((id) => `${id}/${random.int(1, 3)}`);
      for (let round = 0; round < 120; round++) {
        const [id, second] = [random.pick(names), round];
        const chance = random.next();
        if (chance < 0.6) {
          const added = random.list(1, 4, () => search(random.pick(names), { here: found(), there: found() }, second));
          await matches.add(...added);
          model.push(...added.filter(({ results }) => results.some(({ patients }) => patients.length > 0)));
        } else if (chance < 0.7) {
          await matches.removeQueries(id);
          model = model.filter((one) => one.patient.id !== id);
        } else if (chance < 0.8) {
          const [node] = random.pick([['here'], ['there'], []]);
          await matches.scrub(id, node);
          model = model.map((one) => without(one, id, node)).filter(({ results }) => results.length > 0);
        } else if (chance < 0.9) {
          const before = random.int(0, round);
          await matches.expire(at(before));
          model = model.filter(({ created }) => created >= at(before));
        } else await sweep();
        for (const name of names) {
          const expected = model
            .filter((one) => one.patient.id === name || foundIn(one).some(({ patient }) => patient.id === name))
            .map((one) => recordOf(without(one, '')))
            .reverse();
          expect(await listed(name), `${name} after round ${round}`).to.deep.equal(expected);
        }
      }
      await matches.expire(at(1000));
      await sweep();
      expect([await stored(), await noted()]).to.deep.equal([0, 0]);
    });
  });
}

const foundIn = ({ results }: NewMatch) => results.flatMap(({ patients }) => patients);

/** The record without a patient, or without that of one node, and without nodes that found no other. */
function without(match: NewMatch, id: string, node?: string): NewMatch {
  const results = match.results
    .map((result) => ({
      ...result,
      patients: result.patients.filter(
        ({ patient }) => patient.id !== id || (node !== undefined && result.node.id !== node),
      ),
    }))
    .filter(({ patients }) => patients.length > 0);
  return { ...match, results };
}
