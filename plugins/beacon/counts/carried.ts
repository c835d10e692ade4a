/** The service `beacon/carried-alleles@1`: which samples carry which alleles, of genes, at places or by name, for programs that ask of many samples at once. */
import { hash } from 'node:crypto';
import type { Tenants } from '../../../core/plugin.js';
import type {
  CalledSample,
  CarriedAllelesService,
  CarriedAnswer,
  CarriedEffect,
  CarriedQuestion,
  CarriedVariant,
  KnowledgeReader,
} from '../../services/beacon.js';
import type { Recording } from '../audit.js';
import {
  type Assembly,
  alleleKey,
  type BeaconRepository,
  type CallAnnotation,
  type ConsequenceRepository,
  type Dataset,
  type DepthRepository,
  farthest,
  type GeneConsequence,
  type Observation,
  ploidyAt,
  sourceText,
} from '../contract.js';
import { plainQuestion } from '../domain/written-question.js';
import { consequenceTerm, impacts, worstRank } from '../vcf/consequences/terms.js';
import { type AlleleCandidate, type CandidateTools, candidatesOf } from './candidates.js';
import type { DenominatorsOf } from './denominators.js';
import type { DatasetObserver } from './observing.js';
import { type DatasetPeople, oneSex, type PersonEntry, peopleOf, wasSearched } from './people.js';
import { phasesOf } from './phased-carriers.js';

interface CarriedTools {
  repository: Pick<BeaconRepository, 'datasets' | 'sampleFacts' | 'observe' | 'found'>;
  consequences: Pick<ConsequenceRepository, 'ofGenes' | 'find' | 'sources'>;
  depths: Pick<DepthRepository, 'findPhases'>;
  tenants: Pick<Tenants, 'all'> | undefined;
  observing: Pick<DatasetObserver, 'named'>;
  recording: Pick<Recording, 'observed'>;
  denominators: DenominatorsOf;
  /** The question by which an allele of this assembly has one form. */
  oneForm(assembly: Assembly): CandidateTools['oneForm'];
  /** Whether a reference is loaded. */
  isAligned(assembly: Assembly): boolean;
}

/** Carriers that are held at once, at most, if every sample were one; and questions. */
const [mostNamed, mostAsked] = [2_000_000, 500];
/** Alleles from which on their denominators are judged. */
const judgedAtOnce = 2000;

export function carriedAllelesService(tools: CarriedTools): CarriedAllelesService {
  const { repository, consequences, recording } = tools;
  return {
    formOf(assembly) {
      if (!tools.isAligned(assembly)) return undefined;
      const oneForm = tools.oneForm(assembly);
      return (allele) => {
        const asked = plainQuestion(allele, assembly);
        const question = asked && oneForm(asked);
        if (question?.type !== 'sequence') return allele;
        const { contig: chromosome, start, reference, alternate } = question;
        return { chromosome, start, reference, alternate };
      };
    },

    async samplesOf(reader, assembly, ids) {
      const datasets = await datasetsOf(tools, reader, assembly);
      const people = await peopleOf(repository, datasets);
      const annotations = new Map<string, string[]>();
      for (const { id } of datasets) annotations.set(id, (await consequences.sources(id)).map(sourceText));
      const found = new Map<string, CalledSample>();
      for (const id of new Set(ids ?? people.ids)) {
        const own = people.entriesOf(id);
        if (own.length > 0) found.set(id, calledSample(own, annotations));
      }
      if (isCaller(reader)) {
        const cases = [...found.values()].map((one) => one.case);
        await recording.observed(reader, { datasets: observable(datasets), cases, alleles: 0 });
      }
      return found;
    },

    async versionOf(reader, assembly) {
      const states: unknown[] = [tools.isAligned(assembly)];
      for (const { id, created, updated, alignedTo, counting } of await datasetsOf(tools, reader, assembly)) {
        states.push([id, created, updated, alignedTo, counting, await consequences.sources(id)]);
      }
      return digest(states);
    },

    async carried(reader, question, signal) {
      const datasets = await datasetsOf(tools, reader, question.assembly);
      const people = await peopleOf(repository, datasets);
      const candidates = await candidatesOf(
        { repository, consequences, oneForm: tools.oneForm(question.assembly) },
        datasets,
        question,
        signal,
      );
      const answer = await carriersOf(tools, { datasets, people, question, candidates }, signal);
      if (isCaller(reader)) {
        const carriers = new Set(answer.alleles.flatMap((one) => one.carriers.map(({ sample }) => sample)));
        const cases = [...carriers].map((number) => people.caseOf(number));
        const alleles = answer.alleles.length;
        await recording.observed(reader, { datasets: observable(datasets), cases: [...new Set(cases)], alleles });
      }
      return answer;
    },
  };
}

