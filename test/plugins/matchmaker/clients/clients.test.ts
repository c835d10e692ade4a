/** The four public clients of the exchange read every kind of answer (readers.ts says how they read). */
import { expect } from 'chai';
import { jobs } from '../../../../core/jobs/contract.js';
import { storedResource } from '../../../../plugins/matchmaker/resources/update.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { connectPeer, key, until } from '../exchange/support/lab.js';
import { answering, type Peer, servePeer } from '../exchange/support/peer.js';
import { sssom } from '../matching/support/toy.js';
import { read } from '../resources/support/build.js';
import { type Json, patient, serveMatchmaker, vendor } from '../support/serve.js';
import {
  matchbox,
  phenomeCentral,
  type Reader,
  type Received,
  scoutNodes,
  scoutRows,
  seqr,
  seqrMessage,
  Unreadable,
} from './readers.js';

const json = 'application/json';

/** Those that send `/match`, with the headers that they send. */
const clients: Record<string, { reads: Reader; headers: Record<string, string> }> = {
  seqr: { reads: seqr, headers: { 'content-type': vendor, accept: vendor, 'content-language': 'en-US' } },
  matchbox: { reads: matchbox, headers: { 'content-type': vendor, accept: vendor, 'content-language': 'en-US' } },
  PhenomeCentral: {
    reads: phenomeCentral,
    headers: { 'content-type': `${vendor}; charset=utf-8`, accept: vendor },
  },
  'a client of plain JSON': { reads: phenomeCentral, headers: { 'content-type': json, accept: json } },
};

async function received(url: string, init: RequestInit): Promise<Received & { status: number }> {
  const response = await fetch(url, init);
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, bytes: Buffer.from(await response.arrayBuffer()) };
}

const features = (...ids: string[]) => ids.map((id) => ({ id }));
const genes = (...ids: string[]) => ids.map((id) => ({ gene: { id } }));
/** By HGNC. */
const ensembl: Record<string, string> = {
  SCN1A: 'ENSG00000144285',
  SCN2A: 'ENSG00000136531',
  STXBP1: 'ENSG00000136854',
  TSC1: 'ENSG00000165699',
  GPX4: 'ENSG00000167468',
};
const substitution = {
  ...{ assembly: 'GRCh37', referenceName: '2', start: 166_000_000, end: 166_000_001 },
  ...{ referenceBases: 'C', alternateBases: 'T' },
};
const deletion = { assembly: 'GRCh38', referenceName: '9', start: 132_900_000, end: 133_000_000 };

const kinds: Json[] = [
  patient('accents', {
    label: 'Förälder 患者 😀',
    contact: {
      name: 'Åsa Öberg-Łukasiewicz',
      href: 'mailto:asa@example.org',
      institution: 'Hôpital “Sainte-Justine” 🏥',
    },
    features: [{ id: 'HP:0000252', label: 'Microcéphalie', observed: 'yes', ageOfOnset: 'HP:0003577' }],
    genomicFeatures: [
      { gene: { id: 'SCN2A' }, variant: substitution, zygosity: 1, type: { id: 'SO:0001583', label: 'missense' } },
    ],
  }),
  ...['only-1', 'only-2', 'only-3'].map((id) => patient(id, { features: [], genomicFeatures: genes('SCN1A') })),
  patient('deletion', {
    genomicFeatures: [{ gene: { id: '' }, variant: deletion, type: { id: 'SO:0000159', label: 'déletion' } }],
  }),
  patient('no-gene', {
    features: [],
    genomicFeatures: [{ gene: { id: '' }, variant: { ...deletion, start: 132_950_000 } }],
  }),
  patient('unknown-gene', { genomicFeatures: genes('LOC-Ä'), features: features('HP:0001999') }),
  patient('diseases', {
    disorders: [{ id: 'ORPHA:558', label: 'Marfan' }, { id: 'MONDO:0007947' }],
    genomicFeatures: [],
  }),
  patient('lists', { features: [], disorders: [], genomicFeatures: genes('GPX4') }),
  patient('excluding', {
    features: [{ id: 'HP:0001263', observed: 'no' }, { id: 'HP:0000486' }],
    genomicFeatures: [],
  }),
  patient('nulls', {
    ...{ label: null, species: null, sex: null, ageOfOnset: null, inheritanceMode: null, disorders: null, test: null },
    contact: { name: 'N', href: 'mailto:n@example.org', institution: null, email: null, roles: null },
    features: null,
    genomicFeatures: [{ gene: { id: 'TSC1' }, variant: { ...deletion, end: null }, zygosity: null, type: null }],
  }),
  patient('whole', {
    features: features('HP:0002133'),
    genomicFeatures: [{ gene: { id: 'STXBP1' }, variant: substitution }],
  }),
];

