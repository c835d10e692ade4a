export const root = '/beacon/v1';

/** The same text in every answer. */
export const apiVersion = 'v1.1.0';
