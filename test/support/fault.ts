/** The fault with which work fails. */
import { expect } from 'chai';
import { type Fault, type FaultCode, isFault } from '../../core/fault.js';

/** Throws any other error, and an error if the work succeeds. Checks the code if one is given. */
export async function faultOf(work: Promise<unknown>, code?: FaultCode): Promise<Fault> {
  const error = await work.then(
    () => new Error('Expected a fault'),
    (thrown: unknown) => thrown,
  );
  if (!isFault(error)) throw error;
  if (code !== undefined) expect(error.code).to.equal(code);
  return error;
}
