/** The pages of sign-in with their texts, and what other pages show of it. None of them has a script. */
import type { IncomingHttpHeaders } from 'node:http';
import { csrfField, type SignedIn } from '../../auth/sessions/keeper.js';
import { type Html, html, page, pageLanguage, raw, style } from '../pages.js';

export interface SignInTexts {
  language: 'en' | 'sv';
  signIn: string;
  signOut: string;
  signedIn: string;
  signedInAs: string;
  notSignedIn: string;
  intro: string;
  account: string;
  unnamed: string;
  provider: string;
  roles: string;
  tenants: string;
  rights: string;
  noRights: string;
  until: string;
  idle: (minutes: number) => string;
  front: string;
  signedOut: string;
  signedOutHere: string;
  atProvider: string;
  toProvider: string;
  failed: string;
  again: string;
  /** In place of the message of the fault, which is English. */
  failures: Readonly<Record<string, string>>;
}

const en: SignInTexts = {
  language: 'en',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedIn: 'Signed in',
  signedInAs: 'Signed in as',
  notSignedIn: 'You are not signed in',
  intro: 'Some pages show more to people who are signed in.',
  account: 'Account',
  unnamed: 'a person without a name',
  provider: 'Identity provider',
  roles: 'Roles',
  tenants: 'Departments',
  rights: 'What you may do',
  noRights: 'The provider says nothing of you that grants you a right here. Ask the operator of this server.',
  until: 'Signed in until',
  idle: (minutes) => `or until ${minutes} minutes pass without a request`,
  front: 'Front page',
  signedOut: 'You are signed out',
  signedOutHere: 'Your session on this server has ended.',
  atProvider: 'You may still be signed in at the identity provider. On a shared computer, sign out there too.',
  toProvider: 'Sign out at the provider',
  failed: 'You are not signed in',
  again: 'Sign in again',
  failures: {},
};

const sv: SignInTexts = {
  language: 'sv',
  signIn: 'Logga in',
  signOut: 'Logga ut',
  signedIn: 'Inloggad',
  signedInAs: 'Inloggad som',
  notSignedIn: 'Du är inte inloggad',
  intro: 'En del sidor visar mer för den som är inloggad.',
  account: 'Konto',
  unnamed: 'en person utan namn',
  provider: 'Inloggningstjänst',
  roles: 'Roller',
  tenants: 'Avdelningar',
  rights: 'Behörigheter',
  noRights: 'Inloggningstjänsten anger inget om dig som ger behörighet här. Kontakta den som ansvarar för servern.',
  until: 'Inloggad till',
  idle: (minutes) => `eller tills ${minutes} minuter har gått utan aktivitet`,
  front: 'Startsida',
  signedOut: 'Du är utloggad',
  signedOutHere: 'Din session på den här servern är avslutad.',
  atProvider: 'Du kan fortfarande vara inloggad i inloggningstjänsten. Logga ut även där om du delar dator med andra.',
  toProvider: 'Logga ut från inloggningstjänsten',
  failed: 'Du är inte inloggad',
  again: 'Logga in igen',
  failures: {
    invalid: 'Inloggningen kunde inte slutföras. Börja om från början.',
    forbidden: 'Inloggningstjänsten loggade inte in dig.',
    unavailable: 'Inloggningstjänsten går inte att nå just nu. Försök igen senare.',
    unauthenticated: 'Din session är avslutad. Logga in igen.',
  },
};

const all: Readonly<Record<SignInTexts['language'], SignInTexts>> = { en, sv };

/** The texts of a language by its tag; English if it is unknown. */
export function signInTexts(language: string): SignInTexts {
  return language === 'sv' ? sv : en;
}

export function textsFor(headers: IncomingHttpHeaders): SignInTexts {
  return all[pageLanguage(undefined, headers)];
}

// The pages of sign-in, and what other pages show of it. None of them has a script.

export interface PageSurroundings {
  texts: SignInTexts;
  nonce: string;
  /** Path of the public address, before every link. */
  base: string;
}

/** What the person may do: each right once, with all its reasons. */
interface RightRow {
  scope: string;
  because: string[];
}

export function rightsOfSession(signedIn: SignedIn): RightRow[] {
  const reasons = new Map<string, Set<string>>();
  for (const { scope, because } of signedIn.rights.grants) {
    reasons.set(scope, (reasons.get(scope) ?? new Set()).add(because));
  }
  return [...reasons].map(([scope, because]) => ({ scope, because: [...because] }));
}

/** The roles of the whole server that the person has: `read`, `work`, `admin`. */
export function rolesOfSession(signedIn: SignedIn): string[] {
  const reasons = signedIn.rights.grants.flatMap(({ because }) => /^role (\w+)$/.exec(because)?.[1] ?? []);
  return [...new Set(reasons)];
}

