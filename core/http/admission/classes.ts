/** The classes of requests: which go first, and which are refused first, when there are more than the server can handle. */

/** First to last. `health` is never limited. */
export const requestClasses = ['health', 'query', 'report', 'background'] as const;
export type RequestClass = (typeof requestClasses)[number];

/** The classes that are limited, first to last. */
export const limitedClasses = ['query', 'report', 'background'] as const;
export type LimitedClass = (typeof limitedClasses)[number];
