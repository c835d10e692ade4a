/** The schema of each earlier release: how far back `trefoil migrate --down-to VERSION` can go. */

/** The last step of each contract in a release; null if the release did not have the contract. */
export const releases: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  '0.1.0': {
    'jobs@1': '001-queue',
    'tokens@1': '001-issued',
    'sessions@1': null,
    'audit@1': null,
    'erasures@1': null,
    'beacon@1': '003-contigs',
    'beacon-genes@1': '001-genes-and-releases',
    'beacon-protection@1': null,
    'coverage@1': '001-sets-of-intervals',
    'coverage-samples@1': null,
    'coverage-tracks@1': null,
    'coverage-cohorts@1': null,
    'coverage-sites@1': null,
    'coverage-reports@1': null,
    'matchmaker@1': '002-clients',
    'matchmaker-matches@1': '002-exchange',
    'matchmaker-resources@1': '001-resources',
    'matchmaker-nodes@1': '001-nodes',
    'matchmaker-mail@1': '001-mail',
    'matchmaker-audit@1': '001-entries',
    'matchmaker-triage@1': null,
    'panels@1': null,
  },
};