export function mePage(signedIn: SignedIn, idleMinutes: number, around: PageSurroundings): string {
  const { texts } = around;
  const { session, rights } = signedIn;
  const roles = rolesOfSession(signedIn);
  const shown = rightsOfSession(signedIn);
  const list = (names: readonly string[]) => (names.length === 0 ? '–' : names.join(', '));
  return framed(
    around,
    texts.signedIn,
    html`<h1>${texts.signedInAs} <bdi>${session.name ?? texts.unnamed}</bdi></h1>
</header>
<main>
<dl class="facts">
<div><dt>${texts.provider}</dt><dd>${session.issuer}</dd></div>
<div><dt>${texts.roles}</dt><dd>${list(roles)}</dd></div>
<div><dt>${texts.tenants}</dt><dd>${list(rights.tenants)}</dd></div>
<div><dt>${texts.until}</dt><dd><time datetime="${session.expires.toISOString()}">${minuteOf(session.expires)}</time>, ${texts.idle(idleMinutes)}</dd></div>
</dl>
<h2>${texts.rights}</h2>
${
  shown.length === 0
    ? html`<p>${texts.noRights}</p>`
    : html`<ul class="rights">${shown.map(({ scope, because }) => html`<li><code>${scope}</code> <span class="soft">(${because.join(', ')})</span></li>\n`)}</ul>`
}
</main>`,
  );
}

export function strangerPage(around: PageSurroundings): string {
  const { texts, base } = around;
  return framed(
    around,
    texts.notSignedIn,
    html`<h1>${texts.notSignedIn}</h1>
</header>
<main>
<p>${texts.intro}</p>
<p><a class="button" href="${base}/-/sign-in?to=/-/me">${texts.signIn}</a></p>
</main>`,
  );
}

/** After the end of a session. `provider` is where the person also signs out there, if it offers that. */
export function signedOutPage(provider: string | undefined, around: PageSurroundings): string {
  const { texts, base } = around;
  return framed(
    around,
    texts.signedOut,
    html`<h1>${texts.signedOut}</h1>
</header>
<main>
<p>${texts.signedOutHere}</p>
${
  provider === undefined
    ? html`<p>${texts.atProvider}</p>`
    : html`<p>${texts.atProvider}</p>
<p><a class="button" href="${provider}">${texts.toProvider}</a></p>`
}
<p><a href="${base}/-/sign-in?to=/-/me">${texts.again}</a></p>
</main>`,
  );
}

export function failurePage(message: string, around: PageSurroundings): string {
  const { texts, base } = around;
  return framed(
    around,
    texts.failed,
    html`<h1>${texts.failed}</h1>
</header>
<main>
<p role="alert">${message}</p>
<p><a class="button" href="${base}/-/sign-in?to=/-/me">${texts.again}</a></p>
</main>`,
  );
}

/** Shown at the top of every page to those who are signed in; not printed. */
export function accountBar({ session, csrfToken }: SignedIn, { texts, base, nonce }: PageSurroundings): Html {
  return html`
<aside class="trefoil-account" aria-label="${texts.account}">
<style nonce="${nonce}">${barSheet}</style>
<span>${texts.signedInAs} <a href="${base}/-/me"><bdi>${session.name ?? texts.unnamed}</bdi></a></span>
${signOutForm(csrfToken, texts, base)}
</aside>`;
}

/** Proves that a form comes from a page of the session. */
export function csrfInput(token: string): Html {
  return html`<input type="hidden" name="${csrfField}" value="${token}">`;
}

function signOutForm(csrfToken: string, texts: SignInTexts, base: string): Html {
  return html`<form method="post" action="${base}/-/sign-out">${csrfInput(csrfToken)}<button class="trefoil-plain">${texts.signOut}</button></form>`;
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function framed({ texts, nonce, base }: PageSurroundings, title: string, rest: Html): string {
  return page({
    title,
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<header>
<p class="soft"><a href="${base}/">Trefoil</a></p>
${rest}
<footer><a href="${base}/">${texts.front}</a></footer>
</body>`,
  });
}

const sheet = raw(`
.facts { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.25rem; margin: 1.5rem 0; }
.facts div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .25rem 0; }
.facts dt { flex: 0 0 11rem; color: var(--soft); }
.facts dd { margin: 0; flex: 1 1 12rem; overflow-wrap: anywhere; }
.rights { margin: .5rem 0 1.5rem; padding-left: 1.25rem; overflow-wrap: anywhere; }
main { margin-bottom: 2rem; }
.button { display: inline-block; padding: .55rem 1.1rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--paper); font: inherit; text-decoration: none; cursor: pointer; }
.button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 bdi { overflow-wrap: anywhere; }
`);

/** By itself: some pages have a style of their own. */
const barSheet = raw(`
.trefoil-account { display: flex; flex-wrap: wrap; justify-content: flex-end; align-items: baseline; gap: .25rem 1rem; margin: 0; padding: .35rem 1.25rem; font-size: .875rem; border-bottom: 1px solid var(--line, #d5dfe0); overflow-wrap: anywhere; }
.trefoil-account form { margin: 0; }
.trefoil-plain { border: 0; background: none; padding: .25rem 0; font: inherit; color: var(--accent, #0f766e); text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
.trefoil-plain:focus-visible { outline: 3px solid var(--accent, #0f766e); outline-offset: 2px; }
@media print { .trefoil-account { display: none; } }
`);
