/** `trefoil audit verify`. */
import { readCheckpoint, writeCheckpoint } from '../../audit/checkpoint.js';
import { verifyAudit } from '../../audit/verify.js';
import { counted } from '../../terminal-text.js';
import type { CoreCommand } from '../core-command.js';
import { withAudit } from './session.js';

const shown = 100;

export const verify: CoreCommand = {
  name: 'audit verify',
  summary: 'verify that no entry of the audit was changed or removed',
  description:
    'Computes the hashes of all entries anew and checks the seals of the chains. With a checkpoint, a small file that is ' +
    'best kept on another machine, it also checks that the chains are a continuation of those at the last verification, ' +
    'and then writes where they stand now. Exit code 1 if anything is wrong; the checkpoint then stays as it was.',
  options: [{ flags: '--checkpoint <file>', description: 'compare with this checkpoint, then write it anew' }],
  examples: ['audit verify', 'audit verify --checkpoint /mnt/elsewhere/audit.checkpoint'],
  async run(context, { options }) {
    const { terminal, now, interruption } = context;
    const file = options.checkpoint as string | undefined;
    const progress = terminal.progress('Verifying');
    const { chains, entries, findings, unreadable } = await withAudit(
      context,
      async ({ repository, keys, unreadable }) => {
        const checkpoint = file === undefined ? undefined : await readCheckpoint(file, keys);
        const result = await verifyAudit({ repository, keys, checkpoint }).finally(() => progress.stop());
        if (file !== undefined && result.findings.length + unreadable === 0) {
          const content = { written: now().toISOString(), heads: result.heads };
          await writeCheckpoint(file, content, { keys, signal: interruption.signal });
        }
        return { ...result, unreadable };
      },
    );
    terminal.data({ chains, entries, findings, ...(unreadable > 0 && { unreadable }) });
    for (const { chain, message } of findings.slice(0, shown)) terminal.print(`Chain ${chain}: ${message}`);
    if (findings.length > shown) terminal.print(`… and ${counted(findings.length - shown, 'further finding')}`);
    if (unreadable > 0)
      terminal.print(`Damaged: ${counted(unreadable, 'event')} of no chain yet, changed or of another key`);
    const sound = findings.length + unreadable === 0;
    const verified = `${entries} ${entries === 1 ? 'entry' : 'entries'} in ${counted(chains, 'chain')}`;
    terminal.print(sound ? `Verified: ${verified}` : `NOT verified: ${verified}`);
    return sound ? 0 : 1;
  },
};
