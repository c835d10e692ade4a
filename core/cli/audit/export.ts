/** `trefoil audit export`. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { readEntries } from '../../audit/read.js';
import { chainLine, csvHeading, csvLine, entryLine } from '../../audit/write.js';
import { writeWhole } from '../../files/write.js';
import type { CoreCommand } from '../core-command.js';
import { selectionOptions, soughtBy } from './selection.js';
import { withAudit } from './session.js';

export const exportAudit: CoreCommand = {
  name: 'audit export',
  summary: 'write the audit to a file',
  description:
    'Writes entries, oldest first: as CSV for people, or as JSON lines with the chains, the hashes and the exact text that ' +
    'was hashed, so that the chains can be verified elsewhere. --pseudonyms leaves out the names of callers and people. ' +
    'The export is itself recorded.',
  options: [
    ...selectionOptions,
    { flags: '--format <format>', description: 'the format', choices: ['csv', 'jsonl'], default: 'csv' },
    { flags: '--pseudonyms', description: 'no names (jsonl only)' },
    { flags: '--output <file>', description: 'the file', required: true },
  ],
  examples: [
    'audit export --output march.csv --from 2026-03-01 --to 2026-03-31',
    'audit export --format jsonl --output audit.jsonl',
  ],
  async run(context, input) {
    const { terminal, interruption } = context;
    const { format, output, pseudonyms } = input.options as { format: string; output: string; pseudonyms?: boolean };
    const sought = await soughtBy(input);
    const count = await withAudit(context, async (session) => {
      const { repository } = session;
      await session.record({ action: 'audit.export', about: [], outcome: 'answered', detail: { format } });
      return writeWhole(
        output,
        async (target) => {
          let written = 0;
          const isCsv = format === 'csv';
          await put(target, isCsv ? csvHeading : (await repository.chains()).map(chainLine).join(''));
          for await (const page of readEntries(session, sought)) {
            const lines = page.map((entry) => (isCsv ? csvLine(entry) : entryLine(entry, pseudonyms !== true)));
            await put(target, lines.join(''));
            written += page.length;
            interruption.signal.throwIfAborted();
          }
          await finished(target.end());
          return written;
        },
        interruption.signal,
      );
    });
    terminal.data({ entries: count, file: output });
    terminal.print(`Entries written to ${output}: ${count}`);
    return 0;
  },
};

async function put(target: Writable, text: string): Promise<void> {
  if (text !== '' && !target.write(text)) await once(target, 'drain');
}
