/** Texts of the pages in English. */
import {
  alleleClasses,
  conclusions,
  type FactName,
  findingStates,
  type GroupRow,
  outcomes,
  personRoles,
  type Reason,
  type UnknownFact,
  zygosities,
} from '../contract.js';

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Words that are the names themselves. */
function named<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const words: Record<string, string> = Object.fromEntries(names.map((name) => [name, name]));
  return words;
}

export const en = {
  language: 'en' as 'en' | 'sv',
  number: (value: number) => value.toLocaleString('en'),
  links: 'Reviews',
  unknown: 'unknown',
  reasons: {
    panel: 'panel changed',
    raised: 'class raised',
    lowered: 'class lowered or withdrawn',
    covered: 'covered now',
    calls: 'new calls',
    recurrence: 'seen in other cases',
    match: 'match',
    terms: 'phenotype changed',
    hole: 'not covered',
    transcript: 'transcript changed',
  } satisfies Record<Reason, string>,
  /** The end of a sentence; `gene` is a symbol, `allele` as laboratories write it, both if known. */
  because: {
    panel: (gene: string, allele: string) =>
      `a newer signed version of its panel adds ${gene}, turns it green or changes its inheritance, and ${allele} fits`,
    raised: (gene: string, allele: string) => `${allele} in ${gene} is now classified as (likely) pathogenic`,
    lowered: (gene: string, allele: string) =>
      `the class of ${allele} in ${gene}, on which the conclusion rests, was lowered or withdrawn`,
    covered: (gene: string) => `regions of ${gene} that its report did not cover are covered now, and not yet called`,
    calls: (gene: string, allele: string) =>
      `${allele} in ${gene} is new, de novo or in trans in replaced or added calls`,
    recurrence: (gene: string, allele: string) => `${allele} in ${gene} was seen in other cases here`,
    match: (gene: string, allele: string) => `a match shares ${gene}, where ${allele} fits`,
    terms: (gene: string, allele: string) => `its panel now includes ${gene} by its phenotype, and ${allele} fits`,
    hole: (gene: string) => `coding bases of ${gene} are not covered in its sample, where a finding may be missed`,
    transcript: (gene: string, allele: string) => `${allele} is in coding bases of ${gene} by a newer transcript`,
  } satisfies Record<Reason, (gene: string, allele: string) => string>,
  made: (when: string) => `Created ${when}`,
  someGene: 'a gene',
  someAllele: 'an allele',
  together: (allele: string, partners: string) => `${allele} (with ${partners})`,
  inherited: { 'de novo': 'de novo', mother: 'from the mother', father: 'from the father', trans: 'in trans' },
  /** A fact of the evidence, which rules word in English. */
  value: (text: string) => text,
  priorities: {
    1: 'pathogenic and fitting',
    2: 'de novo, or high effect in a new green gene',
    3: 'pathogenic, second allele not covered',
    4: 'another allele that fits',
    5: 'seen in other cases',
    6: 'match',
  } as Readonly<Record<number, string>>,
  states: { ...named(findingStates), gone: 'no longer holds' },
  outcomes: named(outcomes),
  conclusions: named(conclusions),
  zygosities: named(zygosities),
  classes: named(alleleClasses),
  /** What is not known of a finding, by its mark. */
  marks: {
    phase: 'whether both alleles are on different chromosomes is unknown',
    inheritance: 'the mode of inheritance is unknown',
    frequency: 'the population frequency is unknown',
    consequence: 'the consequence is unknown',
    sex: 'the sex is unknown',
    class: 'the class is unknown',
    stars: 'the review status of the class is unknown',
    indels: 'no reference: insertions and deletions may be missed',
  } satisfies Record<UnknownFact, string>,
  /** Names of facts of the evidence. */
  facts: {
    panel: 'Panel',
    confidence: 'Confidence',
    inheritance: 'Inheritance',
    class: 'Class',
    calls: 'Calls',
    coverage: 'Coverage',
    terms: 'Phenotype',
    local: 'Seen here',
    match: 'Match',
    transcripts: 'Transcripts',
  } satisfies Record<FactName, string>,
  carried: {
    0: 'does not carry it',
    1: 'one copy',
    2: 'two copies',
    unknown: 'not known',
  } satisfies Record<0 | 1 | 2 | 'unknown', string>,
  roles: named(personRoles) as Readonly<Record<string, string>>,
  affected: 'affected',
  list: {
    title: 'Cases to look at again',
    intro:
      'Reported cases that should be looked at, because what is known has changed since. Nothing is concluded here: a person decides.',
    found: (findings: number, cases: number, isAll: boolean) =>
      `${plural(findings, 'finding', 'findings')} in ${plural(cases, 'case', 'cases')}${isAll ? '' : ' on this page'}`,
    nothing: 'No finding meets these conditions.',
    columns: {
      priority: 'Priority',
      case: 'Case',
      because: 'Should be looked at because',
      panel: 'Panel',
      found: 'Found',
      state: 'State',
    },
    filters: 'Conditions',
    gene: 'Gene',
    geneHint: 'Symbol, HGNC id.',
    reason: 'Reason',
    anyReason: 'any reason',
    ages: {
      '': 'at any time',
      week: 'in the last 7 days',
      month: 'in the last 30 days',
      older: 'more than 30 days ago',
      oldest: 'more than 90 days ago',
    },
    person: 'Person',
    personHint: 'Sample, or patient.',
    search: 'Show',
    next: 'Next page',
    unlooked: (count: number) =>
      `${plural(count, 'watched case', 'watched cases')} not looked at yet: the baseline is missing. That no finding is listed there does not mean that nothing was found.`,
  },
  groups: {
    title: 'For the owners of panels',
    hint: 'One row for each gene or site, assay and release, with the number of cases behind it.',
    kinds: {
      hole: 'not callable',
      name: 'merged, split or withdrawn',
      transcript: 'preferred transcript',
    } satisfies Record<GroupRow['kind'], string>,
    columns: {
      subject: 'Gene or site',
      kind: 'What',
      assay: 'Assay',
      release: 'Release',
      cases: 'Cases',
      panels: 'Panels',
    },
  },
  held: {
    title: 'Changes that wait for a person',
    text: (cases: number, watched: number) =>
      `would put ${plural(cases, 'case', 'cases')} of ${watched.toLocaleString('en')} that are watched onto the list`,
    approve: 'Apply it',
  },
  case: {
    title: (name: string) => `Case ${name}`,
    conclusion: 'Conclusion',
    reviewer: 'Reviewer',
    decided: 'Reported',
    recontact: 'Recontact',
    recontacts: { yes: 'yes', no: 'no: not watched', until: (when: string) => `until ${when}` },
    persons: 'Persons',
    report: 'Report',
    why: 'Why is this here?',
    notHere: 'Nothing about this case is on the list now.',
    notLooked: 'This case was not looked at yet: it has no baseline.',
    since: (when: string) => `found ${when}`,
    changed: 'What changed? Was it covered, then and now?',
    before: (when: string) => `Then (${when})`,
    now: 'Now',
    who: 'Who else has it?',
    decidedTitle: 'What did we decide?',
    coverage: (threshold: number) => `Coverage (≥ ${threshold}x)`,
    sites: 'Known sites',
    matches: 'Matches',
    isLatest: (version: string) => `${version} is the latest that is signed off`,
    newer: (version: string, genes: number) => `${version}: ${plural(genes, 'gene differs', 'genes differ')}`,
    allCovered: 'all coding exons covered',
    holes: (count: number) => `${plural(count, 'coding exon', 'coding exons')} not covered`,
    siteHoles: (count: number) => `${plural(count, 'known site', 'known sites')} not covered`,
    nowCovered: (covered: number, still: number) =>
      `${covered.toLocaleString('en')} covered now, ${still.toLocaleString('en')} still not`,
    covered: 'covered',
    notCovered: 'not covered',
    ofCovered: (carriers: number, covered: number) =>
      `${plural(carriers, 'carrier', 'carriers')} of ${covered.toLocaleString('en')} covered`,
    ofSamples: (carriers: number, samples: number) =>
      `${plural(carriers, 'carrier', 'carriers')} of ${plural(samples, 'sample', 'samples')}, coverage unknown`,
    noAlleles: 'No allele is listed or found in this case.',
    population: (frequency: string) => `population frequency ${frequency}`,
    matchCount: (count: number) => plural(count, 'match', 'matches'),
    notLookedAt: (why: string) => `not looked at: ${why}`,
    whys: {
      'no-plugin': 'the plugin that knows it is not enabled',
      'no-calls': 'there are no calls of an affected person in this build',
      'not-annotated': 'the calls are not annotated',
      'no-genes': 'no genes and transcripts of the build are loaded',
      'no-sets': 'no known variants of the build are loaded',
      'no-coverage': 'the coverage of the sample is not known at this threshold',
      'no-patient': 'no patient at the matchmaker is stated',
      'not-stored': 'the coverage was replaced since, and the former one of this place is not stored',
      'no-dataset': 'no dataset of this build that you may read',
      'no-panel': 'no version of the panel that you may read',
      'no-baseline': 'there is no baseline',
      'not-yours': 'you may not see it',
      unregistered: 'the sample is not registered, or not yours',
      unchecked: 'the file of the sample is not checked yet',
      unusable: 'the file of the sample cannot be used',
      'other-build': 'the sample is of another build',
      'other-threshold': 'this threshold is not stored for the sample',
      unavailable: 'it cannot be read now',
      'too-many': 'there are too many places',
    } as Readonly<Record<string, string>>,
    statement: (revision: number) => `Statement ${revision}`,
    newStatement: 'Enter a new statement',
    reopenedHint: 'This case was reopened. A new statement, which supersedes this one, closes it.',
    decide: 'Decide',
    outcome: 'Outcome',
    until: 'Until (for later)',
    save: 'Save',
    returned: 'returned: its evidence changed since this decision',
    history: { at: 'Date', by: 'By', what: 'What' },
    columns: { allele: 'Allele', here: 'Here' },
    basis: 'the conclusion rests on it',
    releases: 'Releases used',
  },
  form: {
    title: (name: string) => `New statement about case ${name}`,
    intro:
      'It supersedes the last statement, of which everything that is not asked here stays. From its day on, what is known already is no news.',
    version: 'Version of',
    terms: 'HPO terms',
    termsHint: 'Ids, separated by blanks.',
    releasesHint: 'One source a line, such as ClinVar 2026-11.',
    recontactHint: 'yes, no, or a date such as 2030-01-31.',
    alleles: 'Listed alleles',
    allelesHint:
      'One a line, as 1-11796321-G-A (the position counts from 1); then, in any order: the zygosity, the class, and "basis" if the conclusion rests on it.',
    save: 'Enter',
  },
  digest: {
    subject: (count: number) => `Cases to look at again: ${plural(count, 'new finding', 'new findings')}`,
    since: (count: number, when: string) =>
      `${plural(count, 'case finding', 'case findings')} came onto the list since ${when}`,
    open: 'Open',
  },
  yield: {
    title: 'Yield',
    intro:
      'By the year in which findings came onto the list: how many were reopened, and how many of these cases are solved now.',
    nothing: 'There are no findings yet.',
    columns: { year: 'Year', findings: 'Findings', reopened: 'Reopened', solved: 'Solved' },
    all: 'all reasons',
  },
};

export type ReviewTexts = typeof en;
