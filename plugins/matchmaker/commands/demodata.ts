/** `add demodata`, `remove demodata`. */
import { type Command, counted } from '../../../core/commands.js';
import { trailOfCommand } from '../audit/trail.js';
import { demoOwner, matchmaker } from '../contract.js';
import { storedDemo } from '../patient/demo.js';
import { deletePatient } from '../removal/erasure.js';
import type { MatchmakerSettings } from '../settings.js';
import { resourcesInUse } from './resources-in-use.js';

export const addDemoData: Command<unknown> = {
  name: 'add demodata',
  summary: 'Add demo patients, and issue a token to view them',
  description:
    `The patients are fictitious and belong to the owner "${demoOwner}". Existing data stays as it is. A token of that ` +
    'owner, valid for a day, is shown once.',
  async run(context) {
    const { addDemo } = await import('../patient/demo.js');
    const { now, erasures, terminal } = context;
    const options = { trail: trailOfCommand(context), now, erasures };
    const imported = await addDemo({ ...options, resources: await resourcesInUse(context) });
    const day = 24 * 60 * 60 * 1000;
    const expires = new Date(now().getTime() + day);
    const scopes = ['matchmaker:query', 'matchmaker:submit'];
    const { id, token } = await context.issueToken({ owner: demoOwner, scopes, expires });
    const { inserted, updated, unchanged } = imported;
    terminal.print(`${counted(inserted, 'patient')} inserted, ${updated} updated, ${unchanged} unchanged`);
    terminal.print(`Token: ${token}`);
    terminal.note(`The token ${id} of "${demoOwner}" is valid until ${expires.toISOString()}.`);
    terminal.data({ inserted, updated, unchanged, tokenId: id, token, expires: expires.toISOString() });
    return 0;
  },
};

export const removeDemoData: Command<MatchmakerSettings> = {
  name: 'remove demodata',
  summary: 'Remove the demo patients, their matches and their tokens',
  description:
    `Deletes the demo patients of the owner "${demoOwner}", removes them from the records of all searches, and revokes the ` +
    'tokens of that owner. All other patients stay. With `demo: true`, a server that starts without any patient adds them again.',
  async run(context) {
    const { terminal, signal, settings } = context;
    const deletion = { scrub: true, triage: settings.triage !== undefined };
    const trail = trailOfCommand(context);
    const ids = await storedDemo(await context.repository(matchmaker));
    const progress = terminal.progress('Patients');
    let [patients, records] = [0, 0];
    try {
      for (const id of ids) {
        signal.throwIfAborted();
        const writer = { owner: demoOwner, all: false, by: { owner: demoOwner, isOperator: true } };
        const deleted = await deletePatient(trail, id, writer, deletion);
        patients += Number(deleted.patient);
        records += deleted.records;
        progress.update(patients / ids.length);
      }
    } finally {
      progress.stop();
    }
    const valid = (await context.listTokens(demoOwner)).filter(({ revoked }) => revoked === undefined);
    for (const { id } of valid) await context.revokeToken(id);
    const tokens = `${counted(valid.length, 'token')} revoked`;
    terminal.print(
      `${counted(patients, 'patient')} removed, ${counted(records, 'record')} of matches changed, ${tokens}`,
    );
    terminal.data({ patients, records, tokensRevoked: valid.length });
    return 0;
  },
};
