/** `import-cgbeacon2`: the collections of a cgbeacon2 database. */
import { type Command, type CommandContext, command, counted, withProgress } from '../../../core/commands.js';
import { Fault, sweepIdle } from '../../../core/plugin.js';
import type { BeaconRepository, Change } from '../contract.js';
import { interruptedImports } from '../loading/load.js';
import { barredLines, permitting } from '../loading/permit.js';
import type { BeaconSettings } from '../settings.js';
import { alignedRepository } from '../vcf/reference/aligned.js';
import type { CarriedDataset, DatasetPlan } from './cgbeacon2/datasets.js';
import type { VariantSurvey } from './cgbeacon2/variants.js';
import { changeText, dryRunNote, printFindings } from './output.js';

/** Differences that concern everything that is carried over. */
const differences =
  'cgbeacon2 opens CONTROLLED datasets to bona fide researchers; here they need a grant. Descriptions and addresses of ' +
  'users, events and genes are not carried over: `update genes` loads genes. Of records with several alternates it keeps ' +
  'them run together (GT for G,T): those that look like one insertion cannot be told from one. It keeps no CIPOS and CIEND.';

export const importCgbeacon2: Command<BeaconSettings> = command({
  name: 'import-cgbeacon2',
  summary: 'Carry over the datasets, alleles and users of a cgbeacon2 database',
  description:
    'Each collection is a file of `mongoexport`, one JSON document a line, plain or gzip. Documents that cannot be carried ' +
    'over, or that cgbeacon2 stored wrongly and are corrected, are counted by reason and named by id. All alleles of a dataset ' +
    'become visible at once. Users keep their tokens, of which only hashes are stored. Running the command again adds what is ' +
    'missing and changes nothing else.',
  examples: [
    'import-cgbeacon2 --datasets dataset.json --variants variant.json --users user.json --dry-run',
    'import-cgbeacon2 --datasets dataset.json --variants variant.json.gz --users user.json',
  ],
  options: [
    { flags: '--datasets <file>', description: 'the collection dataset' },
    { flags: '--variants <file>', description: 'the collection variant; needs --datasets' },
    { flags: '--users <file>', description: 'the collection user' },
    { flags: '--dry-run', description: 'check and report everything, change nothing' },
  ],
  async run(context, input) {
    const { datasets, variants, users, dryRun = false } = input.options;
    if (variants !== undefined && datasets === undefined) {
      throw new Fault('invalid', '--variants needs --datasets, to which the alleles belong');
    }
    if (datasets === undefined && users === undefined) {
      throw new Fault('invalid', 'Give at least one collection: --datasets (with --variants) or --users');
    }
    if (variants === '-')
      throw new Fault(
        'invalid',
        '--variants must be a file, since it is read more than once; standard input cannot be',
      );
    const { allDocuments } = await import('./cgbeacon2/documents.js');
    // All files are read before anything is changed.
    const people = users === undefined ? undefined : await allDocuments(users, context.signal);
    const sets = datasets === undefined ? undefined : await allDocuments(datasets, context.signal);
    const { repository } = await alignedRepository(context);
    const { planDatasets } = await import('./cgbeacon2/datasets.js');
    const plan = sets && (await planDatasets(repository, sets));
    const survey = plan && variants !== undefined ? await surveyed(context, variants, plan.datasets) : undefined;

    const report: Record<string, unknown> = { dryRun, differences };
    if (people) {
      const { carryUsers } = await import('./cgbeacon2/datasets.js');
      const carried = await carryUsers(context, people, dryRun);
      report.users = carried;
      context.terminal.print(
        `Users${dryRunNote(dryRun)}: of ${carried.read}, ${carried.added} added, ${carried.unchanged} unchanged`,
      );
      printFindings(context, carried.notCarried, carried.remarks);
    }
    if (sets && plan) report.datasets = await carryDatasets(context, repository, sets.length, plan, dryRun);
    if (plan && survey && variants !== undefined) {
      report.variants = await carryAlleles(context, repository, variants, survey, dryRun);
    }
    context.terminal.note(differences);
    context.terminal.data(report);
    return 0;
  },
});

async function surveyed(
  { terminal, signal }: CommandContext<BeaconSettings>,
  file: string,
  datasets: readonly CarriedDataset[],
): Promise<VariantSurvey> {
  const { surveyVariants } = await import('./cgbeacon2/variants.js');
  return withProgress(terminal, 'Checking', (progress) => {
    const onProgress = (fraction: number, read: number) => progress.update(fraction, counted(read, 'allele'));
    return surveyVariants({ file, signal, onProgress }, datasets);
  });
}

async function carryDatasets(
  context: CommandContext<BeaconSettings>,
  repository: Pick<BeaconRepository, 'addDataset'>,
  read: number,
  { datasets, notCarried, remarks }: DatasetPlan,
  dryRun: boolean,
) {
  const fresh = datasets.filter(({ isHere }) => !isHere);
  if (!dryRun) {
    // The date of its creation is kept.
    for (const { description, created } of fresh) await repository.addDataset(description, created ?? context.now());
  }
  const counts = { read, added: fresh.length, unchanged: datasets.length - fresh.length };
  context.terminal.print(
    `Datasets${dryRunNote(dryRun)}: of ${read}, ${counts.added} added, ${counts.unchanged} here already, ` +
      `${read - datasets.length} left out`,
  );
  printFindings(context, notCarried, remarks);
  return { ...counts, left: read - datasets.length, notCarried, remarks };
}

async function carryAlleles(
  context: CommandContext<BeaconSettings>,
  repository: BeaconRepository,
  file: string,
  { read, contents, notCarried, remarks }: VariantSurvey,
  dryRun: boolean,
) {
  const { importVariants } = await import('./cgbeacon2/variants.js');
  const { terminal, signal, now } = context;
  const carried: Record<string, unknown>[] = [];
  terminal.print(`Alleles${dryRunNote(dryRun)}: ${counted(read, 'document')}`);
  if (!dryRun) await sweepIdle(repository, interruptedImports, now());
  for (const content of contents) {
    const { dataset, samples, alleles, calls } = content;
    const { id } = dataset.description;
    const held = { alleles, calls, samples: samples.length };
    let added: Change | undefined;
    if (!dryRun && samples.length > 0) {
      const imported = await withProgress(terminal, `Loading ${id}`, (progress) => {
        const onProgress = (fraction: number, done: number) => progress.update(fraction, counted(done, 'allele'));
        const permit = permitting(context.erasures);
        return importVariants(repository, { file, signal, onProgress }, content, permit, now());
      });
      added = imported.added;
      for (const line of barredLines(imported.barred)) terminal.note(line);
    }
    terminal.print(`  ${id}: ${changeText(held)}${added ? `; added ${changeText(added)}` : ''}`);
    carried.push({ dataset: id, held, stated: dataset.stated, ...(added && { added }) });
  }
  printFindings(context, notCarried, remarks);
  return { read, datasets: carried, notCarried, remarks };
}
