/** `trefoil session …`: people who are signed in to pages. */
import type { CommandAudit } from '../audit/audit.js';
import { hasEnded, type Session, type SessionRepository, sessions } from '../auth/contract.js';
import type { SignInSettings } from '../auth/settings.js';
import { table } from '../command-text.js';
import { Fault } from '../fault.js';
import { commandAuditOf } from './assembled.js';
import { type CoreCommand, type CoreContext, configureCore } from './core-command.js';
import { createSession } from './session.js';

const listSessions: CoreCommand = {
  name: 'session list',
  summary: 'list who is signed in to pages',
  options: [{ flags: '--person <subject>', description: 'only the sessions of this person, by `sub` or name' }],
  async run(context, { options }) {
    const now = context.now();
    const { person } = options;
    const found = await withSessions(context, async (repository, settings) =>
      (await repository.list()).filter(
        (one) => !hasEnded(one, settings.idleMinutes * 60_000, now) && isOfPerson(one, person),
      ),
    );
    context.terminal.data(found.map(({ hash: _, sealed: __, ...session }) => session));
    if (found.length === 0) context.terminal.print('Nobody is signed in.');
    else {
      const rows = found.map(({ id, name = '-', subject, issuer, created, lastSeen, expires }) => {
        return [id, name, subject, issuer, minute(created), minute(lastSeen), minute(expires)];
      });
      const head = ['ID', 'NAME', 'PERSON', 'ISSUER', 'SIGNED IN', 'LAST SEEN', 'UNTIL'];
      for (const line of table(head, rows)) context.terminal.print(line);
    }
    return 0;
  },
};

const revoke: CoreCommand = {
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
  async run(context, { arguments: [id], options }) {
    const { person, issuer } = options as { person?: string; issuer?: string };
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
};

export const sessionCommands: readonly CoreCommand[] = [listSessions, revoke];

async function withSessions<Result>(
  { configuration, log, now }: CoreContext,
  work: (repository: SessionRepository, settings: SignInSettings, audit: CommandAudit) => Promise<Result>,
): Promise<Result> {
  const configured = await configureCore(configuration);
  const settings = configured.core.auth?.signIn;
  if (settings === undefined) {
    throw new Fault('invalid', 'Nobody can sign in: the configuration has no auth.signIn');
  }
  const session = createSession(configured, log());
  try {
    const audit = await commandAuditOf(session, configured, now);
    return await work((await session.storage()).repository(sessions), settings, audit);
  } finally {
    await session.close();
  }
}

function isOfPerson({ subject, name }: Session, person: unknown): boolean {
  return person === undefined || subject === person || name === person;
}

function minute(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}
