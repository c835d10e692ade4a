/** `GET /intervals` and `GET /intervals/intervals_count_by_build`: what is loaded. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { type Build, builds, chromosomes, type IntervalKind, type IntervalSet, intervalKinds } from '../contract.js';
import type { CoverageServices } from '../services.js';

const shownSet = z
  .object({
    kind: z.enum([...intervalKinds, 'names']).describe('names: previous symbols and aliases, for every build.'),
    build: z.enum(builds).optional(),
    release: z.string().nullable().describe('As the operator or the file says.'),
    source: z.string(),
    checksum: z.string().describe('Of the file.'),
    loaded: z.iso.datetime(),
    rows: z.int().describe('Genes, transcripts (each once), exons of transcripts, or genes with names.'),
    chromosomes: z.partialRecord(z.enum(chromosomes), z.int()).describe('Rows by chromosome.'),
    read: z.int().describe('Rows of the file that went in, repeated ones included.'),
    skipped: z.record(z.string(), z.int()).describe('Rows of the file that did not, by reason.'),
  })
  .meta({ id: 'IntervalSet' });

const count = z.object({
  number_of_genes: z.int(),
  number_of_transcripts: z.int(),
  number_of_exons: z.int(),
});

/** A set as people and programs see it, here and on the command line. */
export function setShown({ release, chromosomes: places, loaded, ...set }: IntervalSet): z.output<typeof shownSet> {
  return {
    ...set,
    release: release ?? null,
    loaded: loaded.toISOString(),
    chromosomes: Object.fromEntries(places.map(({ chromosome, rows }) => [chromosome, rows])),
  };
}

export function setRoutes({ intervals: repository }: Pick<CoverageServices, 'intervals'>): RouteDeclaration[] {
  return [
    route({
      method: 'GET',
      path: '/intervals',
      operation: 'intervalSets',
      summary: 'The sets of genes, transcripts, exons and gene names that are loaded',
      answers: {
        200: {
          description: 'Each set with its release, checksum and date.',
          content: { 'application/json': z.object({ sets: z.array(shownSet) }) },
        },
      },
      handle: async () => ({ body: { sets: (await repository.sets()).map(setShown) } }),
    }),
    route({
      method: 'GET',
      path: '/intervals/intervals_count_by_build',
      operation: 'intervalCounts',
      summary: 'How many genes, transcripts and exons each build has',
      description: 'A transcript counts once, however many cross-references it has; an exon once for each transcript.',
      answers: {
        200: { description: 'Counts by build.', content: { 'application/json': z.record(z.enum(builds), count) } },
      },
      async handle() {
        const sets = await repository.sets();
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
