/** The form of a new statement about a case, with what the last one said, and the statement that it sends. */
import { z } from 'zod';
import { choice, Fault, field, hidden, html, wording } from '../../../core/plugin.js';
import { alleleClasses, alleleKey, conclusions, type StatedAllele, type Statement, zygosities } from '../contract.js';
import { refusedStatement, type StatementFields, statementBody } from '../statements/body.js';
import { alleleOf as parseAllele } from '../statements/sheet.js';
import { casePath, type ReviewPageContext, reviewPage } from './frame.js';
import { dayText } from './words.js';

const block = z.string().max(20_000).default('');

export const restateFields = z.object({
  revision: z.coerce.number().int().min(1).describe('The revision of the statement that was seen.'),
  owner: z.string().max(100).default('').describe('The tenant, if the caller reaches the cases of several.'),
  conclusion: z.enum(conclusions),
  version: z.string().trim().max(100).describe('Of the panel.'),
  reviewer: z.string().trim().max(200),
  recontact: z.string().trim().max(30).default('yes').describe('yes, no, or a day.'),
  terms: block.describe('HPO ids, separated by blanks.'),
  releases: block.describe('One source a line, with its release after the last blank.'),
  alleles: block.describe('One a line: `1-11796321-G-A homozygous likely pathogenic basis`.'),
});

export function restatePage(last: Statement, reviewer: string, around: ReviewPageContext): string {
  const { texts, base } = around;
  const words = texts.form;
  const choices = conclusions.map((value) => ({ value, text: texts.conclusions[value] }));
  const { recontact, releases, alleles, terms, panel } = last;
  const plain = { spellcheck: false };
  const sources = Object.entries(releases).map((one) => one.join(' '));
  return reviewPage(around, {
    title: words.title(last.case),
    above: [],
    intro: words.intro,
    body: html`<form class="card" method="post" action="${base}${casePath({ case: last.case }, '/statement')}">
${hidden('revision', last.revision)}${last.owner !== undefined && hidden('owner', last.owner)}
<div class="fields">
${choice('conclusion', texts.case.conclusion, last.conclusion, choices)}
${field('version', `${words.version} ${panel.panel}`, panel.version, { ...plain, required: true })}
${field('reviewer', texts.case.reviewer, reviewer, { ...plain, required: true })}
</div>
${field('recontact', texts.case.recontact, recontact instanceof Date ? dayText(recontact) : recontact, { ...plain, hint: words.recontactHint })}
${field('terms', words.terms, terms.join(' '), { ...plain, hint: words.termsHint })}
${field('releases', texts.case.releases, sources.join('\n'), { ...plain, lines: 2, hint: words.releasesHint })}
${field('alleles', words.alleles, alleles.map(lineOf).join('\n'), { ...plain, lines: 4, hint: words.allelesHint })}
<p class="actions"><button>${words.save}</button></p>
</form>`,
  });
}

function lineOf(allele: StatedAllele): string {
  return [alleleKey(allele), allele.zygosity, allele.class, allele.isBasis && 'basis'].filter(Boolean).join(' ');
}

/** The statement that supersedes the last one: what the form does not ask stays. Throws `invalid` with the wrong fields. */
export function restated(
  last: Statement,
  sent: Omit<z.infer<typeof restateFields>, 'owner'>,
  decided: Date,
): StatementFields {
  const { persons, build, panel, thresholds, patient, keepUntil, owner } = last;
  const stated = {
    ...{ case: last.case, owner, replaces: sent.revision, persons, build, thresholds, patient },
    panel: { ...panel, version: sent.version },
    releases: Object.fromEntries(linesOf(sent.releases).map(releaseOf)),
    terms: wordsOf(sent.terms),
    ...{ conclusion: sent.conclusion, reviewer: sent.reviewer, recontact: sent.recontact },
    alleles: linesOf(sent.alleles).map(alleleOf),
    ...{ decided: decided.toISOString(), keepUntil: keepUntil?.toISOString() },
  };
  const { data, error } = statementBody.safeParse(stated, { error: wording });
  if (data !== undefined) return data;
  const fields = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw refusedStatement('invalid', fields);
}

const linesOf = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);
const wordsOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

function releaseOf(line: string): [string, string] {
  const [, source, release] = /^(.*\S)\s+(\S+)$/.exec(line) ?? [];
  if (source === undefined || release === undefined)
    throw new Fault('invalid', `releases: expected a source and its release, such as ClinVar 2026-11; got "${line}"`);
  return [source, release];
}

function alleleOf(line: string): object {
  const allele = parseAllele(line);
  const isPlace = /^[\w.]+-\d{1,10}-[A-Za-z]+-[A-Za-z]+(?=\s|$)/.test(line);
  const isOneOf = (names: readonly string[], word: string | undefined) => word === undefined || names.includes(word);
  if (isPlace && isOneOf(zygosities, allele.zygosity) && isOneOf(alleleClasses, allele.class)) return allele;
  throw new Fault(
    'invalid',
    `alleles: expected a line such as 1-11796321-G-A homozygous likely pathogenic basis; got "${line}"`,
  );
}
