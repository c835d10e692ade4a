/**
 * The page of a case. Its first screen answers five questions: why it is here, what changed, whether it was covered then and
 * now, who else has the allele, and what was decided. Below it are the forms. The same is on paper, without them.
 */
import {
  choice,
  fact,
  field,
  type Html,
  type HtmlValue,
  hidden,
  html,
  type PaperDocument,
  type PaperSection,
  plainText,
  tableHtml,
  tablePaper,
  type WorkTable,
} from '../../../core/plugin.js';
import type { CaseComparison, Compared, ComparedAllele } from '../comparison.js';
import {
  alleleKey,
  allelesOf,
  type CaseFinding,
  type FindingAllele,
  outcomes,
  type Statement,
  type StatementHead,
} from '../contract.js';
import type { ReviewTexts } from '../texts/en.js';
import { casePath, day, type ReviewPageContext, reviewPage, reviewsPath } from './frame.js';
import { alleleWords, becauseOf, dayText, factsOf, frequencyWords, marksOf, placeWords } from './words.js';

export interface CasePage {
  statement: Statement;
  /** Those before it, the latest first. */
  former: readonly StatementHead[];
  /** All of the case, the most urgent first. */
  findings: readonly CaseFinding[];
  compared: CaseComparison;
  mayDecide: boolean;
}

/** A part of the page, which the page and the paper show in their own frames. */
interface CasePart {
  id: string;
  title: string;
  /** Instead of a table. */
  text?: HtmlValue;
  /** Each with its badge, below this line. */
  items?: { above: string; all: readonly (readonly [Html, Html])[] };
  table?: WorkTable;
}

/** The findings that a person should look at. */
const onList = ({ findings }: CasePage) => findings.filter(({ state }) => state === 'open' || state === 'later');

/** The five questions, with their answers. */
function partsOf(shown: CasePage, texts: ReviewTexts): Record<'why' | 'decided' | 'who' | 'changed', CasePart> {
  const words = texts.case;
  return {
    why: { id: 'why', title: words.why, ...whyListed(shown, texts) },
    decided: { id: 'decided', title: words.decidedTitle, table: decisions(shown, texts) },
    who: { id: 'who', title: words.who, ...whoElse(shown, texts) },
    changed: { id: 'changed', title: words.changed, table: thenAndNow(shown, texts) },
  };
}

export function casePage(shown: CasePage, around: ReviewPageContext): string {
  const { statement, findings } = shown;
  const { texts, base } = around;
  const words = texts.case;
  const { why, decided, who, changed } = partsOf(shown, texts);
  const isReopened = findings.some(({ state, decision }) => state === 'decided' && decision?.outcome === 'reopened');
  return reviewPage(around, {
    title: words.title(statement.case),
    above: [],
    body: html`<section class="card"><dl class="facts">
${factsOfCase(shown, around).map(
  ([label, value]) => html`${fact(label, value)}
`,
)}</dl></section>
<div class="columns">
${partHtml(why)}
<div class="stack">${partHtml(decided)}
${partHtml(who)}</div>
</div>
${partHtml(changed)}
${shown.mayDecide && onList(shown).map((one) => decisionForm(one, around))}
<p class="actions screen">${shown.mayDecide && isReopened && html`<span>${words.reopenedHint}</span>`}${shown.mayDecide && html`<a class="button" href="${base}${casePath(statement, '/statement')}">${words.newStatement}</a>`}<a class="button second" href="${base}${casePath(statement, '', { format: 'pdf', lang: texts.language })}">PDF</a></p>`,
  });
}

