/** Requests to every endpoint that reads a coverage file, by the way in which they name it. */
import { sendTo } from '../../../support/http.js';

/** How a request names the file: by its path, or by the id of the registered sample. */
export type Naming = { path: string } | { id: string };

export interface Endpoint {
  name: string;
  /** Whether the credential may be in a cookie or in the form. */
  isPage: boolean;
  send(url: string, naming: Naming, headers: Record<string, string>): Promise<Response>;
}

const byField = (naming: Naming) => ('path' in naming ? { coverage_file_path: naming.path } : { sample_id: naming.id });
const interval = { chromosome: '1', start: 999_990, end: 1_000_010, completeness_thresholds: [10], build: 'GRCh38' };
const bed = new Blob(['chr1\t999990\t1000010\n']);

const json = (path: string, body: (naming: Naming) => object): Endpoint => ({
  name: path,
  isPage: false,
  send: (url, naming, headers) => sendTo(url + path, { headers, json: body(naming) }),
});

function multipart(path: string, fields: (naming: Naming) => Record<string, unknown>): Endpoint {
  return {
    name: path,
    isPage: false,
    send(url, naming, headers) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields(naming))) {
        form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
      }
      form.append('bed', bed, 'targets.bed');
      return fetch(url + path, { method: 'POST', headers, body: form });
    },
  };
}

const inQuery = (path: string, more: Record<string, string>, byId: string): Endpoint => ({
  name: path,
  isPage: path === '/coverage/track',
  send(url, naming, headers) {
    const own: Record<string, string> = 'path' in naming ? { coverage_file_path: naming.path } : { [byId]: naming.id };
    return fetch(`${url}${path}?${new URLSearchParams({ ...own, ...more })}`, { headers });
  },
});

function page(name: string, accept: string): Endpoint {
  return {
    name: `/${name} as ${accept}`,
    isPage: true,
    send(url, naming, headers) {
      const sample: Record<string, string> =
        'path' in naming
          ? { sample_name_1: 's', sample_file_1: naming.path }
          : { sample_name_1: 's', sample_id_1: naming.id };
      const genes: Record<string, string> =
        name === 'gene_overview' ? { hgnc_gene_id: 'DSP' } : { hgnc_gene_symbols: 'DSP' };
      const form = { build: 'GRCh38', ...genes, ...sample };
      return sendTo(`${url}/${name}`, { headers: { accept, ...headers }, form });
    },
  };
}

export const endpoints: readonly Endpoint[] = [
  json('/coverage/d4/interval/', (naming) => ({ ...byField(naming), ...interval })),
  multipart('/coverage/d4/interval_file/', (naming) => ({ ...byField(naming), completeness_thresholds: [10] })),
  multipart('/coverage/d4/genes/summary', (naming) => ({
    build: 'GRCh38',
    samples: [{ name: 's', ...byField(naming) }],
    coverage_threshold: 10,
    interval_type: 'custom_intervals',
  })),
  inQuery('/coverage/samples/predicted_sex', {}, 'sample_id'),
  inQuery('/coverage/track', { region: 'chr1:999991-1000010', format: 'json' }, 'sample'),
  ...['report', 'overview', 'gene_overview', 'mane_overview'].flatMap((name) => [
    page(name, 'application/json'),
    page(name, 'text/html'),
  ]),
];
