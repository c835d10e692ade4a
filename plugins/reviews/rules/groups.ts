/**
 * Rows for many cases, each to the owner of the cases with their number: a gene of which too few coding bases are covered, or a known
 * site that is not covered, for each assay and release; a gene that is none any more, or whose preferred transcript is another one.
 */
import type { PanelOfReport } from '../../services/services.js';
import type { ComputedGroupRow, GroupRow, Statement } from '../contract.js';
import type { CaseEvidence } from '../evidence/evidence.js';
import { type AskGenes, formerTranscripts } from '../evidence/panel-genes.js';
import { panelPair } from '../evidence/panel-versions.js';
import { digest } from './drafts.js';

/** Share of the coding bases of a gene under which it is not callable. */
export const callableShare = 0.95;

/** What a row is about. */
type RowAbout = Omit<ComputedGroupRow, 'cases' | 'panels' | 'evidence' | 'id' | 'rests'>;

interface OpenRow extends Omit<ComputedGroupRow, 'cases' | 'panels' | 'evidence'> {
  cases: Set<string>;
  panels: Set<string>;
  /** Transcripts by which reports measured the gene, and the one that is preferred now. */
  former: Set<string>;
  preferred?: string;
  /** The share of covered coding bases in each case; of genes. */
  shares: number[];
}

class Rows {
  readonly #rows = new Map<string, OpenRow>();

  /** Adds cases to a row, which `names` tells from others; a decision about it rests on `rests`. */
  note(
    { owner, panel, cases }: Pick<Statement, 'owner' | 'panel'> & { cases: readonly string[] },
    about: Omit<RowAbout, 'owner'>,
    { names, rests }: { names: readonly unknown[]; rests: readonly unknown[] },
  ): OpenRow {
    const parts = [owner, about.kind, ...names];
    // Of many cases one row: its digest is made once.
    const key = JSON.stringify(parts);
    const row: OpenRow = this.#rows.get(key) ?? {
      ...{ id: digest(parts), ...about, rests: digest([about.kind, ...rests]) },
      ...(owner !== undefined && { owner }),
      ...{ cases: new Set(), panels: new Set(), former: new Set(), shares: [] },
    };
    this.#rows.set(key, row);
    for (const name of cases) row.cases.add(name);
    row.panels.add(panel.panel);
    return row;
  }

  /** By id. */
  all(): ComputedGroupRow[] {
    const rows = [...this.#rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return rows.map(({ cases, panels, former, preferred, shares, ...row }) => {
      const was = [...former].sort().join(', ');
      const isMeasured = preferred !== undefined;
      return {
        ...row,
        subject: isMeasured ? `${row.subject} ${was} → ${preferred}` : row.subject,
        cases: cases.size,
        panels: [...panels].sort(),
        evidence: {
          before: isMeasured ? { transcripts: was } : {},
          now: isMeasured ? { transcripts: preferred } : row.kind === 'hole' ? { coverage: shareText(shares) } : {},
          unknown: [],
        },
      };
    });
  }
}

/** Holes of all cases, one case after the other. */
export class HoleRows {
  readonly #rows = new Rows();
  /** Whether the coverage of a case could not be read now: then what was found says nothing of what is gone. */
  isComplete = true;

  add(statement: Statement, { coverage, panel: versions, releases }: CaseEvidence): void {
    if (coverage.why === 'unavailable') this.isComplete = false;
    const { genes, holes = [], assay } = coverage.value ?? {};
    const known = panelPair(versions.before.value, versions.now.value).genes;
    const { owner, panel } = statement;
    const note = (about: Pick<ComputedGroupRow, 'hgnc' | 'subject' | 'release'>): OpenRow => {
      const names = [about.hgnc, about.subject, assay, about.release];
      const more = { kind: 'hole', ...about, ...(assay !== undefined && { assay }) } as const;
      return this.#rows.note({ owner, panel, cases: [statement.case] }, more, { names, rests: names });
    };
    // Which release of gene structures was read is not told: the rows of genes are by that of the panel.
    const release = `${panel.panel}@${versions.now.value?.version ?? panel.version}`;
    for (const [hgnc, { coding, covered }] of genes ?? []) {
      const subject = known.get(hgnc)?.symbol ?? `HGNC:${hgnc}`;
      if (covered < callableShare * coding) note({ hgnc, subject, release }).shares.push(covered / coding);
    }
    const sets = Object.entries(releases).map(([set, of]) => `${set} ${of}`);
    for (const { hgnc, site, chromosome, start } of holes) {
      if (site === undefined) continue;
      const subject = `${known.get(hgnc)?.symbol ?? `HGNC:${hgnc}`} ${chromosome}:${start + 1} ${site}`;
      note({ hgnc, subject, release: sets.sort().join(', ') });
    }
  }

