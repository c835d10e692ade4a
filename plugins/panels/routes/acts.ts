/** What people do with a version besides reading and editing it, each with the right that it needs. */
import { Fault, type Principal, type Right } from '../../../core/plugin.js';
import type { PanelVersion } from '../contract.js';
import { nameOf, retired, sentBack, signed, submitted } from '../domain/lifecycle.js';
import { editRight, type OfPanel, signRight } from '../rights.js';
import type { PanelSettings } from '../settings.js';
import type { Act, By, StoredVersions } from './stored.js';

export const verbs = ['submit', 'send-back', 'sign', 'retire', 'remove'] as const;
export type Verb = (typeof verbs)[number];

export const rightFor: Readonly<Record<Verb, Right<OfPanel>>> = {
  submit: editRight,
  'send-back': signRight,
  sign: signRight,
  retire: signRight,
  remove: editRight,
};

export interface Performed extends Act {
  /** Of the content that was read: what a signature is for. */
  sha256?: string | undefined;
}

/** How a version is signed off. */
export interface Signing extends Pick<PanelSettings, 'signers'> {
  /** Signatures that sign a version off. */
  wanted: number;
}

/** Why this caller cannot sign, in a sentence; undefined if the caller can. */
export function signerRefusal({ kind }: Principal, { signers }: Signing): string | undefined {
  if (signers === 'anyone' || kind === 'subject') return undefined;
  return 'Versions are signed by people: sign in at the identity provider, an API token does not say who you are';
}

/** The version after it; undefined if it was removed. The caller has the right. */
export async function perform(
  stored: StoredVersions,
  version: PanelVersion,
  verb: Verb,
  act: Performed,
  { principal, request }: Pick<By, 'principal' | 'request'>,
  signing: Signing,
): Promise<PanelVersion | undefined> {
  const by = { principal, request, right: rightFor[verb] };
  switch (verb) {
    case 'submit':
      return stored.change(verb, version, act, by, submitted);
    case 'send-back':
      return stored.change(verb, version, act, by, sentBack);
    case 'retire':
      return stored.change(verb, version, act, by, retired);
    case 'sign': {
      const refusal = signerRefusal(principal, signing);
      if (refusal !== undefined) throw new Fault('forbidden', refusal);
      await stored.refuseWithdrawn(version);
      return stored.change(verb, version, act, by, (seen, actor) =>
        signed(seen, act.sha256 ?? '', signing.wanted, actor),
      );
    }
    default:
      if (version.state !== 'draft')
        throw new Fault('conflict', `${nameOf(version)} is ${version.state}: only drafts can be removed`);
      await stored.remove(version, act.revision, by);
      return undefined;
  }
}
