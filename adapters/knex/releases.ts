/** The schema of each earlier release: how far back `trefoil migrate --down-to VERSION` can go. */

/** The last step of each contract in a release; null if the release did not have the contract. */
export const releases: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  '0.2.0': {
    'jobs@1': '002-crashes',
    'tokens@1': '001-issued',
    'sessions@1': '001-open',
    'audit@1': '002-pending-events',
    'erasures@1': null,
    'beacon@1': '009-fresh-rows',
    'beacon-genes@1': '002-symbols',
    'beacon-protection@1': '002-consulted-people',
    'coverage@1': '001-sets-of-intervals',
    'coverage-samples@1': '002-windows-of-runs',
    'coverage-tracks@1': '001-tracks-and-blocks',
    'coverage-cohorts@1': '001-layouts-and-blocks',
    'coverage-sites@1': '001-sets-and-places',
    'coverage-reports@1': '001-kept-reports',
    'matchmaker@1': '002-clients',
    'matchmaker-matches@1': '003-shared-patients',
    'matchmaker-resources@1': '001-resources',
    'matchmaker-nodes@1': '002-quirks',
    'matchmaker-mail@1': '002-search',
    'matchmaker-audit@1': '002-purposes',
    'matchmaker-triage@1': '001-triage',
    'panels@1': '001-versions-and-names',
  },
};
