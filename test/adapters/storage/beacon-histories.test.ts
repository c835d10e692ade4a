/** Random histories of the beacon's fast contracts: what SQL returns is what the references return. */
import { beacon, beaconProtection } from '../../../plugins/beacon/contract.js';
import { beaconStep, clearBeacon, lookAtBeacon, runBeacon } from './support/beacon-steps.js';
import { describeHistories } from './support/compared.js';
import { clearProtection, lookAtProtection, protectionStep, runProtection } from './support/protection-steps.js';

describeHistories({
  contract: beacon,
  step: beaconStep,
  run: runBeacon,
  look: lookAtBeacon,
  clear: clearBeacon,
});

describeHistories({
  contract: beaconProtection,
  step: protectionStep,
  run: runProtection,
  look: lookAtProtection,
  clear: clearProtection,
});
