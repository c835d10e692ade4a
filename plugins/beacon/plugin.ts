/** The beacon: reports whether an allele exists in its datasets. */
import { directoryAdvice } from '../../core/files.js';
import { bucketAdvice } from '../../core/outgoing.js';
import { definePlugin } from '../../core/plugin.js';
import { beacon, beaconConsequences, beaconDepths, beaconGenes, beaconProtection } from './contract.js';
import { hasFrequencies, protectsAny } from './protection/profiles.js';
import { rights } from './rights.js';
import { type BeaconSettings, beaconSettings } from './settings.js';
import { loadAdvice } from './vcf/open-named.js';

const unknownFrequencies =
  'protection.frequencies: names no file, so that rare alleles pass for common ones: about half of the people in a protected ' +
  'dataset could be found by asking for their alleles';

export default definePlugin<BeaconSettings>({
  name: 'beacon',
  api: 1,
  summary: 'Reports whether an allele exists in its datasets',
  settings: beaconSettings,
  environment: {
    TREFOIL_BEACON_ROOTS: 'roots',
    TREFOIL_BEACON_UPLOADS: 'uploads.folder',
    TREFOIL_BEACON_REFERENCES: 'references.folder',
    TREFOIL_BEACON_LOQUSDB_SECRET: 'loqusdb.secret',
  },
  stores: {
    'beacon@1': () => import('./store.js'),
    'beacon-genes@1': () => import('./genes/store.js'),
    'beacon-depths@1': () => import('./vcf/depths/store.js'),
    'beacon-consequences@1': () => import('./vcf/consequences/store.js'),
    'beacon-protection@1': () => import('./protection/store.js'),
  },
  contracts: [beacon, beaconGenes, beaconDepths, beaconConsequences],
  contractsFor: ({ protection }) => (protectsAny(protection) ? [beaconProtection] : []),
  recorded: ({ protection }) =>
    protectsAny(protection) ? ['questions of callers without a grant about protected datasets'] : [],
  commands: async () => (await import('./commands.js')).commands,
  named: ({ roots, buckets }) => ({ roots, buckets }),
  async advice(settings, { demo, s3, tenants }) {
    const { roots, buckets, uploads, organisation, loqusdb, protection } = settings;
    const nameless = !demo && organisation.name === '';
    const isOpen = loqusdb?.secret === undefined && loqusdb?.addresses.some((range) => range.endsWith('/0'));
    return [
      ...(await directoryAdvice('roots', roots)),
      ...bucketAdvice('buckets', buckets, s3),
      ...loadAdvice(settings, tenants),
      ...bucketAdvice('uploads.folder', [uploads.folder], s3),
      ...(isOpen
        ? ['loqusdb.addresses: has all addresses, so that every client can read which cases carry a variant']
        : []),
      ...(protectsAny(protection) && !hasFrequencies(protection) ? [unknownFrequencies] : []),
      ...(nameless ? ['organisation.name: is empty, so that clients cannot see who runs this beacon'] : []),
    ];
  },
  listens: ['reviews/demo@1'],
  rights,
  register: async (context) => (await import('./register.js')).register(context),
});
