/** What was seen of a variant, dataset by dataset, or what is wrong with the request. */
import { type Html, html } from '../../../../../core/plugin.js';
import type { Judged } from '../../../callability/judged.js';
import type { CountedAllele, Dataset, Observation, ObservedQuestion } from '../../../contract.js';
import { frequencyOf } from '../../../domain/denominator.js';
import { denominatorWords, depthLimits, percent } from '../../../domain/denominator-words.js';
import { writtenQuestion } from '../../../domain/question.js';
import type { Counted } from '../../../observing/observing.js';
import { alert } from '../../../pages/parts.js';
import type { LookedUp } from '../look-up.js';
import { mostOf, ruleOf } from '../rule.js';
import { type CasesOptions, casesTable } from './cases.js';
import { neighboursTable } from './neighbours.js';

/** With the alleles around a structural variant, in the order of `found`. */
export interface Shown extends LookedUp {
  neighbours: readonly (readonly CountedAllele[])[];
}

export type Outcome = Shown | { /** What is wrong with the request, in one sentence. */ error: string };

/** A short result for the title of the page, which screen readers read first. */
export function headline(outcome: Outcome): string {
  if ('error' in outcome) return 'Error in the request';
  return outcome.found.some(({ observation }) => observation.cases > 0) ? 'Seen before' : 'Not seen';
}

export function outcomeSections(outcome: Outcome, options: Omit<CasesOptions, 'contig'>): Html {
  if ('error' in outcome) {
    return html`<section class="card" id="answer" aria-label="Result">${alert('danger', outcome.error)}</section>`;
  }
  const { assembly, question, found, neighbours } = outcome;
  return html`<section id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">${nameOf(question)} <span class="soft">${assembly}</span></h2>
${found.length === 0 && alert('warning', `This token may not observe any dataset of ${assembly}. Nothing was searched.`)}
<div class="cards">
${found.map((one, i) => card(one, question, neighbours[i] ?? [], options))}</div>
</section>`;
}

const numbers = new Intl.NumberFormat('en');

/** `1-880086-T-C`, or `DEL 1:7,889,972-7,890,026`. */
function nameOf(question: ObservedQuestion): string {
  const { chromosome, position, reference, alternate, type, end, mateChromosome, length } = writtenQuestion(question);
  if (type === undefined) return `${chromosome}-${position}-${shortened(reference)}-${shortened(alternate)}`;
  const place = `${type} ${chromosome}:${numbers.format(position)}`;
  if (mateChromosome !== undefined) return `${place} and ${mateChromosome}:${numbers.format(end ?? 0)}`;
  if (end !== undefined) return `${place}-${numbers.format(end)}`;
  return length === undefined ? place : `${place}, ${numbers.format(length)} bases`;
}

function shortened(bases = ''): string {
  return bases.length > 24 ? `${bases.slice(0, 20)}… (${numbers.format(bases.length)} bases)` : bases;
}

function card(
  { observation, dataset, denominator, withCases, shared }: Counted,
  question: ObservedQuestion,
  alleles: readonly CountedAllele[],
  options: Omit<CasesOptions, 'contig'>,
): Html {
  const { carriers, homozygotes, hemizygotes, alleleCount, of, notCalled, detail } = observation;
  return html`<section class="card">
<h3>${dataset.name} <span class="soft">${dataset.id}</span></h3>
${shared && html`<p class="hint">${sharedWords}</p>`}
${seen(observation, question)}
<p class="denominator">${denominatorWords(denominator, carriers)}.</p>
<dl class="facts">
${fact('Carriers', `${numbers.format(carriers)} of ${numbers.format(of.samples)} samples`)}
${notCalled > 0 && fact('Not called', `${numbers.format(notCalled)} ${notCalled === 1 ? 'sample' : 'samples'}, which are not counted`)}
${fact('Homozygotes', numbers.format(homozygotes))}
${fact('Hemizygotes', numbers.format(hemizygotes))}
${fact('Allele count', numbers.format(alleleCount))}
${frequency(denominator)}
${detail?.first && fact('First seen', day(detail.first))}
${detail?.last && fact('Last seen', day(detail.last))}
</dl>
<p class="hint">${rulesOf(dataset, question)}</p>
${denominator.covered + denominator.notCovered > 0 && html`<p class="hint">Coverage by depth, at ≥ ${denominator.threshold}x. ${depthLimits}</p>`}
${withCases && observation.cases > 0 && casesTable(observation, { ...options, contig: question.contig })}
${question.type === 'structural' && !shared && neighboursTable({ alleles, question, window: mostOf(dataset) })}
</section>
`;
}

/** Beside the counts of a dataset of another tenant. */
const sharedWords = 'Shared by another department of this server: counts only, without its newest samples.';

function seen({ cases, of, notCalled }: Observation, question: ObservedQuestion): Html {
  const kind = question.type === 'structural' ? 'structural variants' : 'small variants';
  if (of.cases === 0 && notCalled > 0 && cases === 0) {
    return alert('warning', 'Unknown: no sample of this dataset was called at this place.');
  }
  if (of.cases === 0) return alert('warning', `No case of this dataset was searched for ${kind}.`);
  const sentence = `Seen in ${numbers.format(cases)} of ${numbers.format(of.cases)} cases${cases === 0 ? '' : ` (${percent(cases / of.cases, 3)})`}`;
  return alert(cases === 0 ? 'secondary' : 'success', sentence);
}

function frequency(denominator: Judged): Html | undefined {
  const share = frequencyOf(denominator);
  const { alleles } = denominator;
  if (share === undefined || !alleles) return undefined;
  const of = `${numbers.format(alleles.alleleCount)} / ${numbers.format(alleles.alleleNumber)}`;
  return fact('Allele frequency', `${percent(share)} (${of})`);
}

function rulesOf(dataset: Dataset, question: ObservedQuestion): string {
  const { counting } = dataset;
  const quality =
    counting?.quality === undefined
      ? 'Genotypes of any quality are counted'
      : `Genotypes with a quality (GQ) of at least ${counting.quality} are counted`;
  const loaded = `${quality}${counting?.passOnly ? ', of records with FILTER PASS' : ''}.`;
  return question.type === 'structural' ? `${ruleOf(question, mostOf(dataset))} ${loaded}` : loaded;
}

function fact(label: string, value: Html | string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

export function day(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`;
}
