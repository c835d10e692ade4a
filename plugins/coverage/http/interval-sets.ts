/** `GET /intervals` and `GET /intervals/intervals_count_by_build`: the sets that are loaded. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import {
  type Build,
  builds,
  chromosomes,
  type IntervalKind,
  type IntervalSet,
  intervalKinds,
  type RegionSet,
  regionKinds,
} from '../contract.js';
import type { CoverageServices } from '../services.js';
import { jsonAnswer } from './input.js';

const shownSet = z
  .object({
    kind: z.enum([...intervalKinds, 'names']).describe('names: previous symbols and aliases, for every build.'),
    build: z.enum(builds).optional(),
    release: z.string().nullable().describe('As stated by the operator or the file.'),
    source: z.string(),
    checksum: z.string().describe('Checksum of the file: `sha256:…`.'),
    loaded: z.iso.datetime(),
    rows: z.int().describe('Genes, transcripts (each once), exons of transcripts, or genes with names.'),
    chromosomes: z.partialRecord(z.enum(chromosomes), z.int()).describe('Rows by chromosome.'),
    read: z.int().describe('Rows of the file that were loaded, including repeated ones.'),
    skipped: z.record(z.string(), z.int()).describe('Rows of the file that were skipped, by reason.'),
  })
  .meta({ id: 'IntervalSet' });

const shownRegions = z
  .object({
    name: z.string(),
    build: z.enum(builds),
    kind: z.enum(regionKinds).describe('caution: depth alone cannot judge the bases.'),
    release: z.string().nullable().describe('As stated by the operator.'),
    source: z.string(),
    checksum: z.string().describe('Checksum of the file: `sha256:…`.'),
    loaded: z.iso.datetime(),
    regions: z.int().describe('Those of the file that overlap or touch count as one.'),
    bases: z.int(),
    skipped: z.record(z.string(), z.int()).describe('Lines of the file that were skipped, by reason.'),
  })
  .meta({ id: 'RegionSet' });

const count = z.object({
  number_of_genes: z.int(),
  number_of_transcripts: z.int(),
  number_of_exons: z.int(),
});

/** A set as this route and the command line show it. */
export function setShown({ release, chromosomes: places, loaded, ...set }: IntervalSet): z.output<typeof shownSet> {
  return {
    ...set,
    release: release ?? null,
    loaded: loaded.toISOString(),
    chromosomes: Object.fromEntries(places.map(({ chromosome, rows }) => [chromosome, rows])),
  };
}

function regionsShown({ release, loaded, ...set }: RegionSet): z.output<typeof shownRegions> {
  return { ...set, release: release ?? null, loaded: loaded.toISOString() };
}

export function setRoutes({
  intervals: repository,
  regions,
}: Pick<CoverageServices, 'intervals' | 'regions'>): RouteDeclaration[] {
  return [
    route({
      method: 'GET',
      path: '/intervals',
      operation: 'intervalSets',
      summary: 'The sets of genes, transcripts, exons, gene names and regions that are loaded',
      answers: {
        200: jsonAnswer(
          'Each set with its release, checksum and date.',
          z.object({ sets: z.array(shownSet), regions: z.array(shownRegions) }),
        ),
      },
      async handle({ signal }) {
        const [sets, found] = await Promise.all([repository.sets({ signal }), regions.sets({ signal })]);
        return { body: { sets: sets.map(setShown), regions: found.map(regionsShown) } };
      },
    }),
    route({
      method: 'GET',
      path: '/intervals/intervals_count_by_build',
      operation: 'intervalCounts',
      summary: 'The number of genes, transcripts and exons of each build',
      description:
        'A transcript counts once, whatever its number of cross-references; an exon counts once per transcript.',
      answers: {
        200: jsonAnswer('Counts by build.', z.record(z.enum(builds), count)),
      },
      async handle({ signal }) {
        const sets = await repository.sets({ signal });
        const rows = (build: Build, kind: IntervalKind) =>
          sets.find((set) => set.build === build && set.kind === kind)?.rows ?? 0;
        const counts = builds.map((build) => [
          build,
          {
            number_of_genes: rows(build, 'genes'),
            number_of_transcripts: rows(build, 'transcripts'),
            number_of_exons: rows(build, 'exons'),
          },
        ]);
        return { body: Object.fromEntries(counts) };
      },
    }),
  ];
}