function isCaller(reader: KnowledgeReader): reader is Extract<KnowledgeReader, { principal: unknown }> {
  return reader !== 'operator' && 'principal' in reader;
}

function observable(datasets: readonly Dataset[]) {
  return datasets.map((dataset) => ({ dataset, shared: undefined }));
}

/** Those in which the reader may see who carries what; by id. */
async function datasetsOf(
  { repository, tenants, observing }: CarriedTools,
  reader: KnowledgeReader,
  assembly: Assembly,
): Promise<readonly Dataset[]> {
  if (isCaller(reader)) {
    const open = await observing.named(reader.principal, assembly, []);
    return open.filter(({ withCases, shared }) => withCases && !shared).map(({ dataset }) => dataset);
  }
  const all = (await repository.datasets()).filter((dataset) => dataset.assembly === assembly);
  if (reader === 'operator') return all;
  const own = tenants?.all.find(({ name }) => name === reader.tenant)?.datasets ?? [];
  return all.filter(({ id }) => own.includes(id));
}

function calledSample(
  entries: readonly PersonEntry[],
  annotations: ReadonlyMap<string, readonly string[]>,
): CalledSample {
  const states = entries.map(({ dataset, sample: { name, added, later, searched, unsearched } }) => [
    ...[dataset, name, added?.getTime() ?? 0, later?.small ?? 0, later?.structural ?? 0],
    ...[searched.small, searched.structural, unsearched?.small ?? [], unsearched?.structural ?? []],
  ]);
  const searched = {
    small: entries.some(({ sample }) => sample.searched.small),
    structural: entries.some(({ sample }) => sample.searched.structural),
  };
  const left = (['small', 'structural'] as const).flatMap((kind) => {
    const named = entries.flatMap(({ sample }) => sample.unsearched?.[kind] ?? []);
    const contigs = [...new Set(named)].filter((contig) => !wasSearched(entries, kind, contig)).sort();
    return contigs.length > 0 ? [[kind, contigs] as const] : [];
  });
  const [first] = entries as readonly [PersonEntry];
  const assay = entries.find(({ sample }) => sample.labels.assay !== undefined)?.sample.labels.assay;
  return {
    stamp: digest(states),
    datasets: [...new Set(entries.map(({ dataset }) => dataset))],
    searched,
    ...(left.length > 0 && { unsearched: Object.fromEntries(left) }),
    sex: oneSex(entries),
    case: first.sample.case,
    affected: entries.find(({ sample }) => sample.affected !== undefined)?.sample.affected,
    phenotypes: [...new Set(entries.flatMap(({ sample }) => sample.phenotypes.map(({ id }) => id)))].sort(),
    ...(assay !== undefined && { assay }),
    annotations: [...new Set(entries.flatMap(({ dataset }) => annotations.get(dataset) ?? []))],
  };
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);
}

interface CarriedReading {
  datasets: readonly Dataset[];
  people: DatasetPeople;
  question: CarriedQuestion;
  candidates: readonly AlleleCandidate[];
}

