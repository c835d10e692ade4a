/** A place that a request named and the operator allows: only `CoverageSources` makes one. */
declare const allowed: unique symbol;

/** The real path of a file under a configured directory, or an http(s) URL on a configured host. */
export type Location = string & { readonly [allowed]: true };
