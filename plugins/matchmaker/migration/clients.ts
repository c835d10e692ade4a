/** Imports clients of patientMatcher with their tokens, of which only hashes are stored. */
import { carryToken, Findings, type MongoDocument, weakTokenRemark } from '../../../core/migration.js';
import { isClientId } from '../nodes/checked.js';
import { type Carried, dateOf, type Migration, nameOf, textOf } from './documents.js';

/** Adds each client by itself: a run after an interruption adds those that are missing. */
export async function carryClients(
  { context, dryRun, repository: open }: Migration,
  documents: readonly MongoDocument[],
  scopes: readonly string[],
): Promise<Carried> {
  const repository = await open();
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const report = { read: documents.length, added: 0, unchanged: 0, left: 0, tokens: { issued: 0, unchanged: 0 } };
  const there = new Set((await repository.clients()).map(({ id }) => id));
  const tokens = new Set<unknown>();
  for (const [i, document] of documents.entries()) {
    const { _id: id, auth_token: token, base_url: url, contact, created } = document;
    const fault = clientFault(document);
    if (typeof id !== 'string' || fault !== undefined) {
      notCarried.note(fault ?? 'has no id', nameOf(document, i));
      report.left++;
      continue;
    }
    if (there.has(id)) report.unchanged++;
    else {
      report.added++;
      there.add(id);
      const client = { id, created: dateOf(created) ?? context.now(), url: textOf(url), contact: textOf(contact) };
      if (!dryRun) await repository.addClient(client);
    }
    const isShared = typeof token === 'string' && tokens.has(token);
    tokens.add(token);
    const carried = isShared
      ? { reason: 'has the token of another client: issue a new one' }
      : await carryToken(context, { owner: id, scopes, token, dryRun });
    const remark = weakTokenRemark(carried, token);
    if (remark !== undefined) remarks.note(remark, id);
    if (typeof carried === 'string') report.tokens[carried]++;
    else notCarried.note(`the client is imported, but ${carried.reason}`, id);
  }
  return { ...report, notCarried: notCarried.list(), remarks: remarks.list() };
}

function clientFault({ _id: id, auth_token: token, base_url: url }: MongoDocument): string | undefined {
  if (token === undefined && url === undefined) return 'is not a client: it has neither auth_token nor base_url';
  if (typeof id !== 'string' || !isClientId(id)) return 'has an id that is not of 1 to 200 characters without blanks';
  return undefined;
}
