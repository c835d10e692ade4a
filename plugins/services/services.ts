/**
 * The services of the plugins to each other, types only: what one plugin knows of another.
 *
 *     import type { Services } from 'trefoil/services';
 *
 *     const genes = context.find<Services['coverage/gene-structures@1']>('coverage/gene-structures@1');
 */
import type { CalledDepthsService, CountsService, SampleFactsService } from './beacon.js';
import type {
  CallsService,
  CoveredSamplesService,
  GeneStructures,
  KeptReportsService,
  TenantCallability,
} from './coverage.js';
import type { PhenotypeService } from './matchmaker.js';
import type { PanelsService } from './panels.js';

export type {
  AlleleCounts,
  CalledDepth,
  CalledDepths,
  CalledDepthsService,
  CountedAllele,
  CountsService,
  DatasetFacts,
  SampleFactsService,
  SampleLabel,
  Sex,
} from './beacon.js';
export type {
  CallabilityService,
  CallsFit,
  CallsService,
  CoveredAnswer,
  CoveredCounts,
  CoveredPlace,
  CoveredQuestion,
  CoveredSamplesService,
  ExonicTranscript,
  GeneExons,
  GeneStructure,
  GeneStructures,
  IntervalSource,
  KeptReportsService,
  MissingGene,
  NumberedAnswer,
  NumberedCallability,
  NumberedQuestion,
  QuestionedSamples,
  RegisteredSex,
  Span,
  TenantCallability,
  TranscriptChoice,
  UnknownCoverage,
  UnmetTranscript,
  WantedGene,
} from './coverage.js';
export type { PhenotypeService, PhenotypeTerm } from './matchmaker.js';
export type {
  Confidence,
  GeneDifference,
  HoldingVersion,
  PanelGeneOfReport,
  PanelOfReport,
  PanelRequirement,
  PanelState,
  PanelsService,
} from './panels.js';

/** By the keys under which they are offered, if their plugins are enabled. */
export interface Services {
  'beacon/called-depths@1': CalledDepthsService;
  'beacon/counts@1': CountsService;
  'beacon/sample-facts@1': SampleFactsService;
  'coverage/callability@1': TenantCallability;
  'coverage/calls@1': CallsService;
  'coverage/covered-samples@1': CoveredSamplesService;
  'coverage/gene-structures@1': GeneStructures;
  /** Only if the setting `reports` is made. */
  'coverage/kept-reports@1': KeptReportsService;
  'matchmaker/phenotypes@1': PhenotypeService;
  'panels/versions@1': PanelsService;
}