/** What each finds, and the members of the answer that it is there for. */
const queries: [name: string, query: Json, finds: string, has: string[]][] = [
  [
    'names with accents',
    { features: features('HP:0000252'), genomicFeatures: genes('SCN2A') },
    'accents',
    ['_matchedGenes'],
  ],
  [
    'places for those that share a gene',
    { genomicFeatures: genes('SCN1A') },
    'only-1',
    ['_geneFirst', '_alsoSharing', '_alsoSharingPatients', '_reading'],
  ],
  [
    'a structural variant without a gene',
    { genomicFeatures: [{ gene: { id: '' }, variant: deletion }] },
    'deletion',
    ['_warnings', '_matchedVariants'],
  ],
  ['a gene that no table has', { features: [], genomicFeatures: genes('LOC-Ä') }, 'unknown-gene', ['_warnings']],
  [
    'another id of the disease',
    { features: features('HP:0000077'), disorders: [{ id: 'MIM:154700' }], genomicFeatures: [] },
    'diseases',
    ['_relatedDisorders'],
  ],
  ['empty lists', { features: [], disorders: [], genomicFeatures: genes('GPX4') }, 'lists', []],
  [
    'features that are not observed',
    { features: features('HP:0000486'), genomicFeatures: [] },
    'excluding',
    ['_matchedFeatures'],
  ],
  ['nulls', { features: null, genomicFeatures: genes('TSC1') }, 'nulls', []],
  ['a whole score', { ...kinds.at(-1), id: 'other' }, 'whole', []],
];

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: the public clients on ${engine.name}`, function () {
    this.timeout(120_000);

    describe('/match', () => {
      const server = useOnce(async () => {
        const mappings = ['OMIM:154700', 'Orphanet:558'].map((id) => ['MONDO:0007947', 'skos:exactMatch', id]);
        const resources = [await storedResource(await read(sssom(mappings)), 'mondo.sssom.tsv', new Date(0))];
        // One of three places goes first to patients that share a gene.
        return serveMatchmaker(engine, { settings: { maxResults: 3 }, resources });
      });
      before(async () => {
        // Three that share a gene are then no more than 1 % of the patients.
        const crowd = Array.from({ length: 300 }, (_, i) => patient(`crowd-${i}`, { genomicFeatures: [] }));
        const { status, body } = await server.post('/patient/import', [...crowd, ...kinds]);
        expect(status, JSON.stringify(body)).to.equal(200);
        // Random pairs are drawn in the background.
        await until(async () => (await asked(patient('Q'), vendor)).includes('"_reading"'));
      });

      const match = (query: Json, headers: Record<string, string>) =>
        received(`${server.url}/match`, {
          method: 'POST',
          headers: { ...headers, 'x-auth-token': server.token },
          body: JSON.stringify({ patient: query }),
        });
      const asked = async (query: Json, type: string) =>
        (await match(query, { 'content-type': type, accept: type })).bytes.toString();

      /** What was stored of the patients of an answer, and their scores in it. */
      const expected = (body: Json) =>
        body.results.map(({ patient: { id }, score }: Json) => {
          const one = kinds.find((kind) => kind.id === id) ?? patient(id, { genomicFeatures: [] });
          const { name, institution } = one.contact;
          return {
            ...{ id, name, institution: institution ?? undefined, score: score.patient },
            terms: (one.features ?? []).map(({ id }: Json) => id),
            genes: one.genomicFeatures.flatMap(({ gene }: Json) => (ensembl[gene.id] ?? gene.id) || []),
          };
        });

      for (const [name, query, finds, members] of queries) {
        it(`${name}`, async () => {
          for (const [client, { reads, headers }] of Object.entries(clients)) {
            const answer = await match(patient('Q', query), headers);
            const text = answer.bytes.toString();
            expect(answer.status, text).to.equal(200);
            const read = reads(answer);
            expect(read, client).to.deep.equal(expected(JSON.parse(text)));
            expect(
              read.map(({ id }) => id),
              client,
            ).to.include(finds);
            for (const member of members) expect(text, client).to.include(`"${member}":`);
          }
        });
      }

      it('whole scores are whole numbers', async () => {
        const [best] = JSON.parse(await asked(patient('Q', queries.at(-1)?.[1]), vendor)).results;
        expect([best.patient.id, best.score.patient]).to.deep.equal(['whole', 1]);
      });

      it('nobody', async () => {
        for (const [client, { reads, headers }] of Object.entries(clients)) {
          const query = patient('Q', { species: 'NCBITaxon:10090' });
          expect(reads(await match(query, headers)), client).to.deep.equal([]);
        }
      });

      it('PhenomeCentral alone drops a patient that has neither a feature nor a gene', async () => {
        const variant = { ...deletion, start: 132_950_000 };
        for (const [client, { reads, headers }] of Object.entries(clients)) {
          const query = patient('Q', { features: [], genomicFeatures: [{ gene: { id: '' }, variant }] });
          const answer = await match(query, headers);
          const read = () => reads(answer).map(({ id }) => id);
          if (reads === phenomeCentral) expect(read, client).to.throw(Unreadable, 'has no features and no genes');
          else expect(read(), client).to.include('no-gene');
        }
      });

      it('refusals are JSON with a message', async () => {
        const good = { 'content-type': vendor, accept: vendor, 'x-auth-token': server.token };
        const body = JSON.stringify({ patient: patient('Q') });
        const refused: [status: number, headers: Record<string, string>, body: string][] = [
          [400, good, '{"patient": {"id": "Ä"'],
          [401, { ...good, 'x-auth-token': 'unknown' }, body],
          [406, { ...good, accept: 'application/vnd.ga4gh.matchmaker.v9.0+json' }, body],
          [415, { ...good, 'content-type': 'text/csv' }, body],
          [422, good, JSON.stringify({ patient: { ...patient('Ä'), contact: { name: 'Ä', href: 'Ä' } } })],
        ];
        for (const [status, headers, sent] of refused) {
          const answer = await received(`${server.url}/match`, { method: 'POST', headers, body: sent });
          expect(answer.status).to.equal(status);
          expect(seqrMessage(answer)).to.match(/\w/);
        }
      });
    });

    describe('Scout', () => {
      const server = useOnce(async () => {
        const exchange = { key, allowHttp: true, timeoutSeconds: 2 };
        return serveMatchmaker(engine, { settings: { exchange, maxResults: 3 }, jobs: true });
      });
      const peers: Peer[] = [];
      after(async () => {
        for (const peer of peers) await peer.close();
      });

      const add = async (one: Json, token = server.token) => {
        expect((await server.post('/patient/add', { patient: one }, { token })).status, one.id).to.equal(200);
        await until(async () => {
          const { queued, running } = await server.storage.repository(jobs).count();
          return queued + running === 0;
        });
      };
      const get = (path: string) =>
        received(server.url + path, { headers: { 'x-auth-token': server.token, accept: json } });
      const rows = async (id: string) => {
        const read = scoutRows(await get(`/matches/${id}`), id);
        return read.map(({ type, node, id, name }) => [type, node, id, name]);
      };

      it('reads matches on one node, of both patients', async () => {
        const contact = { name: 'Åsa Öberg', href: 'https://lab.example.org' };
        await add(patient('mine', { contact, disorders: [{ id: 'MIM:1' }] }));
        expect(await rows('mine'), 'a message').to.deep.equal([]);
        for (const id of ['a', 'b', 'c', 'd']) await add(patient(id, { features: [] }), server.other);
        await add(patient('theirs'), server.other);
        expect(await rows('mine')).to.have.deep.members(
          ['a', 'b', 'c', 'd', 'theirs'].map((id) => ['external', 'This server', id, 'A Doctor']),
        );
        await add(patient('mine', { contact }));
        const found = (await rows('mine')).filter(([type]) => type === 'internal');
        expect(found.map(([, , id]) => id))
          .to.include('theirs')
          .and.to.have.length(3);
        await server.post('/match', { patient: patient('mine', { contact }) });
        const { body } = await server.get('/matches/mine');
        expect(body.matches[0]).to.deep.include({ match_type: 'internal', _alsoSharing: 2 });
      });

      it('reads those of other nodes, and their errors', async () => {
        const nulls = { features: null, disorders: null, genomicFeatures: null, label: null, sex: null };
        const foreign = {
          ...patient('far'),
          ...nulls,
          contact: { name: 'Ö', href: 'mailto:o@e.org', institution: null },
        };
        const results = [
          { score: { patient: 1, other: null }, patient: foreign },
          { score: null, patient: null },
        ];
        const answers = [answering(200, JSON.stringify({ results, _disclaimer: null })), answering(500, 'no')];
        for (const [i, behaviour] of answers.entries()) {
          const peer = await servePeer();
          peers.push(peer);
          peer.behave(behaviour);
          await connectPeer(server.storage, peer.url, {
            id: `node-${i}`,
            label: `Nœud ${i}`,
            description: 'd',
          } as Json);
        }
        await add(patient('asked', { genomicFeatures: [], features: features('HP:0000077') }));
        expect(scoutNodes(await get('/nodes'))).to.deep.equal(['node-0', 'node-1']);
        expect((await server.post('/match/external/asked', '')).status).to.equal(200);
        const found = await rows('asked');
        expect(found.filter(([, node]) => node !== 'This server')).to.deep.include(['external', 'Nœud 0', 'far', 'Ö']);
        const { matches } = (await server.get('/matches/asked')).body;
        expect(JSON.stringify(matches)).to.include('"errors":[{"node":{"id":"node-0"');
      });
    });
  });
}

describe('matchmaker: the readers of the public clients', () => {
  const answerOf = (more: Json, score: Json = { patient: 0.5 }, type = vendor): Received => ({
    type,
    bytes: Buffer.from(JSON.stringify({ results: [{ score, patient: patient('P', more) }] })),
  });
  const variant = (more: Json) => ({ genomicFeatures: [{ gene: { id: 'SCN1A' }, variant: { ...deletion, ...more } }] });
  const contact = (more: Json) => ({ contact: { name: 'N', href: 'mailto:n@example.org', ...more } });
  const refused: [what: string, reads: Reader, answer: Received][] = [
    ['seqr a null institution', seqr, answerOf(contact({ institution: null }))],
    ['seqr a gene that is null', seqr, answerOf({ genomicFeatures: [{ gene: null }] })],
    ['seqr null in place of genes', seqr, answerOf({ genomicFeatures: null })],
    ['seqr a score that is text', seqr, answerOf({}, { patient: '1' })],
    ['matchbox a start with a fraction', matchbox, answerOf(variant({ start: 1.5 }))],
    ['matchbox a start that is text', matchbox, answerOf(variant({ start: '1' }))],
    ['matchbox null in place of disorders', matchbox, answerOf({ disorders: null })],
    ['matchbox a gene that is text', matchbox, answerOf({ genomicFeatures: [{ gene: 'SCN1A' }] })],
    ['PhenomeCentral a patient without anything', phenomeCentral, answerOf({ features: [], genomicFeatures: [] })],
    ['PhenomeCentral a score that is null', phenomeCentral, answerOf({}, { patient: null })],
  ];
  for (const [what, reads, answer] of refused) {
    it(`not ${what}`, () => expect(() => reads(answer)).to.throw(Unreadable));
  }

  it('not Scout null in place of features, nor a date without a fraction', () => {
    const record = (date: string, more: Json): Received => {
      const results = [
        { node: { id: 'n', label: 'n' }, patients: [{ patient: patient('P', more), score: { patient: 1 } }] },
      ];
      const one = {
        _id: { $oid: '1' },
        created: { $date: date },
        match_type: 'external',
        data: { patient: { id: 'Q' } },
        results,
      };
      return { type: json, bytes: Buffer.from(JSON.stringify({ matches: [one] })) };
    };
    expect(scoutRows(record('2026-01-02T03:04:05.678Z', {}), 'Q')).to.have.length(1);
    for (const answer of [record('2026-01-02T03:04:05Z', {}), record('2026-01-02T03:04:05.678Z', { features: null })]) {
      expect(() => scoutRows(answer, 'Q')).to.throw(Unreadable);
    }
  });

  it('matchbox and PhenomeCentral misread letters beyond ASCII of the media type of the exchange', () => {
    const answer = answerOf(contact({ name: 'Åsa' }));
    expect([seqr, matchbox, phenomeCentral].map((reads) => reads(answer)[0]?.name)).to.deep.equal([
      'Åsa',
      '\ufffd\ufffdsa',
      'Ã\x85sa',
    ]);
    const stated = answerOf(contact({ name: 'Åsa' }), { patient: 0.5 }, `${vendor}; charset=UTF-8`);
    expect(phenomeCentral(stated)[0]?.name).to.equal('Åsa');
  });
});
