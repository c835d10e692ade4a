/** A server with a worklist: three cases with findings, on panels, coverage and alleles that a test can count by hand. */
import { issueToken } from '../../../../core/auth/access.js';
import { tokens } from '../../../../core/auth/contract.js';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { beacon } from '../../../../plugins/beacon/contract.js';
import { coverageSamples } from '../../../../plugins/coverage/contract.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { draftVersion, signedVersion, submittedVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import {
  type Baseline,
  type ComputedFinding,
  type ComputedGroupRow,
  type NewStatement,
  type Reason,
  type ReviewRepository,
  reviews,
} from '../../../../plugins/reviews/contract.js';
import type { Subject } from '../../../conformance/core.js';
import { allele } from '../../beacon/support/denominators.js';
import { add } from '../../beacon/support/observed.js';
import { dataset } from '../../beacon/support/serve.js';
import { store } from '../../coverage/callability/support.js';
import { contentOf, green } from '../../panels/support/served.js';

export const reported = new Date('2026-02-03T10:00:00Z');
export const found = new Date('2026-11-20T10:00:00Z');

/** MTHFR, GRCh38. */
export const carried = { chromosome: '1', start: 11_796_320, reference: 'G', alternate: 'A' } as const;

export function statement(name: string, more: Partial<NewStatement> = {}): NewStatement {
  return {
    ...{ case: name, revision: 1, build: 'GRCh38', panel: { panel: 'iem', version: '1.0' }, thresholds: [10] },
    persons: [
      { role: 'proband', isAffected: true, sample: `S-${name}`, sex: 'female' },
      { role: 'mother', isAffected: false, sample: `M-${name}`, sex: 'female' },
    ],
    ...{ releases: { ClinVar: '2026-01' }, terms: ['HP:0001250'], conclusion: 'negative', alleles: [] },
    ...{ reviewer: 'Anna Berg', decided: reported, recontact: 'yes' },
    ...more,
  };
}

export function baseline(more: Partial<Baseline> = {}): Baseline {
  return {
    ...{ taken: reported, pathogenic: {}, passing: [], deNovo: [], trans: [], calls: {}, coverage: {}, holes: [] },
    ...{ recurrent: [], common: [], matches: [], terms: ['HP:0001250'] },
    ...more,
  };
}

export function finding(id: string, reason: Reason, more: Partial<ComputedFinding> = {}): ComputedFinding {
  return {
    ...{ id, reason, priority: 1, gene: { hgnc: 7436, symbol: 'MTHFR' }, rests: `rests-${id}` },
    allele: {
      ...carried,
      zygosity: 'homozygous',
      coding: 'c.665C>T',
      protein: 'p.(Ala222Val)',
      local: { carriers: 1, covered: 2 },
      copies: { 'S-F1': 2, 'M-F1': 'unknown' },
    },
    evidence: {
      before: { class: 'uncertain significance (ClinVar 2026-01, 1 star)' },
      now: { class: 'pathogenic (ClinVar 2026-11, 2 stars)' },
      unknown: ['frequency'],
    },
    ...more,
  };
}

export interface WorklistServer {
  server: TestServer;
  url: string;
  repository: ReviewRepository;
  token(owner: string, ...scopes: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Everything that a reader needs to see the page of a case whole. */
export const readerScopes = ['reviews:read', 'reviews:write', 'panels:read', 'coverage:read', 'beacon:observe'];

export async function serveWorklist(storage: Subject, core: Record<string, unknown> = {}): Promise<WorklistServer> {
  const server = await serveForTest({
    plugins: { coverage: {}, beacon: {}, panels: {}, reviews: {} },
    settings: core,
    storage,
    now: () => new Date('2026-11-23T10:00:00Z'),
  });
  const by = { by: 'anna', at: reported };
  for (const [version, genes] of [
    ['1.0', [green(7436, 'MTHFR')]],
    ['1.1', [green(7436, 'MTHFR'), green(2861, 'DHFR')]],
  ] as const) {
    const review = submittedVersion(draftVersion('iem', version, contentOf([...genes]), by), by);
    await server.repository(panels).add(signedVersion(review, review.digest, 1, by));
  }
  // The proband covers the allele; of the two samples of the dataset one carries it.
  const { chromosome, start } = carried;
  const stretches = [{ chromosome, start, depths: [20] }];
  await store(server.repository(coverageSamples), [
    { id: 'S-F1', stretches },
    { id: 'S-F2', stretches },
    { id: 'M-F1', stretches: [] },
  ]);
  const observed = { ...allele('1', start + 1, 'G', 'A'), carriers: [[0, 2] as [number, number]] };
  const stored = server.repository(beacon);
  await stored.addDataset(dataset('exomes', { assembly: 'GRCh38', access: 'CONTROLLED' }), reported);
  await add(stored, 'exomes', { 'S-F1': {}, 'S-F2': {} }, [observed], reported);

  const repository = server.repository(reviews);
  const hole = { hgnc: 7436, chromosome: '1' as const };
  const holes = [
    { ...hole, start, end: start + 1 },
    { ...hole, start: 11_000_000, end: 11_000_010 },
    { ...hole, start: 11_000_003, end: 11_000_004, site: 'A>T' },
  ];
  for (const name of ['F1', 'F2', 'F3 <b>']) {
    await repository.put(statement(name), reported);
    await repository.takeBaseline({ case: name }, 1, baseline({ holes }));
  }
  await repository.put(statement('F4'), reported);
  const panelChange = finding('panel-1', 'panel', {
    priority: 4,
    gene: { hgnc: 2861, symbol: 'DHFR' },
    evidence: {
      before: { panel: 'iem@1.0', confidence: 'absent' },
      now: { panel: 'iem@1.1', confidence: 'green' },
      partners: [
        {
          ...{ ...carried, start: carried.start + 10, zygosity: 'heterozygous', origin: 'mother', phase: 'trans' },
          ...{ class: 'ClinVar 2026-11: Pathogenic (2 of 4 stars)', copies: { 'S-F1': 1, 'M-F1': 1 } },
        },
      ],
      unknown: [],
    },
  });
  const match = finding('match-1', 'match', { priority: 6 });
  for (const [name, findings] of [
    ['F1', [finding('raised-1', 'raised'), panelChange]],
    ['F2', [finding('raised-2', 'raised', { priority: 3 })]],
    ['F3 <b>', [match]],
  ] as const) {
    const computed = {
      case: name,
      revision: 1,
      gathered: found,
      reasons: [...new Set(findings.map(({ reason }) => reason))],
      findings,
    };
    await repository.replaceFindings([computed], found);
  }
  const row: ComputedGroupRow = {
    ...{ id: 'group-1', kind: 'hole', subject: 'CBS', assay: 'exome v7', release: 'MANE 1.4', cases: 12 },
    ...{ panels: ['iem'], evidence: { before: {}, now: {}, unknown: [] }, rests: 'g' },
  };
  await repository.replaceGroups('hole', [row], found);
  return {
    server,
    url: server.url,
    repository,
    token: async (owner, ...scopes) =>
      (await issueToken(server.repository(tokens), { owner, scopes }, new Date())).token,
    close: () => server.close(),
  };
}