function partHtml({ id, title, text, items, table }: CasePart): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${text !== undefined && html`<p>${text}</p>`}${
  items &&
  html`<p class="soft small">${items.above}</p><ul class="plain">${items.all.map(
    ([badge, one]) => html`
<li>${badge} ${one}</li>`,
  )}</ul>`
}${table && tableHtml(table)}</section>`;
}

/** The same on paper. */
export function casePaper(
  shown: CasePage,
  around: Pick<ReviewPageContext, 'base' | 'texts'>,
  now: Date,
): PaperDocument {
  const { texts } = around;
  const { case: name, revision } = shown.statement;
  const { why, who, changed, decided } = partsOf(shown, texts);
  const facts = factsOfCase(shown, around).map(([label, value]) => ({ label, text: plainText(value) }));
  return {
    ...{
      title: texts.case.title(name),
      subtitle: texts.case.statement(revision),
      foot: texts.made(dayText(now)),
      facts,
    },
    sections: [why, changed, who, decided].flatMap(({ title, text, items, table }): PaperSection[] => {
      const above = [{ title: texts.list.columns.priority }, { title: items?.above ?? '', weight: 4 }];
      const rows = table ?? (items && { columns: above, rows: items.all });
      return rows
        ? [{ kind: 'table', table: tablePaper(title, rows) }]
        : [
            { kind: 'heading', title },
            { kind: 'note', text: plainText(text) },
          ];
    }),
  };
}

function factsOfCase(
  { statement, compared }: CasePage,
  { texts, base }: Pick<ReviewPageContext, 'base' | 'texts'>,
): [string, HtmlValue][] {
  const words = texts.case;
  const { conclusion, reviewer, decided, persons, recontact, report, releases, build } = statement;
  const terms = statement.terms.map((id) => `${id} ${compared.terms.get(id) ?? ''}`.trim());
  const until = recontact instanceof Date ? words.recontacts.until(dayText(recontact)) : undefined;
  const sources = Object.entries(releases).map(([name, release]) => `${name} ${release}`);
  const people = persons.map(
    ({ sample, role, isAffected }) =>
      `${sample} (${texts.roles[role] ?? role}${isAffected ? `, ${texts.affected}` : ''})`,
  );
  const kept = report && html`<a href="${base}/coverage/reports/${report}">${report.slice(0, 8)}…</a>`;
  return [
    [words.conclusion, html`<strong>${texts.conclusions[conclusion]}</strong>`],
    [words.decided, day(decided)],
    [words.reviewer, html`<bdi>${reviewer}</bdi>`],
    [words.recontact, until ?? words.recontacts[recontact === 'no' ? 'no' : 'yes']],
    [words.persons, html`<bdi>${people.join('; ')}</bdi>`],
    ...(kept ? [[words.report, kept] satisfies [string, HtmlValue]] : []),
    ...(terms.length > 0
      ? [[texts.facts.terms, html`<bdi>${terms.join('; ')}</bdi>`] satisfies [string, HtmlValue]]
      : []),
    [words.releases, html`<bdi>${[build, ...sources].join(', ')}</bdi>`],
  ];
}

// Why is this here?

function whyListed(shown: CasePage, texts: ReviewTexts): Pick<CasePart, 'text' | 'items'> {
  const all = onList(shown).map((one) => {
    const marks = marksOf(one, texts);
    const badge = html`<span class="badge p${one.priority}">${one.priority} ${texts.priorities[one.priority]}</span>`;
    const reason = html`<bdi>${becauseOf(one, texts)}</bdi> <span class="soft small">(${texts.case.since(dayText(one.found))}${one.state === 'later' && `, ${texts.states.later}`})</span>${allelesOf(one).map((allele) => html`<br><bdi class="small">${one.evidence.partners && `${placeWords(allele)}: `}${alleleWords(allele, texts)}</bdi>${carriedBy(allele, shown, texts)}`)}${marks.length > 0 && html`<br><span class="unknown small">${marks.join('; ')}</span>`}`;
    return [badge, reason] as const;
  });
  if (all.length > 0) return { items: { above: `${texts.list.columns.because} …`, all } };
  const { notHere, notLooked } = texts.case;
  return { text: shown.statement.isLookedAt ? notHere : html`<span class="unknown">${notLooked}</span>` };
}

function carriedBy({ copies }: FindingAllele, { statement }: CasePage, texts: ReviewTexts): Html | undefined {
  if (copies === undefined) return undefined;
  const phrases = statement.persons.map(({ sample, role, isAffected }) => {
    return `${texts.roles[role] ?? role}${isAffected ? ` (${texts.affected})` : ''}: ${texts.carried[copies[sample] ?? 'unknown']}`;
  });
  return html`<br><span class="small">${phrases.join('; ')}</span>`;
}

// What changed? Was it covered, then and now?

function thenAndNow(shown: CasePage, texts: ReviewTexts): WorkTable {
  const { statement, compared } = shown;
  const words = texts.case;
  const { panel, thresholds, baseline } = statement;
  const lacking = (why: string) => html`<span class="unknown">${notLooked(why, texts)}</span>`;
  const told = <Value>(one: Compared<Value>, text: (value: Value) => HtmlValue) =>
    one.why === undefined ? text(one.value) : lacking(one.why);
  const covers = (one: Compared<boolean>) => told(one, (covered) => (covered ? words.covered : words.notCovered));
  const holes = (part: 'exons' | 'sites', count: (value: number) => string): [HtmlValue, HtmlValue] => {
    const then = baseline?.holes.filter(({ site }) => (site === undefined) === (part === 'exons')).length;
    const unlooked = baseline?.unknown?.coverage;
    if (then === undefined) return [lacking('no-baseline'), lacking('no-baseline')];
    if (unlooked !== undefined) return [lacking(unlooked), lacking(unlooked)];
    const now = told(compared.holes, ({ [part]: { coveredNow } }) =>
      then === 0 ? '–' : words.nowCovered(coveredNow, then - coveredNow),
    );
    return [then === 0 ? words.allCovered : count(then), now];
  };
  const unmatched = baseline ? baseline.unknown?.matches : 'no-baseline';
  const matchesBefore = unmatched === undefined ? words.matchCount(baseline?.matches.length ?? 0) : lacking(unmatched);
  const reported = `${panel.panel}@${panel.version}`;
  const panelNow = told(compared.panel, (newer) => {
    const text = newer ? words.newer(`${panel.panel}@${newer.version}`, newer.genes) : words.isLatest(reported);
    return html`<bdi>${text}</bdi>`;
  });
  const coverage = words.coverage(thresholds[0] ?? 0);
  return {
    columns: [
      { title: '', names: true },
      { title: words.before(dayText(statement.decided)), look: 'long', weight: 1.4 },
      { title: words.now, look: 'long', weight: 1.4 },
    ],
    rows: [
      ...onList(shown).flatMap((one) => {
        const about = one.gene?.symbol ?? (one.allele && placeWords(one.allele)) ?? '';
        const value = (text: string | undefined) => html`<bdi>${text ?? '–'}</bdi>`;
        return factsOf(one, texts).map(({ name, before, now }) => [`${about}: ${name}`, value(before), value(now)]);
      }),
      ...[...compared.alleles.values()].map((one) => [
        `${placeWords(one.place)}: ${coverage}`,
        covers(one.before),
        covers(one.now),
      ]),
      [texts.facts.panel, html`<bdi>${reported}</bdi>`, panelNow],
      [coverage, ...holes('exons', words.holes)],
      [words.sites, ...holes('sites', words.siteHoles)],
      ...(compared.matches
        ? [[words.matches, matchesBefore, told(compared.matches, (all) => words.matchCount(all.length))]]
        : []),
    ],
  };
}

const notLooked = (why: string, { case: { notLookedAt, whys } }: ReviewTexts) => notLookedAt(whys[why] ?? why);

// Who else has it?

function whoElse({ statement, findings, compared }: CasePage, texts: ReviewTexts): Pick<CasePart, 'text' | 'table'> {
  const words = texts.case;
  if (compared.alleles.size === 0) return { text: words.noAlleles };
  const rows = [...compared.alleles].map(([key, allele]) => {
    const found = findings.flatMap(allelesOf).find((one) => alleleKey(one) === key);
    const leading = findings.filter((one) => one.allele && alleleKey(one.allele) === key);
    const others = leading.flatMap(({ evidence }) => evidence.others ?? []);
    const listed = statement.alleles.find((one) => alleleKey(one) === key);
    const more = [
      found && words.population(frequencyWords(found.frequency, texts)),
      ...others.map((one) => [one.case, one.shared.join(', ')].filter(Boolean).join(': ')),
      listed?.class && texts.classes[listed.class],
      listed?.zygosity && texts.zygosities[listed.zygosity],
      listed?.isBasis && words.basis,
    ];
    const place = html`<bdi>${placeWords(allele.place)}</bdi>`;
    return [place, html`${countLines(allele, texts)}<br><bdi class="small">${more.filter(Boolean).join('; ')}</bdi>`];
  });
  const { allele, here } = words.columns;
  return {
    table: {
      columns: [
        { title: allele, names: true },
        { title: here, look: 'long', weight: 2 },
      ],
      rows,
    },
  };
}

function countLines({ counts }: ComparedAllele, texts: ReviewTexts): HtmlValue {
  const words = texts.case;
  if (counts.value === undefined) {
    return html`<span class="unknown">${notLooked(counts.why, texts)}</span>`;
  }
  return counts.value.map(({ dataset, carriers, samples, denominator }, i) => {
    const { covered, total } = denominator;
    // Of samples without registered coverage only the number that was searched is known.
    const isUnknown = denominator.unknown === total;
    const text = isUnknown ? words.ofSamples(carriers, samples) : words.ofCovered(denominator.carriers, covered);
    return html`${i > 0 && html`<br>`}<span class="number">${text}</span> <bdi class="soft small">${dataset}</bdi>`;
  });
}

// What did we decide?

function decisions({ statement, former, findings }: CasePage, texts: ReviewTexts): WorkTable {
  const words = texts.case;
  const { at, by, what } = words.history;
  const entries = [
    ...[statement, ...former].map((one) => ({
      ...{ at: one.decided, by: one.reviewer },
      what: html`<bdi>${words.statement(one.revision)}: ${texts.conclusions[one.conclusion]}, ${one.panel.panel}@${one.panel.version}</bdi>`,
    })),
    ...findings.flatMap(({ decision, reason, gene, rests, state }) => {
      if (decision === undefined) return [];
      const until = decision.until && ` ${words.recontacts.until(dayText(decision.until))}`;
      const isBack = state === 'open' && rests !== decision.rests;
      return {
        ...{ at: decision.at, by: decision.by },
        what: html`<bdi>${texts.outcomes[decision.outcome]}${until} (${texts.reasons[reason]}${gene && `, ${gene.symbol}`})</bdi><p class="kept"><bdi>${decision.reason}</bdi></p>${isBack && html`<p class="small unknown">${words.returned}</p>`}`,
      };
    }),
  ].sort((one, other) => other.at.getTime() - one.at.getTime());
  return {
    columns: [{ title: at, weight: 0.6 }, { title: by }, { title: what, look: 'long', weight: 3 }],
    rows: entries.map((entry) => [day(entry.at), html`<bdi>${entry.by}</bdi>`, entry.what]),
  };
}

function decisionForm(one: CaseFinding, { base, texts }: ReviewPageContext): Html {
  const words = texts.case;
  const choices = outcomes.map((value) => ({ value, text: texts.outcomes[value] }));
  const { id } = one;
  return html`<details class="screen"><summary>${words.decide}: <bdi>${texts.reasons[one.reason]}${one.gene && `, ${one.gene.symbol}`}</bdi></summary>
<form class="card" method="post" action="${base}${reviewsPath}/findings/${id}/decision">
${hidden('revision', one.revision)}
<div class="fields">
${choice('outcome', words.outcome, 'no change', choices, `outcome-${id}`)}
${field('until', words.until, '', { type: 'date', id: `until-${id}` })}
</div>
${field('reason', texts.list.reason, '', { lines: 2, required: true, id: `reason-${id}` })}
<p class="actions"><button>${words.save}</button></p>
</form></details>`;
}
