/**
 * Sentences that must not change, because clients of the systems that these plugins replace compare or show them.
 * They are collected from the contract and from those systems; everything else may be reworded at any time.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../core/testing/server.js';
import { command } from '../support/command.js';
import { blockFolder } from '../support/folder.js';
import { request } from '../support/http.js';
import { vcf } from './beacon/support/vcf.js';

type Json = Record<string, unknown>;
/** Method and path, body, status, and the sentence at `message`, `detail` or `error.errorMessage`. */
type Case = [request: string, body: unknown, status: number, sentence: string];

const allele = { assemblyId: 'GRCh37', referenceName: '1', start: 9, referenceBases: 'A', alternateBases: 'C' };
const without = (object: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
const patient = {
  id: 'P1',
  contact: { name: 'A. Clinician', href: 'mailto:a@example.org' },
  features: [{ id: 'HP:0001250' }],
};
const described = { id: 'new', name: 'New', build: 'GRCh37', authlevel: 'public' };

describe('sentences that clients depend on', function () {
  this.timeout(120_000);
  const folder = blockFolder();
  let server: TestServer;
  let token: string;

  before(async () => {
    await writeFile(join(folder, 'x.vcf'), vcf({ samples: ['s'], records: ['1 10 . A C . . . GT 0/1'] }));
    await writeFile(join(folder, 'x.txt'), 'no vcf\n');
    await writeFile(join(folder, 'genes.tsv'), 'x\n');
    const uploads = { folder: join(folder, 'uploads') };
    server = await serveForTest({
      plugins: {
        beacon: { roots: [folder], uploads },
        coverage: { roots: [folder], intervals: { httpLoading: true, uploads: join(folder, 'intervals') } },
        matchmaker: {},
      },
      jobs: false,
    });
    token = await server.token('*');
  });
  after(async () => {
    await server?.close();
  });

  async function answer(operation: string, body: unknown, headers: Record<string, string>) {
    const [method = '', path = ''] = operation.split(' ');
    type Said = Json & { error?: { errorMessage?: string } };
    const { status, body: said } = await request<Said>(server.url + path, { method, headers, json: body });
    return { status, sentence: said.error?.errorMessage ?? said.detail ?? said.message };
  }

  function follows(cases: () => Case[], headers: () => Record<string, string>) {
    return async () => {
      for (const [request, body, status, sentence] of cases()) {
        expect(await answer(request, body, headers()), request).to.deep.equal({ status, sentence });
      }
    };
  }

  const query = 'POST /apiv1.0/query';
  it(
    'beacon: queries',
    follows(
      () => [
        [query, {}, 400, 'Missing one or more mandatory parameters (referenceName, referenceBases, assemblyId)'],
        [
          query,
          without(allele, 'referenceBases'),
          400,
          'Missing one or more mandatory parameters (referenceName, referenceBases, assemblyId)',
        ],
        [
          query,
          { ...allele, datasetIds: ['x'] },
          400,
          'Unknown datasets. Database does not contain the dataset IDs specified in the query',
        ],
        [query, without(allele, 'alternateBases'), 400, "Either 'alternateBases' or 'variantType' param is required"],
        [query, without(allele, 'start'), 400, 'Start coordinate or range coordinate params are required'],
        [
          query,
          { ...allele, start: 'x' },
          400,
          'Invalid coordinates. Variant start and stop positions must be numbers',
        ],
      ],
      () => ({}),
    ),
  );

  it('beacon: credentials', async () => {
    for (const [authorization, sentence] of [
      ['Bearer', 'Missing authentication token'],
      ['Bearer a b', 'Missing authentication token'],
      ['Basic YTpi', 'Bearer token scheme required'],
    ] as const) {
      expect(await answer(query, allele, { authorization }), authorization).to.deep.equal({ status: 401, sentence });
    }
    for (const path of ['add', 'delete', 'add_dataset']) {
      const refused = await answer(`POST /apiv1.0/${path}`, {}, { 'x-auth-token': 'x' });
      expect(refused, path).to.deep.equal({ status: 401, sentence: 'Invalid auth token error' });
    }
  });

  it(
    'beacon: changes',
    follows(
      () => {
        const add = 'POST /apiv1.0/add';
        const remove = 'POST /apiv1.0/delete';
        const set = 'POST /apiv1.0/add_dataset';
        const load = { dataset_id: 'new', vcf_path: join(folder, 'x.vcf'), assemblyId: 'GRCh37' };
        return [
          [
            set,
            without(described, 'id'),
            422,
            'Invalid dataset ID. Dataset ID should be a string with alphanumeric characters and underscores',
          ],
          [set, { ...described, name: '' }, 422, 'Dataset name must be a non-empty string'],
          [
            set,
            { ...described, build: 'X' },
            422,
            "Dataset genome build 'X' is not valid. Accepted values are 'GRCh37' or 'GRCh38'",
          ],
          [
            set,
            { ...described, authlevel: 'X' },
            422,
            "Dataset authlevel build 'X' is not valid. Accepted values are 'public', 'registered' or 'controlled'",
          ],
          [set, { ...described, description: '' }, 422, 'Dataset description must be a non-empty string'],
          [
            set,
            { ...described, update: 'True' },
            422,
            "Update failed: couldn't find any dataset with the given ID in database",
          ],
          [set, described, 200, 'Dataset collection was successfully updated'],
          [set, { ...described, update: 'True' }, 200, 'Dataset collection was successfully updated'],
          [set, described, 422, "Duplicate Key Error: there is already a dataset with the ID 'new'"],
          [add, without(load, 'dataset_id'), 422, "'dataset_id' is a required property"],
          [add, { ...load, assemblyId: 'FOO' }, 422, "'FOO' is not one of ['GRCh37', 'GRCh38']"],
          [add, { ...load, dataset_id: 1 }, 422, "1 is not of type 'string'"],
          [add, { ...load, samples: 'x' }, 422, "'x' is not of type 'array'"],
          [add, { ...load, dataset_id: 'x' }, 422, 'Invalid request. Please specify a valid dataset ID'],
          [add, { ...load, vcf_path: '/none.vcf' }, 422, 'VCF file was not found at the provided path:/none.vcf'],
          [add, { ...load, vcf_path: join(folder, 'x.txt') }, 422, 'Samples [] were not found in VCF files'],
          [
            add,
            { ...load, samples: ['t'] },
            422,
            "One or more provided samples were not found in VCF. VCF samples:['s']",
          ],
          [
            add,
            { ...load, genes: { ids: [1] } },
            422,
            'Please provide id_type (HGNC or Ensembl) for the given list of genes',
          ],
          [add, { ...load, genes: { ids: [1], id_type: 'X' } }, 422, "'X' is not one of ['HGNC', 'Ensembl']"],
          [
            add,
            { ...load, genes: { ids: [1], id_type: 'HGNC' } },
            422,
            'Could not create a gene filter using the provided gene list',
          ],
          [add, load, 202, 'Saving variants to Beacon'],
          [remove, { dataset_id: 'x', samples: ['s'] }, 422, 'Invalid request. Please specify a valid dataset ID'],
          [remove, { dataset_id: 'new' }, 422, 'Please provide a valid list of samples'],
          [remove, { dataset_id: 'new', samples: [] }, 422, 'Please provide a valid list of samples'],
          [
            remove,
            { dataset_id: 'new', samples: ['s'] },
            422,
            'One or more provided samples was not found in the dataset',
          ],
        ];
      },
      () => ({ 'x-auth-token': token }),
    ),
  );

  it('beacon: results on the query page', async () => {
    const page = async (more: string) =>
      (
        await fetch(
          `${server.url}/apiv1.0/query_form?${new URLSearchParams(Object.entries(allele).map(([name, value]): [string, string] => [name, `${value}`]))}${more}`,
        )
      ).text();
    expect(await page('')).to.include('>Allele could not be found<');
    expect(await page('&includeDatasetResponses=ALL')).to.include('>Allele exists: False<');
  });

  it(
    'matchmaker',
    follows(
      () => [
        ['POST /patient/add', { patient }, 200, 'Patient was successfully inserted into database.'],
        ['POST /patient/add', { patient }, 200, 'Database content is unchanged.'],
        ['POST /patient/add', { patient: { ...patient, label: 'x' } }, 200, 'Patient was successfully updated.'],
        ['POST /match/external/none', undefined, 200, 'ERROR. Could not find any patient with ID none in database'],
        [
          'POST /match/external/P1?node=x',
          undefined,
          200,
          'ERROR. Could not find any connected node with id x in database',
        ],
        [
          'POST /match/external/P1',
          undefined,
          200,
          'Could not find any other node connected to this MatchMaker server',
        ],
        ['GET /matches/P1', undefined, 200, 'Could not find any matches in database for patient ID P1'],
        ['DELETE /patient/delete/none', undefined, 200, 'ERROR. Could not delete a patient with ID none from database'],
        [
          'DELETE /patient/delete/P1',
          undefined,
          200,
          'Patient and its matches were successfully deleted from database',
        ],
      ],
      () => ({ 'x-auth-token': token }),
    ),
  );

  it('matchmaker: the beginning of refusals', async () => {
    const headers = { 'x-auth-token': token };
    expect(await answer('POST /match', { patient }, {})).to.deep.equal({ status: 401, sentence: 'Not authorized' });
    const broken = await answer('POST /match', '{', headers);
    expect(broken.status).to.equal(400);
    expect(broken.sentence).to.match(/^Invalid request JSON/);
    const wrong = await answer('POST /match', {}, headers);
    expect(wrong.status).to.equal(422);
    expect(wrong.sentence).to.match(/^Request does not conform to API specifications/);
  });

  it(
    'coverage',
    follows(
      () => {
        const interval = {
          coverage_file_path: 'none.d4',
          chromosome: '1',
          start: 1,
          end: 2,
          completeness_thresholds: [10],
        };
        const load = (file: string) => `POST /intervals/load/${file}/GRCh37?file_path=genes.tsv`;
        const later = (what: string) =>
          `${what} will be updated in background. Please check their availability in a few minutes.`;
        return [
          [
            'POST /coverage/d4/interval/',
            interval,
            404,
            'Coverage_file_path must be either an existing local file path or a URL',
          ],
          [
            'POST /intervals/genes',
            { build: 'GRCh37', hgnc_symbols: [], hgnc_ids: [1] },
            400,
            'Interval query contains too many filter parameters. Please specify genome build and max one type of filter.',
          ],
          [load('genes'), undefined, 200, later('Genes')],
          [load('transcripts'), undefined, 200, later('Transcripts')],
          [load('exons'), undefined, 200, later('Exons')],
        ];
      },
      () => ({ 'x-auth-token': token }),
    ),
  );

  it('commands: output that scripts read', async () => {
    const env = { TREFOIL_SQLITE_FILE: join(folder, 'cli.sqlite') };
    const run = async (...words: string[]) => (await command(words, { cwd: folder, env })).stdout;
    expect(await run('matchmaker', 'add', 'client', '--id', 'c', '--url', 'https://c.example.org')).to.match(
      /^Inserted client with ID "c" into database collection clients\n/,
    );
    const node = await command(
      [
        'matchmaker',
        'add',
        'node',
        '--id',
        'n',
        '--label',
        'N',
        '--token',
        'a-token-of-sixteen',
        '--matching_url',
        'https://n.example.org/match',
      ],
      { cwd: folder, env: { ...env, MATCHMAKER_KEY: 'k'.repeat(40) } },
    );
    expect(node.stdout, node.stderr).to.equal('Inserted node with ID "n" into database collection nodes\n');
  });
});
