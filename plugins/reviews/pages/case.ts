/**
 * The page of a case. Its first screen answers five questions: why it is here, what changed, whether it was covered then and
 * now, who else has the allele, and what was decided. Below it are the forms, and the alleles that the statement lists.
 */
import { choice, field, type Html, type HtmlValue, hidden, html } from '../../../core/plugin.js';
import type { CaseComparison, Compared, ComparedAllele } from '../comparison.js';
import {
  alleleKey,
  type CaseFinding,
  type Decidable,
  outcomes,
  type Statement,
  type StatementHead,
} from '../contract.js';
import { casePath, day, fact, type ReviewPageContext, reviewPage, reviewsPath } from './frame.js';
import { alleleWords, becauseOf, factsOf, frequencyWords, marksOf, placeWords } from './words.js';

export interface CasePage {
  statement: Statement;
  /** Those before it, the latest first. */
  former: readonly StatementHead[];
  /** All of the case, the most urgent first. */
  findings: readonly CaseFinding[];
  compared: CaseComparison;
  mayDecide: boolean;
}

export function casePage(shown: CasePage, around: ReviewPageContext): string {
  const { statement, findings } = shown;
  const { texts } = around;
  const words = texts.case;
  const onList = findings.filter(({ state }) => state === 'open' || state === 'later');
  const isReopened = findings.some(({ state, decision }) => state === 'decided' && decision?.outcome === 'reopened');
  return reviewPage(around, {
    title: words.title(statement.case),
    body: html`${statementFacts(shown, around)}
<div class="columns">
<section class="card" aria-labelledby="why"><h2 id="why">${words.why}</h2>
${onList.length === 0 ? html`<p>${statement.isLookedAt ? words.notHere : html`<span class="unknown">${words.notLooked}</span>`}</p>` : whyList(onList, texts)}</section>
<div class="stack"><section class="card" aria-labelledby="decided"><h2 id="decided">${words.decidedTitle}</h2>${decisions(shown, around)}</section>
<section class="card" aria-labelledby="who"><h2 id="who">${words.who}</h2>${whoElse(shown, texts)}</section></div>
</div>
<section class="card" aria-labelledby="changed"><h2 id="changed">${words.changed}</h2>${thenAndNow(shown, onList, texts)}</section>
${shown.mayDecide && onList.map((one) => decisionForm(one, around))}
${shown.mayDecide && html`<p class="actions screen">${isReopened && html`<span>${words.reopenedHint}</span>`}<a class="button" href="${around.base}${casePath(statement, '/statement')}">${words.newStatement}</a></p>`}`,
  });
}

function statementFacts({ statement, compared }: CasePage, { texts, base }: ReviewPageContext): Html {
  const words = texts.case;
  const { conclusion, reviewer, decided, persons, recontact, report, releases, build } = statement;
  const terms = statement.terms.map((id) => `${id} ${compared.terms.get(id) ?? ''}`.trim());
  const until = recontact instanceof Date ? words.recontacts.until(recontact.toISOString().slice(0, 10)) : undefined;
  const sources = Object.entries(releases).map(([name, release]) => `${name} ${release}`);
  return html`<section class="card"><dl class="facts">
${fact(words.conclusion, html`<strong>${texts.conclusions[conclusion]}</strong>`)}
${fact(words.decided, day(decided))}
${fact(words.reviewer, html`<bdi>${reviewer}</bdi>`)}
${fact(words.recontact, until ?? words.recontacts[recontact === 'no' ? 'no' : 'yes'])}
${fact(words.persons, html`<bdi>${persons.map(({ sample, role, isAffected }) => `${sample} (${texts.roles[role] ?? role}${isAffected ? `, ${texts.affected}` : ''})`).join('; ')}</bdi>`)}
${report !== undefined && fact(words.report, html`<a href="${base}/coverage/reports/${report}">${report.slice(0, 8)}…</a>`)}
${terms.length > 0 && fact(words.terms, html`<bdi>${terms.join('; ')}</bdi>`)}
${fact(words.releases, html`<bdi>${[build, ...sources].join(', ')}</bdi>`)}
</dl></section>`;
}

// Why is this here?

