/** `loqusdb cases`: how many there are, all of them, or one. */
import type { Command } from '../../../../core/commands.js';
import type { Sample } from '../../contract.js';
import { recordCommand } from '../../recording.js';
import type { BeaconSettings } from '../../settings.js';
import { documentOfCase } from '../cases.js';
import { printJson, type VariantKind, variantKinds, workOn } from './work-on.js';

interface Options {
  caseId?: string;
  toJson?: boolean;
  count?: boolean;
  caseType?: VariantKind;
}

export const cases: Command<BeaconSettings> = {
  name: 'cases',
  summary: 'Print the cases, their number, or one of them',
  options: [
    { flags: '-c, --case-id <id>', description: 'only this case; nothing is printed if it does not exist' },
    { flags: '--to-json', description: 'print a JSON list' },
    { flags: '--count', description: 'print the number of cases' },
    { flags: '-t, --case-type <type>', description: 'with --count: of either kind of variants', choices: variantKinds },
  ],
  async run(context, input) {
    const { caseId, toJson = false, count = false, caseType } = input.options as Options;
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
    await recordCommand(
      context,
      'samples',
      dataset,
      named.flatMap((id) => byCase.get(id) ?? []),
    );
    const documents = named.map((id) => ({ _id: id, ...documentOfCase(id, byCase.get(id) ?? []) }));
    if (toJson || context.terminal.json) {
      printJson(context, documents);
      return 0;
    }
    // loqusdb names the file of a case, which is not known here, and prints None without one.
    for (const line of ['#case_id\tvcf_path', ...named.map((id) => `${id}\tNone`)]) context.terminal.print(line);
    return 0;
  },
};
