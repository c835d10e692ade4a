/** Random histories of the beacon's fast contracts: what SQL returns is what the references return. */
import { beaconProtection } from '../../../plugins/beacon/contract.js';
import { describeHistories } from './support/compared.js';
import { clearProtection, lookAtProtection, protectionStep, runProtection } from './support/protection-steps.js';

describeHistories({
  contract: beaconProtection,
  step: protectionStep,
  run: runProtection,
  look: lookAtProtection,
  clear: clearProtection,
});
