/** Records whose coverage was reported, and to whom. */
import { type Audit, anonymous, type Policy, type Principal } from '../../core/plugin.js';
import type { Registration } from './domain/sample.js';
import { reportRight } from './rights.js';
import type { CoverageSettings } from './settings.js';
import type { Tickets } from './tickets/tickets.js';

/** Samples of an answer. */
export interface Reported {
  /** What was asked for: `report`, `genes_summary`. */
  what: string;
  samples: readonly { name: string; caseName?: string; registration?: Pick<Registration, 'id'> | undefined }[];
  genes: number;
  /** Shared datasets with whose samples they were compared; none if omitted. */
  shared?: readonly string[];
}

export type RecordReport = (
  request: { principal?: Principal | undefined; id: string },
  reported: Reported,
) => Promise<void>;

/** Resolves once the record is durable: the answer leaves after that. */
export function recordReports(
  { audit, policy, settings }: { audit: Audit; policy: Policy; settings: Pick<CoverageSettings, 'authorize'> },
  tickets: Tickets | undefined,
): RecordReport {
  return async ({ principal, id }, { what, samples, genes, shared = [] }) => {
    if (!audit.enabled) return;
    const isAsked = settings.authorize !== undefined && principal?.kind === 'subject';
    const cases = new Set(samples.flatMap(({ caseName }) => (caseName ? [`case:${caseName}`] : [])));
    const reason = principal && tickets?.admissionOf(principal) ? 'ticket' : await reasonOf(policy, principal, isAsked);
    await audit.record(principal ?? anonymous, {
      action: 'coverage.report',
      // Of a registered sample the id: a form may show it by another name.
      about: [
        ...samples.map(({ name, registration }) => `sample:${registration?.id ?? name}`),
        ...cases,
        ...shared.map((id) => `dataset:${id}`),
      ],
      because: [reason, ...shared.map((id) => `shared dataset ${id}`)].join(', '),
      outcome: 'answered',
      detail: { what, genes },
      request: id,
    });
  };
}

/**
 * Where rights are given to tenants, the caller has the right by them; else any valid access token is enough. With `authorize` the
 * case system has allowed it as well.
 */
async function reasonOf(policy: Policy, principal: Principal | undefined, isAsked: boolean): Promise<string> {
  if (principal === undefined) return 'open to every caller';
  const tenants = principal.kind === 'subject' ? (principal.tenants ?? []) : [];
  const byRule =
    tenants.length > 0 ? tenants.map((name) => `tenant ${name}`).join(', ') : await policy.why(principal, reportRight);
  if (isAsked) return byRule === undefined ? 'case system' : `${byRule}, case system`;
  return byRule ?? 'access token';
}
