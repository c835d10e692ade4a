/** Other servers of the exchange, with their strictness and quirks (mme-apis; what their sources send and accept). */
import { expect } from 'chai';
import { matchmakerNodes } from '../../../../plugins/matchmaker/contract.js';
import { seal } from '../../../../plugins/matchmaker/nodes/seal.js';
import { storages } from '../../../support/storages.js';
import { type Json, type Matchmaker, patient, serveMatchmaker, vendor } from '../support/serve.js';
import { key } from './support/lab.js';
import { type Asked, answering, type Behaviour, type Peer, servePeer } from './support/peer.js';

const shapes: readonly [path: (patient: Json) => Json[], shape: RegExp][] = [
  [({ species }) => [species], /^NCBITaxon:\d+$/],
  [({ ageOfOnset, inheritanceMode }) => [ageOfOnset, inheritanceMode], /^HP:\d{7}$/],
  [({ disorders }) => disorders?.map(({ id }: Json) => id), /^(MIM:|Orphanet:)\d{1,6}$/],
  [({ features }) => features?.map(({ id }: Json) => id), /^HP:\d{7}$/],
  [({ features }) => features?.map(({ observed }: Json) => observed), /^(yes|no)$/],
  [variants(({ assembly }) => assembly), /^(NCBI36|GRCh37|GRCh38)(\.p\d+)?$/],
  [variants(({ referenceName }) => referenceName), /^(\d+|[XYM])$/],
  [variants(({ start }) => start), /^\d+$/],
];

function variants(pick: (variant: Json) => Json) {
  return ({ genomicFeatures }: Json) =>
    genomicFeatures?.flatMap(({ variant }: Json) => (variant === undefined ? [] : [pick(variant)]));
}

/** The JSON schema shipped by reference-server and patientMatcher, abridged. */
function fitsSchema({ patient }: Json): boolean {
  const { id, contact, features = [], genomicFeatures = [] } = patient;
  if (typeof id !== 'string' || typeof contact.name !== 'string' || !/^(mailto|https?):/.test(contact.href))
    return false;
  if (features.length + genomicFeatures.length === 0 || JSON.stringify(patient).includes('null')) return false;
  if (genomicFeatures.some(({ gene }: Json) => typeof gene.id !== 'string' || gene.id === '')) return false;
  return shapes.every(([path, shape]) =>
    (path(patient) ?? []).every((value: Json) => value === undefined || shape.test(String(value))),
  );
}

const others = { id: 'R', label: 'theirs', contact: { name: 'T', href: 'https://t.example.org' }, features: [] };
const json = 'application/json';

/** Headers and bodies that each server requires, and its response. */
const peers: Record<string, (asked: Asked) => { status: number; type: string; body: Json }> = {
  'reference-server': ({ headers, body }) => {
    const bad = (status: number) => ({ status, type: vendor, body: { message: 'refused', request: {} } });
    if (![vendor, json].includes(String(headers['content-type']))) return bad(415);
    if (!String(headers.accept).includes(vendor)) return bad(406);
    if (!fitsSchema(body)) return bad(422);
    return { status: 200, type: vendor, body: { results: [{ score: { patient: 0.4 }, patient: others }] } };
  },
  seqr: ({ headers }) => {
    if (headers.accept !== vendor)
      return { status: 406, type: json, body: { error: 'unsupported API version', message: '' } };
    const patient = { ...others, features: null, genomicFeatures: [{ gene: { id: 'ENSG00000144285' } }] };
    const score = { _genotypeScore: 1, _phenotypeScore: 0.35, patient: 0.35 };
    return { status: 200, type: json, body: { results: [{ score, patient }], _disclaimer: 'Ours' } };
  },
  patientMatcher: ({ headers, body }) => {
    if (headers['content-type'] !== vendor) return { status: 415, type: 'text/html', body: '<html>' };
    if (!fitsSchema(body)) return { status: 422, type: json, body: 'Request does not conform to API specifications' };
    const score = { _genotype: 0.1875, _phenotype: 0.0345, patient: 0.222 };
    return { status: 200, type: json, body: { disclaimer: 'Ours', results: [{ patient: others, score }] } };
  },
  PhenomeCentral: ({ headers, body }) => {
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
    return { status: 200, type: `${vendor}; charset=UTF-8`, body: { results: [{ score: { patient: 0.7 }, patient }] } };
  },
};

for (const engine of storages) {
  describe(`matchmaker: other servers of the exchange on ${engine.name}`, () => {
    let server: Matchmaker;
    const open: Peer[] = [];
    beforeEach(async () => {
      server = await serveMatchmaker(engine, { settings: { exchange: { key, allowHttp: true } } });
    });
    afterEach(async () => {
      await server.close();
      for (const peer of open.splice(0)) await peer.close();
    });
    const connect = async (id: string, behaviour: Behaviour): Promise<Peer> => {
      const peer = await servePeer();
      open.push(peer);
      peer.behave(behaviour);
      await server.storage.repository(matchmakerNodes).add({
        id,
        label: id,
        url: peer.url,
        contentType: vendor,
        token: seal(`token-of-${id}`, id, key),
        enabled: true,
        created: new Date(),
      });
      return peer;
    };

    it('accept queries of every origin, and their responses are read', async () => {
      const connected = new Map<string, Peer>();
      for (const [id, ask] of Object.entries(peers)) {
        const behaviour: Behaviour = (response, asked) => {
          const { status, type, body } = ask(asked);
          const text = typeof body === 'string' && type !== json ? body : JSON.stringify(body);
          return answering(status, text, { 'Content-Type': type })(response, asked);
        };
        connected.set(id, await connect(id, behaviour));
      }
      // Each is more than the strict ones accept, and is accepted here.
      const wild: Json[] = [
        patient('plain'),
        patient('spelled', {
          contact: { name: 'x', href: 'x@example.org' },
          disorders: [{ id: 'OMIM:1' }, { id: 'ORPHA:2' }],
        }),
        patient('foreign', { disorders: [{ id: 'MONDO:0000001' }], features: null, sex: null, internal: { a: null } }),
        patient('mito', {
          features: [{ id: 'HP:0001250', observed: null, ageOfOnset: null, extra: true }],
          genomicFeatures: [
            { gene: { id: 'SCN1A' }, variant: { assembly: 'GRCh38.p13', referenceName: 'MT', start: 3242, end: null } },
            { gene: { id: 'SCN1A' }, variant: { assembly: 'GRCh37', referenceName: '17' }, zygosity: null },
          ],
        }),
      ];
      for (const one of wild) {
        expect((await server.post('/patient/add', { patient: one })).status, one.id).to.equal(200);
        const { body } = await server.post(`/match/external/${one.id}`, '');
        expect(body.errors, one.id).to.deep.equal([]);
        expect(body.results.map(({ node }: Json) => node.id).sort(), one.id).to.deep.equal(Object.keys(peers).sort());
        for (const { patients } of body.results)
          expect(patients.map((each: Json) => each.patient.id)).to.deep.equal(['R']);
      }
      for (const [id, { asked }] of connected) {
        expect(asked, id).to.have.length(wild.length);
        expect(asked[0]?.headers, id).to.include({ 'x-auth-token': `token-of-${id}`, accept: vendor });
        expect(Object.keys(asked[0]?.body), 'no disclaimer for version 1.0').to.deep.equal(['patient']);
      }
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
  });
}
