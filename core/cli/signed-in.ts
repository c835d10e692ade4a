/** `trefoil session …`: people who are signed in to pages. */
import type { CommandAudit } from '../audit/audit.js';
import { hasEnded, type Session, type SessionRepository, sessions } from '../auth/contract.js';
import type { SignInSettings } from '../auth/settings.js';
import { type Columns, printTable } from '../command-text.js';
import { command } from '../commands.js';
import { Fault } from '../fault.js';
import { type CoreCommand, type CoreContext, configureCore } from './core-command.js';
import { commandAuditOf, withSession } from './session.js';

const listSessions: CoreCommand = command({
  name: 'session list',
  summary: 'list who is signed in to pages',
  options: [{ flags: '--person <subject>', description: 'only the sessions of this person, by `sub` or name' }],
  async run(context, { options: { person } }) {
    const now = context.now();
    const found = await withSessions(context, async (repository, settings) =>
      (await repository.list()).filter(
        (one) => !hasEnded(one, settings.idleMinutes * 60_000, now) && isOfPerson(one, person),
      ),
    );
    context.terminal.data(found.map(({ hash: _, sealed: __, ...session }) => session));
    printTable(context.terminal, found, columns, 'Nobody is signed in.');
    return 0;
  },
});

const columns: Columns<Session> = {
  ID: 'id',
  NAME: 'name',
  PERSON: 'subject',
  ISSUER: 'issuer',
  'SIGNED IN': ({ created }) => minute(created),
  'LAST SEEN': ({ lastSeen }) => minute(lastSeen),
  UNTIL: ({ expires }) => minute(expires),
};

const revoke: CoreCommand = command({
  name: 'session revoke',
  summary: 'end a session, or all sessions of a person, at once',
  description:
    'Ends a session, or all sessions of a person, at once. The person can sign in again unless the identity provider or ' +
    'the configuration prevents it.',
  arguments: [{ name: 'id', description: 'the id that `session list` shows' }],
  options: [
    { flags: '--person <subject>', description: 'all sessions of this person, by the `sub` that `session list` shows' },
    { flags: '--issuer <issuer>', description: 'with --person: only of this identity provider' },
  ],
  examples: ['session revoke 0f3a9c1d22ab', 'session revoke --person 7d9e1b52-erna'],
  async run(context, { arguments: [id], options: { person, issuer } }) {
    if ((id === undefined) === (person === undefined) || (issuer !== undefined && person === undefined)) {
      throw new Fault('invalid', 'Give the id of a session, or --person with or without --issuer');
    }
    const ended = await withSessions(context, async (repository, _, audit) => {
      const isMeant = (one: Session) =>
        id === undefined ? one.subject === person && (issuer === undefined || one.issuer === issuer) : one.id === id;
      const meant = (await repository.list()).filter(isMeant);
      const about = [...new Set(meant.map((one) => `subject:${one.issuer} ${one.subject}`))];
      if (about.length > 0) {
        await audit.record({ action: 'session.revoke', about, because: 'command line', outcome: 'done' });
      }
      if (id !== undefined) return (await repository.remove(id)) ? 1 : 0;
      const known = (await repository.list()).filter((one) => one.subject === person);
      const issuers = new Set(known.map((one) => one.issuer).filter((one) => issuer === undefined || one === issuer));
      let count = 0;
      for (const one of issuers) count += await repository.removeOf({ issuer: one, subject: person ?? '' });
      return count;
    });
    if (ended === 0) {
      throw new Fault(
        'not-found',
        `${id === undefined ? `"${person}" has no session` : `There is no session "${id}"`}; \`session list\` shows them`,
      );
    }
    context.terminal.data({ ended });
    context.terminal.print(ended === 1 ? 'One session is ended.' : `${ended} sessions are ended.`);
    return 0;
  },
});

export const sessionCommands: readonly CoreCommand[] = [listSessions, revoke];

async function withSessions<Result>(
  context: CoreContext,
  work: (repository: SessionRepository, settings: SignInSettings, audit: CommandAudit) => Promise<Result>,
): Promise<Result> {
  const configured = await configureCore(context.configuration);
  const settings = configured.core.auth?.signIn;
  if (settings === undefined) {
    throw new Fault('invalid', 'Nobody can sign in: the configuration has no auth.signIn');
  }
  return withSession(context, configured, async (session) => {
    const audit = await commandAuditOf(session, configured, context.now);
    return work((await session.storage()).repository(sessions), settings, audit);
  });
}

function isOfPerson({ subject, name }: Session, person: string | undefined): boolean {
  return person === undefined || subject === person || name === person;
}

function minute(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}
