/** Records whose coverage was shown, and to whom. */
import { basename } from 'node:path';
import {
  type Audit,
  disclosing,
  type Policy,
  type Principal,
  type Disclosure as RecordedDisclosure,
  type RecordedRequest,
  type Right,
} from '../../../../core/plugin.js';
import type { Registration } from '../../measure/quality.js';
import { reportRight } from '../../rights.js';
import type { CoverageSettings } from '../../settings.js';
import type { Tickets } from './ticket-access.js';

type CoverageRequest = RecordedRequest & { principal?: Principal | undefined };

/** Samples of a report. */
interface ReportDisclosure {
  /** What was asked for: `report`, `genes_summary`. */
  what: string;
  samples: readonly { name: string; caseName?: string; registration?: Pick<Registration, 'id'> | undefined }[];
  genes: number;
  /** Shared datasets with whose samples they were compared; none if omitted. */
  shared?: readonly string[];
  /** The id under which the report is kept. */
  kept?: string | undefined;
}

/** What else of samples is shown. */
interface Disclosure {
  /**
   * `depth`: depths of one sample, by `what`. `samples`: what is known of registered samples. `callability`: which samples are
   * covered, or their sexes. `ticket`: others were admitted to them.
   */
  action: 'depth' | 'samples' | 'callability' | 'ticket';
  what?: string;
  /** Ids of registered samples, or names; see `sampleName`. A function is called only if there is an audit. */
  samples: readonly string[] | (() => Promise<readonly string[]>);
  cases?: readonly (string | undefined)[];
  /** Which the caller needs; the right to get reports if omitted. */
  right?: Right;
}

/** The id under which a sample is recorded: its own if it is registered, else the name of its file without extensions. */
export function sampleName(path: string, known: { registration?: Pick<Registration, 'id'> } | undefined): string {
  if (known?.registration) return known.registration.id;
  const name = basename(path.replace(/[?#].*$/s, ''));
  return name.replace(/(\.(d4|bed|gz|per-base|mosdepth|thresholds|regions))+$/i, '') || 'unnamed';
}

/** Each resolves once the record is durable: the answer leaves after that. Without an audit they do nothing. */
export function coverageRecording(
  { audit, policy, settings }: { audit: Audit; policy: Policy; settings: Pick<CoverageSettings, 'authorize'> },
  tickets: Tickets | undefined,
) {
  const disclose = disclosing({ audit, policy });

  async function record(
    request: CoverageRequest,
    right: Right,
    { because = [], ...event }: Omit<RecordedDisclosure<unknown>, 'by' | 'of'> & { because?: readonly string[] },
  ): Promise<void> {
    const { principal } = request;
    const isAdmitted = principal && tickets?.admissionOf(principal);
    const isAsked = settings.authorize !== undefined && principal?.kind === 'subject';
    const reason = isAdmitted ? 'ticket' : await reasonOf(policy, principal, { right, isAsked });
    await disclose(request, { ...event, by: [reason, ...because].join(', ') });
  }

  return {
    async report(
      request: CoverageRequest,
      { what, samples, genes, shared = [], kept }: ReportDisclosure,
    ): Promise<void> {
      if (!audit.enabled) return;
      await record(request, reportRight, {
        action: 'coverage.report',
        about: {
          // Of a registered sample the id: a form may show it by another name.
          sample: samples.map(({ name, registration }) => registration?.id ?? name),
          case: samples.map(({ caseName }) => caseName),
          dataset: shared,
        },
        because: shared.map((id) => `shared dataset ${id}`),
        detail: { what, genes, ...(kept !== undefined && { kept }) },
      });
    },

    async shown(
      request: CoverageRequest,
      { action, what, samples: shown, cases = [], right = reportRight }: Disclosure,
    ): Promise<void> {
      if (!audit.enabled) return;
      const sample = typeof shown === 'function' ? await shown() : shown;
      // Without samples nothing of a person is shown.
      if (sample.length === 0) return;
      const about = { sample, case: cases };
      await record(request, right, {
        action: `coverage.${action}`,
        about,
        ...(what !== undefined && { detail: { what } }),
      });
    },
  };
}

/**
 * Where rights are given to tenants, the caller has the right by them; else any valid access token is enough. With `authorize` the
 * case system has allowed it as well.
 */
async function reasonOf(
  policy: Policy,
  principal: Principal | undefined,
  { right, isAsked }: { right: Right; isAsked: boolean },
): Promise<string> {
  if (principal === undefined) return 'open to every caller';
  const tenants = principal.kind === 'subject' ? (principal.tenants ?? []) : [];
  const byRule =
    tenants.length > 0 ? tenants.map((name) => `tenant ${name}`).join(', ') : await policy.why(principal, right);
  if (isAsked) return byRule === undefined ? 'case system' : `${byRule}, case system`;
  return byRule ?? (principal.kind === 'token' ? 'API token' : 'access token');
}
