/** The conformance kit on every adapter that comes with Trefoil. */
import {
  describeContract,
  describeStorage,
  jobCases,
  jobs,
  type Subject,
  tokenCases,
  tokens,
} from '../../core/conformance.js';
import { beacon, beaconCases } from '../../plugins/beacon/conformance.js';
import { storages } from '../support/storages.js';
import { memorySubject } from './memory.js';

const subjects: Subject[] = [memorySubject, ...storages];

for (const subject of subjects) {
  describeStorage({ describe, it }, subject);
  describeContract({ describe, it }, subject, jobs, jobCases);
  describeContract({ describe, it }, subject, tokens, tokenCases);
  describeContract({ describe, it }, subject, beacon, beaconCases);
}
