/** Random histories of the beacon's fast contracts: what SQL returns is what the references return. */
import { beaconHistories } from './support/beacon-steps.js';
import { describeHistories } from './support/history.js';
import { protectionHistories } from './support/protection-steps.js';

describeHistories(beaconHistories);
describeHistories(protectionHistories);
