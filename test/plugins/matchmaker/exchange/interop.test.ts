/** Other servers of the exchange, with their strictness and quirks (mme-apis; what their sources send and accept). */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { matchmakerNodes } from '../../../../plugins/matchmaker/contract.js';
import { checkedQuirks, seal } from '../../../../plugins/matchmaker/exchange/node.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { type Json, patient, serveMatchmaker, vendor } from '../support/serve.js';
import { key } from './support/lab.js';
import { type Asked, answering, type Behaviour, type Peer, servePeer } from './support/peer.js';
import { fitsSchema } from './support/strict.js';

const others = { id: 'R', label: 'theirs', contact: { name: 'T', href: 'https://t.example.org' }, features: [] };
const json = 'application/json';

interface Other {
  /** As operators choose them. */
  quirks: readonly string[];
  /** The response to headers and a body, which are refused as the server refuses them. */
  respond(asked: Asked): { status: number; type: string; body: Json };
  /** Milliseconds before its first response. */
  takes?: number;
  /** What is read of the patient in its response. */
  read?: Json;
}

const form = 'application/x-www-form-urlencoded';
const features = ({ patient }: Json): Json[] => patient.features ?? [];
const genomic = ({ patient }: Json): Json[] => patient.genomicFeatures ?? [];
const withVariant = (start: number) => {
  const variant = { assembly: 'GRCh37', referenceName: '2', start, referenceBases: 'C', alternateBases: 'T' };
  return [{ gene: { id: 'ENSG00000144285' }, variant }];
};
/** Terms of the HPO release of the patientMatcher here. */
const hpo = new Set(['HP:0001250', 'HP:0000252']);

