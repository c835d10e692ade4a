/** Statuses, messages, media types, ownership and records of matches over HTTP (reference 1.1 to 1.9). */
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useEach } from '../../support/use.js';
import { type Json, patient, serveMatchmaker, vendor } from './support/serve.js';

const json = 'application/json';
const v11 = 'application/vnd.ga4gh.matchmaker.v1.1+json';

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: the API on ${engine.name}`, () => {
    const server = useEach(() => serveMatchmaker(engine));

    const add = async (one: Json, token?: string) =>
      server.post('/patient/add', { patient: one }, token === undefined ? {} : { token });

    it('adds, updates and deletes a patient, with the messages that clients know', async () => {
      const one = patient('P1', { contact: { name: 'x', href: 'somebody@test.se' } });
      expect(await add(one)).to.deep.include({
        status: 200,
        type: 'application/json; charset=utf-8',
        body: { message: 'Patient was successfully inserted into database.' },
      });
      expect((await server.patients.patient('P1'))?.patient.contact.href).to.equal('mailto:somebody@test.se');
      expect((await add(one)).body).to.deep.equal({ message: 'Database content is unchanged.' });
      expect((await add({ ...one, label: 'new' })).body).to.deep.equal({
        message: 'Patient was successfully updated.',
      });
      expect((await add(one)).body.message).to.equal('Patient was successfully updated.');
      expect((await server.patients.patient('P1'))?.patient.label, 'an update drops what is not sent').to.equal(
        undefined,
      );
      expect(await server.send('DELETE', '/patient/delete/zzz')).to.deep.include({
        status: 200,
        body: { message: 'ERROR. Could not delete a patient with ID zzz from database' },
      });
      expect((await server.send('DELETE', '/patient/delete/P1')).body).to.deep.equal({
        message: 'Patient and its matches were successfully deleted from database',
      });
      expect(await server.patients.patient('P1')).to.equal(undefined);
    });

    it('refuses in order: 405, 415, 406, 401, 403, 400, 422; each with a message', async () => {
      const none = { token: null };
      for (const path of ['/patient/add', '/patient/import', '/match']) {
        const status = async (work: Promise<{ status: number; body: Json }>) => {
          const reply = await work;
          expect(reply.body.message).to.be.a('string');
          return reply.status;
        };
        const bad = { 'content-type': 'text/plain', accept: 'text/html' };
        for (const method of ['GET', 'PUT', 'PATCH'])
          expect(await status(server.send(method, path, none))).to.equal(405);
        expect(await status(server.post(path, '{', { ...none, headers: bad }))).to.equal(415);
        expect(await status(server.send('POST', path, none)), 'no content type').to.equal(415);
        const accept = { accept: 'text/html' };
        expect(await status(server.post(path, '{', { ...none, headers: accept }))).to.equal(406);
        expect(await status(server.post(path, '{', none))).to.equal(401);
        expect(await status(server.post(path, '{', { token: 'not-a-token-of-ours' }))).to.equal(401);
        if (path !== '/match') expect(await status(server.post(path, '{', { token: server.asker }))).to.equal(403);
        expect(await status(server.post(path, '{'))).to.equal(400);
        expect(await status(server.post(path, '{}'))).to.equal(422);
      }
      expect((await server.post('/match', '{', none)).body).to.deep.equal({ message: 'Not authorized' });
      for (const path of ['/nodes', '/heartbeat', '/matches/x', '/patient/x', '/patients']) {
        expect((await server.get(path, none)).status, path).to.equal(401);
      }
      expect((await server.send('DELETE', '/patient/delete/x', none)).status).to.equal(401);
      expect((await server.get('/patient/none')).body).to.deep.equal({ message: 'There is no patient with this id' });
    });

    it('accepts every minor version and plain JSON, and responds in the accepted type', async () => {
      const asked = async (contentType: string, accept?: string) => {
        const headers = { 'content-type': contentType, ...(accept === undefined ? {} : { accept }) };
        const reply = await server.post('/match', { patient: patient('Q') }, { headers });
        return [reply.status, reply.type.split(';')[0]];
      };
      expect(await asked(vendor)).to.deep.equal([200, vendor]); // fetch sends */*
      expect(await asked(vendor, vendor)).to.deep.equal([200, vendor]);
      expect(await asked(`${vendor}; charset=UTF-8`, `${vendor};charset=utf-8;q=0.9`)).to.deep.equal([200, vendor]);
      expect(await asked(v11, '*/*')).to.deep.equal([200, v11]);
      expect(await asked(v11, 'application/*')).to.deep.equal([200, v11]);
      expect(await asked(vendor, v11)).to.deep.equal([200, v11]);
      expect(await asked('application/vnd.ga4gh.matchmaker.v1.7+json', '*/*')).to.deep.equal([200, v11]);
      expect(await asked(json, 'application/vnd.ga4gh.matchmaker+json')).to.deep.equal([200, vendor]);
      expect(await asked(json, json)).to.deep.equal([200, json]);
      expect(await asked(json, 'application/json, text/plain, */*')).to.deep.equal([200, json]);
      expect(await asked('Application/JSON;charset=utf-8', `text/html, ${vendor};q=0.5`)).to.deep.equal([200, vendor]);
      const v2 = 'application/vnd.ga4gh.matchmaker.v2.0+json';
      for (const headers of [{ 'content-type': v2 }, { accept: v2 }] as Record<string, string>[]) {
        const reply = await server.post('/match', { patient: patient('Q') }, { headers });
        expect(reply.status).to.equal(406);
        expect(reply.type).to.equal(v11);
        expect(reply.body.supportedVersions).to.deep.equal(['1.0', '1.1']);
      }
      expect((await asked('text/json'))[0]).to.equal(415);
    });

    it('serves the calls of Scout and seqr as they make them', async () => {
      const scout = { 'content-type': vendor, accept: json };
      expect((await server.post('/patient/add', { patient: patient('S') }, { headers: scout })).status).to.equal(200);
      const nodes = await server.get('/nodes', { headers: { 'content-type': json, accept: '' } });
      expect([nodes.status, nodes.body]).to.deep.equal([200, []]);
      expect((await server.get('/matches/S', { headers: { 'content-type': json } })).status).to.equal(200);
      const seqr = { 'content-type': vendor, accept: vendor, 'content-language': 'en-US' };
      const body = {
        _disclaimer: 'x',
        patient: patient('seqr', { features: null, contact: { name: 'y', href: 'mailto:a@b.se,c@d.se' } }),
      };
      const reply = await server.post('/match', body, { headers: seqr, token: server.other });
      expect([reply.status, reply.type]).to.deep.equal([200, vendor]);
      expect(reply.body.results.map((one: Json) => one.patient.id)).to.deep.equal(['S']);
    });

    it('finds patients, best first, and records the match for the client and for the owners of the results', async () => {
      const variant = {
        assembly: 'GRCh37',
        referenceName: '2',
        start: 166850644,
        referenceBases: 'G',
        alternateBases: 'A',
      };
      await add(patient('near', { genomicFeatures: [{ gene: { id: 'ENSG00000144285.3' }, variant }] }));
      await add(patient('far', { genomicFeatures: [{ gene: { id: 'CDKL5' } }] }), server.other);
      const query = patient('query', { genomicFeatures: [{ gene: { id: 'scn1a' }, variant }], label: 'mine' });
      const { body } = await server.post('/match', { patient: query }, { token: server.asker });
      expect(body.disclaimer).to.be.a('string');
      expect(body.results.map((one: Json) => one.patient.id)).to.deep.equal(['near', 'far']);
      const [near] = body.results;
      expect(near.score.patient).to.equal(1);
      expect(near.score).to.include.keys(
        '_genotype',
        '_phenotype',
        '_matchedGenes',
        '_matchedVariants',
        '_matchedFeatures',
      );
      expect(near.patient.genomicFeatures[0].gene).to.deep.equal({ id: 'ENSG00000144285', _geneName: 'SCN1A' });

      const message = { message: 'Could not find any matches in database for patient ID near' };
      expect((await server.get('/matches/near', { token: server.other })).body, 'a stranger').to.deep.equal(message);
      for (const [id, token] of [
        ['query', server.asker],
        ['near', server.token],
        ['near', server.admin],
      ] as const) {
        const { matches } = (await server.get(`/matches/${id}`, { token })).body;
        expect(matches).to.have.length(1);
        expect(matches[0]).to.deep.include({ has_matches: true, match_type: 'internal', direction: 'incoming' });
        expect(matches[0].data.patient).to.include({ id: 'query', label: 'mine' });
        expect(matches[0].results[0].patients.map((one: Json) => one.patient.id)).to.deep.equal(['near', 'far']);
        expect(matches[0]._id.$oid).to.be.a('string');
        expect(matches[0].created.$date).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
      }
      expect((await server.get('/metrics', { token: null })).body.metrics).to.include({
        numberOfRequestsReceived: 1,
        numberOfPotentialMatchesSent: 2,
        numberOfUniqueGenesMatched: 1,
      });
      // Contract, section 3: a deleted result stays in records of others; a deleted query takes its records with it.
      await server.send('DELETE', '/patient/delete/near');
      expect((await server.get('/matches/query', { token: server.asker })).body.matches).to.have.length(1);
      await server.send('DELETE', '/patient/delete/query', { token: server.admin });
      expect((await server.get('/matches/query', { token: server.asker })).body.matches).to.equal(undefined);
    });

    it('compares no patient with one of another species, and ranks an exact variant above one that is a base off', async () => {
      const at = (start: number) => ({
        features: [],
        genomicFeatures: [
          {
            gene: { id: 'SCN1A' },
            variant: { assembly: 'GRCh37', referenceName: '2', start, referenceBases: 'G', alternateBases: 'A' },
          },
        ],
      });
      // By id and by age the one that is off by a base comes first.
      await add(patient('a-beside', at(166850645)));
      await add(patient('b-same', at(166850644)));
      await add(patient('mouse', { ...at(166850644), species: 'NCBITaxon:10090' }));
      const found = async (more: Json) =>
        (await server.post('/match', { patient: patient('q', more) })).body.results.map((one: Json) => [
          one.patient.id,
          one.score.patient,
        ]);
      // The same variant is worth 0.75; one that is a base off 15/16 of that.
      const human = [
        ['b-same', 0.75],
        ['a-beside', 0.703125],
      ];
      expect(await found(at(166850644))).to.deep.equal(human);
      expect(await found({ ...at(166850644), species: 'NCBITaxon:9606' })).to.deep.equal(human);
      expect(await found({ ...at(166850644), species: 'NCBITaxon:10090' })).to.deep.equal([['mouse', 0.75]]);
      expect(await found({ ...at(166850644), species: 'NCBITaxon:7955' })).to.deep.equal([]);
    });

    it('stores nothing of a query without matches', async () => {
      expect((await server.post('/match', { patient: patient('lonely') })).body.results).to.deep.equal([]);
      expect(await server.patients.patient('lonely')).to.equal(undefined);
      expect((await server.get('/matches/lonely')).body).to.deep.equal({
        message: 'Could not find any matches in database for patient ID lonely',
      });
      expect((await server.get('/metrics')).body.metrics).to.include({ numberOfCases: 0, numberOfRequestsReceived: 1 });
    });

    it('leaves out the query itself, and returns at most MAX_RESULTS, ties by id', async () => {
      for (const id of ['c', 'a', 'e', 'b', 'd', 'f', 'g']) await add(patient(id));
      const { body } = await server.post('/match', { patient: patient('b') });
      expect(body.results.map((one: Json) => one.patient.id)).to.deep.equal(['a', 'c', 'd', 'e', 'f']);
      const again = await server.post('/match', { patient: patient('b') });
      expect(again.body.results).to.deep.equal(body.results);
    });

    it('finds another owner’s patient that has the id of the query, and leaves out only the caller’s own', async () => {
      await add(patient('s3', { label: 'of scout' }));
      await add(patient('s4', { label: 'of seqr' }), server.other);
      const found = async (id: string, token: string) =>
        (await server.post('/match', { patient: patient(id) }, { token })).body.results.map(
          (one: Json) => one.patient.label,
        );
      expect(await found('s3', server.other)).to.deep.equal(['of scout', 'of seqr']);
      expect(await found('s3', server.asker)).to.deep.equal(['of scout', 'of seqr']);
      expect(await found('s3', server.admin), 'who may change all patients owns none of them').to.deep.equal([
        'of scout',
        'of seqr',
      ]);
      expect(await found('s3', server.token)).to.deep.equal(['of seqr']);
      // Each owner sees the match under the id, and nothing else of the other's searches.
      await found('s4', server.asker);
      const queries = async (id: string, token: string) =>
        (await server.get(`/matches/${id}`, { token })).body.matches.map((one: Json) => one.data.patient.id).sort();
      expect(
        await queries('s3', server.token),
        'scout: four searches with s3, one with s4 that found it',
      ).to.deep.equal(['s3', 's3', 's3', 's3', 's4']);
      expect(await queries('s3', server.other), 'seqr: its own').to.deep.equal(['s3']);
    });

    it('does not show under an id the patient of another node with the same id', async () => {
      const record = {
        created: new Date(),
        type: 'external',
        direction: 'outgoing',
        asker: 'scout',
        matchedGenes: [],
        errors: [],
        patient: patient('mine'),
        results: [
          { node: { id: 'peer', label: 'Peer' }, patients: [{ patient: patient('s3'), score: { patient: 1 } }] },
        ],
      } as const;
      await server.matches.add({ ...structuredClone(record), id: '00000000-0000-4000-8000-000000000001' } as Json);
      await add(patient('s3'));
      expect((await server.get('/matches/s3')).body.matches).to.equal(undefined);
      expect((await server.get('/matches/mine')).body.matches).to.have.length(1);
    });

    it('lets only the owner, or an administrator, change or see a patient', async () => {
      await add(patient('mine'));
      expect((await add(patient('mine', { label: 'x' }), server.other)).status).to.equal(403);
      // Both responses equal those for an unknown id.
      const others = async (id: string) =>
        JSON.parse(
          JSON.stringify([
            await server.get(`/patient/${id}`, { token: server.other }).then(({ status, body }) => [status, body]),
            await server
              .send('DELETE', `/patient/delete/${id}`, { token: server.other })
              .then(({ status, body }) => [status, body]),
            await server
              .send('POST', `/match/external/${id}`, { token: server.other })
              .then(({ status, body }) => [status, body]),
            await server.get(`/matches/${id}`, { token: server.other }).then(({ status, body }) => [status, body]),
          ]).replaceAll(id, 'ID'),
        );
      const told = await others('mine');
      expect(told).to.deep.equal(await others('nobodys'));
      expect(told.map(([status]: [number]) => status)).to.deep.equal([404, 200, 200, 200]);
      expect(await server.patients.patient('mine')).to.not.equal(undefined);
      expect((await server.get('/patients', { token: server.other })).body.patients).to.deep.equal([]);
      expect((await add(patient('mine', { label: 'x' }), server.admin)).status).to.equal(200);
      expect((await server.patients.patient('mine'))?.owner).to.equal('scout');
      const { body } = await server.get('/patient/mine');
      expect(body).to.deep.include({ owner: 'scout' });
      expect(body.patient.genomicFeatures[0].gene._geneName).to.equal('SCN1A');
      expect((await server.send('DELETE', '/patient/delete/mine', { token: server.admin })).status).to.equal(200);
    });

    it('neither shows nor deletes another client’s searches for another patient with the same id', async () => {
      await add(patient('found'), server.admin);
      const shown = async (id: string, token: string) =>
        ((await server.get(`/matches/${id}`, { token })).body.matches ?? []).length;
      // seqr asks about its patient "x"; then scout adds a patient of its own with the same id.
      await server.post('/match', { patient: patient('x', { label: 'of seqr' }) }, { token: server.other });
      await add(patient('x', { label: 'of scout' }));
      expect(await shown('x', server.token)).to.equal(0);
      expect(await shown('x', server.other)).to.equal(1);
      await server.post('/match', { patient: patient('x') });
      await server.post('/match', { patient: patient('x') }, { token: server.admin });
      await server.post('/match', { patient: patient('y') }, { token: server.other });
      expect(
        await shown('x', server.token),
        'own query, that of the administrator, and the one that found it',
      ).to.equal(3);
      expect(await shown('x', server.admin)).to.equal(4);
      await server.send('DELETE', '/patient/delete/x');
      expect(await shown('x', server.other), 'its own query, and the one that found x').to.equal(2);
      expect(await shown('x', server.admin)).to.equal(2);
      // A client that reuses a free id must not see anything of the previous patient.
      await add(patient('x'), server.token);
      expect(await shown('x', server.token)).to.equal(0);
    });

    it('refuses cursors beyond the last possible row', async () => {
      const refused = {
        '/patients': ['2147483648', '9007199254740991', '-1', '1.5', 'x'],
        '/matches/x': ['5', '5.2147483648', '99999999999999.5', '5.-1', '5.5.5', '5e3.5', 'x', '1970-01-01.5'],
      };
      for (const [path, last] of [
        ['/patients', '2147483647'],
        ['/matches/x', '9999999999999.2147483647'],
      ] as const) {
        expect((await server.get(`${path}?after=${last}`)).status, path).to.equal(200);
        for (const after of refused[path]) {
          expect((await server.get(`${path}?after=${after}`)).status, path + after).to.equal(400);
        }
      }
      for (const limit of ['0', '1001', 'x'])
        expect((await server.get(`/matches/x?limit=${limit}`)).status).to.equal(400);
    });

    it('returns all records of a patient by default, newest first, and pages on request', async function () {
      // It adds 1,203 records one after the other.
      this.timeout(120_000);
      await add(patient('P'));
      const start = Date.now() + 60_000;
      const uuid = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
      const many = 1203;
      const found = {
        node: { id: 'trefoil', label: 'x' },
        patients: [{ patient: patient('P'), score: { patient: 1 } }],
      };
      // Every third is another client's search for another patient of this id, and is hidden; pairs share one time.
      for (let i = 0; i < many; i++) {
        const isStrangers = i % 3 === 1;
        await server.matches.add({
          id: uuid(i),
          created: new Date(start + Math.floor(i / 2) * 1000),
          type: 'internal',
          direction: 'incoming',
          asker: 'stranger',
          patient: patient(isStrangers ? 'P' : 'Q'),
          results: [isStrangers ? { ...found, patients: [{ patient: patient('R'), score: { patient: 1 } }] } : found],
          errors: [],
          matchedGenes: [],
        });
      }
      const expected = Array.from({ length: many }, (_, i) => many - 1 - i)
        .filter((i) => i % 3 !== 1)
        .map(uuid);
      const ids = (body: Json): string[] => body.matches.map((one: Json) => one._id.$oid);
      const whole = await server.get('/matches/P');
      expect(ids(whole.body)).to.deep.equal(expected);
      expect(whole.body).to.have.keys('disclaimer', 'matches');
      expect([whole.type, whole.headers.get('transfer-encoding'), whole.headers.get('content-length')]).to.deep.equal([
        'application/json; charset=utf-8',
        'chunked',
        null,
      ]);
      expect(ids((await server.get('/matches/P', { token: server.admin })).body)).to.have.length(many);
      const paged: string[] = [];
      let [after, pages] = ['', 0];
      for (let more = true; more; pages++) {
        const { body } = await server.get(`/matches/P?limit=250${after}`);
        paged.push(...ids(body));
        more = body.next !== undefined;
        after = `&after=${body.next}`;
      }
      expect(paged).to.deep.equal(expected);
      expect(pages).to.equal(5);
      const { body: first } = await server.get('/matches/P?limit=250');
      const rest = await server.get(`/matches/P?after=${first.next}`);
      expect([...ids(first), ...ids(rest.body)], 'without a limit, all that is left').to.deep.equal(expected);
      expect((await server.get('/matches/P?after=5.5')).body.message).to.match(/^Could not find any matches/);
    });

    it('lists the caller’s patients in pages, and imports all or none', async () => {
      const list = ['p1', 'p2', 'p3', 'p4', 'p5'].map((id) => patient(id, { label: id < 'p3' ? 'low' : 'high' }));
      expect((await server.post('/patient/import', list)).body).to.include({ inserted: 5, updated: 0, unchanged: 0 });
      const first = (await server.get('/patients?limit=2')).body;
      expect(first.patients.map((one: Json) => one.patient.id)).to.deep.equal(['p1', 'p2']);
      const second = (await server.get(`/patients?limit=3&after=${first.next}`)).body;
      expect(second.patients.map((one: Json) => one.patient.id)).to.deep.equal(['p3', 'p4', 'p5']);
      expect(second.next).to.equal(undefined);
      expect((await server.get('/patients?label=low')).body.patients).to.have.length(2);
      expect((await server.get('/patients?limit=x')).status).to.equal(400);

      const bad = [patient('p6'), patient('p7', { sex: 'x' }), patient('p6')];
      const refused = await server.post('/patient/import', { patients: bad });
      expect(refused.status).to.equal(422);
      expect(refused.body.fields.map((field: Json) => field.path)).to.deep.equal(['patients.1.sex', 'patients.2.id']);
      await add(patient('p8'), server.other);
      expect((await server.post('/patient/import', [patient('p9'), patient('p8', { label: 'y' })])).status).to.equal(
        403,
      );
      for (const id of ['p6', 'p9']) expect(await server.patients.patient(id), id).to.equal(undefined);
    });

    it('imports phenopackets with a contact', async () => {
      const packet = {
        id: 'packet-1',
        subject: { id: 's', sex: 'FEMALE', taxonomy: { id: 'NCBITaxon:9606' } },
        phenotypicFeatures: [
          { type: { id: 'HP:0001250', label: 'Seizure' }, onset: { ontologyClass: { id: 'HP:0003593' } } },
          { type: { id: 'HP:0000252' }, excluded: true },
        ],
        interpretations: [
          {
            diagnosis: {
              disease: { id: 'OMIM:607208', label: 'Dravet' },
              genomicInterpretations: [
                {
                  interpretationStatus: 'CAUSATIVE',
                  variantInterpretation: {
                    variationDescriptor: {
                      geneContext: { valueId: 'HGNC:10585', symbol: 'SCN1A' },
                      vcfRecord: { genomeAssembly: 'hg38', chrom: 'chr2', pos: '100', ref: 'AC', alt: 'A' },
                      allelicState: { id: 'GENO:0000135', label: 'heterozygous' },
                    },
                  },
                },
              ],
            },
          },
        ],
        metaData: {},
      };
      const contact = { name: 'The lab', href: 'lab@example.org' };
      // Protobuf's JSON has the names of an enum, or its numbers.
      for (const [number, sex] of [undefined, 'FEMALE', 'MALE', 'OTHER'].entries()) {
        const numbered = { ...packet, id: `packet-${number}`, subject: { ...packet.subject, sex: number } };
        await server.post('/patient/import', { contact, phenopackets: [numbered] });
        expect((await server.patients.patient(numbered.id))?.patient.sex, String(number)).to.equal(sex);
      }
      expect((await server.post('/patient/import', { contact, phenopackets: [packet] })).status).to.equal(200);
      expect((await server.patients.patient('packet-1'))?.patient).to.deep.equal({
        id: 'packet-1',
        contact: { name: 'The lab', href: 'mailto:lab@example.org' },
        sex: 'FEMALE',
        species: 'NCBITaxon:9606',
        disorders: [{ id: 'MIM:607208', label: 'Dravet' }],
        features: [
          { id: 'HP:0001250', label: 'Seizure', observed: 'yes', ageOfOnset: 'HP:0003593' },
          { id: 'HP:0000252', observed: 'no' },
        ],
        genomicFeatures: [
          {
            gene: { id: 'HGNC:10585' },
            // VCF 100 AC>A: zero-based [99, 101).
            variant: {
              assembly: 'GRCh38',
              referenceName: '2',
              start: 99,
              end: 101,
              referenceBases: 'AC',
              alternateBases: 'A',
            },
            zygosity: 1,
          },
        ],
      });
      const variant = (vcfRecord: Json, geneContext?: Json) => ({
        variantInterpretation: { variationDescriptor: { vcfRecord, geneContext } },
      });
      const vcf = { genomeAssembly: 'GRCh37', chrom: '1', pos: 5, ref: 'A', alt: 'C' };
      const genomicInterpretations = [
        variant(vcf),
        { gene: { valueId: 'HGNC:10585', symbol: 'SCN1A' } },
        variant({ ...vcf, genomeAssembly: 'T2T-CHM13' }, { symbol: 'SCN1A' }),
        variant({ ...vcf, alt: 'C,G' }),
        { ...variant(vcf), interpretationStatus: 'REJECTED' },
        variant({}),
      ];
      const partly = { ...packet, id: 'packet-2', interpretations: [{ diagnosis: { genomicInterpretations } }] };
      const { body } = await server.post('/patient/import', { contact, phenopackets: [partly] });
      const at = 'phenopackets.0.interpretations.0.diagnosis.genomicInterpretations';
      expect(
        body._warnings.map(({ path }: Json) => path),
        'what is left out is said',
      ).to.deep.equal([2, 3, 5].map((i) => `${at}.${i}`));
      const kept = (await server.patients.patient('packet-2'))?.patient.genomicFeatures;
      expect(kept?.map((feature) => [feature.gene.id, feature.variant?.alternateBases])).to.deep.equal([
        ['', 'C'],
        ['HGNC:10585', undefined],
        ['SCN1A', undefined],
        ['', undefined],
      ]);

      const without = await server.post('/patient/import', { phenopackets: [packet] });
      expect(without.body.fields).to.deep.equal([{ path: 'phenopackets.0.contact', message: 'is missing' }]);
    });

    it('describes itself, and keeps ids of patients out of its log', async () => {
      const { body } = await server.get('/heartbeat');
      expect(body.heartbeat.production).to.equal(true);
      expect(body.heartbeat.accept).to.deep.equal([vendor, v11]);
      expect(body.heartbeat.version).to.match(/^\d+\.\d+\.\d+/);
      expect(body._resources.acknowledgement).to.match(/Human Phenotype Ontology/);
      const secret = 'very-secret-id';
      await add(patient(secret, { label: 'secret-label', contact: { name: 'z', href: 'secret@example.org' } }));
      await server.get(`/patient/${secret}`);
      await server.get(`/matches/${secret}`);
      await server.post('/match', { patient: patient(secret) });
      await server.send('DELETE', `/patient/delete/${secret}`);
      await server.send('DELETE', `/patient/delete/${secret}`, { token: null });
      expect(server.log()).to.include('/patient/:id').and.include('/patient/delete/:id');
      expect(server.log()).to.not.match(/secret/);
      for (const token of [server.token, server.other]) expect(server.log()).to.not.include(token);
    });
  });

  describe(`matchmaker: settings on ${engine.name}`, () => {
    it('protects /metrics, returns the query itself, cuts by score and states terms if configured to', async () => {
      const settings = {
        protectMetrics: true,
        includeQuery: true,
        maxResults: 2,
        scoreThreshold: 0.2,
        maxGenotypeScore: 0.5,
        maxPhenotypeScore: 0.5,
        disclaimer: '',
        terms: 'Be kind.',
        heartbeat: { production: false },
      };
      const server = await serveMatchmaker(engine, { settings });
      try {
        expect((await server.get('/metrics', { token: null })).status).to.equal(401);
        expect((await server.get('/metrics')).status).to.equal(200);
        expect((await server.get('/heartbeat')).body.heartbeat.production).to.equal(false);
        for (const id of ['a', 'b', 'c']) await server.post('/patient/add', { patient: patient(id) });
        await server.post('/patient/add', {
          patient: patient('d', { features: [], genomicFeatures: [{ gene: { id: 'SCN1A' } }] }),
        });
        const { body } = await server.post('/match', { patient: patient('b') });
        expect(body.results.map((one: Json) => one.patient.id)).to.deep.equal(['a', 'b']);
        // The same feature is worth 0.5; the same gene without a variant a quarter of 0.5.
        expect(body.results[0].score.patient).to.equal(0.625);
        expect(body.terms).to.equal('Be kind.');
        expect(body).to.not.have.property('disclaimer');
      } finally {
        await server.close();
      }
    });

    it('adds demo data only to an empty store', async () => {
      const server = await serveMatchmaker(engine, { demo: true });
      try {
        const { metrics } = (await server.get('/metrics')).body;
        expect(metrics.numberOfCases).to.be.above(5);
        expect((await server.get('/heartbeat')).body.heartbeat.production).to.equal(false);
        const { body } = await server.post('/match', { patient: patient('q') });
        expect(body.results).to.have.length.above(0);
      } finally {
        await server.close();
      }
    });
  });
}