function whyList(findings: readonly CaseFinding[], texts: ReviewPageContext['texts']): Html {
  return html`<p class="soft small">${texts.list.columns.because} …</p><ul class="plain">${findings.map((one) => {
    const marks = marksOf(one, texts);
    return html`
<li><span class="badge p${one.priority}">${one.priority} ${texts.priorities[one.priority]}</span> <bdi>${becauseOf(one, texts)}</bdi> <span class="soft small">(${texts.case.since(one.found.toISOString().slice(0, 10))}${one.state === 'later' && `, ${texts.states.later}`})</span>${one.allele && html`<br><bdi class="small">${alleleWords(one.allele, texts)}</bdi>`}${carriedBy(one, texts)}${marks.length > 0 && html`<br><span class="unknown small">${marks.join('; ')}</span>`}</li>`;
  })}</ul>`;
}

function carriedBy({ evidence }: CaseFinding, texts: ReviewPageContext['texts']): Html | undefined {
  if (evidence.persons === undefined || evidence.persons.length === 0) return undefined;
  const phrases = evidence.persons.map(({ role, isAffected, copies }) => {
    return `${texts.roles[role] ?? role}${isAffected ? ` (${texts.affected})` : ''}: ${texts.carried[copies]}`;
  });
  return html`<br><span class="small">${phrases.join('; ')}</span>`;
}

// What changed? Was it covered, then and now?

function thenAndNow(
  { statement, compared }: CasePage,
  findings: readonly CaseFinding[],
  texts: ReviewPageContext['texts'],
): Html {
  const words = texts.case;
  const { panel, thresholds, baseline } = statement;
  const thenTitle = words.before(statement.decided.toISOString().slice(0, 10));
  const row = (title: string, then: HtmlValue, now: HtmlValue) => html`
<tr><th scope="row">${title}<td class="long" data-label="${thenTitle}">${then}<td class="long" data-label="${words.now}">${now}</tr>`;
  const lacking = (why: string) => html`<span class="unknown">${words.notLookedAt(words.whys[why] ?? why)}</span>`;
  const shown = <Value>(one: Compared<Value>, text: (value: Value) => HtmlValue) =>
    one.why === undefined ? text(one.value) : lacking(one.why);
  const covers = (one: Compared<boolean>) => shown(one, (covered) => (covered ? words.covered : words.notCovered));
  const holes = (part: 'exons' | 'sites', count: (value: number) => string): [HtmlValue, HtmlValue] => {
    const then = baseline?.holes.filter(({ site }) => (site === undefined) === (part === 'exons')).length;
    const unlooked = baseline?.unknown?.coverage;
    if (then === undefined) return [lacking('no-baseline'), lacking('no-baseline')];
    if (unlooked !== undefined) return [lacking(unlooked), lacking(unlooked)];
    const now = shown(compared.holes, ({ [part]: { coveredNow } }) =>
      then === 0 ? '–' : words.nowCovered(coveredNow, then - coveredNow),
    );
    return [then === 0 ? words.allCovered : count(then), now];
  };
  const unmatched = baseline ? baseline.unknown?.matches : 'no-baseline';
  const matchesBefore = unmatched === undefined ? words.matchCount(baseline?.matches.length ?? 0) : lacking(unmatched);
  return html`<table>
<thead><tr><td></td><th scope="col">${thenTitle}<th scope="col">${words.now}</tr></thead>
<tbody>${findings.map((one) => {
    const about = one.gene?.symbol ?? (one.allele && placeWords(one.allele)) ?? '';
    return html`${factsOf(one, texts).map(({ name, before, now }) => row(`${about}: ${name}`, html`<bdi>${before ?? '–'}</bdi>`, html`<bdi>${now ?? '–'}</bdi>`))}`;
  })}
${[...compared.alleles.values()].map((one) => row(`${placeWords(one.place)}: ${words.coverage(thresholds[0] ?? 0)}`, covers(one.before), covers(one.now)))}
${row(
  words.panel,
  html`<bdi>${panel.panel}@${panel.version}</bdi>`,
  shown(
    compared.panel,
    (newer) =>
      html`<bdi>${newer === undefined ? words.isLatest(`${panel.panel}@${panel.version}`) : words.newer(`${panel.panel}@${newer.version}`, newer.genes)}</bdi>`,
  ),
)}
${row(words.coverage(thresholds[0] ?? 0), ...holes('exons', words.holes))}
${row(words.sites, ...holes('sites', words.siteHoles))}
${
  compared.matches &&
  row(
    words.matches,
    matchesBefore,
    shown(compared.matches, (all) => words.matchCount(all.length)),
  )
}
</tbody></table>`;
}

