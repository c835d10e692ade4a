/** Imports clients of patientMatcher with their tokens, of which only hashes are stored, and the nodes that it queries. */
import { carryToken, Findings, type MongoDocument, weakTokenRemark } from '../../../../core/migration.js';
import { isFault } from '../../../../core/plugin.js';
import { matchmakerNodes, type PeerNode } from '../../contract.js';
import {
  checkedLabel,
  checkedNodeId,
  checkedToken,
  checkedType,
  isClientId,
  matchUrl,
  seal,
} from '../../exchange/node.js';
import { vendorType } from '../../exchange/protocol.js';
import { dateValue, type ImportCounts, nameOfDocument, type PatientMatcherImport, textValue } from './documents.js';

/** Adds each client by itself: a run after an interruption adds those that are missing. */
export async function carryClients(
  { context, dryRun, repository: open }: PatientMatcherImport,
  documents: readonly MongoDocument[],
  scopes: readonly string[],
): Promise<ImportCounts> {
  const repository = await open();
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const report = { read: documents.length, added: 0, unchanged: 0, left: 0, tokens: { issued: 0, unchanged: 0 } };
  const there = new Set((await repository.clients()).map(({ id }) => id));
  const tokens = new Set<unknown>();
  for (const [i, document] of documents.entries()) {
    const { _id: id, auth_token: token, base_url: url, contact, created } = document;
    const fault = clientFault(document);
    if (typeof id !== 'string' || fault !== undefined) {
      notCarried.note(fault ?? 'has no id', nameOfDocument(document, i));
      report.left++;
      continue;
    }
    if (there.has(id)) report.unchanged++;
    else {
      report.added++;
      there.add(id);
      const client = {
        id,
        created: dateValue(created) ?? context.now(),
        url: textValue(url),
        contact: textValue(contact),
      };
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

interface NodesRequest extends PatientMatcherImport {
  /** Encrypts the tokens. */
  key?: string | undefined;
  allowHttp: boolean;
}

/** Adds each node by itself, and leaves those that exist. */
export async function carryNodes(request: NodesRequest, documents: readonly MongoDocument[]): Promise<ImportCounts> {
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const repository = await request.context.repository(matchmakerNodes);
  const there = new Set((await repository.nodes()).map(({ id }) => id));
  const report = { read: documents.length, added: 0, unchanged: 0, left: 0 };
  for (const [i, document] of documents.entries()) {
    const name = nameOfDocument(document, i);
    if (there.has(name)) {
      report.unchanged++;
      continue;
    }
    const node = nodeOfDocument(document, request);
    if (typeof node === 'string') {
      notCarried.note(node, name);
      report.left++;
      continue;
    }
    if (node.url !== document.matching_url) remarks.note('is queried at a changed address, which ends in /match', name);
    remarks.note('is not queried until `update node --enable`', name);
    there.add(name);
    report.added++;
    if (!request.dryRun) await repository.add(node);
  }
  return { ...report, notCarried: notCarried.list(), remarks: remarks.list() };
}

/** The node in a document, or the reason why the document is not one. */
function nodeOfDocument(document: MongoDocument, { context, key, allowHttp }: NodesRequest): PeerNode | string {
  const { _id: id, auth_token: token, matching_url: url, contact, created } = document;
  if (typeof id !== 'string' || typeof token !== 'string' || typeof url !== 'string') {
    return 'is not a node: _id, auth_token and matching_url must be strings';
  }
  try {
    return {
      id: checkedNodeId(id),
      label: checkedLabel(textValue(document.label) ?? id),
      url: matchUrl(url, allowHttp),
      contentType: checkedType(textValue(document.accepted_content) ?? vendorType('1.0')),
      contact: textValue(contact),
      token: seal(checkedToken(token), id, key),
      enabled: false,
      created: dateValue(created) ?? context.now(),
    };
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    return `is not imported: ${error.message}`;
  }
}
