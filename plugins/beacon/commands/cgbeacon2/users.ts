/** Users of cgbeacon2: they keep their tokens, of which only hashes are stored. */
import type { CommandContext } from '../../../../core/commands.js';
import { carryToken, type Finding, Findings, type MongoDocument, weakTokenRemark } from '../../../../core/migration.js';
import { writeRight } from '../../rights.js';
import { nameOfDocument } from './documents.js';

export interface UsersReport {
  read: number;
  /** Tokens. */
  added: number;
  unchanged: number;
  notCarried: Finding[];
  /** Tokens that were carried over and should be replaced. */
  remarks: Finding[];
}

/** Each token is issued by itself, so that another run finishes an interrupted one. */
export async function carryUsers(
  context: Pick<CommandContext, 'issueToken' | 'listTokens' | 'now'>,
  documents: readonly MongoDocument[],
  dryRun: boolean,
): Promise<UsersReport> {
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const report = { read: documents.length, added: 0, unchanged: 0 };
  const tokens = new Set<unknown>();
  for (const document of documents) {
    const { _id: id, token } = document;
    if (typeof id !== 'string' || !/^\S{1,200}$/.test(id)) {
      notCarried.note('has an id that is not 1 to 200 characters without blanks', nameOfDocument(document));
      continue;
    }
    const carried =
      typeof token === 'string' && tokens.has(token)
        ? { reason: 'has the token of another user: issue a new one' }
        : await carryToken(context, { owner: id, scopes: [writeRight.scope], token, dryRun });
    tokens.add(token);
    const remark = weakTokenRemark(carried, token);
    if (remark !== undefined) remarks.note(remark, id);
    if (carried === 'issued') report.added++;
    else if (carried === 'unchanged') report.unchanged++;
    else notCarried.note(carried.reason, id);
  }
  return { ...report, notCarried: notCarried.list(), remarks: remarks.list() };
}