// Who else has it?

function whoElse({ statement, findings, compared }: CasePage, texts: ReviewPageContext['texts']): Html {
  const words = texts.case;
  if (compared.alleles.size === 0) return html`<p>${words.noAlleles}</p>`;
  const { columns } = words;
  return html`<table>
<thead><tr><th scope="col">${columns.allele}<th scope="col">${columns.here}</tr></thead>
<tbody>${[...compared.alleles].map(([key, allele]) => {
    const found = findings.find((one) => one.allele && alleleKey(one.allele) === key);
    const listed = statement.alleles.find((one) => alleleKey(one) === key);
    const more = [
      found?.allele && words.population(frequencyWords(found.allele.frequency, texts)),
      ...(found?.evidence.others ?? []).map((one) => [one.case, one.shared.join(', ')].filter(Boolean).join(': ')),
      listed?.class && texts.classes[listed.class],
      listed?.zygosity && texts.zygosities[listed.zygosity],
      listed?.isBasis && words.basis,
    ];
    return html`
<tr><th scope="row"><bdi>${placeWords(allele.place)}</bdi><td class="long" data-label="${columns.here}">${countLines(allele, texts)}<br><bdi class="small">${more.filter(Boolean).join('; ')}</bdi></tr>`;
  })}
</tbody></table>`;
}

function countLines({ counts }: ComparedAllele, texts: ReviewPageContext['texts']): HtmlValue {
  const words = texts.case;
  if (counts.value === undefined) {
    return html`<span class="unknown">${words.notLookedAt(words.whys[counts.why] ?? counts.why)}</span>`;
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

function decisions({ statement, former, findings }: CasePage, { texts }: ReviewPageContext): Html {
  const words = texts.case;
  const { at, by, what } = words.history;
  const entries = [
    ...[statement, ...former].map((one) => ({
      at: one.decided,
      by: one.reviewer,
      what: `${words.statement(one.revision)}: ${texts.conclusions[one.conclusion]}, ${one.panel.panel}@${one.panel.version}`,
      reason: undefined,
      note: undefined,
    })),
    ...findings.flatMap((one) => (one.decision === undefined ? [] : [decisionEntry(one, one.decision, texts)])),
  ].sort((one, other) => other.at.getTime() - one.at.getTime());
  return html`<table>
<thead><tr><th scope="col">${at}<th scope="col">${by}<th scope="col">${what}</tr></thead>
<tbody>${entries.map(
    (entry) => html`
<tr><td data-label="${at}">${day(entry.at)}<td data-label="${by}"><bdi>${entry.by}</bdi><td class="long" data-label="${what}"><bdi>${entry.what}</bdi>${entry.reason !== undefined && html`<p class="kept"><bdi>${entry.reason}</bdi></p>`}${entry.note !== undefined && html`<p class="small unknown">${entry.note}</p>`}</tr>`,
  )}
</tbody></table>`;
}

function decisionEntry(
  { reason, gene, rests, state }: CaseFinding,
  decision: NonNullable<Decidable['decision']>,
  texts: ReviewPageContext['texts'],
) {
  const until = decision.until && ` ${texts.case.recontacts.until(decision.until.toISOString().slice(0, 10))}`;
  return {
    at: decision.at,
    by: decision.by,
    what: `${texts.outcomes[decision.outcome]}${until ?? ''} (${texts.reasons[reason]}${gene ? `, ${gene.symbol}` : ''})`,
    reason: decision.reason,
    note: state === 'open' && rests !== decision.rests ? texts.case.returned : undefined,
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
${field('reason', words.reason, '', { lines: 2, required: true, id: `reason-${id}` })}
<p class="actions"><button>${words.save}</button></p>
</form></details>`;
}
