/** `import-loqusdb`: the cases of a loqusdb database. */
import { type Command, type CommandContext, command, counted, withProgress } from '../../../core/commands.js';
import type { Source } from '../../../core/files.js';
import { Fault, isFault, sweepIdle } from '../../../core/plugin.js';
import { callsLines, changeText, dryRunNote, printFindings } from '../commands/output.js';
import type { BeaconRepository, Dataset } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import { interruptedImports } from '../loading/load.js';
import { barredLines, permitting } from '../loading/permit.js';
import { consequenceToolsFor } from '../protection/annotations.js';
import type { BeaconSettings } from '../settings.js';
import { depthToolsFor } from '../vcf/depths/called.js';
import { alignedRepository } from '../vcf/reference/aligned.js';
import type { LoadedReferences } from '../vcf/reference/packed.js';
import { recordFilterOf } from '../vcf/rules.js';
import type { CarriedObservations, LoqusdbCase } from './exported-cases.js';
import { loadCase } from './load.js';

type ImportContext = CommandContext<BeaconSettings>;

/** What cases without files lose. */
const differences =
  'Of a case without files, loqusdb knows neither which individual carries a variant nor, in general, whether it is ' +
  'homozygous: it became one sample. Of a variant it names the last 50 cases: counts above that are too low for these ' +
  'cases. Positions of structural variants are the means of their clusters.';

export const importLoqusdb: Command<BeaconSettings> = command({
  name: 'import-loqusdb',
  summary: 'Carry over the cases of a loqusdb database',
  description:
    'Each collection is a file of `mongoexport`, one JSON document a line, plain or gzip. A case is loaded from the VCF ' +
    'files that loqusdb loaded, if they can still be read at their paths: its counts are then exact. Other cases are taken ' +
    'from the collections of variants, if given, with what these tell. Running the command again adds what is missing and ' +
    'changes nothing else. The exit code is 1 if a file of a case could not be loaded.',
  examples: [
    'import-loqusdb --ds local --cases case.json --dry-run',
    'import-loqusdb --ds local --cases case.json --variants variant.json.gz --structural-variants structural_variant.json --identities identity.json',
  ],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true },
    { flags: '--cases <file>', description: 'the collection case', required: true },
    { flags: '--variants <file>', description: 'the collection variant, for cases without files' },
    { flags: '--structural-variants <file>', description: 'the collection structural_variant, likewise' },
    { flags: '--identities <file>', description: 'the collection identity: all cases of the structural variants' },
    { flags: '--dry-run', description: 'check and report everything, change nothing' },
  ],
  async run(context, { options }) {
    const { ds, dryRun = false } = options;
    if (options.identities !== undefined && options.structuralVariants === undefined) {
      throw new Fault('invalid', '--identities needs --structural-variants, to which they belong');
    }
    const { allDocuments } = await import('../commands/cgbeacon2/documents.js');
    const { planCases } = await import('./exported-cases.js');
    const documents = await allDocuments(options.cases, context.signal);
    const { repository, references } = await alignedRepository(context);
    const dataset = await datasetNamed(repository, ds);
    const plan = await planCases(documents, await repository.sampleFacts(ds));
    const { fromFiles, withoutFiles, unchanged } = plan;
    context.terminal.print(
      `Cases${dryRunNote(dryRun)}: of ${plan.read}, ${fromFiles.length} from their files, ${withoutFiles.length} without files, ` +
        `${unchanged} here already`,
    );
    printFindings(context, plan.notCarried);
    if (!dryRun) await sweepIdle(repository, interruptedImports, context.now());
    const failed = dryRun ? [] : await loadFiles(context, { repository, references }, dataset, fromFiles);
    const carried = await carryOthers(context, repository, dataset, withoutFiles, options);
    context.terminal.data({
      cases: {
        read: plan.read,
        fromFiles: fromFiles.length - failed.length,
        failed,
        unchanged,
        notCarried: plan.notCarried,
      },
      withoutFiles: withoutFiles.map(({ id }) => id),
      ...carried,
    });
    return failed.length > 0 ? 1 : 0;
  },
});