async function carriersOf(
  tools: CarriedTools,
  { datasets, people, question, candidates }: CarriedReading,
  signal: AbortSignal,
): Promise<CarriedAnswer> {
  const { assembly, common, carriers } = question;
  const wanted = carriers && new Set(carriers.map((id) => people.numberOf(id)));
  const ids = datasets.map(({ id }) => id);
  const size = Math.max(1, Math.min(mostAsked, Math.floor(mostNamed / Math.max(1, people.ids.length))));
  const alleles: CarriedVariant[] = [];
  const judges = question.denominators ? await judgesOf(tools, datasets) : [];
  let unjudged: ObservedAllele[] = [];
  for (let from = 0; ids.length > 0 && from < candidates.length; from += size) {
    const part = candidates.slice(from, from + size);
    const questions = part.map((one) => one.question);
    const observed = await tools.repository.observe(assembly, questions, ids, { carriers: true, signal });
    for (const [place, candidate] of part.entries()) {
      const allele = counted(people, assembly, candidate, observed[place] ?? []);
      const { local } = allele;
      const isCommon = common && local.carriers > common.carriers && local.carriers > common.share * local.samples;
      if (local.carriers === 0 || (isCommon && !candidate.isNamed)) continue;
      if (candidate.allele.structural)
        allele.carriers = await exactCarriers(tools, people, ids, candidate, { assembly, signal });
      const isWanted = wanted === undefined || allele.carriers.some(({ sample }) => wanted.has(sample));
      if (allele.carriers.length === 0 || !isWanted) continue;
      alleles.push(allele);
      if (judges.length > 0) unjudged.push({ allele, question: candidate.question, observed: observed[place] ?? [] });
    }
    // A judge looks at all samples each time.
    if (unjudged.length < judgedAtOnce && from + size < candidates.length) continue;
    await addCoverage(judges, unjudged, signal);
    unjudged = [];
  }
  const phases = await phasesOf(tools.depths, datasets, people, alleles);
  return { alleles, samples: people.ids, datasets: ids, phases };
}

/** What the datasets say of one allele; carriers of structural ones are those of similar ones, too. */
function counted(
  people: DatasetPeople,
  assembly: Assembly,
  { allele, annotation }: AlleleCandidate,
  observations: readonly Observation[],
): CarriedVariant & { carriers: CarriedVariant['carriers'] } {
  const copies = new Map<number, number>();
  const uncalled = new Set<number>();
  for (const { dataset, named } of observations) {
    if (named === undefined) continue;
    const numbers = people.numbersIn(dataset, named.names);
    for (const [i, number] of named.numbers.entries()) {
      const person = numbers[number] ?? -1;
      if (person >= 0) copies.set(person, Math.max(copies.get(person) ?? 0, named.copies[i] ?? 0));
    }
    for (const number of named.uncalled) uncalled.add(numbers[number] ?? -1);
  }
  uncalled.delete(-1);
  for (const person of copies.keys()) uncalled.delete(person);
  const { contig, start, end, reference, alternate, kind, structural } = allele;
  const most = (person: number) => ploidyAt(assembly, contig, start, people.sexOf(person));
  const searched = people.searched(structural ? 'structural' : 'small', contig);
  return {
    ...{ chromosome: contig, start, end, reference, alternate, ...(structural && { structural: kind }) },
    ...annotated(annotation),
    carriers: [...copies].map(([sample, called]) => ({ sample, copies: called })).sort(bySample),
    uncalled: [...uncalled].sort((one, other) => one - other),
    local: {
      carriers: copies.size,
      samples: searched - uncalled.size,
      alleleCount: [...copies].reduce((sum, [person, called]) => sum + Math.min(called, most(person)), 0),
    },
  };
}

function bySample(one: { sample: number }, other: { sample: number }): number {
  return one.sample - other.sample;
}

function annotated(
  annotation: CallAnnotation | undefined,
): Pick<CarriedVariant, 'genes' | 'population' | 'clinVar' | 'source'> {
  if (annotation === undefined) return { genes: [] };
  const { genes, frequency, clinVar, source } = annotation;
  return {
    genes: genes.flatMap((gene) => effectOn(gene) ?? []),
    ...(frequency && { population: { frequency: frequency.value, field: frequency.field } }),
    ...(clinVar && { clinVar }),
    source: sourceText(source),
  };
}

