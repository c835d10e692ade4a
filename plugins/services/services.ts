/**
 * The services of the plugins to each other, types only: what one plugin knows of another.
 *
 *     import type { Services } from 'trefoil/services';
 *
 *     const genes = context.find<Services['coverage/gene-structures@1']>('coverage/gene-structures@1');
 */
import type { CalledDepthsService, CarriedAllelesService, CountsService, SampleFactsService } from './beacon.js';
import type {
  CallsService,
  CoveredSamplesService,
  GeneStructures,
  KeptReportsService,
  KnownSitesService,
  TenantCallability,
} from './coverage.js';
import type { MatchesService, PhenotypeService } from './matchmaker.js';
import type { PanelsService } from './panels.js';

export type {
  AlleleCounts,
  CalledDepth,
  CalledDepths,
  CalledDepthsService,
  CalledSample,
  CarriedAllelesService,
  CarriedAnswer,
  CarriedEffect,
  CarriedQuestion,
  CarriedVariant,
  CountedAllele,
  CountsService,
  DatasetFacts,
  KnowledgeReader,
  SampleFactsService,
  SampleLabel,
  Sex,
  VariantCounts,
} from './beacon.js';
export type {
  CallabilityService,
  CallsFit,
  CallsService,
  CodingTranscript,
  CoveredAnswer,
  CoveredCounts,
  CoveredPlace,
  CoveredQuestion,
  CoveredSamplesService,
  ExonicTranscript,
  GeneCoding,
  GeneExons,
  GeneStructure,
  GeneStructures,
  IntervalSource,
  KeptReportFacts,
  KeptReportsService,
  KnownRecord,
  KnownSet,
  KnownSitesService,
  MissingGene,
  NumberedAnswer,
  NumberedCallability,
  NumberedQuestion,
  PlaceOfSite,
  PlainAllele,
  QuestionedSamples,
  RegisteredSex,
  Span,
  TenantCallability,
  TranscriptChoice,
  UnknownCoverage,
  UnmetTranscript,
  WantedGene,
} from './coverage.js';
export type { MatchesService, PatientMatch, PhenotypeService, PhenotypeTerm } from './matchmaker.js';
export type {
  Confidence,
  GeneDifference,
  HoldingVersion,
  PanelGeneOfReport,
  PanelOfReport,
  PanelRequirement,
  PanelState,
  PanelsService,
  WithdrawnGenes,
} from './panels.js';

/** By the keys under which they are offered, if their plugins are enabled. */
export interface Services {
  'beacon/called-depths@1': CalledDepthsService;
  'beacon/carried-alleles@1': CarriedAllelesService;
  'beacon/counts@1': CountsService;
  'beacon/sample-facts@1': SampleFactsService;
  'coverage/callability@1': TenantCallability;
  'coverage/calls@1': CallsService;
  'coverage/covered-samples@1': CoveredSamplesService;
  'coverage/gene-structures@1': GeneStructures;
  /** Only if the setting `reports` is made. */
  'coverage/kept-reports@1': KeptReportsService;
  'coverage/known-sites@1': KnownSitesService;
  /** Only if triage is on. */
  'matchmaker/matches@1': MatchesService;
  'matchmaker/phenotypes@1': PhenotypeService;
  'panels/versions@1': PanelsService;
}
