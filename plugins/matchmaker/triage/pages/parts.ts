/** Parts that the pages of triage share: statuses, contacts and histories. */
import { type Html, type HtmlValue, html } from '../../../../core/plugin.js';
import type { Contact, TriageEntry, TriageStatus } from '../../contract.js';
import { nameOf } from '../desk.js';
import type { Texts } from '../texts/texts.js';

export function check(name: string, value: string, label: HtmlValue, checked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}>${label}</label>`;
}

export function badge(status: TriageStatus, { statuses }: Texts, count?: number): Html {
  return html`<span class="badge ${status}">${count !== undefined && `${count} `}${statuses[status]}</span>`;
}

export function time(at: Date, texts: Texts): Html {
  return html`<time class="time" datetime="${at.toISOString()}">${texts.time(at)}</time>`;
}

export function fact(title: string, value: HtmlValue, whole = false): Html {
  return html`<div${whole && html` class="whole"`}><dt>${title}</dt><dd>${value}</dd></div>`;
}

/** A contact with a link to it: only addresses of mail and of the web are links. */
export function contactOf({ name, href, institution }: Pick<Contact, 'name' | 'href' | 'institution'>): Html {
  const isLink = /^(?:mailto:|https?:\/\/)/i.test(href);
  const shown = html`<bdi>${href.replace(/^mailto:/i, '')}</bdi>`;
  return html`<bdi>${name}</bdi>${typeof institution === 'string' && html`, <bdi>${institution}</bdi>`}<br>${isLink ? html`<a href="${href}" rel="noreferrer">${shown}</a>` : shown}`;
}

export function historyTable(history: readonly TriageEntry[], texts: Texts): Html {
  const { columns } = texts.row;
  return html`<table>
<thead><tr><th scope="col">${columns.at}<th scope="col">${columns.by}<th scope="col">${columns.what}</tr></thead>
<tbody>${[...history].reverse().map(
    (entry) => html`
<tr><td data-label="${columns.at}">${time(entry.at, texts)}<td data-label="${columns.by}"><bdi>${nameOf(entry)}</bdi>${entry.name !== undefined && html` <span class="soft small">${entry.by}</span>`}<td class="long"><bdi>${entryWords(entry, texts)}</bdi>${entry.text !== undefined && html`<p class="kept">${entry.text}</p>`}${entry.mail && html`<details><summary>${entry.mail.subject}</summary><p class="kept">${entry.mail.text}</p></details>`}</tr>`,
  )}
</tbody></table>`;
}

function entryWords({ what, from = '', to = '', mail }: TriageEntry, { entries, statuses, none }: Texts): string {
  const named = (status: string) => (statuses as Readonly<Record<string, string>>)[status] ?? status;
  if (what === 'status') return entries.status(named(from), named(to));
  if (what === 'assignee') return entries.assignee(from || none, to || none);
  if (what === 'contact') return entries.contact(from, to);
  if (what !== 'mail' || !mail) return what === 'draft' ? entries.draft : entries.note;
  return entries.mail[mail.state](mail.to.join(', '), mail.reason ?? '');
}