const peers: Record<string, Other> = {
  'reference-server': {
    quirks: ['reference-server'],
    respond: ({ headers, body }) => {
      const bad = (status: number) => ({ status, type: vendor, body: { message: 'refused', request: {} } });
      if (![vendor, json].includes(String(headers['content-type']))) return bad(415);
      if (!String(headers.accept).includes(vendor)) return bad(406);
      if (!fitsSchema(body)) return bad(422);
      return { status: 200, type: vendor, body: { results: [{ score: { patient: 0.4 }, patient: others }] } };
    },
  },
  seqr: {
    quirks: ['seqr'],
    respond: ({ headers, body }) => {
      if (headers.accept !== vendor)
        return { status: 406, type: json, body: { error: 'unsupported API version', message: '' } };
      // Its starts are those of VCF.
      const starts = genomic(body).flatMap(({ variant }) => (variant ? [variant.start] : []));
      if (starts.some((start) => start === 165_991_234)) return { status: 400, type: json, body: { error: 'start' } };
      const patient = { ...others, features: null, genomicFeatures: withVariant(166_000_001) };
      const score = { _genotypeScore: 1, _phenotypeScore: 0.35, patient: 0.35 };
      return { status: 200, type: json, body: { results: [{ score, patient }], _disclaimer: 'Ours' } };
    },
    read: { genomicFeatures: withVariant(166_000_000) },
  },
  patientMatcher: {
    quirks: ['patientMatcher'],
    respond: ({ headers, body }) => {
      if (headers['content-type'] !== vendor) return { status: 415, type: 'text/html', body: '<html>' };
      if (![vendor, json].includes(String(headers.accept))) return { status: 406, type: 'text/html', body: '<html>' };
      if (!fitsSchema(body)) return { status: 422, type: json, body: 'Request does not conform to API specifications' };
      if (features(body).some(({ id }) => !hpo.has(id))) return { status: 500, type: 'text/html', body: '<html>' };
      // What it would count as present, and compare with nothing.
      const isMisread =
        features(body).some(({ observed }) => observed === 'no') ||
        genomic(body).some(({ variant }) => variant?.assembly.includes('.p'));
      if (isMisread) return { status: 400, type: json, body: 'Invalid request JSON' };
      const score = { _genotype: 0.1875, _phenotype: 0.0345, patient: 0.222 };
      return { status: 200, type: json, body: { disclaimer: 'Ours', results: [{ patient: others, score }] } };
    },
  },
  PhenomeCentral: {
    quirks: ['phenomecentral'],
    respond: ({ headers, body }) => {
      if (!/v1\.\d/.test(String(headers.accept))) {
        return { status: 406, type: vendor, body: { message: 'unsupported', supportedVersions: ['1.0', '1.1'] } };
      }
      if (!fitsSchema(body)) return { status: 422, type: vendor, body: { message: 'refused' } };
      // What is not disclosed is "some phenotypic abnormality".
      const patient = {
        ...others,
        features: [{ id: 'HP:0000118', observed: 'yes' }],
        genomicFeatures: [{ gene: { id: 'SCN1A' } }],
      };
      return {
        status: 200,
        type: `${vendor}; charset=UTF-8`,
        body: { results: [{ score: { patient: 0.7 }, patient }] },
      };
    },
    read: { features: [] },
  },
  matchbox: {
    quirks: ['matchbox'],
    respond: ({ headers, body }) => {
      if (headers['content-type'] !== form || headers.accept !== vendor || !fitsSchema(body)) {
        return { status: 400, type: 'text/plain', body: 'Bad Request' };
      }
      const patient = {
        ...others,
        label: 'null',
        species: '',
        features: [{ id: '', observed: '' }],
        genomicFeatures: [{ gene: { id: 'null' } }, { gene: { id: 'SCN1A' } }],
      };
      return { status: 200, type: vendor, body: { results: [{ score: { patient: 1 }, patient }] } };
    },
    read: { features: [], genomicFeatures: [{ gene: { id: 'SCN1A' } }] },
  },
  GeneMatcher: {
    quirks: ['genematcher'],
    respond: ({ body }) =>
      fitsSchema(body)
        ? { status: 200, type: vendor, body: { results: [{ score: { patient: 1 }, patient: others }] } }
        : { status: 422, type: vendor, body: { message: 'refused' } },
    // More than other nodes may.
    takes: 1500,
  },
};

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: other servers of the exchange on ${engine.name}`, () => {
    const server = useEach(() =>
      serveMatchmaker(engine, { settings: { exchange: { key, allowHttp: true, timeoutSeconds: 1 } } }),
    );
    const open: Peer[] = [];
    afterEach(async () => {
      for (const peer of open.splice(0)) await peer.close();
    });
    const connect = async (id: string, behaviour: Behaviour, quirks: readonly string[]): Promise<Peer> => {
      const peer = await servePeer();
      open.push(peer);
      peer.behave(behaviour);
      await server.storage.repository(matchmakerNodes).add({
        id,
        label: id,
        url: peer.url,
        contentType: vendor,
        quirks: checkedQuirks(quirks.join()),
        token: seal(`token-of-${id}`, id, key),
        enabled: true,
        created: new Date(),
      });
      return peer;
    };

    it('accept queries of every origin, and their responses are read', async function () {
      this.timeout(60_000); // one of them is slow
      const connected = new Map<string, Peer>();
      for (const [id, { quirks, respond, takes }] of Object.entries(peers)) {
        const behaviour: Behaviour = async (response, asked) => {
          const { status, type, body } = respond(asked);
          const text = typeof body === 'string' && type !== json ? body : JSON.stringify(body);
          if (takes !== undefined && connected.get(id)?.asked.length === 1) await sleep(takes);
          return answering(status, text, { 'Content-Type': type })(response, asked);
        };
        connected.set(id, await connect(id, behaviour, quirks));
      }
      // Each is more than the strict ones accept, and is accepted here.
      const wild: Json[] = [
        patient('plain', { _purpose: 'clinical' }),
        patient('spelled', {
          contact: { name: 'x', href: 'x@example.org' },
          disorders: [{ id: 'OMIM:1' }, { id: 'ORPHA:2' }],
        }),
        patient('foreign', {
          disorders: [{ id: 'MONDO:0000001' }],
          features: null,
          sex: null,
          internal: { a: null },
          genomicFeatures: [{ gene: { id: 'SCN1A' }, _inheritance: 'HP:0000006' }],
        }),
        patient('mito', {
          features: [{ id: 'HP:0001250', observed: null, ageOfOnset: null, extra: true }],
          genomicFeatures: [
            { gene: { id: 'SCN1A' }, variant: { assembly: 'GRCh38.p13', referenceName: 'MT', start: 3242, end: null } },
            { gene: { id: 'SCN1A' }, variant: { assembly: 'GRCh37', referenceName: '17' }, zygosity: null },
          ],
        }),
        patient('excluding', {
          features: [{ id: 'HP:0001250' }, { id: 'HP:0000252', observed: 'no' }, { id: 'HP:9999999' }],
          genomicFeatures: withVariant(165_991_234),
        }),
      ];
      for (const one of wild) {
        expect((await server.post('/patient/add', { patient: one })).status, one.id).to.equal(200);
        const { body } = await server.post(`/match/external/${one.id}`, '');
        expect(body.errors, one.id).to.deep.equal([]);
        expect(body.results.map(({ node }: Json) => node.id).sort(), one.id).to.deep.equal(Object.keys(peers).sort());
        for (const { node, patients } of body.results) {
          const [{ patient }] = patients;
          const { id, ...more } = { id: 'R', ...peers[node.id]?.read };
          expect(patient.id, node.id).to.equal(id);
          expect(patient, node.id).to.deep.include(more);
        }
      }
      for (const [id, { asked }] of connected) {
        expect(asked, id).to.have.length(wild.length);
        expect(asked[0]?.headers, id).to.include({ 'x-auth-token': `token-of-${id}`, accept: vendor });
        expect(Object.keys(asked[0]?.body), 'no disclaimer for version 1.0').to.deep.equal(['patient']);
        expect(asked[0]?.body.patient._purpose, id).to.equal('clinical');
        expect(asked[2]?.body.patient.genomicFeatures[0]._inheritance, id).to.equal('HP:0000006');
      }
      const { body: nodes } = await server.get('/nodes');
      for (const { id, _health } of nodes) {
        expect(_health, id).to.include({ state: 'responding', failures: 0, pending: 0 });
        expect(_health.responseSeconds.p95, id).to.be.at.least((peers[id]?.takes ?? 0) / 1000);
      }
    });

    it('refuse what a node without their quirks gets', async () => {
      const { respond } = peers.matchbox as Other;
      const behaviour: Behaviour = (response, asked) => {
        const { status, type, body } = respond(asked);
        return answering(status, JSON.stringify(body), { 'Content-Type': type })(response, asked);
      };
      await connect('plain', behaviour, ['none']);
      await server.post('/patient/add', { patient: patient('P') });
      const { body } = await server.post('/match/external/P', '');
      expect(body.errors).to.deep.equal([
        { node: { id: 'plain', label: 'plain' }, error: 'did not accept the patient (400)' },
      ]);
    });

    it('get responses in the form that each requests', async () => {
      await server.post('/patient/add', { patient: patient('stored') });
      const phenotips = {
        ...patient('pc', {
          contact: { name: 'PhenomeCentral', href: 'https://phenomecentral.org', institution: 'SickKids' },
        }),
        features: [{ id: 'HP:0001250', observed: 'yes', ageOfOnset: 'HP:0003593' }],
        genomicFeatures: [{ gene: { id: 'ENSG00000144285' } }],
      };
      const calls: [name: string, headers: Record<string, string>, body: Json, type: RegExp][] = [
        [
          'patientMatcher',
          { 'content-type': vendor, accept: vendor },
          { patient: patient('pm', { genomicFeatures: [{ gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' } }] }) },
          /v1\.0\+json/,
        ],
        [
          'seqr',
          { 'content-type': vendor, accept: vendor, 'content-language': 'en-US' },
          {
            patient: patient('sq', { features: null, contact: { name: 'y', href: 'mailto:a@b.se,c@d.se' } }),
            _disclaimer: 'x',
          },
          /v1\.0\+json/,
        ],
        [
          'PhenomeCentral',
          { 'content-type': json, accept: 'application/vnd.ga4gh.matchmaker.v1.1+json' },
          { patient: phenotips, disclaimer: 'theirs', terms: 'theirs' },
          /v1\.1\+json/,
        ],
      ];
      for (const [name, headers, body, type] of calls) {
        const reply = await server.post('/match', body, { headers, token: server.asker });
        expect([reply.status, JSON.stringify(reply.body.fields)], name).to.deep.equal([200, undefined]);
        expect(reply.type, name).to.match(type);
        expect(
          reply.body.results.map((one: Json) => one.patient.id),
          name,
        ).to.deep.equal(['stored']);
        expect(fitsSchema(reply.body.results[0]), name).to.equal(true);
      }
    });

    it('Scout’s requests, a GET with a body and without Accept, are answered', async () => {
      await server.post('/patient/add', { patient: patient('P') });
      await server.post('/match', { patient: patient('Q') });
      const scout = (path: string): Promise<{ status: number | undefined; body: Json }> =>
        new Promise((resolve, reject) => {
          const body = JSON.stringify({ patient: 'P' });
          const headers = { 'X-Auth-Token': server.token, 'Content-Type': json, 'Content-Length': body.length };
          const asked = request(server.url + path, { method: 'GET', headers }, async (response) => {
            let text = '';
            for await (const chunk of response) text += chunk;
            resolve({ status: response.statusCode, body: JSON.parse(text) });
          });
          asked.on('error', reject);
          asked.end(body);
        });
      const matches = await scout('/matches/P');
      expect(matches.status, JSON.stringify(matches.body)).to.equal(200);
      expect(matches.body.matches.map((one: Json) => one.data.patient.id)).to.deep.equal(['Q']);
      expect(await scout('/nodes')).to.deep.equal({ status: 200, body: [] });
      // Scout's starts are those of VCF: one higher than ours. They match, and the answer says that they are off by one.
      await server.post('/patient/add', { patient: patient('V', { genomicFeatures: withVariant(165_991_234) }) });
      const shifted = patient('S', { features: [], genomicFeatures: withVariant(165_991_235) });
      const { body } = await server.post('/match', { patient: shifted });
      const found = body.results.find((one: Json) => one.patient.id === 'V');
      expect(found.score._matchedVariants.map(({ likeness }: Json) => likeness)).to.deep.equal(['off-by-one']);
    });
  });
}