/** By the transcript with the worst consequence, of equal ones the first. */
function effectOn({ hgnc, symbol, transcripts }: GeneConsequence): CarriedEffect | undefined {
  const [first, ...others] = transcripts;
  if (first === undefined) return undefined;
  const { terms, transcript, coding, protein } = others.reduce(
    (worst, one) => (worstRank(one.terms) < worstRank(worst.terms) ? one : worst),
    first,
  );
  const impact = terms.map((term) => consequenceTerm(term)?.impact ?? 'MODIFIER');
  const effect = impacts.find((one) => impact.includes(one)) ?? 'MODIFIER';
  return {
    ...(hgnc !== undefined && { hgnc }),
    ...(symbol !== undefined && { symbol }),
    effect: effect.toLowerCase() as CarriedEffect['effect'],
    terms,
    ...(transcript !== undefined && { transcript }),
    ...(coding !== undefined && { coding }),
    ...(protein !== undefined && { protein }),
  };
}

/** Those of precisely this structural allele. */
async function exactCarriers(
  { repository }: Pick<CarriedTools, 'repository'>,
  people: DatasetPeople,
  ids: readonly string[],
  { allele }: AlleleCandidate,
  { assembly, signal }: { assembly: Assembly; signal: AbortSignal },
): Promise<CarriedVariant['carriers']> {
  const { contig, start, end, kind } = allele;
  const at = (position: number) => ({ min: position, max: position });
  const query = { assembly, contig, start: at(start), end: at(end), kinds: [{ kind, structural: true }] };
  const found = new Map<number, number>();
  const key = alleleKey(allele);
  for (const { dataset, alleles } of await repository.found(query, ids, { limit: farthest, carriers: true, signal })) {
    for (const one of alleles.filter((other) => alleleKey(other) === key)) {
      for (const [name, copies] of one.named ?? []) {
        const person = people.named(dataset, name);
        if (person !== undefined) found.set(person, Math.max(found.get(person) ?? 0, copies));
      }
    }
  }
  return [...found].map(([sample, copies]) => ({ sample, copies })).sort(bySample);
}

interface ObservedAllele {
  allele: CarriedVariant;
  question: AlleleCandidate['question'];
  observed: readonly Observation[];
}

/** Who judges the denominators of a dataset; each reads all of its samples. */
interface DatasetJudge {
  id: string;
  judge: Awaited<ReturnType<DenominatorsOf>>;
}

async function judgesOf(
  { denominators }: Pick<CarriedTools, 'denominators'>,
  datasets: readonly Dataset[],
): Promise<DatasetJudge[]> {
  const judges: DatasetJudge[] = [];
  for (const dataset of datasets) judges.push({ id: dataset.id, judge: await denominators(dataset) });
  return judges;
}

async function addCoverage(
  judges: readonly DatasetJudge[],
  alleles: readonly ObservedAllele[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id, judge } of judges) {
    const own = alleles.flatMap(({ observed, ...one }) => {
      const observation = observed.find(({ dataset }) => dataset === id);
      return observation ? [{ ...one, observation }] : [];
    });
    if (own.length === 0) continue;
    const judged = await judge.of(
      own.map(({ question }) => question),
      own.map(({ observation }) => observation),
      signal,
    );
    for (const [i, { covered, notCovered, unknown, unknownSex, alleles }] of judged.entries()) {
      const { local } = (own[i] as (typeof own)[number]).allele;
      const known = local.covered;
      local.covered = {
        covered: (known?.covered ?? 0) + covered,
        notCovered: (known?.notCovered ?? 0) + notCovered,
        unknown: (known?.unknown ?? 0) + unknown + unknownSex,
        alleleNumber: (known?.alleleNumber ?? 0) + (alleles?.alleleNumber ?? 0),
      };
    }
  }
}
