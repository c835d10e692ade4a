/** `trefoil audit verify`. */
import { isFolder, readCheckpoint, readCheckpoints, writeCheckpoint } from '../../audit/checkpoint.js';
import { acceptance, type Finding, findingName } from '../../audit/finding.js';
import { verifyAudit } from '../../audit/verify.js';
import { confirmed } from '../../command-input.js';
import type { Terminal } from '../../commands.js';
import { counted } from '../../terminal-text.js';
import type { CoreCommand } from '../core-command.js';
import { withAudit } from './session.js';

const shown = 100;

export const verify: CoreCommand = {
  name: 'audit verify',
  summary: 'verify that no entry of the audit was changed or removed',
  description:
    'Computes the hashes of all entries anew, and checks the seals and numbers of the chains and the names of the people. With a checkpoint, a small file that is ' +
    'best kept on another machine, it also checks that the chains are a continuation of those at the last verification, ' +
    'and then writes where they stand now. Exit code 1 if anything is wrong; the checkpoint then stays as it was.',
  options: [
    {
      flags: '--checkpoint <file>',
      description: 'compare with this checkpoint, then write it anew; or with all of a folder, and write none',
    },
    {
      flags: '--accept',
      description: 'record what is found as known, so that later verifications report only what is new',
    },
    { flags: '--yes', description: 'with --accept, do not ask for confirmation' },
  ],
  examples: [
    'audit verify',
    'audit verify --checkpoint /mnt/elsewhere/audit.checkpoint',
    'audit verify --checkpoint /mnt/elsewhere/checkpoints',
  ],
  async run(context, { options }) {
    const { terminal, now, interruption } = context;
    const file = options.checkpoint as string | undefined;
    const progress = terminal.progress('Verifying');
    const wantsToAccept = options.accept === true;
    const { chains, entries, findings, accepted, unreadable, isAccepted } = await withAudit(
      context,
      async ({ repository, keys, unreadable, record }) => {
        const isMany = file !== undefined && (await isFolder(file));
        const read = isMany ? readCheckpoints : readCheckpoint;
        const checkpoint = file === undefined ? undefined : await read(file, keys);
        if (file !== undefined && checkpoint === undefined) {
          terminal.note(`There is no checkpoint ${file}: what was put back to an earlier state cannot be found`);
        }
        const result = await verifyAudit({ repository, keys, checkpoint }).finally(() => progress.stop());
        const { findings } = result;
        for (const finding of findings.slice(0, shown)) terminal.print(sentenceOf(finding));
        if (findings.length > shown) terminal.print(`… and ${counted(findings.length - shown, 'further finding')}`);
        const isAccepted = wantsToAccept && findings.length > 0 && (await isConfirmed(terminal, options.yes === true));
        if (isAccepted) {
          const about = findings.map((finding) => findingName(finding, keys));
          await record({ action: acceptance, about, outcome: 'accepted', detail: { findings: findings.length } });
        }
        if (file !== undefined && !isMany && (isAccepted ? 0 : findings.length) + unreadable === 0) {
          const content = { written: now().toISOString(), heads: result.heads };
          await writeCheckpoint(file, content, { keys, signal: interruption.signal });
        }
        return { ...result, unreadable, isAccepted };
      },
    );
    const known = accepted.length > 0 ? { accepted } : {};
    terminal.data({ chains, entries, findings, ...known, ...(unreadable > 0 && { unreadable }) });
    if (unreadable > 0)
      terminal.print(`Damaged: ${counted(unreadable, 'event')} of no chain yet, changed or of another key`);
    if (accepted.length > 0) terminal.print(`Accepted earlier: ${counted(accepted.length, 'finding')}`);
    if (isAccepted) terminal.print(`Accepted now: ${counted(findings.length, 'finding')}`);
    const sound = (isAccepted ? 0 : findings.length) + unreadable === 0;
    const verified = `${entries} ${entries === 1 ? 'entry' : 'entries'} in ${counted(chains, 'chain')}`;
    terminal.print(sound ? `Verified: ${verified}` : `NOT verified: ${verified}`);
    return sound ? 0 : 1;
  },
};

function sentenceOf({ chain, message }: Finding): string {
  return chain === undefined ? message : `Chain ${chain}: ${message}`;
}

function isConfirmed(terminal: Terminal, yes: boolean): Promise<boolean> {
  const question = 'Later verifications will not report these again. Do you know what happened, and want to continue?';
  return confirmed(terminal, { question, yes, otherwise: 'Nothing was accepted' });
}
