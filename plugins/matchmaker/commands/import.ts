/** `import`. */
import { type Command, counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { checkedClientId } from '../nodes/checked.js';
import { givenContact } from '../patient/phenopacket.js';
import type { MatchmakerSettings } from '../settings.js';
import { resourcesInUse } from './resources-in-use.js';

interface ImportOptions {
  file: string;
  owner: string;
  contactName?: string;
  contactHref?: string;
}

export const importFile: Command<MatchmakerSettings> = {
  name: 'import',
  summary: 'Add or replace the patients of a file: all of them, or none if one is invalid',
  description:
    'The file holds patients in the JSON of the exchange, as `export` writes them, or GA4GH phenopackets: a list or a ' +
    'single one, plain or gzip. Phenopackets, and patients without a contact, get the given contact.',
  examples: [
    'import --file patients.json --owner scout',
    'import --file packets.json --owner lab --contact-name "The lab" --contact-href lab@example.org',
  ],
  options: [
    { flags: '--file <file>', description: 'file to import', required: true },
    { flags: '--owner <client>', description: 'id of the client that owns the patients', required: true },
    { flags: '--contact-name <name>', description: 'name of the contact for patients without one' },
    { flags: '--contact-href <href>', description: 'address of that contact: http(s), mailto: or an e-mail address' },
  ],
  async run(context, input) {
    const { file, owner, contactName, contactHref } = input.options as unknown as ImportOptions;
    checkedClientId(owner);
    if ((contactName === undefined) !== (contactHref === undefined)) {
      throw new Fault('invalid', '--contact-name and --contact-href must be given together');
    }
    const contact =
      contactName === undefined || contactHref === undefined ? undefined : givenContact(contactName, contactHref);
    if (contactHref !== undefined && contact === undefined) {
      throw new Fault('invalid', `"${contactHref}" is neither an http(s) address nor an e-mail address`);
    }
    const { readTextFile } = await import('../../../core/files.js');
    const { importPatients } = await import('../patient/list.js');
    const { queryLater } = await import('../exchange/after-save.js');
    const body = parsed(await readTextFile(file));
    const { trailOfCommand } = await import('../audit/trail.js');
    const { now, erasures, terminal } = context;
    const options = {
      trail: trailOfCommand(context),
      now,
      erasures,
      afterSave: [queryLater({ within: context.settings.exchange.within !== 'off' })],
      resources: await resourcesInUse(context),
    };
    const imported = await importPatients(
      options,
      body,
      { owner, all: false, by: { owner, isOperator: true, because: 'command line' } },
      contact,
    );
    for (const { path, message } of imported.warnings) terminal.note(`${path} ${message}`);
    const { inserted, updated, unchanged } = imported;
    terminal.print(`${counted(inserted, 'patient')} inserted, ${updated} updated, ${unchanged} unchanged`);
    terminal.data(imported);
    return 0;
  },
};

function parsed({ name, text }: { name: string; text: string }): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the file.
    throw new Fault('unprocessable', `${name} is not valid JSON`, { cause: (error as Error).name });
  }
}
