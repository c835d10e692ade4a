/** `loqusdb delete`: removes a case. Scripts read its words on stderr. */
import type { Command } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { waitingText } from '../../protection/generations.js';
import type { BeaconSettings } from '../../settings.js';
import { samplesOfCase } from '../cases.js';
import { familyType, readFamily, workOn } from './work-on.js';

export const deleteCase: Command<BeaconSettings> = {
  name: 'delete',
  summary: 'Delete a case, as if it had never been loaded',
  options: [
    { flags: '-c, --case-id <id>', description: 'id of the case' },
    { flags: '-f, --family-file <file>', description: 'PED file that names the case' },
    familyType,
  ],
  async run(context, input) {
    const { caseId, familyFile } = input.options as { caseId?: string; familyFile?: string };
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
};
