/** The command `trefoil reviews load`: the statements of a sheet, all or none. */
import { type CommandContext, command, counted, linesOfSheet, Mistakes } from '../../../core/commands.js';
import { lineBlocks } from '../../../core/files.js';
import { isFault } from '../../../core/plugin.js';
import type { Services } from '../../services/services.js';
import { type NewStatement, reviews } from '../contract.js';
import type { ReviewSettings } from '../settings.js';
import { conflictOf, statementOf } from './entry.js';
import { columnOf, readStatements, sheetColumns } from './sheet.js';

export const loadStatements = command({
  name: 'load',
  summary: 'State what was concluded about cases, as a sheet says',
  description: `The first line names the columns, separated by tabs or commas: ${sheetColumns.join(', ')}. Cells with several values separate them by semicolons; alleles read 7-101-A-T heterozygous pathogenic basis, with the position counted from 1. All statements are kept, or none.`,
  arguments: [{ name: 'file', description: 'the sheet; - reads standard input', required: true }],
  options: [{ flags: '--dry-run', description: 'only check the sheet' }],
  examples: ['load cases.csv --dry-run', 'load cases.csv'],
  async run(context: CommandContext<ReviewSettings>, { arguments: [file = ''], options: { dryRun } }) {
    const { terminal, tenants, settings, now, signal, audit } = context;
    const source = await context.openSource(file);
    const lines = await linesOfSheet(source.name, lineBlocks(source));
    const find = <Key extends keyof Services>(key: Key) => context.find<Services[Key]>(key);
    const tools = { find, tenants, keepDays: settings.keepDays, now, erasures: context.erasures };
    const mistakes = new Mistakes(source.name);
    const statements: { place: string; statement: NewStatement }[] = [];
    for (const { place, fields } of readStatements(source.name, lines)) {
      try {
        statements.push({ place, statement: await statementOf(tools, 'operator', undefined, fields, signal) });
      } catch (error) {
        if (!isFault(error) || error.fields.length === 0) throw error;
        for (const { path, message } of error.fields) mistakes.add(`${place}, ${columnOf(path, fields)}`, message);
      }
    }
    const repository = await context.repository(reviews);
    for (const { place, statement } of statements) {
      const { revision = 0 } = (await repository.find(statement)) ?? {};
      if (statement.revision !== revision + 1)
        mistakes.add(`${place}, replaces`, conflictOf(statement.revision === 1 ? undefined : revision));
    }
    mistakes.refuse();
    if (!dryRun) {
      const stored = now();
      await audit.within(context.transaction, async (scope, record) => {
        for (const { statement } of statements) await scope.repository(reviews).put(statement, stored);
        const about = statements.map(({ statement }) => `case:${statement.case}`);
        const act = { action: 'reviews.state', because: 'command line', outcome: 'done' };
        await record(undefined, { ...act, about, detail: { statements: about.length } });
      });
    }
    const said = counted(statements.length, 'statement');
    terminal.print(dryRun ? `${said}: nothing was stored` : `${said} stored`);
    terminal.data({ statements: statements.length, stored: !dryRun });
    return 0;
  },
});
