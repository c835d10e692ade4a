/** `test email`. */
import { randomUUID } from 'node:crypto';
import type { Command } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { addressesOf } from '../mail/pair.js';
import type { MatchmakerSettings } from '../settings.js';

export const testEmail: Command<MatchmakerSettings> = {
  name: 'test email',
  summary: 'Send a test mail, to check that notifications arrive',
  options: [{ flags: '-r, --recipient <address>', description: 'e-mail address of the recipient', required: true }],
  async run(context, input) {
    const { recipient } = input.options as { recipient: string };
    const to = addressesOf({ name: '', href: `mailto:${recipient}` });
    if (to.length !== 1) throw new Fault('invalid', `--recipient must be an e-mail address; got "${recipient}"`);
    const { sendMail } = await import('../mail/transport.js');
    const text = 'This is a test. Notifications of this Matchmaker node reach this address.';
    const mail = { id: randomUUID(), to, subject: 'MatchMaker Exchange: test', text, html: `<p>${text}</p>` };
    await sendMail(context.settings.mail, mail);
    const { server, file } = context.settings.mail;
    context.terminal.print(
      server === undefined ? `The mail was written to ${file}` : `The mail server ${server} accepted the mail`,
    );
    context.terminal.data({ sent: true });
    return 0;
  },
};
