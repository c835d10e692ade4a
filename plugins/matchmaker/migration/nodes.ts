/** Imports the nodes that patientMatcher queries. They stay disabled until an operator enables them: queries are patients. */
import { Findings, type MongoDocument } from '../../../core/migration.js';
import { isFault } from '../../../core/plugin.js';
import { matchmakerNodes, type PeerNode } from '../contract.js';
import { vendorType } from '../http/media.js';
import { checkedLabel, checkedNodeId, checkedType, matchUrl } from '../nodes/checked.js';
import { checkedToken, seal } from '../nodes/seal.js';
import { type Carried, dateOf, type Migration, nameOf, textOf } from './documents.js';

export interface NodesRequest extends Migration {
  /** Encrypts the tokens. */
  key?: string | undefined;
  allowHttp: boolean;
}

/** Adds each node by itself, and leaves those that exist. */
export async function carryNodes(request: NodesRequest, documents: readonly MongoDocument[]): Promise<Carried> {
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const repository = await request.context.repository(matchmakerNodes);
  const there = new Set((await repository.nodes()).map(({ id }) => id));
  const report = { read: documents.length, added: 0, unchanged: 0, left: 0 };
  for (const [i, document] of documents.entries()) {
    const name = nameOf(document, i);
    if (there.has(name)) {
      report.unchanged++;
      continue;
    }
    const node = nodeOf(document, request);
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
function nodeOf(document: MongoDocument, { context, key, allowHttp }: NodesRequest): PeerNode | string {
  const { _id: id, auth_token: token, matching_url: url, contact, created } = document;
  if (typeof id !== 'string' || typeof token !== 'string' || typeof url !== 'string') {
    return 'is not a node: _id, auth_token and matching_url must be strings';
  }
  try {
    return {
      id: checkedNodeId(id),
      label: checkedLabel(textOf(document.label) ?? id),
      url: matchUrl(url, allowHttp),
      contentType: checkedType(textOf(document.accepted_content) ?? vendorType('1.0')),
      contact: textOf(contact),
      token: seal(checkedToken(token), id, key),
      enabled: false,
      created: dateOf(created) ?? context.now(),
    };
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    return `is not imported: ${error.message}`;
  }
}
