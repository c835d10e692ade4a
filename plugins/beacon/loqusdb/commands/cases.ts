/**
 * `loqusdb cases`, `loqusdb delete` and `loqusdb profile`: the cases of a dataset, removing one, and whether the people of a
 * VCF file are in the dataset already.
 */
import { type Command, command } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { peopleIn, recordCommand } from '../../audit.js';
import type { Sample } from '../../contract.js';
import { waitingText } from '../../protection/changes.js';
import type { BeaconSettings } from '../../settings.js';
import { documentOfCase, samplesOfCase } from '../documents.js';
import { profileMatches, share } from '../load.js';
import { familyType, printJson, readFamily, variantKinds, workOn } from './work-on.js';

export const cases: Command<BeaconSettings> = command({
  name: 'cases',
  summary: 'Print the cases, their number, or one of them',
  options: [
    { flags: '-c, --case-id <id>', description: 'only this case; nothing is printed if it does not exist' },
    { flags: '--to-json', description: 'print a JSON list' },
    { flags: '--count', description: 'print the number of cases' },
    { flags: '-t, --case-type <type>', description: 'with --count: of either kind of variants', choices: variantKinds },
  ],
  async run(context, { options: { caseId, toJson = false, count = false, caseType } }) {
    const { repository, dataset } = await workOn(context);
    const byCase = new Map<string, Sample[]>();
    for (const sample of await repository.sampleFacts(dataset.id)) {
      const { small, structural } = sample.searched;
      if (caseType !== undefined && !(caseType === 'snv' ? small : structural)) continue;
      const others = byCase.get(sample.case);
      if (others) others.push(sample);
      else byCase.set(sample.case, [sample]);
    }
    if (count) {
      printJson(context, byCase.size);
      return 0;
    }
    const named = caseId === undefined ? [...byCase.keys()] : [caseId].filter((id) => byCase.has(id));
    if (named.length === 0) {
      const what = caseId === undefined ? 'No cases found' : `Case ${caseId} does not exist`;
      context.terminal.note(`INFO ${what} in database`);
      return caseId === undefined ? 1 : 0;
    }
    await recordCommand(context, 'samples', dataset, peopleIn(named.flatMap((id) => byCase.get(id) ?? [])));
    const documents = named.map((id) => ({ _id: id, ...documentOfCase(id, byCase.get(id) ?? []) }));
    if (toJson || context.terminal.json) {
      printJson(context, documents);
      return 0;
    }
    // loqusdb names the file of a case, which is not known here, and prints None without one.
    for (const line of ['#case_id\tvcf_path', ...named.map((id) => `${id}\tNone`)]) context.terminal.print(line);
    return 0;
  },
});

// `loqusdb delete`: removes a case. Scripts read its words on stderr.

export const deleteCase: Command<BeaconSettings> = command({
  name: 'delete',
  summary: 'Delete a case, as if it had never been loaded',
  options: [
    { flags: '-c, --case-id <id>', description: 'id of the case' },
    { flags: '-f, --family-file <file>', description: 'PED file that names the case' },
    familyType,
  ],
  async run(context, { options: { caseId, familyFile } }) {
    const id = caseId ?? (familyFile === undefined ? undefined : (await readFamily(familyFile)).id);
    if (id === undefined) throw new Fault('invalid', 'Give --case-id or --family-file');
    const { repository, generations, dataset } = await workOn(context);
    const samples = await samplesOfCase(repository, dataset.id, id);
    if (samples.length === 0) {
      // The exit code of loqusdb is 0, too.
      context.terminal.note(`WARNING Case ${id} does not exist in database`);
      return 0;
    }
    context.terminal.note(`INFO Removing case ${id} from database`);
    const names = samples.map(({ name }) => name);
    const { waiting } = await generations.remove(dataset, names);
    if (waiting) context.terminal.note(`INFO ${waitingText(waiting)}`);
    return 0;
  },
});

// `loqusdb profile`: whether the people of a VCF file are in the dataset already.

export const profile: Command<BeaconSettings> = command({
  name: 'profile',
  summary: 'Print the individual of the database who is most similar to one of a VCF file',
  description:
    'Similarity is the share of equal genotypes. A site counts if the file has a record of it, be it 0/0, and the ' +
    'individual of the database carries the alternate: where there is no record, nothing is known. Individuals with fewer than ' +
    '20 such sites are left out. Nothing is printed if there is none.',
  examples: ['profile --check-vcf case.vcf.gz --profile-threshold 0.95'],
  options: [
    { flags: '--check-vcf <file>', description: 'VCF file of a case' },
    { flags: '--profile-threshold <share>', description: 'the smallest similarity', default: '0.9' },
  ],
  async run(context, { options: { checkVcf, profileThreshold } }) {
    if (checkVcf === undefined) {
      throw new Fault('invalid', 'Give --check-vcf: samples are compared by what is stored, and need no profiles');
    }
    const threshold = share('--profile-threshold', profileThreshold);
    const { repository, dataset } = await workOn(context);
    const source = await context.openSource(checkVcf);
    const { signal } = context;
    const [match] = await profileMatches({
      repository,
      dataset,
      source,
      threshold,
      mostSamples: context.settings.loads.samples,
      signal,
    });
    if (!match) {
      context.terminal.note('INFO No duplicates found in the database');
      return 0;
    }
    const { name, case: id } = match.stored;
    await recordCommand(context, 'samples', dataset, peopleIn([match.stored]));
    const { individuals } = documentOfCase(id, await samplesOfCase(repository, dataset.id, id));
    printJson(
      context,
      individuals.find((individual) => individual.ind_id === name),
    );
    return 0;
  },
});
