/** Names of files, URLs and objects that a caller may use. */

declare const permitted: unique symbol;

/**
 * The real path of a file, the URL or the name of an object in S3 that a caller named and may use. Only `Places` makes one, in
 * core/named/places.ts: what opens something for a caller takes no other text.
 */
export type PermittedName = string & { readonly [permitted]: true };
