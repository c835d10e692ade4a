/** A dataset of local observations small enough to count by hand, and requests for it. */

import { issueToken } from '../../../../core/auth/access.js';
import type {
  Allele,
  BeaconRepository,
  CalledAllele,
  Carrier,
  SampleChange,
} from '../../../../plugins/beacon/contract.js';
import { type Answer, request } from '../../../support/http.js';
import { type Beacon, dataset } from './serve.js';

/** Times of the three loads. */
export const january = new Date('2026-01-10T08:00:00.000Z');
export const february = new Date('2026-02-10T08:00:00.000Z');
export const march = new Date('2026-03-10T08:00:00.000Z');

const snv = (contig: Allele['contig'], position: number, reference: string, alternate: string): Allele => ({
  ...{ contig, start: position - 1, end: position, reference, alternate, kind: 'SNP', structural: false },
});

/** As a record with POS and END places it. */
const symbolic = (kind: string, position: number, end: number): Allele => ({
  ...{ contig: '1', start: position - 1, end, reference: 'N', alternate: `<${kind}>`, kind, structural: true },
});

const insertion = (position: number, length: number): Allele => ({ ...symbolic('INS', position, position), length });

const breakend: Allele = {
  ...{ contig: '2', start: 321680, end: 198981, mate: '17', kind: 'BND', structural: true },
  ...{ reference: 'G', alternate: 'G]17:198982]' },
};

const t880086 = snv('1', 880086, 'T', 'C');
const dystrophin = snv('X', 31_000_000, 'G', 'A');
const pseudoautosomal = snv('X', 100_000, 'G', 'A');

const called = (allele: Allele, ...carriers: Carrier[]): CalledAllele => ({ ...allele, carriers });

/** Imports samples with facts, as of a moment. */
export async function add(
  repository: BeaconRepository,
  id: string,
  samples: Record<string, SampleChange>,
  alleles: readonly CalledAllele[],
  now: Date,
  searched = { small: true, structural: true },
): Promise<void> {
  const request = {
    dataset: id,
    samples: Object.keys(samples),
    facts: new Map(Object.entries(samples)),
    searched: () => searched,
    alleles: (async function* () {
      yield alleles;
    })(),
  };
  await repository.importAlleles(request, now);
}

/**
 * `wgs` (GRCh37): the family `fam1` (a son, his mother and his father), `fam2` (a woman), `s3` (sex unknown), all searched for
 * everything, and `s4`, searched for small variants only and without any.
 *
 * | variant | son | mother | father | fam2 | s3 |
 * |---|---|---|---|---|---|
 * | 1-880086-T-C | 2 | 1 | 1 | 1 | |
 * | X-31000000-G-A, outside the PAR | 2 | 1 | | | 1 |
 * | X-100000-G-A, in PAR1 | 2 | | | | |
 * | DEL 1:10001-11001 | 1 | | | | |
 * | DEL 1:10151-11180 | | | | 1 | |
 * | DEL 1:10251-11001 | | | | | 1 |
 * | DUP 1:10001-11001 | | 1 | | | |
 * | INS 1:50000 of 300 bases; of 500 | | 1; 0 | | 0; 1 | |
 * | BND 2:321681 to 17:198982 | | | 1 | | |
 */
export async function addObservations(repository: BeaconRepository): Promise<void> {
  const description = dataset('wgs', {
    access: 'CONTROLLED',
    counting: { quality: 20, passOnly: true, window: 2000 },
  });
  await repository.addDataset(description, january);
  await add(
    repository,
    'wgs',
    {
      son: { case: 'fam1', sex: 'male', affected: true, labels: { assay: 'WGS' } },
      mother: { case: 'fam1', sex: 'female', affected: false },
      father: { case: 'fam1', sex: 'male' },
    },
    [
      called(t880086, [0, 2], [1, 1], [2, 1]),
      called(dystrophin, [0, 2], [1, 1]),
      called(pseudoautosomal, [0, 2]),
      called(symbolic('DEL', 10_001, 11_001), [0, 1]),
      called(symbolic('DUP', 10_001, 11_001), [1, 1]),
      called(insertion(50_000, 300), [1, 1]),
      called(breakend, [2, 1]),
    ],
    january,
  );
  await add(
    repository,
    'wgs',
    { s2: { case: 'fam2', sex: 'female' } },
    [called(t880086, [0, 1]), called(symbolic('DEL', 10_151, 11_180), [0, 1]), called(insertion(50_000, 500), [0, 1])],
    february,
  );
  await add(
    repository,
    'wgs',
    { s3: {} },
    [called(dystrophin, [0, 1]), called(symbolic('DEL', 10_251, 11_001), [0, 1])],
    march,
  );
  await add(repository, 'wgs', { s4: {} }, [], march, { small: true, structural: false });
}

export interface Asking {
  token?: string | undefined;
  body?: unknown;
  method?: string;
  headers?: Record<string, string>;
}

/** Sends a request to a path below the server, as JSON if it has a body. */
export async function send(server: Pick<Beacon, 'url'>, path: string, asking: Asking = {}): Promise<Answer> {
  const { body: json, ...sent } = asking;
  return request(server.url + path, { ...sent, json });
}

export async function tokenWith(server: Pick<Beacon, 'tokens'>, ...scopes: string[]): Promise<string> {
  const { token } = await issueToken(server.tokens, { owner: 'Lab', scopes }, new Date());
  return token;
}
