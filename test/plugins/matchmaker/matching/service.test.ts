import { expect } from 'chai';
import { type MatchmakerRepository, matchmaker, type Patient } from '../../../../plugins/matchmaker/contract.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { type MatchOptions, MatchService } from '../../../../plugins/matchmaker/matching/service.js';
import { factsOfPatient } from '../../../../plugins/matchmaker/patients/patient.js';
import type { Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import { dealt } from '../../../support/dealt.js';
import { quiet, storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import {
  everyHit,
  expectedAnswer,
  featuresOf,
  patientOf,
  sharesGeneWith,
  smallWorld,
  toyWorld,
  worldOfDiseases,
} from './support/toy.js';

const writer = { owner: 'tester', all: false };
const options = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 5, threshold: 0, places: 2 };

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: the match service on ${engine.name}`, () => {
    const opened = useEach(() => engine.open([matchmaker]));
    let patients: MatchmakerRepository;
    let resources: Resources;
    let services: MatchService[];

    beforeEach(async () => {
      patients = opened.storage.repository(matchmaker);
      resources = await smallWorld();
      services = [];
    });
    afterEach(async () => {
      for (const service of services) await service.close();
    });

    function service(repository = patients, current = () => resources): MatchService {
      const made = new MatchService({ patients: repository, resources: current, log: quiet });
      services.push(made);
      return made;
    }
    const save = (patient: Patient, repository = patients) =>
      repository.savePatients([{ patient, facts: factsOfPatient(patient, resources.genes), writer, at: new Date(0) }]);
    const ids = async (matching: MatchService, patient: Patient) =>
      (await matching.match(patient, options)).matches.map(({ stored }) => stored.patient.id);
    const query = patientOf('query', { features: featuresOf(220), genomicFeatures: [{ gene: { id: 'OLDA' } }] });

    it('sees additions, changes and deletions of any process at once', async () => {
      const other = await opened.again();
      try {
        const theirs = other.repository(matchmaker);
        const [one, two] = [service(), service(theirs)];
        await Promise.all([one.ready(), two.ready()]);
        expect(one.state()).to.include({ patients: 0, resources: 1, rebuilding: false });
        await save(patientOf('a', { features: featuresOf(220) }));
        await save(patientOf('b', { genomicFeatures: [{ gene: { id: 'HGNC:1' } }] }), theirs);
        expect(await ids(one, query)).to.eql(['a', 'b']);
        expect(await ids(two, query)).to.eql(['a', 'b']);
        await save(patientOf('a', { features: featuresOf(5) }), theirs);
        expect(await ids(one, query)).to.eql(['b']);
        await theirs.removePatient('b', writer);
        expect(await ids(one, query)).to.eql([]);
        await save(patientOf('b', { genomicFeatures: [{ gene: { id: '1' } }] }));
        expect(await Promise.all([ids(one, query), ids(two, query), ids(one, query)])).to.eql([['b'], ['b'], ['b']]);
      } finally {
        await services.pop()?.close();
        await other.close();
      }
    });

    it('equals brute force on the stored patients, through many changes', async () => {
      resources = await worldOfDiseases();
      const matching = service();
      const diagnosed = { ...query, disorders: [{ id: 'MIM:1' }] };
      // The same disease, a step broader, two steps, the same id, another disease.
      const disorders = ['ORPHA:1', 'MONDO:2', 'Orphanet:2', 'OMIM:1', 'MIM:9'].map((id) => [{ id }]);
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 40; i++) {
          const terms = [200 + ((i * 7 + round * 3) % 40), 200 + ((i * 11 + round) % 40)];
          const genomicFeatures =
            i % 3 === 0 ? [{ gene: { id: `HGNC:${1 + (i % 4)}` }, zygosity: 1 + (round % 2) }] : [];
          const known = i % 7 < round ? (disorders[(i + round) % 5] ?? []) : [];
          await save(patientOf(`p${i}`, { features: featuresOf(...terms), genomicFeatures, disorders: known }));
        }
        await patients.removePatient(`p${round * 5}`, writer);
        const profiler = new Profiler(resources);
        const stored = await patients.patients({ limit: 1000 });
        const model = new Map(stored.map(({ number, patient }) => [number, profiler.profile(patient)]));
        const asked = profiler.profile(diagnosed);
        const [ranked, shares] = [everyHit(asked, model, profiler, options), sharesGeneWith(asked, model)];
        for (const places of [
          { limit: 5, places: 2 },
          { limit: 2, places: 0 },
        ]) {
          const { matches: found, alsoSharing } = await matching.match(diagnosed, { ...options, ...places });
          const answer = found.map(({ stored, score, raised }) => {
            return { item: { number: stored.number, id: stored.patient.id, score }, raised };
          });
          expect(answer).to.eql(expectedAnswer(ranked, places, shares));
          const answered = answer.filter(({ item }) => shares(item)).length;
          expect(alsoSharing).to.equal(ranked.filter(shares).length - answered);
          if (places.limit === 2) expect(alsoSharing).to.be.above(0);
          for (const { explanation } of found) expect(Object.keys(explanation)).to.have.length.above(0);
        }
        expect(matching.state()?.patients).to.equal(stored.length);
      }
    });

    it('rebuilds for other resources while the previous index serves searches', async () => {
      let current = resources;
      const matching = service(patients, () => current);
      await save(patientOf('a', { features: featuresOf(220) }));
      await save(patientOf('b', { features: featuresOf(11) })); // a term of the toy only
      expect(await ids(matching, patientOf('q', { features: featuresOf(11) }))).to.eql([]);
      current = { ...(await toyWorld()), revision: 2 };
      expect(await ids(matching, query)).to.eql(['a']); // the previous index: the new one is still being built
      await matching.ready();
      expect(matching.state()).to.include({ resources: 2, rebuilding: false, patients: 2 });
      expect(await ids(matching, patientOf('q', { features: featuresOf(11) }))).to.eql(['b']);
    });

    it('leaves out the query if it has the same owner, and returns nothing below the threshold', async () => {
      const matching = service();
      await save(patientOf('query', { features: featuresOf(220) }));
      await save(patientOf('a', { features: featuresOf(220) }));
      const asked = patientOf('query', { features: featuresOf(220) });
      const exclude = { id: 'query', owner: writer.owner };
      const { matches: found } = await matching.match(asked, { ...options, exclude, limit: 1 });
      expect(found.map(({ stored }) => stored.patient.id)).to.eql(['a']);
      const others = { ...exclude, owner: 'another' };
      expect(
        (await matching.match(asked, { ...options, exclude: others })).matches.map(({ stored }) => stored.patient.id),
      ).to.eql(['a', 'query']);
      expect(found[0]?.score).to.eql({ total: 0.25, genotype: 0, phenotype: 0.25 });
      expect((await matching.match(asked, { ...options, threshold: 0.2501 })).matches).to.eql([]);
    });

    it('gives places to patients that share a gene, and leaves out the query before it counts and ranks', async () => {
      const matching = service();
      // Six that are alike by phenotype, the best one aside, and three that have nothing but the gene: 0.1875 / √2.
      const gene = (id: string) => [{ gene: { id } }];
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await save(patientOf(id, { features: featuresOf(220) }));
      for (const id of ['x', 'y', 'z']) await save(patientOf(id, { genomicFeatures: gene('HGNC:1') }));
      const genomicFeatures = [...gene('GENA'), ...gene('GENB')];
      const asked = patientOf('query', { features: featuresOf(220), genomicFeatures });
      await save(asked);
      const rows = async (more: Partial<MatchOptions>) => {
        const { matches, alsoSharing } = await matching.match(asked, { ...options, ...more });
        return [matches.map(({ stored, score, raised }) => [stored.patient.id, score.total, raised]), alsoSharing];
      };
      const bare = (0.75 * 0.25) / Math.SQRT2;
      const alike = ['a', 'b', 'c'].map((id) => [id, 0.25, undefined]);
      const raised = ['x', 'y'].map((id) => [id, bare, 0.25]);
      const exclude = { id: 'query', owner: writer.owner };
      expect(await rows({ exclude })).to.eql([[...alike, ...raised], 1]);
      const itself = (matches: unknown[][]) => matches.map(([id]) => id);
      expect(itself((await rows({}))[0] as unknown[][])).to.eql(['query', 'a', 'b', 'c', 'x']);
      expect(await rows({ exclude, places: 0, limit: 3 })).to.eql([alike, 3]);
      expect(await rows({ exclude, threshold: 0.2 }), 'below the threshold without a place').to.eql([
        [...alike, ['d', 0.25, undefined], ['e', 0.25, undefined]],
        0,
      ]);
      expect(await rows({ exclude, limit: 9 })).to.eql([
        [
          ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, 0.25, undefined]),
          ...['x', 'y', 'z'].map((id) => [id, bare, undefined]),
        ],
        0,
      ]);
      // An own patient that has changed since may rank low, and is not counted.
      await save(patientOf('query', { genomicFeatures: [...gene('GENA'), ...gene('GENC'), ...gene('o')] }));
      expect(await rows({ exclude })).to.eql([[...alike, ...raised], 1]);
    });

    it('rebuilds the index after an older state of the store is restored', async () => {
      const older = await engine.open([matchmaker]);
      try {
        const backup = older.storage.repository(matchmaker);
        for (const repository of [backup, patients]) {
          await save(patientOf('a', { features: featuresOf(220) }), repository);
          await save(patientOf('gone', { features: featuresOf(221) }), repository);
        }
        let store = patients;
        const restored: Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'> = {
          changesSince: (revision) => store.changesSince(revision),
          patientsByNumber: (numbers) => store.patientsByNumber(numbers),
        };
        const matching = new MatchService({ patients: restored, resources: () => resources, log: quiet });
        services.push(matching);
        await patients.removePatient('gone', writer);
        await save(patientOf('a', { features: featuresOf(5) }));
        await save(patientOf('b', { features: featuresOf(220) }));
        expect(await ids(matching, query)).to.eql(['b']);
        store = backup;
        const answers = await Promise.all([1, 2, 3].map(() => ids(matching, query)));
        for (const answer of answers) expect(answer).to.have.members(['a', 'gone']);
        await save(patientOf('c', { features: featuresOf(220) }), backup);
        expect(await ids(matching, query)).to.have.members(['a', 'c', 'gone']);
      } finally {
        await services.pop()?.close();
        await older.close();
      }
    });

    it('reports a failure of the store, and returns matches again afterwards', async () => {
      let broken = true;
      const failing: Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'> = {
        changesSince(revision) {
          if (broken) throw new Error('the store is away');
          return patients.changesSince(revision);
        },
        patientsByNumber: (numbers) => patients.patientsByNumber(numbers),
      };
      const matching = new MatchService({ patients: failing, resources: () => resources, log: quiet });
      services.push(matching);
      await save(patientOf('a', { features: featuresOf(220) }));
      const refused = await matching.match(query, options).then(
        () => 'answered',
        (error: Error) => error.message,
      );
      expect(refused).to.equal('the store is away');
      broken = false;
      expect(await ids(matching, query)).to.eql(['a']);
    });
  });
}
