/** The texts of sign-in, in the languages of the pages. */
import type { IncomingHttpHeaders } from 'node:http';
import { preferredLanguage } from '../pages.js';

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
export function textsOf(language: string): SignInTexts {
  return language === 'sv' ? sv : en;
}

export function textsFor(headers: IncomingHttpHeaders): SignInTexts {
  return all[preferredLanguage(headers, ['en', 'sv'])];
}