/** Loads cases one by one; returns those that could not be loaded. */
async function loadFiles(
  context: ImportContext,
  { repository, references }: { repository: BeaconRepository; references: LoadedReferences },
  dataset: Dataset,
  cases: readonly LoqusdbCase[],
): Promise<{ case: string; reason: string }[]> {
  const { terminal, signal } = context;
  const failed: { case: string; reason: string }[] = [];
  const depths = await depthToolsFor(context);
  const consequences = await consequenceToolsFor(context);
  const progress = terminal.progress('Loading');
  try {
    for (const [i, { id, small, structural, individuals }] of cases.entries()) {
      progress.update(i / cases.length, counted(i, 'case'));
      const files: Source[] = [];
      const opened = async (path: string | undefined) => {
        if (path === undefined) return undefined;
        const source = await context.openSource(path);
        files.push(source);
        return source;
      };
      try {
        const { barred = new Map(), calls = [] } = await loadCase({
          repository,
          depths,
          references,
          consequences,
          dataset,
          id,
          small: await opened(small),
          structural: await opened(structural),
          permit: permitting(context.erasures),
          individuals: individuals.size === 0 ? undefined : individuals,
          filter: recordFilterOf(context.settings.filter),
          now: context.now(),
          signal,
        });
        for (const line of [...barredLines(barred), ...callsLines(calls)]) terminal.note(line);
      } catch (error) {
        if (signal.aborted || !isFault(error) || error.code !== 'unprocessable') throw error;
        failed.push({ case: id, reason: error.message });
      } finally {
        for (const file of files) file.close();
      }
    }
  } finally {
    progress.stop();
  }
  if (cases.length > 0) terminal.print(`Loaded ${counted(cases.length - failed.length, 'case')} from files`);
  for (const { case: id, reason } of failed) terminal.print(`  could not load case ${id}: ${reason}`);
  return failed;
}

async function carryOthers(
  context: ImportContext,
  repository: BeaconRepository,
  dataset: Dataset,
  cases: readonly LoqusdbCase[],
  {
    variants,
    structuralVariants,
    identities,
    dryRun = false,
  }: Partial<Record<'variants' | 'structuralVariants' | 'identities', string>> & { dryRun?: boolean },
) {
  const { terminal, signal } = context;
  if (cases.length === 0) return {};
  if (variants === undefined && structuralVariants === undefined) {
    const ids = cases.slice(0, 5).map(({ id }) => id);
    const list = `${ids.join(', ')}${cases.length > ids.length ? ', …' : ''}`;
    terminal.print(
      `Left out ${counted(cases.length, 'case')} without files (${list}): give --variants, --structural-variants`,
    );
    return {};
  }
  const { carryVariants, missingFamilies } = await import('./exported-cases.js');
  const carry = async (
    kind: 'small' | 'structural',
    file: string,
    families?: Map<string, Set<string>>,
  ): Promise<CarriedObservations> => {
    const those = cases.filter((stored) => stored[kind] !== undefined);
    return withProgress(terminal, dryRun ? 'Checking' : 'Loading', (progress) => {
      const onProgress = (fraction: number, alleles: number) => progress.update(fraction, counted(alleles, 'allele'));
      const permit = permitting(context.erasures);
      const common = { repository, dataset, permit, dryRun, signal, onProgress, now: context.now() };
      return carryVariants({ ...common, kind, file, cases: those, ...(families && { families }) });
    });
  };
  const tell = (
    what: string,
    { alleles, observations, unnamed, added, barred = [], notCarried, remarks }: CarriedObservations,
  ) => {
    const changes = added ? `; added ${changeText(added)}` : '';
    terminal.print(
      `${what}${dryRunNote(dryRun)}: ${counted(alleles, 'allele')}, ${counted(observations, 'observation')}${changes}`,
    );
    for (const line of barred) terminal.note(line);
    if (unnamed > 0) terminal.print(`  ${counted(unnamed, 'observation')} in cases that loqusdb does not name`);
    printFindings(context, notCarried, remarks);
  };
  const report: { variants?: CarriedObservations; structuralVariants?: CarriedObservations } = {};
  if (variants !== undefined) {
    report.variants = await carry('small', variants);
    tell('Small variants of cases without files', report.variants);
  }
  if (structuralVariants !== undefined) {
    const families =
      identities === undefined
        ? undefined
        : await missingFamilies({ structural: structuralVariants, identities }, signal);
    report.structuralVariants = await carry('structural', structuralVariants, families);
    tell('Structural variants of cases without files', report.structuralVariants);
  }
  terminal.note(differences);
  return report;
}
