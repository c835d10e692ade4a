/** `add demodata`. */
import type { Command } from '../../../core/plugin.js';
import { demoOwner } from '../patient/demo.js';
import { resourcesInUse } from './resources-in-use.js';
import { many } from './table.js';

export const addDemoData: Command<unknown> = {
  name: 'add demodata',
  summary: 'Add made-up patients beside what is there, and a token to look at them',
  description:
    `The patients describe nobody and belong to the owner "${demoOwner}". Nothing that is there is touched. A token of that ` +
    'owner is shown, once; it is valid for a day.',
  async run(context) {
    const { addDemo } = await import('../patient/demo.js');
    const { transaction, now, terminal } = context;
    const imported = await addDemo({ transaction, now, resources: await resourcesInUse(context) });
    const day = 24 * 60 * 60 * 1000;
    const expires = new Date(now().getTime() + day);
    const scopes = ['matchmaker:query', 'matchmaker:submit'];
    const { id, token } = await context.issueToken({ owner: demoOwner, scopes, expires });
    const { inserted, updated, unchanged } = imported;
    terminal.print(`${many(inserted, 'patient')} inserted, ${updated} updated, ${unchanged} unchanged`);
    terminal.print(`Token: ${token}`);
    terminal.note(`The token ${id} of "${demoOwner}" is valid until ${expires.toISOString()}.`);
    terminal.data({ inserted, updated, unchanged, tokenId: id, token, expires: expires.toISOString() });
    return 0;
  },
};
