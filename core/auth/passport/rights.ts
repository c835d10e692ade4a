/** From the valid visas of a passport to what its holder may do. */
import type { Grant } from '../../policy/caller.js';
import { conditionsHold } from './conditions.js';
import { accountsOf } from './identities.js';
import type { ResearcherSettings, VisaGrantSettings } from './settings.js';
import type { Identity, Visa } from './visa.js';

/** The value of the visas of bona fide researchers (Passport 1.2; the paper that defines registered access). */
const bonaFide = 'https://doi.org/10.1038/s41431-018-0219-y';

export interface PassportRules {
  grants: readonly VisaGrantSettings[];
  researchers?: ResearcherSettings | undefined;
}

export interface PassportRights {
  grants: Grant[];
  /** Whether the holder is a bona fide researcher. */
  researcher: boolean;
  /** Seconds since 1970 until which this holds, that is until the first of the visas expires. */
  expires: number;
}

export const noRights: PassportRights = { grants: [], researcher: false, expires: Number.POSITIVE_INFINITY };

/** The rights of the person with this account. All visas must have passed the checks of `visaChecker`. */
export function passportRights(holder: Identity, visas: readonly Visa[], rules: PassportRules): PassportRights {
  const isHolders = accountsOf(holder, visas);
  const own = visas.filter((visa) => isHolders(visa) || isHolders(visa.about));
  const plain = own.filter(({ conditions }) => conditions === undefined);
  const valid = own.filter(({ conditions }) => conditions === undefined || conditionsHold(conditions, plain));
  const grants = valid
    .filter(({ type }) => type === 'ControlledAccessGrants')
    .flatMap((visa) =>
      rules.grants
        .filter((rule) => fits(visa, rule))
        .flatMap(({ scopes }) => scopes.map((scope) => ({ scope, because: `visa ${visa.type} by ${visa.by}` }))),
    );
  const distinct = new Map(grants.map((grant) => [`${grant.scope} ${grant.because}`, grant]));
  return {
    grants: [...distinct.values()],
    researcher: rules.researchers !== undefined && isResearcher(valid, rules.researchers),
    expires: Math.min(...visas.map(({ expires }) => expires)),
  };
}

/** The value is compared as a whole: two committees may both have a dataset that ends in `/1000`. */
function fits(visa: Visa, { value, issuer, source, by }: VisaGrantSettings): boolean {
  return (
    visa.value === value &&
    (issuer === undefined || issuer === visa.issuer) &&
    (source === undefined || source === visa.source) &&
    isBy(visa, by)
  );
}

function isResearcher(visas: readonly Visa[], { status, terms }: ResearcherSettings): boolean {
  const states = (type: string, by: readonly string[]) =>
    visas.some((visa) => visa.type === type && visa.value === bonaFide && isBy(visa, by));
  return states('AcceptedTermsAndPolicies', terms) && states('ResearcherStatus', status);
}

/** A visa that does not say who decided is by nobody in particular. */
function isBy({ by }: Visa, accepted: readonly string[]): boolean {
  return by !== undefined && accepted.includes(by);
}
