/** What the pages say of the node of a row, and of how the match was found. */
import { type Html, html } from '../../../../core/plugin.js';
import { type KnownNode, type TriageRow, thisNode } from '../../contract.js';
import type { Texts } from '../texts/texts.js';

export type Peers = ReadonlyMap<string, KnownNode>;

export function nodeLabel({ node, label }: Pick<TriageRow, 'node' | 'label'>, peers: Peers, texts: Texts): string {
  return node === thisNode.id ? texts.submission.here : (peers.get(node)?.label ?? label);
}

/** The last response of a node, or its failure; nothing for this one. */
export function nodeState({ node }: Pick<TriageRow, 'node'>, peers: Peers, texts: Texts): Html {
  const { submission } = texts;
  if (node === thisNode.id) return html``;
  const state = peers.get(node)?.state;
  if (state === undefined) return html`${submission.unknownNode}`;
  const { failures, failure, lastFailure, lastSuccess } = state;
  if (failures > 0 && lastFailure !== undefined) {
    return html`<span class="bad">${submission.failed(failure ?? '', texts.time(lastFailure))}</span>`;
  }
  return html`${lastSuccess ? submission.responded(texts.time(lastSuccess)) : submission.never}`;
}

export function wayOf({ found, asked }: Pick<TriageRow, 'found' | 'asked'>, { submission }: Texts): string {
  if (found && asked) return submission.both;
  return found ? submission.found : submission.asked;
}