  rows(): ComputedGroupRow[] {
    return this.#rows.all();
  }
}

/**
 * Genes of panels that were merged, split or withdrawn, or have another preferred transcript, since cases were reported with them: one
 * row for each as long as it stays so, with the release that said it first. A newer signed version without the gene ends it.
 */
export class GeneRows {
  /** Cases of one version, of which the same was so already. */
  readonly #alike = new Map<string, AlikeCases>();
  /** Kinds of which something is not known now: then what was found says nothing of what is gone. */
  readonly #unlooked = new Set<GroupRow['kind']>();

  add(statement: Statement, { before, now }: CaseEvidence['panel']): void {
    const { owner, panel, build, baseline } = statement;
    if (before.why === 'no-plugin') this.#unlooked.add('name').add('transcript');
    if (statement.conclusion === 'solved' || !baseline?.genes || !before.value || !now.value) return;
    const key = JSON.stringify([owner, panel.panel, panel.version, build, baseline.genes]);
    const known = this.#alike.get(key);
    if (known) known.cases.push(statement.case);
    else this.#alike.set(key, { statement, cases: [statement.case], before: before.value, now: now.value });
  }

  /** By kind, those that are known. `stored`: the rows of former runs. */
  async rows(genesNow: AskGenes, stored: readonly GroupRow[]): Promise<Map<GroupRow['kind'], ComputedGroupRow[]>> {
    const found = { name: new Rows(), transcript: new Rows() };
    for (const { statement, cases, before, now } of this.#alike.values()) {
      const { build, owner, panel, baseline } = statement;
      const { names, transcripts } = await genesNow(before, build);
      if (!names) this.#unlooked.add('name');
      if (!transcripts) this.#unlooked.add('transcript');
      const measured = formerTranscripts(baseline?.genes ?? { gone: [] });
      const kept = new Set(now.genes.map(({ hgnc }) => hgnc));
      for (const [number, { hgnc, symbol, transcripts: wanted }] of before.genes.entries()) {
        if (!kept.has(hgnc)) continue;
        const of = { owner, panel, cases };
        const became = names?.became.get(hgnc);
        if (names && became && !baseline?.genes?.gone.includes(hgnc)) {
          const subject = `${symbol} → ${became.join(', ') || '–'}`;
          const about = { kind: 'name', subject, hgnc, release: names.release } as const;
          found.name.note(of, about, { names: [hgnc], rests: [hgnc, became] });
        }
        const [was, is] = [measured?.[number], transcripts?.of[number]];
        // Reports measure a gene by what its panel wants, whatever is preferred.
        if (wanted || !transcripts || was === undefined || !is || was === is) continue;
        const about = { kind: 'transcript', subject: symbol, hgnc, release: transcripts.release } as const;
        const row = found.transcript.note(of, about, { names: [build, hgnc], rests: [build, hgnc, is] });
        row.preferred = is;
        row.former.add(was || '–');
      }
    }
    const before = new Map(stored.map((row) => [`${row.id} ${row.rests}`, row.release]));
    const first = (row: ComputedGroupRow) => ({ ...row, release: before.get(`${row.id} ${row.rests}`) ?? row.release });
    const kinds = (['name', 'transcript'] as const).filter((kind) => !this.#unlooked.has(kind));
    return new Map(kinds.map((kind) => [kind, found[kind].all().map(first)]));
  }
}

interface AlikeCases {
  statement: Statement;
  cases: string[];
  before: PanelOfReport;
  now: PanelOfReport;
}

function shareText(shares: readonly number[]): string {
  if (shares.length === 0) return 'not covered';
  const percent = [Math.min(...shares), Math.max(...shares)].map((share) => Math.floor(100 * share));
  return `${[...new Set(percent)].join(' to ')} % of the coding bases are covered`;
}
