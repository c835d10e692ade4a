/** The location of a D4 file that a request named and its caller may use. Only `CoverageSources` makes one. */
import type { PermittedName } from '../../../core/files.js';
import { Fault, type FaultCode, type FaultOptions } from '../../../core/plugin.js';

declare const allowed: unique symbol;

/** The real path of a file under a configured directory, an http(s) URL on a configured host, or a name in a configured bucket; with one of its tracks. */
export type Location = string & { readonly [allowed]: true };

/** Paths and URLs have no such character. */
const beforeTrack = '\0';

/** The location of a track of the file: reading it, the file has no other. */
export function locationOf(file: PermittedName, track?: string): Location {
  return (track === undefined ? file : `${file}${beforeTrack}${track}`) as Location;
}

/** The path or URL of a location, and the track, if it is of one. */
export function partsOf(location: Location): { file: string; track?: string } {
  const at = location.indexOf(beforeTrack);
  return at < 0 ? { file: location } : { file: location.slice(0, at), track: location.slice(at + 1) };
}

/** A file that fails while it is read. The message has neither its path nor its URL. */
export class FileFault extends Fault {
  readonly location: Location;

  constructor(location: Location, code: FaultCode, message: string, options: FaultOptions = {}) {
    super(code, message, options);
    this.location = location;
  }
}
