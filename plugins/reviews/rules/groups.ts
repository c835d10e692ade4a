/**
 * Rows for many cases: a gene of which too few coding bases are covered, or a known site that is not covered, is one row for each assay
 * and release, to the owner of the cases, with their number.
 */
import type { ComputedGroupRow, Statement } from '../contract.js';
import type { CaseEvidence } from '../evidence/evidence.js';
import { digest } from './drafts.js';

/** Share of the coding bases of a gene under which it is not callable. */
export const callableShare = 0.95;

interface HoleRow extends Omit<ComputedGroupRow, 'cases' | 'panels' | 'evidence'> {
  cases: Set<string>;
  panels: Set<string>;
  /** The share of covered coding bases in each case; of genes. */
  shares: number[];
}

/** Holes of all cases, one case after the other. */
export class HoleRows {
  readonly #rows = new Map<string, HoleRow>();
  /** Whether the coverage of a case could not be read now: then what was found says nothing of what is gone. */
  isComplete = true;

  add({ owner, case: name, panel }: Statement, { coverage, panel: versions, releases }: CaseEvidence): void {
    if (coverage.why === 'unavailable') this.isComplete = false;
    const { genes, holes = [], assay } = coverage.value ?? {};
    const known = [...(versions.before.value?.genes ?? []), ...(versions.now.value?.genes ?? [])];
    const symbols = new Map(known.map(({ hgnc, symbol }) => [hgnc, symbol]));
    const note = (about: Pick<ComputedGroupRow, 'hgnc' | 'subject' | 'release'>, share?: number) => {
      const names = [owner, 'hole', about.hgnc, about.subject, assay, about.release];
      const id = digest(names);
      const row: HoleRow = this.#rows.get(id) ?? {
        ...{ id, kind: 'hole', ...about, rests: digest(names.slice(1)) },
        ...(owner !== undefined && { owner }),
        ...(assay !== undefined && { assay }),
        ...{ cases: new Set(), panels: new Set(), shares: [] },
      };
      this.#rows.set(id, row);
      row.cases.add(name);
      row.panels.add(panel.panel);
      if (share !== undefined) row.shares.push(share);
    };
    // Which release of gene structures was read is not told: the rows of genes are by that of the panel.
    const release = `${panel.panel}@${versions.now.value?.version ?? panel.version}`;
    for (const [hgnc, { coding, covered }] of genes ?? []) {
      const subject = symbols.get(hgnc) ?? `HGNC:${hgnc}`;
      if (covered < callableShare * coding) note({ hgnc, subject, release }, covered / coding);
    }
    const sets = Object.entries(releases).map(([set, of]) => `${set} ${of}`);
    for (const { hgnc, site, chromosome, start } of holes) {
      if (site === undefined) continue;
      const subject = `${symbols.get(hgnc) ?? `HGNC:${hgnc}`} ${chromosome}:${start + 1} ${site}`;
      note({ hgnc, subject, release: sets.sort().join(', ') });
    }
  }

  /** By id. */
  rows(): ComputedGroupRow[] {
    const rows = [...this.#rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return rows.map(({ cases, panels, shares, ...row }) => ({
      ...row,
      cases: cases.size,
      panels: [...panels].sort(),
      evidence: { before: {}, now: { coverage: shareText(shares) }, unknown: [] },
    }));
  }
}

function shareText(shares: readonly number[]): string {
  if (shares.length === 0) return 'not covered';
  const percent = [Math.min(...shares), Math.max(...shares)].map((share) => Math.floor(100 * share));
  return `${[...new Set(percent)].join(' to ')} % of the coding bases are covered`;
}
