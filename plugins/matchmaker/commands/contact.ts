/** `update contact`. */
import { type Command, confirmed, counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { type Contact, matchmaker } from '../contract.js';
import { contactHref } from '../patient/contact.js';
import { submitterOf } from '../patient/keys.js';

interface ContactOptions {
  oldHref: string;
  href: string;
  name: string;
  institution?: string;
  yes?: boolean;
}

export const updateContact: Command<unknown> = {
  name: 'update contact',
  summary: 'Replace a contact in all of its patients',
  options: [
    {
      flags: '-o, --old-href <text>',
      description: 'the old address, or a part of it that no other contact contains',
      required: true,
    },
    {
      flags: '-h, --href <href>',
      description: 'the new address: http(s), mailto: or an e-mail address',
      required: true,
    },
    { flags: '-n, --name <name>', description: 'the new name', required: true },
    { flags: '--institution <name>', description: 'the new institution' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, input) {
    const { oldHref, href: sent, name, institution, yes } = input.options as unknown as ContactOptions;
    const href = contactHref(sent);
    if (href === undefined) throw new Fault('invalid', `"${sent}" is neither an http(s) address nor an e-mail address`);
    if (name.trim() === '') throw new Fault('invalid', 'The name of a contact must not be empty');
    const repository = await context.repository(matchmaker);
    const all = await repository.contacts();
    const part = oldHref.toLowerCase();
    const exact = all.filter((contact) => contact.href === oldHref || contact.href === contactHref(oldHref));
    const found = exact.length > 0 ? exact : all.filter((contact) => contact.href.toLowerCase().includes(part));
    const [old] = found;
    if (!old) throw new Fault('not-found', `No patient has a contact whose address contains "${oldHref}"`);
    if (found.length > 1) {
      const named = found.map((contact) => contact.href).join(', ');
      throw new Fault(
        'unprocessable',
        `The addresses of several contacts contain "${oldHref}": ${named}. Nothing was changed`,
      );
    }
    const { terminal } = context;
    const question = `Replacing the contact ${old.href} of ${counted(old.patients, 'patient')}. Do you want to continue?`;
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was changed' }))) return 1;
    const contact: Contact = { name, href, institution };
    const updated = await repository.replaceContact(old.href, contact, submitterOf(href), context.now());
    terminal.print(`Contact of ${counted(updated, 'patient')} was updated`);
    terminal.data({ old: old.href, contact, updated });
    return 0;
  },
};
