/** The location of a D4 file that a request named and the operator allows. Only `CoverageSources` makes one. */
import { Fault, type FaultCode, type FaultOptions } from '../../../core/plugin.js';

declare const allowed: unique symbol;

/** The real path of a file under a configured directory, or an http(s) URL on a configured host. */
export type Location = string & { readonly [allowed]: true };

/** A file that fails while it is read. The message has neither its path nor its URL. */
export class FileFault extends Fault {
  readonly location: Location;

  constructor(location: Location, code: FaultCode, message: string, options: FaultOptions = {}) {
    super(code, message, options);
    this.location = location;
  }
}
