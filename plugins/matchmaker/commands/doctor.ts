/** `doctor`, `test email`: whether the configuration and what it names can be used. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Command, type CommandContext, counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { type MatchmakerRepository, matchmaker } from '../contract.js';
import { addressesOf } from '../mail/pair.js';
import { storedDemo } from '../patient/demo.js';
import type { Finding } from '../resources/report.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import { resourcesInUse } from './resources-in-use.js';

export const doctor: Command<unknown> = {
  name: 'doctor',
  summary: 'Check resources, stored patients, counters and the search index',
  description:
    'Exits with 1 if something is not suitable for patients, such as the excerpt of HPO that comes with the demo.',
  async run(context) {
    const { findings } = await import('../resources/report.js');
    const resources = await resourcesInUse(context);
    const found: Finding[] = [
      ...findings(resources),
      ...(await damage(context)),
      await counters(await context.repository(matchmaker)),
      await indexing(context, resources),
      ...(await demoAmong(await context.repository(matchmaker))),
    ];
    for (const { level, message } of found) context.terminal.print(`${level.padEnd(8)}${message}`);
    context.terminal.data(found);
    return found.some(({ level }) => level === 'fault') ? 1 : 0;
  },
};

/** Damaged rows that are named; the rest are counted. */
const named = 20;

async function damage(context: CommandContext): Promise<Finding[]> {
  const rows = await context.damaged();
  const found = rows.slice(0, named).map(({ table, row }): Finding => {
    return { level: 'fault', message: `The row ${row} of ${table} is damaged and set aside` };
  });
  if (rows.length > named) {
    found.push({ level: 'fault', message: `${rows.length - named} more rows are damaged: see trefoil check --deep` });
  }
  return found;
}

/** Patients may be saved between the two counts, so only a difference that persists is a fault. */
async function counters(repository: Pick<MatchmakerRepository, 'counts' | 'recount'>): Promise<Finding> {
  for (let look = 0; look < 3; look++) {
    const [kept, anew] = [await repository.counts(), await repository.recount()];
    if (isDeepStrictEqual(kept, anew))
      return { level: 'ok', message: `${counted(kept.cases, 'patient')}; the counters are correct` };
  }
  return { level: 'fault', message: 'The counters of /metrics do not match the stored patients: run "reindex"' };
}

/** Demo patients match real ones, on other nodes too. */
async function demoAmong(repository: Pick<MatchmakerRepository, 'counts' | 'patientsById'>): Promise<Finding[]> {
  const demo = (await storedDemo(repository)).length;
  const real = (await repository.counts()).cases - demo;
  if (demo === 0 || real <= 0) return [];
  const message =
    `${counted(demo, 'demo patient')} ${demo === 1 ? 'is' : 'are'} stored with ${real} others and found by their searches: ` +
    '"remove demodata" removes them';
  return [{ level: 'warning', message }];
}

/** Builds the index as a server does, to measure its size and time. */
async function indexing(context: CommandContext, resources: Resources): Promise<Finding> {
  const { MatchService } = await import('../matching/service.js');
  const patients = await context.repository(matchmaker);
  const service = new MatchService({ patients, resources: () => resources, log: context.log });
  await service.ready();
  const state = service.state();
  await service.close();
  if (!state) throw new Error('A built index has a state');
  const size = `${(state.bytes / 1e6).toFixed(1)} MB of memory and ${(state.built / 1000).toFixed(1)} s to build`;
  return { level: 'ok', message: `The index of ${counted(state.patients, 'patient')} takes ${size}` };
}

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
