/** What a comparison of samples found, for people and as JSON. */
import { firstLines } from '../../../core/commands.js';
import { Fault, type Json } from '../../../core/plugin.js';
import { type ComparisonSummary, mostPairs } from './comparison.js';
import type { ComparedPerson, Comparison, RelatednessFinding } from './relatedness.js';

/** Names of stored samples and their cases are only for callers who may see them. */
export interface Discretion {
  withNames: boolean;
}

/** How much was compared, line by line; none if there was nothing to compare with. */
export function comparisonLines({ pairs, unchecked, leastTelling }: ComparisonSummary): string[] {
  const { compared, tooFewSites, notCompared = 0 } = pairs;
  const stated =
    unchecked > 0
      ? [
          `  ${unchecked} stated ${unchecked === 1 ? 'relationship' : 'relationships'} could not be checked: too few sites, ` +
            'or a file without reference genotypes (0/0, or blocks of a gVCF)',
        ]
      : [];
  if (compared + tooFewSites === 0) return [];
  if (notCompared > 0) stated.unshift(`  ${leftOut(notCompared)}`);
  const needed = `${leastTelling} sites in common at which one is homozygous`;
  if (compared === 0) return [`Not compared with other samples: no two have ${needed}`, ...stated];
  const few = tooFewSites > 0 ? `; ${tooFewSites} more have fewer than ${needed}` : '';
  return [`Compared ${compared} ${compared === 1 ? 'pair' : 'pairs'} of samples${few}`, ...stated];
}

function leftOut(pairs: number): string {
  return `${pairs} pairs of samples were not compared: a load compares at most ${mostPairs}; load fewer samples at once`;
}

/** What does not fit, as one sentence each; of a kind that has many the first, and how many there are. */
export function comparisonWarnings(
  { findings, moreFindings }: Pick<ComparisonSummary, 'findings' | 'moreFindings'>,
  discretion: Discretion = { withNames: true },
): string[] {
  const kinds = [...new Set(findings.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const kept = findings.filter((finding) => finding.kind === kind);
    return firstLines(kept, {
      line: (finding) => sentenceOfFinding(finding, discretion),
      all: kept.length + (moreFindings.get(kind) ?? 0),
      what: `warnings of this kind (${kind})`,
    });
  });
}

function sentenceOfFinding({ kind, sample, others }: RelatednessFinding, discretion: Discretion): string {
  const [first] = others;
  if (!first) throw new RangeError('A finding is about two samples at least');
  const { person, comparison } = first;
  const [one, other] = [`"${sample.name}"`, nameOfPerson(person, discretion)];
  switch (kind) {
    case 'same-person': {
      const where = person.case === sample.case ? 'of the same case' : caseOf(person, discretion);
      return (
        `${one} is the same person as ${other} ${where}, or an identical twin: ${percentText(comparison.alike)} of ` +
        `${comparison.telling} genotypes agree`
      );
    }
    case 'another-person':
      return (
        `${one} is in the dataset already, as another person: only ${percentText(comparison.alike)} of ` +
        `${comparison.telling} genotypes agree`
      );
    case 'not-parent-and-child':
      return (
        `${one} and ${other} are stated as parent and child, but have no allele in common at ${comparison.ibs0} of ` +
        `${comparison.sites} sites (${ratioText(comparison)})`
      );
    case 'not-siblings':
      return `${one} and ${other} are stated as siblings, but look unrelated (${ratioText(comparison)})`;
    case 'unrelated-to-case': {
      const all = others.map((each) => `${nameOfPerson(each.person, discretion)} (${ratioText(each.comparison)})`);
      return `${one} looks unrelated to all other samples of its case: ${all.join(', ')}`;
    }
  }
}

function nameOfPerson({ name, isStored }: ComparedPerson, { withNames }: Discretion): string {
  return withNames || !isStored ? `"${name}"` : 'a stored sample';
}

function caseOf({ case: id, isStored }: ComparedPerson, { withNames }: Discretion): string {
  return withNames || !isStored ? `of case "${id}"` : 'of another case';
}

function percentText(share: number | undefined): string {
  return `${((share ?? 0) * 100).toFixed(1)} %`;
}

function ratioText({ ratio }: Comparison): string {
  return `IBS0 ratio ${(ratio ?? 0).toFixed(2)}`;
}

/** Throws an `unprocessable` fault that names what does not fit, or was not compared; quotes keep names out of the log. */
export function refuseFindings(
  {
    findings,
    moreFindings,
    pairs: { notCompared = 0 },
  }: Pick<ComparisonSummary, 'findings' | 'moreFindings' | 'pairs'>,
  discretion: Discretion = { withNames: true },
): void {
  if (findings.length === 0) {
    if (notCompared > 0) throw new Fault('unprocessable', `Nothing was added: ${leftOut(notCompared)}`);
    return;
  }
  const all = comparisonWarnings({ findings, moreFindings }, discretion);
  throw new Fault('unprocessable', `Nothing was added, since the samples do not fit: ${all.join('. ')}`);
}

/** As the result of a job. */
export function comparisonJson(summary: ComparisonSummary, discretion: Discretion): Json {
  const { pairs, unchecked, findings, moreFindings } = summary;
  const warnings = findings.map(({ kind, sample, others }) => ({
    kind,
    sample: sample.name,
    case: sample.case,
    others: others.map(({ person, comparison: { sites, ibs0, ibs2, concordance, alike, ratio } }) => {
      const isShown = discretion.withNames || !person.isStored;
      return {
        sample: isShown ? person.name : null,
        case: isShown ? person.case : null,
        sites,
        ibs0,
        ibs2,
        concordance: rounded(concordance),
        alike: rounded(alike),
        ratio: rounded(ratio),
      };
    }),
  }));
  return {
    pairs: { ...pairs },
    unchecked,
    warnings,
    moreWarnings: [...moreFindings.values()].reduce((sum, more) => sum + more, 0),
  };
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10_000) / 10_000;
}
