/** The scope of an API token that may change data. */
export const writeScope = 'beacon:write';
