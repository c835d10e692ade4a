/** What the audit says of changes of panels. */
import type { AuditEvent } from '../../core/plugin.js';
import type { PanelVersion } from './contract.js';

/** What is done to a version: the verb of its entry in the audit. */
export type Doing = 'add' | 'edit' | 'submit' | 'send-back' | 'sign' | 'retire' | 'remove' | 'import';

/** An entry of the audit: what was done to which version, and which content it has now. */
export function panelEvent(
  doing: Doing,
  { panel, version, revision, state, digest }: PanelVersion,
): Omit<AuditEvent, 'because'> {
  const detail = { version, revision, state, sha256: digest };
  return { action: `panels.${doing}`, about: [`panel:${panel}`], outcome: 'done', detail };
}
