/** A day of a server with all three plugins and demo data, in small: requests in turns, in fixed shares. */
import { type Agent, request } from 'node:http';

export interface Question {
  method: string;
  path: string;
  /** The body's type; JSON for objects. */
  type?: string;
  body?: string | object;
  /** Accepted statuses; `left` for a client that disconnects early. */
  expect: readonly (number | 'left')[];
  /** Milliseconds after which the client disconnects. */
  leave?: number;
}

const patient = (i: number) => ({
  id: `bench-${i % 500}`,
  contact: { name: 'Bench', href: 'mailto:bench@example.org' },
  features: [{ id: 'HP:0001250' }, { id: `HP:000${1249 + (i % 5)}` }],
  genomicFeatures: [{ gene: { id: 'SCN1A' } }],
});

const header = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t';
const vcf = (sample: string) =>
  `${header}${sample}\n${Array.from({ length: 50 }, (_, i) => `1\t${i * 10 + 1}\t.\tA\tC\t.\t.\t.\tGT\t0/1\n`).join('')}`;
const sample = (i: number) => `sample-${i % 20}`;

const allele = { referenceName: '1', assemblyId: 'GRCh37' };
const depths = { coverage_file_path: 'child.d4', completeness_thresholds: [10, 20] };

/** Requests out of every hundred; `i` counts those of a kind. */
const kinds: { share: number; ask(i: number): Question }[] = [
  // Beacon
  {
    share: 15,
    ask: (i) => ({
      method: 'GET',
      path: `/apiv1.0/query?referenceName=1&start=${(i % 60) * 10}&referenceBases=A&alternateBases=C&assemblyId=GRCh37`,
      expect: [200],
    }),
  },
  {
    share: 10,
    ask: (i) => ({
      method: 'POST',
      path: '/apiv1.0/query',
      body: { ...allele, start: i % 600, referenceBases: 'N', alternateBases: 'N', includeDatasetResponses: 'ALL' },
      expect: [200],
    }),
  },
  {
    share: 3,
    ask: (i) => ({
      method: 'POST',
      path: `/apiv1.0/add?dataset_id=bench&assemblyId=GRCh37`,
      type: 'text/vcf',
      body: vcf(sample(i)),
      expect: [202],
    }),
  },
  {
    // Whether the sample exists at this moment depends on the jobs.
    share: 1,
    ask: (i) => ({
      method: 'POST',
      path: '/apiv1.0/delete',
      body: { dataset_id: 'bench', samples: [sample(i * 7)] },
      expect: [202, 422],
    }),
  },
  { share: 9, ask: () => ({ method: 'GET', path: '/apiv1.0/', expect: [200] }) },
  // Matchmaker
  { share: 10, ask: (i) => ({ method: 'POST', path: '/match', body: { patient: patient(i) }, expect: [200] }) },
  { share: 8, ask: (i) => ({ method: 'POST', path: '/patient/add', body: { patient: patient(i) }, expect: [200] }) },
  { share: 8, ask: (i) => ({ method: 'GET', path: `/matches/bench-${i % 500}`, expect: [200] }) },
  { share: 3, ask: (i) => ({ method: 'DELETE', path: `/patient/delete/bench-${(i * 7) % 500}`, expect: [200, 404] }) },
  // Coverage
  { share: 2, ask: () => ({ method: 'GET', path: '/report/demo', expect: [200] }) },
  { share: 1, ask: () => ({ method: 'GET', path: '/overview/demo?format=json', expect: [200] }) },
  { share: 1, ask: () => ({ method: 'GET', path: '/gene_overview/demo', expect: [200] }) },
  {
    share: 5,
    ask: (i) => ({
      method: 'POST',
      path: '/coverage/d4/interval/',
      body: { ...depths, chromosome: '1', start: 11_785_000 + (i % 1000), end: 11_806_000 },
      expect: [200],
    }),
  },
  {
    share: 3,
    ask: () => ({
      method: 'POST',
      path: '/coverage/d4/genes/summary',
      body: {
        build: 'GRCh38',
        samples: [{ name: 'child', coverage_file_path: 'child.d4' }],
        hgnc_gene_ids: ['MTHFR', 'DHFR'],
        coverage_threshold: 20,
        interval_type: 'transcripts',
      },
      expect: [200],
    }),
  },
  // Invalid requests, and clients that disconnect
  { share: 4, ask: () => ({ method: 'POST', path: '/match', body: '{"patient": {', expect: [400] }) },
  { share: 3, ask: () => ({ method: 'POST', path: '/overview', body: '{"build": "x"}', expect: [400, 415, 422] }) },
  {
    share: 2,
    ask: () => ({
      method: 'POST',
      path: '/apiv1.0/add?dataset_id=bench&assemblyId=GRCh37',
      type: 'text/vcf',
      body: 'no VCF at all',
      expect: [422],
    }),
  },
  {
    share: 2,
    ask: (i) => ({ method: 'GET', path: `/apiv1.0/query?referenceName=1&start=${-1 - i}`, expect: [400] }),
  },
  { share: 6, ask: (i) => ({ method: 'GET', path: `/nowhere/${i}`, expect: [404] }) },
  { share: 1, ask: () => ({ method: 'GET', path: '/report/demo', leave: 15, expect: [200, 'left'] }) },
  {
    share: 2,
    ask: (i) => ({ method: 'POST', path: '/match', body: { patient: patient(i) }, leave: 2, expect: [200, 'left'] }),
  },
  { share: 1, ask: () => ({ method: 'GET', path: '/-/metrics', expect: [200] }) },
];

const turns = kinds.flatMap((kind) => Array.from({ length: kind.share }, (_, nth) => ({ ...kind, nth })));

/** The request of this number: those of one kind are spread over each hundred. */
export function questionOf(i: number): Question {
  const turn = turns[(i * 37) % turns.length];
  if (turn === undefined) throw new Error(`no request has the number ${i}`);
  return turn.ask(Math.floor(i / turns.length) * turn.share + turn.nth);
}

/** The status, `left` if the client aborted the request, `cut` if the server did. */
export function send(agent: Agent, url: string, token: string, question: Question): Promise<number | 'left' | 'cut'> {
  const { method, path, type, body, leave } = question;
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const ended = leave === undefined ? 'cut' : 'left';
  return new Promise((resolve) => {
    const headers = {
      'x-auth-token': token,
      ...(text === undefined
        ? {}
        : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const sent = request(url + path, { method, headers, agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(ended));
    });
    sent.once('error', () => resolve(ended));
    sent.end(text);
    if (leave !== undefined) setTimeout(() => sent.destroy(new Error('left')), leave);
  });
}
