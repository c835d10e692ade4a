/** `trefoil audit list`. */
import { type ReadEntry, readEntries, unknownNames } from '../../audit/read.js';
import { table } from '../../terminal-text.js';
import type { CoreCommand } from '../core-command.js';
import { selectionOptions, soughtBy } from './selection.js';
import { withAudit } from './session.js';

export const list: CoreCommand = {
  name: 'audit list',
  summary: 'list who asked for whose data',
  description:
    'Lists entries of the audit, oldest first, with the names of callers and people as far as those were not forgotten. ' +
    'The list is itself recorded.',
  options: selectionOptions,
  examples: [
    'audit list --sample ADM1059A1 ADM1059A2 --from 2026-03-01 --to 2026-03-31',
    'audit list --sample-file samples.txt --json',
    'audit list --actor "Lab A" --action beacon',
  ],
  async run(context, input) {
    const { terminal } = context;
    const sought = await soughtBy(input);
    const about = sought.about ?? [];
    const { entries, unknown } = await withAudit(context, async (session) => {
      const absent = new Set(await unknownNames(session, about));
      const known = about.filter((name) => !absent.has(name));
      const detail = { names: about.length };
      await session.record({ action: 'audit.list', about: known, outcome: 'answered', detail });
      const found: ReadEntry[] = [];
      for await (const page of readEntries(session, sought)) found.push(...page);
      return { entries: found, unknown: [...absent] };
    });
    terminal.data(entries.map(jsonOf));
    const asked = new Set(about);
    const rows = entries.map((entry) => {
      const { at, actor, action, because = '-', outcome } = entry;
      return [at.toISOString(), actor, action, aboutText(entry, asked), because, outcome];
    });
    const heading = ['TIME', 'CALLER', 'ACTION', 'ABOUT', 'BECAUSE', 'OUTCOME'];
    for (const line of rows.length === 0 ? ['There are no entries'] : table(heading, rows)) terminal.print(line);
    if (unknown.length > 0) terminal.note(`No entry names ${unknown.length} of them: ${unknown.join(', ')}`);
    return 0;
  },
};

const shown = 4;

/** What an entry is about: of many, those that were asked for come first. */
export function aboutText({ about }: Pick<ReadEntry, 'about'>, asked: ReadonlySet<string>): string {
  const wanted = about.filter((name) => asked.has(name));
  const all = [...wanted, ...about.filter((name) => !asked.has(name))];
  const most = Math.max(shown, wanted.length);
  return all.slice(0, most).join(' ') + (all.length > most ? ` +${all.length - most}` : '');
}

function jsonOf({ body: _, names: __, at, ...entry }: ReadEntry): object {
  return { at: at.toISOString(), ...entry };
}
